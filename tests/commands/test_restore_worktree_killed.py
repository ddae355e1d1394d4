"""`kill -9` at each step of `restore --worktree`: the next command removes what was made, or keeps a complete worktree."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from devs_git import values as immutables
from devs_git.commands import restore, status
from devs_git.entrypoints import router
from tests.support import killed_work
from tests.support.moment_stage import all_kinds, dirty, moment
from tests.support.rewind_cases import Case, Look
from tests.support.selection import QUICK


def refs(case: Case) -> str:
    return case.git("for-each-ref", "refs/heads/side", "refs/heads/main", "refs/tags", "refs/stash")


@pytest.mark.quick
def test_killed_before_any_step_no_half_worktree_is_left(case: Case, tmp_path: Path) -> None:
    all_kinds(case)
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdxq")
    # git notes the worktree without links.
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    place = tmp_path / "link" / "linked"
    case.git("worktree", "add", "-q", "-b", "side", str(place))
    there = Case(place)
    dirty(there, {})
    then, name = there.look(), moment(there)
    case.git("worktree", "remove", "--force", str(place))
    case.git("branch", "-qD", "side")
    before, known, worktrees = case.look(), refs(case), case.git("worktree", "list", "--porcelain")
    request, at, removed = restore.Request(name, worktree=str(place)), 0, 0
    while killed_work.run(lambda: router.call("restore", case.workspace, request), at):
        router.call("status", case.workspace, status.Request())
        case.look().must_equal(before)
        assert not list((case.top / ".git/devs/journal").glob("*")), at
        if place.exists():
            Case(place).look().must_equal(_without_ignored(then))
            case.git("worktree", "remove", "--force", str(place))
            case.git("branch", "-qD", "side")
        else:
            removed += 1
        assert (refs(case), case.git("worktree", "list", "--porcelain")) == (known, worktrees), at
        assert not list((case.top / ".git/worktrees").glob("*")), at
        at += 41 if QUICK else 3
    assert removed > (3 if QUICK else 50)
    Case(place).look().must_equal(_without_ignored(then))


def _without_ignored(look: Look) -> Look:
    return replace(look, files={name: one for name, one in look.files.items() if name != b"run.log"})


@pytest.mark.thorough
def test_what_a_person_wrote_into_a_half_worktree_is_in_a_moment(case: Case, tmp_path: Path) -> None:
    all_kinds(case)
    name, place = moment(case), tmp_path / "again"
    request, at, said = restore.Request(name, worktree=str(place)), 0, [""]
    while killed_work.run(lambda: router.call("restore", case.workspace, request), at):
        if (place / ".git").exists() and not (place / "mine").exists():
            (place / "mine").write_text("mine\n")
            said.clear()
            router.call("status", immutables.replace(case.workspace, say=said.append), status.Request())
            if not place.exists():
                break
        shutil.rmtree(place, ignore_errors=True)
        case.git("worktree", "prune")
        at += 7
    kept = next(line for line in said if "moment:" in line).partition("moment:")[2].rstrip(".")
    done = restore.run(case.workspace, restore.Request(f"moment:{kept}", ("mine",), str(case.top)))
    assert (done.files, case.read("mine")) == (1, b"mine\n")
