"""What an amend, a rebase or another clone's completion replaced is told as that, not as rewound."""

from __future__ import annotations

import pytest

from devs_git.commands import log, rewind, show
from devs_git.errors import DevsError
from tests.commands.test_sync_tags import TAG, complete, point, start
from tests.support.clones import Clone, Pair


def rows(clone: Clone) -> list[tuple[str, str, bool]]:
    """Name, status, and whether it is HEAD, newest first."""
    head = clone.git("rev-parse", "HEAD")
    listed = clone.call("log", log.Request()).checkpoints
    return [(f"{row.task_id}@{row.number}", row.status, row.commit == head) for row in listed]


@pytest.fixture
def both(pair: Pair) -> Pair:
    """Both completed task-10 offline; ann has pushed and synced."""
    for clone in (pair.ann, pair.bob):
        start(clone)
    complete(pair.ann, "a")
    complete(pair.bob, "b")
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    return pair


@pytest.mark.quick
def test_an_amended_checkpoint_is_replaced_by_the_one_that_followed(pair: Pair) -> None:
    start(pair.ann)
    point(pair.ann, "a1")
    pair.ann.git("commit", "-q", "--amend", "-m", "better")
    assert rows(pair.ann) == [("task-10@2", "active", True), ("task-10@1", "replaced", False)]
    assert pair.ann.call("show", show.Request("task-10@1")).replaced_by == "task-10@2"
    with pytest.raises(DevsError) as refused:
        pair.ann.call("rewind", rewind.Request("task-10@1"))
    assert ("task-10@2" in refused.value.hint, "undo" in refused.value.hint) == (True, False)


def test_checkpoints_that_a_squash_folded_away_are_replaced_not_rewound(pair: Pair) -> None:
    start(pair.ann)
    point(pair.ann, "a1")
    point(pair.ann, "a2")
    editor = "sed -i 2s/^pick/fixup/"
    pair.ann.git("-c", f"sequence.editor={editor}", "rebase", "-q", "-i", "HEAD~2")
    assert [row[:2] for row in rows(pair.ann)] == [
        ("task-10@3", "active"),
        ("task-10@2", "replaced"),
        ("task-10@1", "replaced"),
    ]


def test_the_completion_that_another_clones_stands_before_is_replaced(both: Pair) -> None:
    assert both.bob.sync().outdone == ("task-10@2",)
    assert rows(both.bob) == [("task-10@1", "completed", False), ("task-10@2", "replaced", True)] or rows(
        both.bob
    ) == [("task-10@2", "replaced", True), ("task-10@1", "completed", False)]


def test_a_rebase_that_stops_at_a_conflict_gives_it_its_number_too(pair: Pair) -> None:
    for clone, text in ((pair.ann, "ann"), (pair.bob, "bob")):
        start(clone)
        (clone.top / "a.txt").write_text(f"{text}\n")
        clone.git("add", "a.txt")
        complete(clone, text)
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    assert pair.bob.sync().outdone == ("task-10@2",)
    with pytest.raises(AssertionError, match="conflict"):
        pair.bob.git("pull", "-q", "--rebase", "origin", "main")
    (pair.bob.top / "a.txt").write_text("both\n")
    pair.bob.git("add", "a.txt")
    pair.bob.git("-c", "core.editor=true", "rebase", "--continue")
    head = pair.bob.git("rev-parse", "HEAD")
    (mine,) = (p for p in pair.bob.opened.ledger.tip().history.of_task("task-10") if p.commit == head)
    assert (mine.number, mine.replaced) == (3, "outdone")
    pair.meet()
    pair.assert_same("ledger", "tags")


@pytest.mark.parametrize("first", ["sync", "pull"])
def test_a_rebase_gives_the_later_clones_completion_its_number_at_the_rebased_commit(
    first: str, both: Pair
) -> None:
    if first == "sync":
        assert both.bob.sync().outdone == ("task-10@2",)
        both.bob.git("pull", "-q", "--rebase", "origin", "main")
    else:
        both.bob.git("pull", "-q", "--rebase", "origin", "main")
        both.bob.sync()
    head, theirs = both.bob.git("rev-parse", "HEAD", TAG + "^{commit}").split()
    history = both.bob.opened.ledger.tip().history
    mine = [p for p in history.of_task("task-10") if p.commit == head]
    assert [(p.number, p.replaced) for p in mine] == [(3 if first == "sync" else 2, "outdone")]
    assert both.bob.git("rev-parse", f"refs/devs/checkpoints/task-10/{mine[0].number}^{{commit}}") == head
    assert (theirs, history.tasks["task-10"].status) == (both.ann.git("rev-parse", "HEAD"), "completed")
    assert "rewound" not in {status for _, status, _ in rows(both.bob)}
    both.meet()
    both.assert_same("ledger", "tags")
    shown = both.ann.call("show", show.Request(mine[0].name))
    assert ("Devs-Completed" in {line.key for line in shown.trailers}) == (first == "pull")
