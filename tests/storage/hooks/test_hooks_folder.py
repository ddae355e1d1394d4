"""If others set core.hooksPath, our hooks are chained in that folder, or `init` prints the line to add to it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import installation
from tests.support.hook_stage import NAMES, HookStage, picture, script

Run = Callable[..., str]
# As in husky 9: each file in `.husky/_` learns from $0 which hook it is and where the other files are.
HUSKY_STUB = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n'
HUSKY_H = (
    'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ -f "$s" ] || exit 0\nsh -e "$s" "$@"\nexit $?\n'
)


def fixes(where: Path) -> list[str]:
    return [finding.fix for finding in installation.status(locate(where), Git(where))]


def husky(repo: Path, git: Run) -> Path:
    """The files that husky installs, ready for its own hook post-commit."""
    folder = repo / ".husky/_"
    for name in (*NAMES, "pre-commit"):
        script(folder / name, HUSKY_STUB)
    (folder / "h").write_text(HUSKY_H)
    (folder / ".gitignore").write_text("*")
    script(repo / ".husky/post-commit", 'echo "theirs post-commit" >>"$RAN"\n')
    git("config", "core.hooksPath", ".husky/_")
    git("add", "-A")
    git("commit", "-qm", "husky")
    return folder


@pytest.mark.quick
def test_ours_are_chained_into_huskys_folder_and_both_run(repo: Path, git: Run, stage: HookStage) -> None:
    folder = husky(repo, git)
    before, configured = picture(repo / ".husky"), (repo / ".git/config").read_text()
    stage.install(repo)
    assert stage.codes(repo) == []
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    assert git("status", "--porcelain") == ""
    script(folder / "post-commit", HUSKY_STUB)  # `npm install` overwrites them
    assert stage.codes(repo) == ["HOOK_MISSING"]
    stage.install(repo)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    stage.uninstall(repo)
    assert picture(repo / ".husky") == before
    assert (repo / ".git/config").read_text() == configured


def test_huskys_failing_hook_still_refuses(repo: Path, git: Run, stage: HookStage) -> None:
    husky(repo, git)
    script(repo / ".husky/prepare-commit-msg", "false\n")
    stage.install(repo)
    assert subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x"], check=False).returncode


def test_ours_in_a_folder_that_is_not_ignored_are_not_committed(
    repo: Path, git: Run, stage: HookStage
) -> None:
    folder = repo / "odd [name]*"
    script(folder / "post-commit")
    exclude = (repo / ".git/info/exclude").read_bytes()
    git("config", "core.hooksPath", str(folder))
    stage.install(repo)
    stage.install(repo)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    git("add", "-A")
    assert git("ls-files", "odd*") == "odd [name]*/post-commit.before-devs"
    assert stage.codes(repo) == []  # the folder is tracked now, and our hooks are still in it
    git("rm", "-q", "--cached", "-r", ".")
    stage.uninstall(repo)
    assert [p.name for p in folder.iterdir()] == ["post-commit"]
    assert (repo / ".git/info/exclude").read_bytes() == exclude


def test_a_folder_that_is_not_there_yet_is_made(repo: Path, git: Run, stage: HookStage) -> None:
    git("config", "core.hooksPath", ".hooks")
    stage.install(repo)
    assert git("status", "--porcelain") == ""
    assert stage.commit() == ["ours post-commit"]
    stage.uninstall(repo)
    assert not (repo / ".hooks").exists()


def test_a_folder_inside_the_git_folder_takes_ours(repo: Path, git: Run, stage: HookStage) -> None:
    git("config", "core.hooksPath", str(repo / ".git/more"))
    script(repo / ".git/more/post-commit")
    stage.install(repo)
    assert stage.codes(repo) == []
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]


def test_a_tracked_folder_is_not_written_and_the_line_is_printed_until_it_is_there(
    repo: Path, git: Run, stage: HookStage
) -> None:
    script(repo / ".githooks/post-commit")
    git("config", "core.hooksPath", ".githooks")
    git("add", "-A")
    git("commit", "-qm", "our hooks")
    before = picture(repo / ".githooks")
    actions = installation.install(locate(repo), Git(repo))
    lines = [action.detail for action in actions if action.did == "skipped"]
    assert len(lines) == len(NAMES)
    told = ".githooks is tracked, so we do not write there. Add to .githooks/post-commit: "
    line = next(line.removeprefix(told) for line in lines if line.startswith(told))
    assert picture(repo / ".githooks") == before
    assert stage.commit() == ["theirs post-commit"]
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"] * len(NAMES)
    script(repo / ".githooks/post-commit", f"#!/bin/sh\n{line}\n")
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"] * (len(NAMES) - 1)
    assert stage.commit() == ["ours post-commit"]
    script(repo / ".githooks/post-commit", f"#!/bin/sh\n# {line}\n")
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"] * len(NAMES)
    # This file does not end with a line end.
    script(repo / ".githooks/post-commit", '#!/bin/sh\necho "theirs post-commit" >>"$RAN"')
    for fix in fixes(repo):
        subprocess.run(["sh", "-c", fix], check=True)
    assert stage.codes(repo) == []
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]
    stage.uninstall(repo)
    assert stage.commit() == ["theirs post-commit"]  # the remaining line does no harm
    assert not (repo / ".git/devs").exists() or not (repo / ".git/devs/hooks").exists()


@pytest.mark.parametrize("how", ["global", "linked", "absent"])
def test_a_folder_outside_the_repository_is_never_written(
    how: str, repo: Path, git: Run, stage: HookStage, tmp_path: Path
) -> None:
    outside = script(tmp_path / "all my hooks/post-commit").parent
    if how == "absent":
        (outside / "post-commit").rename(tmp_path / "post-commit")
        outside.rmdir()
    if how in {"global", "absent"}:
        git("config", "--global", "core.hooksPath", str(outside))
    else:
        shutil.rmtree(repo / ".git/hooks")
        (repo / ".git/hooks").symlink_to(outside)
    before = how != "absent" and picture(outside)
    told = [action.detail for action in stage.install(repo).values() if action.did == "skipped"]
    assert len(told) == len(NAMES)
    assert all(str(outside) not in line and "devs=$(git rev-parse" in line for line in told)
    assert (outside.exists() and picture(outside)) == before
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"] * len(NAMES)
    for fix in fixes(repo):
        assert str(outside) not in fix
        subprocess.run(["sh", "-c", fix], check=True)
    assert stage.codes(repo) == []
    theirs = [] if how == "absent" else ["theirs post-commit"]
    assert stage.commit() == [*theirs, "ours post-commit"]


@pytest.mark.quick
def test_a_hooks_folder_linked_to_a_tracked_one_is_not_written(
    repo: Path, git: Run, stage: HookStage
) -> None:
    script(repo / "hooks/post-commit")
    git("add", "-A")
    shutil.rmtree(repo / ".git/hooks")
    (repo / ".git/hooks").symlink_to("../hooks")
    stage.install(repo)
    assert [p.name for p in (repo / "hooks").iterdir()] == ["post-commit"]
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"] * len(NAMES)
    for fix in fixes(repo):
        subprocess.run(["sh", "-c", fix], check=True)
    assert stage.commit() == ["theirs post-commit", "ours post-commit"]


@pytest.mark.quick
@pytest.mark.parametrize("value", ["/dev/null", ""])
def test_hooks_that_are_switched_off_are_reported_once(
    value: str, repo: Path, git: Run, stage: HookStage
) -> None:
    git("config", "core.hooksPath", value)
    assert stage.install(repo)["hooks"].did == "skipped"
    assert stage.codes(repo) == ["HOOK_NOT_CALLED"]
    subprocess.run(["sh", "-c", fixes(repo)[0]], check=True)
    stage.install(repo)
    assert stage.commit() == ["ours post-commit"]


def test_hooks_put_in_before_the_path_was_set_are_taken_out_too(
    repo: Path, git: Run, stage: HookStage
) -> None:
    script(repo / ".git/hooks/post-commit")
    before = picture(repo / ".git/hooks")
    stage.install(repo)
    git("config", "core.hooksPath", ".hooks")
    assert stage.codes(repo) == ["HOOK_MISSING"]
    (found,) = installation.status(locate(repo), Git(repo))
    assert found.message == f"The git hooks {', '.join(NAMES)} are not installed."
    stage.install(repo)
    assert stage.commit() == ["ours post-commit"]
    stage.uninstall(repo)
    assert picture(repo / ".git/hooks") == before
    assert not (repo / ".hooks").exists()


def test_a_folder_of_the_main_worktree_serves_the_linked_one(
    repo: Path, git: Run, stage: HookStage, tmp_path: Path
) -> None:
    git("config", "core.hooksPath", str(repo / ".hooks"))
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    stage.install(tmp_path / "linked")
    assert stage.commit(tmp_path / "linked") == ["ours post-commit"]
    assert stage.codes(repo) == []
