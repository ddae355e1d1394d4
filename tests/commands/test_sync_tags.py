"""Checkpoints and visible tags between clones: they follow events, and nothing else is forced."""

from __future__ import annotations

import os

import pytest

from devs_git.commands import checkpoint, rewind, task_complete, task_start, undo
from devs_git.domain.ledger.ids import parse_target
from devs_git.domain.ledger.resolve import resolve
from devs_git.errors import DevsError
from devs_git.operations.sync import push_parts
from devs_git.storage.git.remotes import remote_repository
from tests.support.clones import Clone, Pair, refs_of
from tests.support.git_calls import git

TAG = "refs/tags/devs/task-10"


def start(clone: Clone, task: str = "10") -> None:
    clone.call("task start", task_start.Request(task, title="t"))


def point(clone: Clone, name: str) -> str:
    (clone.top / name).write_text(name)
    return str(clone.call("checkpoint", checkpoint.Request(message=name, everything=True)).tag)


def complete(clone: Clone, name: str, task: str = "10") -> str:
    (clone.top / name).write_text(name)
    return str(clone.call("task complete", task_complete.Request(task, message=name, everything=True)).tag)


def resolved(clone: Clone, name: str) -> str:
    return resolve(clone.opened.ledger.tip().history, parse_target(name)).tag


@pytest.fixture
def amended(pair: Pair) -> tuple[Pair, str, str]:
    """Both have task-10 of ann, whose commit she then amended: the pair, and the visible tag before and after."""
    pair.ann.task("10")
    pair.meet()
    old = refs_of(pair.origin)[TAG]
    pair.ann.git("commit", "-q", "--amend", "-m", "better")
    new = pair.ann.git("rev-parse", TAG)
    assert new != old
    return pair, old, new


@pytest.mark.quick
def test_a_tag_that_an_amend_made_again_is_moved_on_the_remote_and_in_the_other_clone(
    amended: tuple[Pair, str, str],
) -> None:
    pair, old, new = amended
    assert pair.ann.sync().moved == (TAG,)
    assert refs_of(pair.origin)[TAG] == new
    assert pair.bob.git("rev-parse", TAG) == old
    pair.bob.sync()
    assert pair.bob.git("rev-parse", TAG) == new
    pair.assert_same()


def test_a_tag_that_somebody_else_moved_is_left_alone(amended: tuple[Pair, str, str]) -> None:
    pair, _old, _new = amended
    theirs = git("rev-parse", "main", where=pair.origin)
    git("update-ref", TAG, theirs, where=pair.origin)
    done = pair.ann.sync()
    assert (done.moved, done.left) == ((), (TAG,))
    assert refs_of(pair.origin)[TAG] == theirs
    assert done.ledger == pair.ann.tip == refs_of(pair.origin)["refs/heads/devs/ledger"]


def test_an_undone_tag_is_deleted_on_the_remote_and_in_the_other_clone(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.task("11")
    pair.meet()
    pair.ann.call("rewind", rewind.Request("10"))
    assert pair.ann.sync().deleted == ("refs/tags/devs/task-11",)
    assert "refs/tags/devs/task-11" not in refs_of(pair.origin)
    pair.bob.sync()
    pair.assert_same()
    pair.ann.call("undo", undo.Request())
    pair.meet()
    assert "refs/tags/devs/task-11" in refs_of(pair.bob.top)
    pair.assert_same()


def test_an_undone_tag_that_a_fetch_brings_back_goes_with_the_next_verb_and_never_to_the_remote(
    pair: Pair,
) -> None:
    pair.ann.task("10")
    pair.ann.task("11")
    pair.meet()
    stale = refs_of(pair.origin)["refs/tags/devs/task-11"]
    pair.ann.call("rewind", rewind.Request("10"))
    pair.ann.git("fetch", "-q", "--tags", "origin")
    assert "refs/tags/devs/task-11" in refs_of(pair.ann.top)
    start(pair.ann, "12")
    assert "refs/tags/devs/task-11" not in refs_of(pair.ann.top)
    pair.ann.sync()
    git("update-ref", "refs/tags/devs/task-11", stale, where=pair.origin)  # a clone that pushes its old tags
    assert pair.bob.sync().deleted == ("refs/tags/devs/task-11",)
    pair.ann.sync()
    pair.assert_same()


def test_numbers_that_both_gave_are_the_remotes_and_ours_become_the_next_ones(pair: Pair) -> None:
    start(pair.ann)
    pair.meet()
    first = point(pair.ann, "a1")
    start(pair.bob, "11")
    pair.bob.call("task complete", task_complete.Request("11", message="x"))
    start(pair.bob)
    ours = [point(pair.bob, "b1"), point(pair.bob, "b2")]
    pair.ann.sync()
    done = pair.bob.sync()
    assert [(row.before, row.number, row.tag) for row in done.renumbered] == [(1, 3, ours[0])]
    assert [resolved(pair.bob, f"task-10@{n}") for n in (1, 2, 3)] == [first, ours[1], ours[0]]
    pair.ann.sync()
    pair.assert_same()
    assert [resolved(pair.ann, f"task-10@{n}") for n in (1, 2, 3)] == [first, ours[1], ours[0]]
    assert complete(pair.bob, "b3")
    pair.meet()
    assert pair.ann.git("rev-parse", "refs/devs/checkpoints/task-10/4") == pair.bob.git("rev-parse", TAG)
    pair.assert_same()


def test_a_task_that_both_completed_is_the_remotes_and_ours_is_reached_by_its_number(pair: Pair) -> None:
    for clone in (pair.ann, pair.bob):
        start(clone)
    theirs, ours = complete(pair.ann, "a"), complete(pair.bob, "b")
    pair.ann.sync()
    done = pair.bob.sync()
    assert done.outdone == ("task-10@2",)
    assert pair.bob.git("rev-parse", TAG) == resolved(pair.bob, "task-10") == theirs
    assert resolved(pair.bob, "task-10@2") == ours
    assert pair.bob.opened.ledger.tip().history.tasks["task-10"].status == "completed"
    assert (pair.bob.top / "b").exists()
    pair.ann.sync()
    pair.assert_same()


@pytest.mark.parametrize("first", ["ann", "bob"])
def test_a_task_that_one_rewound_and_the_other_completed_is_completed(first: str, pair: Pair) -> None:
    pair.ann.task("9")
    start(pair.ann)
    point(pair.ann, "a1")
    pair.ann.git("push", "-q", "origin", "main")
    pair.bob.git("pull", "-q", "origin", "main")
    pair.meet()
    pair.bob.call("rewind", rewind.Request("9"))
    tag = complete(pair.ann, "a2")
    (pair.ann if first == "ann" else pair.bob).sync()
    pair.meet()
    pair.meet()
    history = pair.bob.opened.ledger.tip().history
    assert (history.tasks["task-10"].status, resolved(pair.bob, "task-10")) == ("completed", tag)
    pair.assert_same()


def test_undo_returns_from_the_operations_of_this_clone_only(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.task("11")
    pair.ann.git("push", "-q", "origin", "main")
    pair.bob.git("pull", "-q", "origin", "main")
    pair.meet()
    pair.ann.call("rewind", rewind.Request("10"))
    pair.meet()
    with pytest.raises(DevsError) as caught:
        pair.bob.call("undo", undo.Request())
    assert caught.value.code == "NOTHING_TO_UNDO"
    pair.bob.call("rewind", rewind.Request("10"))
    pair.meet()
    pair.ann.call("undo", undo.Request())
    assert (pair.ann.top / "ann-11.txt").exists()
    pair.meet()
    left = "refs/tags/devs/task-11"
    assert [left in refs_of(place) for place in (pair.ann.top, pair.origin, pair.bob.top)] == [
        True,
        True,
        False,
    ]


def test_a_lease_that_fails_forces_nothing_and_is_looked_at_again(
    amended: tuple[Pair, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, _old, _new = amended
    theirs = git("rev-parse", "main", where=pair.origin)
    tries: list[object] = []
    push = remote_repository.Remote.push

    def late(self: remote_repository.Remote, *args: object) -> None:
        if not tries:  # after sync looked, before it pushes
            git("update-ref", TAG, theirs, where=pair.origin)
        tries.append(args)
        push(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(remote_repository.Remote, "push", late)
    done = pair.ann.sync()
    assert (len(tries), done.moved, done.left) == (2, (), (TAG,))
    assert refs_of(pair.origin)[TAG] == theirs


def test_nothing_of_this_clone_alone_is_pushed(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.task("11")
    pair.ann.call("rewind", rewind.Request("10"))
    pair.ann.git("tag", "mine")
    pair.ann.git("tag", "-a", "devs/mine", "-m", "x")
    pair.ann.git("config", "push.followTags", "true")
    pair.ann.git("config", "remote.origin.mirror", "true")
    pair.ann.sync()
    assert git("for-each-ref", "--format=%(refname)", where=pair.origin).splitlines() == [
        "refs/devs/checkpoints/task-10/1",
        "refs/devs/checkpoints/task-11/1",
        "refs/heads/devs/ledger",
        "refs/heads/main",
        TAG,
    ]
    assert git("rev-parse", "main", where=pair.origin) != pair.ann.git("rev-parse", "main")


@pytest.mark.parametrize("count", [int(os.environ.get("DEVS_TEST_COUNT_SYNC_REFS", "3"))])
@pytest.mark.parametrize("own_tag", [True, False])
def test_many_checkpoints_go_in_several_pushes_or_by_the_names_of_their_folders(
    own_tag: bool, count: int, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_parts, "AT_ONCE", max(2, count // 3))
    start(pair.ann)
    if own_tag:
        # A pattern would push it, too.
        pair.ann.git("tag", "devs/mine")
    for number in range(count):
        point(pair.ann, f"n{number}")
    assert len(pair.ann.sync().pushed) == count + 1
    assert "refs/tags/devs/mine" not in refs_of(pair.origin)
    pair.bob.sync()
    if own_tag:
        pair.ann.git("tag", "-d", "devs/mine")
    pair.assert_same()


def test_a_ledger_without_its_checkpoints_stops_nobody(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.git("push", "-q", "origin", "devs/ledger")
    pair.bob.sync()
    assert TAG not in refs_of(pair.bob.top)
    pair.bob.git("tag", "devs/mine")
    start(pair.bob, "11")
    assert "TAG_MISSING" in "".join(pair.bob.trouble("tags"))
    pair.bob.git("tag", "-d", "devs/mine")
    pair.meet()
    pair.bob.sync()
    pair.assert_same()
