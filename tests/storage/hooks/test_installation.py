"""Git hooks are installed next to existing ones, and uninstalled without a trace."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.storage.documents import package_files
from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import installation
from tests.support.hook_stage import NAMES, HookStage, picture, script

Run = Callable[..., str]


@pytest.mark.quick
def test_installing_twice_installs_once(repo: Path, stage: HookStage) -> None:
    assert {action.did for action in stage.install(repo).values()} == {"created"}
    first = picture(repo / ".git/hooks")
    assert {action.did for action in stage.install(repo).values()} == {"kept"}
    assert picture(repo / ".git/hooks") == first
    assert [stat.S_IMODE((repo / ".git/hooks" / name).stat().st_mode) for name in NAMES] == [0o755] * len(
        NAMES
    )
    assert stage.codes(repo) == []
    assert stage.commit() == ["ours post-commit"]


def test_uninstalling_takes_out_exactly_what_was_put_in(repo: Path, stage: HookStage) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "post-commit", "#!/usr/bin/env python3\nprint('x')\n", 0o700)
    script(hooks / "post-rewrite", mode=0o644)
    script(repo / "tools/hook")
    (hooks / "prepare-commit-msg").symlink_to("../../tools/hook")
    script(hooks / "pre-push")
    before = picture(repo)
    stage.install(repo)
    assert picture(repo) != before
    assert {action.did for action in stage.uninstall(repo).values()} == {"removed"}
    assert picture(repo) == before
    assert stage.uninstall(repo) == {}


def test_an_existing_hook_runs_first_and_both_run_once(repo: Path, stage: HookStage) -> None:
    script(repo / ".git/hooks/post-commit")
    stage.install(repo)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    stage.install(repo)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]


def test_an_upgrade_replaces_our_hook_and_still_calls_the_kept_one(repo: Path, stage: HookStage) -> None:
    script(repo / ".git/hooks/post-commit")
    stage.install(repo)
    source = package_files.folder("hooks") / "post-commit"
    source.write_text(source.read_text() + "# newer\n")
    assert stage.codes(repo) == ["HOOK_OUTDATED"]
    assert {action.did for action in stage.install(repo).values()} <= {"updated", "kept"}
    assert stage.codes(repo) == []
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]


@pytest.mark.parametrize("name", ["calm", "nothing-open"])
def test_an_upgrade_deletes_a_note_that_only_earlier_hooks_read(
    repo: Path, stage: HookStage, name: str
) -> None:
    note = repo / ".git/devs" / name
    note.parent.mkdir()
    note.write_text("0123 1\n")
    stage.install(repo)
    assert not note.exists()


def test_a_hook_that_git_no_longer_needs_us_for_is_taken_out_by_an_upgrade(
    repo: Path, stage: HookStage
) -> None:
    theirs = script(repo / ".git/hooks/post-rewrite").read_bytes()
    stage.install(repo)
    (package_files.folder("hooks") / "post-rewrite").unlink()
    assert stage.install(repo)["hook post-rewrite"].did == "removed"
    assert (repo / ".git/hooks/post-rewrite").read_bytes() == theirs


def test_a_hook_that_was_edited_is_left_alone_and_reported(repo: Path, stage: HookStage) -> None:
    stage.install(repo)
    ours = repo / ".git/hooks/post-commit"
    ours.write_text(ours.read_text() + "echo mine\n")
    edited = ours.read_bytes()
    assert stage.codes(repo) == ["HOOK_EDITED"]
    assert stage.install(repo)["hook post-commit"].did == "skipped"
    assert stage.uninstall(repo)["hook post-commit"].did == "skipped"
    assert ours.read_bytes() == edited
    edited_one = next(
        find for find in installation.status(locate(repo), Git(repo)) if find.code == "HOOK_EDITED"
    )
    fix = edited_one.fix.partition(" && ")[0]
    subprocess.run(["sh", "-c", fix], cwd=repo, check=True)
    stage.install(repo)
    assert stage.codes(repo) == []


@pytest.mark.quick
def test_a_copy_of_our_hook_with_its_mark_taken_off_is_not_called_by_itself(
    repo: Path, stage: HookStage
) -> None:
    stage.install(repo)
    ours = repo / ".git/hooks/post-commit"
    ours.write_text(ours.read_text().replace("# devs-git hook", "# my hook"))
    assert stage.codes(repo) == ["HOOK_EDITED"]
    assert stage.install(repo)["hook post-commit"].did == "skipped"


def test_a_link_to_our_hook_is_left_alone(repo: Path, stage: HookStage) -> None:
    stage.install(repo)
    hooks = repo / ".git/hooks"
    (hooks / "post-commit").rename(repo / "elsewhere")
    (hooks / "post-commit").symlink_to(repo / "elsewhere")
    assert stage.codes(repo) == ["HOOK_EDITED"]
    assert stage.install(repo)["hook post-commit"].did == "skipped"
    assert stage.commit() == ["ours post-commit"]


@pytest.mark.quick
def test_a_hook_that_its_tool_wrote_again_over_ours_is_there_once_after_uninstall(
    repo: Path, stage: HookStage
) -> None:
    script(repo / ".git/hooks/post-commit")
    before = picture(repo / ".git/hooks")
    stage.install(repo)
    script(repo / ".git/hooks/post-commit")
    stage.uninstall(repo)
    assert picture(repo / ".git/hooks") == before


def test_a_hook_that_somebody_put_in_place_of_ours_stays_beside_the_kept_one(
    repo: Path, stage: HookStage
) -> None:
    script(repo / ".git/hooks/post-commit")
    stage.install(repo)
    theirs = script(repo / ".git/hooks/post-commit", "#!/bin/sh\n: newer\n").read_bytes()
    assert "post-commit.before-devs stays" in stage.uninstall(repo)["hook post-commit"].detail
    assert (repo / ".git/hooks/post-commit").read_bytes() == theirs


def test_status_sees_what_is_missing_not_executable_or_replaced(repo: Path, stage: HookStage) -> None:
    stage.install(repo)
    hooks = repo / ".git/hooks"
    (hooks / "post-commit").unlink()
    (hooks / "post-rewrite").chmod(0o644)
    script(hooks / "prepare-commit-msg")
    found = installation.status(locate(repo), Git(repo))
    assert [(finding.code, finding.fix) for finding in found] == [("HOOK_MISSING", "devs-git init")] * 3
    stage.install(repo)
    assert stage.codes(repo) == []


def test_status_sees_that_a_kept_hook_is_gone(repo: Path, stage: HookStage) -> None:
    script(repo / ".git/hooks/post-commit")
    stage.install(repo)
    (repo / ".git/hooks/post-commit.before-devs").unlink()
    assert stage.codes(repo) == ["HOOK_KEPT_MISSING"]
    stage.install(repo)
    assert stage.codes(repo) == []


@pytest.mark.quick
def test_a_tool_that_overwrites_ours_is_kept_and_called_in_turn(repo: Path, stage: HookStage) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "post-commit")
    stage.install(repo)
    script(hooks / "post-commit")  # the same tool again
    stage.install(repo)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    script(hooks / "post-commit", '#!/bin/sh\necho "newer post-commit" >>"$RAN"\n')
    assert "post-commit.before-devs.1 and is not called" in stage.install(repo)["hook post-commit"].detail
    assert stage.commit() == ["newer post-commit", "ours post-commit"]


def test_ours_moved_aside_by_another_tool_is_removed_there(repo: Path, stage: HookStage) -> None:
    hooks = repo / ".git/hooks"
    stage.install(repo)
    (hooks / "post-commit").rename(hooks / "post-commit.old")
    script(hooks / "post-commit")
    stage.install(repo)
    assert sorted(p.name for p in hooks.glob("post-commit*") if p.suffix != ".sample") == [
        "post-commit",
        "post-commit.before-devs",
    ]
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]


@pytest.mark.quick
def test_a_folder_in_the_place_of_a_hook_is_left_alone(repo: Path, stage: HookStage) -> None:
    (repo / ".git/hooks/post-commit").mkdir(parents=True)
    assert stage.install(repo)["hook post-commit"].did == "skipped"
    assert stage.uninstall(repo)["hook post-rewrite"].did == "removed"
    assert (repo / ".git/hooks/post-commit").is_dir()


@pytest.mark.quick
def test_a_missing_hooks_folder_is_made_and_removed_again(tmp_path: Path, git: Run, stage: HookStage) -> None:
    bare = tmp_path / "no template"
    git("init", "-q", "--template=", str(bare))
    stage.install(bare)
    assert stage.commit(bare) == ["ours post-commit"]
    stage.uninstall(bare)
    assert not (bare / ".git/hooks").exists()


def test_linked_worktrees_share_the_hooks_of_the_common_folder(
    repo: Path, git: Run, tmp_path: Path, stage: HookStage
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    stage.install(tmp_path / "linked")
    assert stage.codes(repo) == []
    assert stage.commit() == ["ours post-commit"]
    assert stage.commit(tmp_path / "linked") == ["ours post-commit"]


def test_a_worktree_of_a_bare_repository_has_its_hooks_in_the_bare_one(
    repo: Path, git: Run, tmp_path: Path, stage: HookStage
) -> None:
    bare, tree = tmp_path / "bare.git", tmp_path / "tree"
    git("clone", "-q", "--bare", str(repo), str(bare))
    git("worktree", "add", "-q", str(tree), where=bare)
    stage.install(tree)
    assert (bare / "hooks/post-commit").is_file()
    assert stage.commit(tree) == ["ours post-commit"]


@pytest.mark.quick
def test_a_hooks_folder_that_cannot_be_written_is_refused_in_one_line(repo: Path, stage: HookStage) -> None:
    shutil.rmtree(repo / ".git/hooks")
    (repo / ".git/hooks").write_text("")
    with pytest.raises(DevsError, match="cannot be written") as refused:
        stage.install(repo)
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert str(repo) not in refused.value.message


@pytest.mark.usefixtures("stage")
def test_a_read_only_hooks_folder_is_refused_and_stays_as_it_was(repo: Path) -> None:
    hooks = repo / ".git/hooks"
    hooks.chmod(0o555)
    program = (
        "from pathlib import Path; from devs_git.storage.git import places; from devs_git.storage.git.program import Git\n"
        "from devs_git.storage.hooks import installation; installation.install(places.locate(Path()), Git(Path()))"
    )
    mortal = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    words = [*mortal, sys.executable, "-c", program]
    done = subprocess.run(words, cwd=repo, capture_output=True, text=True, check=False)
    assert "The folder for git hooks (hooks) cannot be written: Permission denied." in done.stderr
    assert [p for p in hooks.iterdir() if p.suffix != ".sample"] == []


def test_an_interpreter_with_spaces_and_quotes_in_its_path_is_quoted(
    repo: Path, tmp_path: Path, stage: HookStage
) -> None:
    odd = script(tmp_path / 'it\'s "odd" $HOME/py', "#!/bin/sh\necho yes\n")
    source = package_files.folder("hooks") / "post-commit"
    source.write_text(source.read_text().replace("\nfi\n", "\nfi\nexec @PYTHON@ -P\n", 1))
    stage.install(repo, str(odd))
    assert stage.codes(repo) == []  # doctor may run from another Python, as in pre-commit's environment
    done = subprocess.run([repo / ".git/hooks/post-commit"], capture_output=True, text=True, check=True)
    assert done.stdout == "yes\n"
    odd.unlink()
    assert "HOOK_OUTDATED" in stage.codes(repo)
    assert stage.install(repo)["hook post-commit"].did == "updated"
    assert stage.codes(repo) == []
