"""Git hooks are put in beside whatever stands there, and taken out without a trace."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.report import Action
from devs_git.errors import DevsError
from devs_git.storage import hook_files, resources
from devs_git.storage.git_program import Git
from devs_git.storage.places import locate

Run = Callable[..., str]
NAMES = ("post-commit", "post-rewrite", "prepare-commit-msg")


@pytest.fixture(autouse=True)
def counting_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped hooks, with one more line after their header that says they ran; returns where they say it."""
    copy = tmp_path / "package"
    shutil.copytree(resources.folder("hooks"), copy / "_hooks")
    for name in NAMES:
        file = copy / "_hooks" / name
        file.write_text(file.read_text().replace("\nfi\n", '\nfi\necho "ours ${0##*/}" >>"$RAN"\n', 1))
    ran = tmp_path / "ran"
    monkeypatch.setattr(resources, "PACKAGE", copy)
    monkeypatch.setenv("RAN", str(ran))
    return ran


def install(where: Path, python: str = sys.executable) -> dict[str, Action]:
    return {action.what: action for action in hook_files.install(locate(where), Git(where), python)}


def uninstall(where: Path) -> dict[str, Action]:
    return {action.what: action for action in hook_files.uninstall(locate(where), Git(where))}


def codes(where: Path) -> list[str]:
    return [finding.code for finding in hook_files.status(locate(where), Git(where))]


def script(path: Path, text: str = "", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or '#!/bin/sh\necho "theirs ${0##*/}" >>"$RAN"\n')
    path.chmod(mode)
    return path


def picture(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below `folder` with mode and bytes; a link with its target."""
    return {
        str(p.relative_to(folder)): (
            stat.S_IMODE(p.lstat().st_mode),
            os.fsencode(p.readlink()) if p.is_symlink() else p.read_bytes(),
        )
        for p in folder.rglob("*")
        if p.is_symlink() or p.is_file()
    }


def commit(git: Run, ran: Path, where: Path | None = None) -> list[str]:
    """What post-commit hooks said when something was committed."""
    ran.unlink(missing_ok=True)
    git("commit", "--allow-empty", "-qm", "x", where=where)
    return [line for line in ran.read_text().splitlines() if "post-commit" in line] if ran.exists() else []


def test_installing_twice_installs_once(repo: Path, git: Run, counting_hooks: Path) -> None:
    assert {action.did for action in install(repo).values()} == {"created"}
    first = picture(repo / ".git/hooks")
    assert {action.did for action in install(repo).values()} == {"kept"}
    assert picture(repo / ".git/hooks") == first
    assert [stat.S_IMODE((repo / ".git/hooks" / name).stat().st_mode) for name in NAMES] == [0o755] * 3
    assert codes(repo) == []
    assert commit(git, counting_hooks) == ["ours post-commit"]


def test_uninstalling_takes_out_exactly_what_was_put_in(repo: Path) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "post-commit", "#!/usr/bin/env python3\nprint('x')\n", 0o700)
    script(hooks / "post-rewrite", mode=0o644)
    script(repo / "tools/hook")
    (hooks / "prepare-commit-msg").symlink_to("../../tools/hook")
    script(hooks / "pre-push")
    before = picture(repo)
    install(repo)
    assert picture(repo) != before
    assert {action.did for action in uninstall(repo).values()} == {"removed"}
    assert picture(repo) == before
    assert uninstall(repo) == {}


def test_a_hook_that_stood_there_goes_first_and_both_run_once(
    repo: Path, git: Run, counting_hooks: Path
) -> None:
    script(repo / ".git/hooks/post-commit")
    install(repo)
    assert commit(git, counting_hooks) == ["theirs post-commit", "ours post-commit"]
    install(repo)
    assert commit(git, counting_hooks) == ["theirs post-commit", "ours post-commit"]


def test_an_upgrade_replaces_ours_and_still_calls_theirs(repo: Path, git: Run, counting_hooks: Path) -> None:
    script(repo / ".git/hooks/post-commit")
    install(repo, "/old/python")
    source = resources.folder("hooks") / "post-commit"
    source.write_text(source.read_text() + "# newer\n")
    assert set(codes(repo)) == {"HOOK_OUTDATED"}
    assert {action.did for action in install(repo).values()} <= {"updated", "kept"}
    assert codes(repo) == []
    assert commit(git, counting_hooks) == ["theirs post-commit", "ours post-commit"]


def test_a_hook_that_git_no_longer_needs_us_for_is_taken_out_by_an_upgrade(repo: Path) -> None:
    theirs = script(repo / ".git/hooks/post-rewrite").read_bytes()
    install(repo)
    (resources.folder("hooks") / "post-rewrite").unlink()
    assert install(repo)["hook post-rewrite"].did == "removed"
    assert (repo / ".git/hooks/post-rewrite").read_bytes() == theirs


def test_a_hook_that_was_edited_is_left_alone_and_reported(repo: Path) -> None:
    install(repo)
    ours = repo / ".git/hooks/post-commit"
    ours.write_text(ours.read_text() + "echo mine\n")
    edited = ours.read_bytes()
    assert codes(repo) == ["HOOK_EDITED"]
    assert install(repo)["hook post-commit"].did == "skipped"
    assert uninstall(repo)["hook post-commit"].did == "skipped"
    assert ours.read_bytes() == edited
    fix = hook_files.status(locate(repo), Git(repo))[0].fix.partition(" && ")[0]
    subprocess.run(["sh", "-c", fix], cwd=repo, check=True)
    install(repo)
    assert codes(repo) == []


def test_a_copy_of_our_hook_with_its_mark_taken_off_is_not_called_by_itself(repo: Path) -> None:
    install(repo)
    ours = repo / ".git/hooks/post-commit"
    ours.write_text(ours.read_text().replace("# devs-git hook", "# my hook"))
    assert codes(repo) == ["HOOK_EDITED"]
    assert install(repo)["hook post-commit"].did == "skipped"


def test_status_sees_what_is_missing_not_executable_or_replaced(repo: Path) -> None:
    install(repo)
    hooks = repo / ".git/hooks"
    (hooks / "post-commit").unlink()
    (hooks / "post-rewrite").chmod(0o644)
    script(hooks / "prepare-commit-msg")
    found = hook_files.status(locate(repo), Git(repo))
    assert [(finding.code, finding.fix) for finding in found] == [("HOOK_MISSING", "devs-git init")] * 3
    install(repo)
    assert codes(repo) == []


def test_status_sees_that_a_kept_hook_is_gone(repo: Path) -> None:
    script(repo / ".git/hooks/post-commit")
    install(repo)
    (repo / ".git/hooks/post-commit.before-devs").unlink()
    assert codes(repo) == ["HOOK_KEPT_MISSING"]
    install(repo)
    assert codes(repo) == []


def test_a_tool_that_overwrites_ours_is_kept_and_called_in_turn(
    repo: Path, git: Run, counting_hooks: Path
) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "post-commit")
    install(repo)
    script(hooks / "post-commit")  # the same tool again
    install(repo)
    assert commit(git, counting_hooks) == ["theirs post-commit", "ours post-commit"]
    script(hooks / "post-commit", '#!/bin/sh\necho "newer post-commit" >>"$RAN"\n')
    assert "post-commit.before-devs.1 and not called" in install(repo)["hook post-commit"].detail
    assert commit(git, counting_hooks) == ["newer post-commit", "ours post-commit"]


def test_ours_moved_aside_by_another_tool_is_removed_there(
    repo: Path, git: Run, counting_hooks: Path
) -> None:
    hooks = repo / ".git/hooks"
    install(repo)
    (hooks / "post-commit").rename(hooks / "post-commit.old")
    script(hooks / "post-commit")
    install(repo)
    assert sorted(p.name for p in hooks.glob("post-commit*") if p.suffix != ".sample") == [
        "post-commit",
        "post-commit.before-devs",
    ]
    assert commit(git, counting_hooks) == ["theirs post-commit", "ours post-commit"]


def test_a_folder_in_the_place_of_a_hook_is_left_alone(repo: Path) -> None:
    (repo / ".git/hooks/post-commit").mkdir(parents=True)
    assert install(repo)["hook post-commit"].did == "skipped"
    assert uninstall(repo)["hook post-rewrite"].did == "removed"
    assert (repo / ".git/hooks/post-commit").is_dir()


def test_a_missing_hooks_folder_is_made_and_goes_again(
    tmp_path: Path, git: Run, counting_hooks: Path
) -> None:
    bare = tmp_path / "no template"
    git("init", "-q", "--template=", str(bare))
    install(bare)
    assert commit(git, counting_hooks, bare) == ["ours post-commit"]
    uninstall(bare)
    assert not (bare / ".git/hooks").exists()


def test_linked_worktrees_share_the_hooks_of_the_common_folder(
    repo: Path, git: Run, tmp_path: Path, counting_hooks: Path
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    install(tmp_path / "linked")
    assert codes(repo) == []
    assert commit(git, counting_hooks) == ["ours post-commit"]
    assert commit(git, counting_hooks, tmp_path / "linked") == ["ours post-commit"]


def test_a_worktree_of_a_bare_repository_has_its_hooks_in_the_bare_one(
    repo: Path, git: Run, tmp_path: Path, counting_hooks: Path
) -> None:
    bare, tree = tmp_path / "bare.git", tmp_path / "tree"
    git("clone", "-q", "--bare", str(repo), str(bare))
    git("worktree", "add", "-q", str(tree), where=bare)
    install(tree)
    assert (bare / "hooks/post-commit").is_file()
    assert commit(git, counting_hooks, tree) == ["ours post-commit"]


def test_a_hooks_folder_that_cannot_be_written_is_refused_in_one_line(repo: Path) -> None:
    shutil.rmtree(repo / ".git/hooks")
    (repo / ".git/hooks").write_text("")
    with pytest.raises(DevsError, match="cannot be written") as refused:
        install(repo)
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert str(repo) not in refused.value.message


def test_an_interpreter_with_spaces_and_quotes_in_its_path_is_quoted(repo: Path, tmp_path: Path) -> None:
    odd = script(tmp_path / 'it\'s "odd" $HOME/py', "#!/bin/sh\necho yes\n")
    source = resources.folder("hooks") / "post-commit"
    source.write_text(source.read_text().replace("\nfi\n", "\nfi\nexec @PYTHON@ -P\n", 1))
    install(repo, str(odd))
    done = subprocess.run([repo / ".git/hooks/post-commit"], capture_output=True, text=True, check=True)
    assert done.stdout == "yes\n"
