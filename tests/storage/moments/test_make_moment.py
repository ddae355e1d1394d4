"""Moments keep the whole state of a worktree, and change nothing of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import TIPS, Occasion
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.moments import file_tree, make_moment, moment_store, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import files_of, maker, moment, on_disk
from tests.support.scene import contents

pytestmark = pytest.mark.quick


@pytest.fixture
def here(repo: Path) -> Workspace:
    return Workspace.open(repo)


def test_a_moment_has_tracked_and_untracked_files_with_their_bytes(here: Workspace) -> None:
    (here.top / "a.txt").write_bytes(b"edited\r\nagain\n")
    (here.top / "new").mkdir()
    (here.top / "new" / "file \u00e9.bin").write_bytes(b"\0\1")
    (here.top / "f1.txt").unlink()
    (here.top / "link").symlink_to("nowhere")
    made = moment(here)
    assert made.made
    assert files_of(here, made.moment_id) == on_disk(here.top)


def test_a_moment_changes_nothing_that_belongs_to_the_user(here: Workspace, git: Run) -> None:
    (here.top / "a.txt").write_text("staged\n")
    git("add", "a.txt")
    (here.top / "a.txt").write_text("staged, then edited\n")
    before = (git("status", "--porcelain=v2", "--branch"), git("stash", "list"), contents(here.top))
    index = (here.top / ".git/index").read_bytes()
    moment(here, keep_refs=True)
    assert (here.top / ".git/index").read_bytes() == index
    assert (git("status", "--porcelain=v2", "--branch"), git("stash", "list"), contents(here.top)) == before


def test_an_unchanged_state_makes_no_moment(here: Workspace) -> None:
    (here.top / "new.txt").write_text("new\n")
    first = moment(here)
    second = moment(here, words="another prompt")
    assert (second.made, second.moment_id) == (False, first.moment_id)
    assert len(read_moments.list_moments(here.store_git, here.objects)) == 1


@pytest.mark.parametrize(
    "change",
    [
        "echo more >> a.txt",
        "echo u > untracked.txt",
        "rm f1.txt",
        "chmod +x f1.txt",
        "echo s > s.txt && git add s.txt && git rm -q --cached s.txt && git add -N s.txt",
        "git checkout -q -b other",
        "git commit -q --allow-empty -m empty",
        "git checkout -q --detach",
        "ln -sf a.txt f2.txt",
        "git merge -q --no-commit -s ours $(git commit-tree -m side -p HEAD~1 HEAD^{tree}) && git diff --quiet HEAD",
    ],
)
def test_each_change_of_the_state_makes_a_moment(here: Workspace, change: str) -> None:
    moment(here)
    subprocess.run(["sh", "-c", change], cwd=here.top, check=True)
    assert moment(here).made


def test_the_index_is_kept_apart_from_thefiles_of(here: Workspace, git: Run) -> None:
    (here.top / "a.txt").write_text("staged\n")
    git("add", "a.txt")
    (here.top / "a.txt").write_text("on disk\n")
    state, _ = read_moments.load(here.objects, moment(here).moment_id)
    assert state.index == git("write-tree")
    assert git("show", f"{state.worktree}:a.txt") == "on disk"


def test_flags_and_intent_to_add_are_kept_in_the_index_file(here: Workspace, git: Run) -> None:
    (here.top / "later.txt").write_text("later\n")
    git("add", "-N", "later.txt")
    git("update-index", "--assume-unchanged", "f1.txt")
    state, _ = read_moments.load(here.objects, moment(here).moment_id)
    copy = here.top / ".git/index.copy"
    copy.write_bytes(here.objects.read(state.index_raw, "blob"))
    listed = subprocess.run(
        ["git", "ls-files", "-v", "-s"],
        cwd=here.top,
        env={**os.environ, "GIT_INDEX_FILE": str(copy)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert listed.strip() == git("ls-files", "-v", "-s")
    assert not moment(here).made


def test_ignored_files_and_nested_repositories_are_left_out_and_the_latter_named(
    here: Workspace,
) -> None:
    (here.top / ".gitignore").write_text("*.log\n")
    (here.top / "x.log").write_text("log\n")
    subprocess.run(["git", "init", "-q", "nested"], cwd=here.top, check=True)
    (here.top / "nested" / "file").write_text("theirs\n")
    made = moment(here)
    assert made.left_out == ("nested/",)
    assert not any(name.startswith(("x.log", "nested")) for name in files_of(here, made.moment_id))
    assert read_moments.load(here.objects, made.moment_id)[1].left_out == ("nested/",)


def test_files_above_the_limit_are_left_out_the_largest_first(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tree, "ROOM_UNASKED", 10)
    moment(here)
    (here.top / "big.bin").write_bytes(b"x" * 3000)
    (here.top / "small.bin").write_bytes(b"y" * 30)
    made = make_moment.make(replace(maker(here), limit=lambda: 1000), Occasion("call"))
    assert made.left_out == ("big.bin",)
    assert "small.bin" in files_of(here, made.moment_id)


def test_line_endings_that_git_would_convert_are_kept_as_they_are(here: Workspace, git: Run) -> None:
    (here.top / ".gitattributes").write_text("*.txt text=auto eol=lf\n")
    (here.top / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    made = moment(here)
    assert files_of(here, made.moment_id)["crlf.txt"] == b"one\r\ntwo\r\n"
    state, _ = read_moments.load(here.objects, made.moment_id)
    assert git("show", f"{state.worktree}:crlf.txt") == "one\ntwo"


def test_unusual_permissions_are_kept_also_of_files_that_did_not_change(here: Workspace) -> None:
    (here.top / "f1.txt").chmod(0o600)
    (here.top / "secret").mkdir(mode=0o700)
    (here.top / "secret" / "key").write_text("key\n")
    assert read_moments.load(here.objects, moment(here).moment_id)[0].modes == {
        "f1.txt": 0o600,
        "secret/": 0o700,
    }
    (here.top / "a.txt").write_text("edited\n")
    assert read_moments.load(here.objects, moment(here).moment_id)[0].modes == {
        "f1.txt": 0o600,
        "secret/": 0o700,
    }


def test_conflicts_are_kept_and_named(here: Workspace, git: Run) -> None:
    git("checkout", "-q", "-b", "other", "HEAD~1")
    (here.top / "a.txt").write_text("theirs\n")
    git("commit", "-qam", "theirs")
    git("checkout", "-q", "main")
    (here.top / "a.txt").write_text("ours\n")
    git("commit", "-qam", "ours")
    subprocess.run(["git", "merge", "-q", "other"], cwd=here.top, capture_output=True, check=False)
    made = moment(here)
    _, details = read_moments.load(here.objects, made.moment_id)
    assert (details.unmerged, details.under_way) == (True, "a merge")
    stages = {
        entry.oid
        for entry in here.objects.read_tree(here.objects.read_tree(made.moment_id)["stages"].oid).values()
    }
    assert stages == {line.split()[1] for line in git("ls-files", "-u").splitlines()}
    assert not moment(here).made


def test_a_commit_that_git_reset_dropped_stays_as_long_as_the_moment(here: Workspace, git: Run) -> None:
    head = git("rev-parse", "HEAD")
    made = moment(here)
    git("reset", "-q", "--hard", "HEAD~2")
    moment(here)
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    with pytest.raises(AssertionError):
        git("cat-file", "-e", head)
    again = Workspace.open(here.top)
    state, _ = read_moments.load(again.objects, made.moment_id)
    assert state.head == head
    assert git("cat-file", "-t", head) == "commit"
    assert git("fsck", "--connectivity-only", "--no-dangling") == ""


def test_work_that_goes_forward_needs_one_ref_a_day(here: Workspace, git: Run) -> None:
    for number in range(4):
        (here.top / "a.txt").write_text(f"{number}\n")
        git("commit", "-qam", f"commit {number}")
        moment(here)
    store = moment_store.refs_of(here.store_git, here.places.common)
    assert list(refs.list_refs(store, TIPS.rstrip("/")).values()) == [git("rev-parse", "HEAD")]


def test_tips_of_branches_and_stash_entries_are_kept_where_it_is_asked_for(here: Workspace, git: Run) -> None:
    git("branch", "side", "HEAD~1")
    tip = git("commit-tree", "-m", "alone", "-p", "side", "HEAD^{tree}")
    git("update-ref", "refs/heads/side", tip)
    (here.top / "a.txt").write_text("stashed\n")
    git("stash", "-q")
    stash = git("rev-parse", "refs/stash")
    made = moment(here, keep_refs=True)
    _, details = read_moments.load(here.objects, made.moment_id)
    assert details.branches["refs/heads/side"] == tip
    assert details.stashes == (stash,)
    git("branch", "-q", "-D", "side")
    git("stash", "drop", "-q")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    read_moments.load(Workspace.open(here.top).objects, made.moment_id)
    assert git("cat-file", "-t", tip) == git("cat-file", "-t", stash) == "commit"
    assert moment(here, keep_refs=True).made


def test_moments_are_listed_newest_first_with_their_worktree(
    here: Workspace, git: Run, tmp_path: Path
) -> None:
    first = moment(here)
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    second = moment(Workspace.open(tmp_path / "side"), "call")
    found = read_moments.list_moments(here.store_git, here.objects)
    assert [(one.id, one.worktree, one.kind) for one in found] == [
        (second.moment_id, "side", "call"),
        (first.moment_id, ".", "prompt"),
    ]
    assert [one.id for one in read_moments.list_moments(here.store_git, here.objects, worktree="side")] == [
        second.moment_id
    ]
    git("worktree", "remove", "--force", str(tmp_path / "side"))
    assert read_moments.load(here.objects, second.moment_id)[0].branch == "refs/heads/side"


def test_the_first_commit_may_be_missing(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "fresh")], check=True)
    fresh = Workspace.open(tmp_path / "fresh")
    assert read_moments.load(fresh.objects, moment(fresh).moment_id)[0].worktree == EMPTY_TREE
    (fresh.top / "first.txt").write_text("first\n")
    state, _ = read_moments.load(fresh.objects, moment(fresh).moment_id)
    assert (state.head, state.branch) == ("", "refs/heads/main")


def test_a_moment_that_does_not_exist_is_not_found(here: Workspace) -> None:
    with pytest.raises(DevsError, match="There is no moment") as caught:
        read_moments.load(here.objects, "ab" * 20)
    assert caught.value.code == "MOMENT_NOT_FOUND"


def test_a_moment_says_why_and_where_it_was_made(here: Workspace) -> None:
    made = moment(here, "call", session="s9", words="make all", call_id="c1")
    own = moment_store.objects_of(here.objects)
    meta = json.loads(own.read(own.read_tree(made.moment_id)["meta.json"].oid, "blob"))
    assert meta["moment"]["occasion"] == {
        "kind": "call",
        "session": "s9",
        "client": "claude",
        "call_id": "c1",
        "words": "make all",
    }
    assert meta["moment"]["top"] == "."


def test_two_moments_of_the_same_time_are_both_kept(here: Workspace) -> None:
    now = here.clock()
    made = []
    for text in ("one\n", "two\n"):
        (here.top / "a.txt").write_text(text)
        made.append(make_moment.make(replace(maker(here), clock=lambda: now), Occasion("call")).moment_id)
    listed = read_moments.list_moments(here.store_git, here.objects)
    assert [one.id for one in listed] == made[::-1]
    assert listed[0].created_at > listed[1].created_at
