"""Rewind and undo where callers, hooks, settings and other people's git commands have a say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.rewind_cases import Case, begin


def devs(*args: str, where: Path, **env: str) -> tuple[int, dict[str, Any]]:
    """Exit status and JSON answer of `devs-git args` in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *args, "--json"],
        cwd=where,
        env=os.environ | env,
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def two(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "d/f": b"1\n"})
    case.stage("2", {"a": b"2\n", "d/f": None, "sub/g": b"2\n"})


@pytest.mark.quick
def test_a_callers_git_dir_and_work_tree_are_obeyed(case: Case, tmp_path: Path) -> None:
    two(case)
    other = begin(tmp_path / "other")
    before = other.look()
    env = {"GIT_DIR": str(case.top / ".git"), "GIT_WORK_TREE": str(case.top)}
    assert devs("rewind", "1", where=other.top, **env)[0] == 0
    assert (case.read("a"), case.git("status", "--porcelain")) == (b"1\n", "")
    assert devs("undo", where=case.top, GIT_DIR=".git")[0] == 0
    assert case.read("a") == b"2\n"
    other.look().must_equal(before)


def test_a_rewind_from_a_subfolder_that_goes_away_moves_the_whole_tree(case: Case) -> None:
    two(case)
    status, answer = devs("rewind", "1", where=case.top / "sub")
    assert (status, answer["rewound_to"]) == (0, "task-1")
    assert (case.read("a"), case.read("d/f"), case.has("sub/g")) == (b"1\n", b"1\n", False)
    assert devs("undo", where=case.top / "d")[0] == 0
    assert case.read("sub/g") == b"2\n"


def test_hooks_of_the_user_see_nothing_of_our_private_indexes(case: Case) -> None:
    two(case)
    case.write({"a": b"dirty\n"})
    for name in ("post-index-change", "post-checkout", "post-merge", "pre-auto-gc"):
        hook = case.top / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f"#!/bin/sh\necho {name} >> '{case.top.parent}/called'\ngit reset -q --hard\nexit 1\n"
        )
        hook.chmod(0o755)
    case.rewind("1", "discard")
    case.undo()
    assert case.read("a") == b"dirty\n"
    assert not (case.top.parent / "called").exists()


def test_settings_that_make_status_talkative_change_nothing(case: Case) -> None:
    two(case)
    case.write({"a": b"stashed\n"})
    case.git("stash", "-q")
    for setting in (
        "status.showStash",
        "status.branch",
        "status.short",
        "status.aheadBehind",
        "diff.noprefix",
        "core.safecrlf",
        "submodule.recurse",
    ):
        case.git("config", setting, "true")
    case.git("config", "status.showUntrackedFiles", "all")
    case.git("config", "diff.renames", "copies")
    case.write({"a": b"dirty\n"})
    case.there_and_back("1", "discard")


def test_a_visible_tag_that_was_deleted_by_hand_comes_back_with_the_undo(case: Case) -> None:
    two(case)
    tag = case.git("rev-parse", "devs/task-2")
    case.git("tag", "-d", "devs/task-2")
    case.rewind("1")
    case.undo()
    assert case.git("rev-parse", "devs/task-2") == tag


def test_a_visible_tag_that_was_moved_by_hand_is_left_to_whoever_moved_it(case: Case) -> None:
    two(case)
    case.git("tag", "-f", "-m", "mine", "devs/task-2", "HEAD~2")
    moved = case.git("rev-parse", "devs/task-2")
    case.rewind("1")
    assert case.git("rev-parse", "devs/task-2") == moved
    case.undo()
    assert case.git("rev-parse", "devs/task-2") == moved
    assert case.read("a") == b"2\n"


def test_a_fetch_that_prunes_tags_takes_no_checkpoint_away(case: Case, tmp_path: Path) -> None:
    two(case)
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "remote.git"], check=True)
    case.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    case.git("push", "-q", "origin", "main")
    case.git("fetch", "-q", "--prune", "--prune-tags", "origin")
    assert case.git("tag") == ""
    head = case.git("rev-parse", "HEAD")
    case.rewind("1")
    case.git("fetch", "-q", "--prune", "--prune-tags", "origin")
    case.git("reflog", "expire", "--expire=now", "--all")
    case.git("gc", "-q", "--prune=now")
    case.undo()
    assert (case.git("rev-parse", "HEAD"), case.read("a")) == (head, b"2\n")


def test_another_index_of_the_caller_is_the_one_that_moves(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    two(case)
    own = (case.top / ".git/index").read_bytes()
    other = case.top / ".git/other-index"
    other.write_bytes(own)
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    case.there_and_back("1")
    assert (case.top / ".git/index").read_bytes() == own


@pytest.mark.parametrize("on_the_alias", [False, True])
def test_another_name_of_the_same_branch_keeps_nothing(case: Case, *, on_the_alias: bool) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.git("symbolic-ref", "refs/heads/master", "refs/heads/main")
    if on_the_alias:
        case.git("symbolic-ref", "HEAD", "refs/heads/master")
    assert case.rewind("1").kept_by == ()
    assert {point.name for point in case.workspace.ledger.tip().history.live()} == {"task-1@1"}
    case.undo()
    assert {point.name for point in case.workspace.ledger.tip().history.live()} == {"task-1@1", "task-2@1"}
