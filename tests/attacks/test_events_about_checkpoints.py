"""Events that somebody forged who can push the ledger: what they do to the refs and backups of other clones."""

from __future__ import annotations

from typing import Any

import pytest

from devs_git.commands import checkpoint, doctor, purge, rewind, show, task_start, undo, verify
from devs_git.storage.git import refs
from tests.support.clones import LEDGER, Clone, Pair, refs_of
from tests.support.git_calls import git
from tests.support.refusals import refusal
from tests.support.scene import Scene, contents

NUMBERED, VISIBLE = "refs/devs/checkpoints/task-10/1", "refs/tags/devs/task-10"
NOWHERE = "1" * 40


@pytest.fixture
def shared(pair: Pair) -> Pair:
    """task-9 and task-10 are on origin/main, and in both clones."""
    for task in ("9", "10", "11"):
        Scene(pair.ann.opened).task(task, {"a.txt": f"{task}\n"})
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    pair.bob.git("pull", "-q", "origin", "main")
    pair.bob.sync()
    return pair


def forged(
    pair: Pair, kind: str, *fields: tuple[str, str], parent: str = LEDGER, also: str = "", tree: str = LEDGER
) -> str:
    """An event that somebody pushes to the remote by git alone; its oid."""
    lines = "".join(f"{key}: {value}\n" for key, value in fields)
    second = ("-p", also) if also else ()
    words = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org", "commit-tree", "-p", parent, *second)
    message = f"forged\n\nDevs-Event: {kind}\n{lines}Devs-Actor: Eve <eve@example.org>\n"
    oid = git(*words, "-m", message, f"{tree}^{{tree}}", where=pair.origin)
    git("update-ref", LEDGER, oid, where=pair.origin)
    return oid


def state(clone: Clone) -> dict[str, str]:
    """What the clone has of its own: branches, backups, and what its numbered refs hold."""
    folders = ("refs/heads", "refs/devs/backup", "refs/devs/checkpoints")
    held = refs.list_refs(clone.opened.store_git, *folders)
    return {ref: oid for ref, oid in held.items() if ref != LEDGER}


def fields(event: str, clone: Clone) -> tuple[tuple[str, str], ...]:
    """The trailers of one event of a clone's ledger."""
    return next(clone.opened.ledger.events(event)).fields


def goes(clone: Clone, name: str) -> None:
    """A rewind goes to this checkpoint, and an undo returns."""
    before = contents(clone.top)
    clone.call("rewind", rewind.Request(name))
    clone.call("undo", undo.Request())
    assert contents(clone.top) == before


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["purged", "history.rewritten", "x"])
def test_a_forged_purge_of_another_clones_checkpoints(shared: Pair, kind: str) -> None:
    bob, tags = shared.bob, (refs_of(shared.bob.top)[NUMBERED], refs_of(shared.bob.top)[VISIBLE])
    before = state(bob)
    event = forged(shared, kind, ("Devs-Gone", tags[0]), ("Devs-Undone", tags[0]))
    for gone in ([(VISIBLE, "task-10@1", "")], []):
        done = bob.sync()
        assert [(row.tag, row.before, row.now) for row in done.named] == gone
        assert [(row.event, row.actor, row.checkpoints) for row in done.kept] == [
            (event, "Eve <eve@example.org>", ("task-10@1",))
        ]
        assert state(bob) == before
    assert bob.call("show", show.Request("task-10@1")).tag == refs_of(bob.top)[NUMBERED] == tags[0]
    goes(bob, "task-10@1")
    found = verify.run(bob.opened, verify.Request(("tags",))).findings
    assert {(one.code, one.severity) for one in found} == {("TAG_MOVED", "warning")}
    # A person says yes. The visible tag went with the event, which says "replaced"; an undo leaves it so.
    done = bob.call("purge", purge.Request(event=event[:10]))
    assert {one.ref for one in done.dropped} == {NUMBERED}
    assert bob.sync().kept == ()
    assert bob.trouble() == []


def test_a_forged_purge_that_leaves_the_completion_live(shared: Pair) -> None:
    bob = shared.bob
    before = refs_of(bob.top)
    forged(shared, "purged", ("Devs-Gone", before[NUMBERED]))
    assert bob.sync().kept[0].checkpoints == ("task-10@1",)
    assert {**refs_of(bob.top), LEDGER: ""} == {**before, LEDGER: ""}
    goes(bob, "task-10")
    assert bob.trouble() == []


@pytest.mark.parametrize("kind", ["history.rewritten", "checkpoints.rewritten", "x"])
def test_a_forged_move_of_a_checkpoint_to_another_commit(shared: Pair, kind: str) -> None:
    bob, tag = shared.bob, refs_of(shared.bob.top)[NUMBERED]
    before, origin = state(bob), shared.origin
    tree = git("rev-parse", "main^{tree}", where=origin)
    who = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org")
    evil = git(*who, "commit-tree", "-m", "evil", tree, where=origin)
    git(*who, "tag", "-a", "-m", "evil", "evil", evil, where=origin)
    other = git("rev-parse", "refs/tags/evil", where=origin)
    git("update-ref", "refs/devs/checkpoints/task-10/2", other, where=origin)
    event = forged(shared, kind, ("Devs-Moved", f"{tag} {other} 2 {evil} {tree}"), ("Devs-Gone", tag))
    done = bob.sync()
    assert [(row.tag, row.before, row.now, row.event) for row in done.named] == [
        (VISIBLE, "task-10@1", "task-10@2", event)
    ]
    assert {ref: oid for ref, oid in state(bob).items() if ref in before} == before
    goes(bob, "task-10@1")


def rewound(clone: Clone) -> tuple[str, str]:
    """Two rewinds, the first one with an edit to keep; the oids of their events."""
    (clone.top / "a.txt").write_text("edited\n")
    clone.call("rewind", rewind.Request("10", preserve="discard"))
    first = clone.tip
    clone.call("rewind", rewind.Request("9"))
    return first, clone.tip


def copy(event: str, clone: Clone, **other: str) -> tuple[tuple[str, str], ...]:
    """A copy of the fields of an event, with some of them changed."""
    changed = {key.replace("_", "-"): value for key, value in other.items()}
    return tuple((key, changed.pop(key, value)) for key, value in fields(event, clone)) + tuple(
        changed.items()
    )


def forgeries(shared: Pair, first: str, second: str) -> dict[str, Any]:
    """What is pushed to let the next undo of bob go elsewhere, or nowhere."""
    bob = shared.bob
    mine = dict(fields(first, bob))
    newer = dict(fields(second, bob))
    root = git("rev-parse", f"{first}~1", where=shared.origin)

    def beside() -> None:
        side = forged(shared, "rewound", *copy(second, bob), parent=root, tree=root)
        forged(shared, "ledger.merged", parent=side, also=second, tree=second)

    return {
        "its own event once more": lambda: forged(shared, "rewound", *copy(first, bob)),
        "its own event with another way": lambda: forged(
            shared, "rewound", *copy(second, bob, Devs_To=NOWHERE, Devs_Undone=NOWHERE)
        ),
        "a new operation with its backup": lambda: forged(
            shared, "rewound", *copy(first, bob, Devs_Op="20990101T000000-00000000")
        ),
        "its operation with another backup": lambda: forged(
            shared, "rewound", *copy(second, bob, Devs_Backup=NOWHERE)
        ),
        "a new operation whose backup was purged": lambda: (
            forged(shared, "rewound", *copy(second, bob, Devs_Op="2099-1", Devs_Backup=NOWHERE)),
            forged(shared, "purged", ("Devs-Dropped", f"refs/devs/backup/2099-1 {NOWHERE}")),
        ),
        "its own backups, said to be purged": lambda: (
            forged(shared, "rewound", *copy(second, bob, Devs_Op="2099-1", Devs_Backup=NOWHERE)),
            *(
                forged(
                    shared,
                    "purged",
                    ("Devs-Dropped", f"refs/devs/backup/{one['Devs-Op']} {one['Devs-Backup']}"),
                )
                for one in (mine, newer)
            ),
        ),
        "a copy on a line from before": beside,
    }


@pytest.mark.parametrize("number", range(7))
def test_a_forged_operation_in_the_name_of_another_clone(shared: Pair, number: int) -> None:
    bob = shared.bob
    first, second = rewound(bob)
    bob.sync()
    list(forgeries(shared, first, second).values())[number]()
    bob.sync()
    ops = [dict(fields(event, bob))["Devs-Op"] for event in (first, second)]
    assert bob.call("undo", undo.Request(dry_run=True)).undone_operation == ops[1]
    bob.call("undo", undo.Request())
    assert (bob.top / "a.txt").read_text() == "10\n"
    bob.call("undo", undo.Request(ops[0], preserve="discard"))
    assert (bob.top / "a.txt").read_text() == "edited\n"


def test_a_forged_event_that_a_rewind_left_a_persons_branch(shared: Pair) -> None:
    bob = shared.bob
    _, second = rewound(bob)
    bob.git("checkout", "-q", "-b", "feature")
    (bob.top / "secret.env").write_text("TOKEN=hunter2andmore\n")
    bob.git("add", "secret.env")
    bob.git("commit", "-qm", "work of a person")
    bob.git("checkout", "-q", "main")
    bob.sync()
    tip = bob.git("rev-parse", "feature")
    for op in (dict(fields(second, bob))["Devs-Op"], "2099-1"):
        forged(shared, "rewound", *copy(second, bob, Devs_Op=op, Devs_Preserved=f"refs/heads/feature {tip}"))
    bob.sync()
    result = bob.call("purge", purge.Request("secret.env", folder=str(bob.top)))
    assert (result.dropped, [one.what for one in result.left]) == ((), ["refs/heads/feature"])
    assert bob.git("rev-parse", "feature") == tip


def test_an_event_that_names_a_checkpoint_which_is_nowhere(shared: Pair) -> None:
    bob, before = shared.bob, state(shared.bob)
    point = (("Devs-Task", "task-10"), ("Devs-Number", "2"), ("Devs-Tag", NOWHERE), ("Devs-Commit", NOWHERE))
    event = forged(shared, "task.completed", *point, ("Devs-Tree", NOWHERE))
    for _ in range(2):
        assert bob.sync().ledger == event
    assert state(bob) == before
    goes(bob, "task-10@1")
    Scene(bob.opened).task("12", {"b.txt": "b\n"})
    found = verify.run(bob.opened, verify.Request(("tags",))).findings
    assert {(one.code, one.ref) for one in found} == {
        ("TAG_MISSING", "refs/devs/checkpoints/task-10/2"),
        ("TAG_MOVED", VISIBLE),
    }
    assert all(event[:12] in one.message + one.hint for one in found if one.code == "TAG_MISSING")
    assert bob.call("purge", purge.Request(event=event[:10])).lost == ("task-10@2",)
    assert (bob.trouble(), bob.call("show", show.Request("task-10")).name) == ([], "task-10@1")
    shared.meet()
    assert shared.ann.trouble() == []


def test_an_event_that_gives_a_checkpoint_the_files_of_another_commit(shared: Pair) -> None:
    bob, before, origin = shared.bob, state(shared.bob), shared.origin
    git("-c", "user.name=E", "-c", "user.email=e@e", "tag", "-a", "-m", "x", "x", "main", where=origin)
    tag = git("rev-parse", "refs/tags/x", where=origin)
    git("update-ref", "refs/devs/checkpoints/task-10/2", tag, where=origin)
    commit, tree = git("rev-parse", "main", "main~1^{tree}", where=origin).split()
    point = (("Devs-Task", "task-10"), ("Devs-Number", "2"), ("Devs-Tag", tag), ("Devs-Commit", commit))
    event = forged(shared, "checkpoint.created", *point, ("Devs-Tree", tree))
    bob.sync()
    assert before.items() <= state(bob).items()
    goes(bob, "task-10@1")
    asked = doctor.run(bob.opened, doctor.Request()).findings
    assert [one.code for one in asked if one.severity == "error"] == ["HISTORY_REWRITTEN"]
    assert refusal(lambda: bob.call("rewind", rewind.Request("task-10@2"))).code == "HISTORY_REWRITTEN"
    bob.call("purge", purge.Request(event=event))
    assert [one for one in doctor.run(bob.opened, doctor.Request()).findings if one.severity == "error"] == []
    assert bob.trouble() == []


@pytest.mark.parametrize("first", ["10", "11"])
def test_an_event_that_gives_a_checkpoint_the_number_of_another(pair: Pair, first: str) -> None:
    """Either may stand first in the ledger; both keep their refs, and no event chooses between them."""
    bob = pair.bob
    point(bob, 1)
    point(bob, 2)
    bob.sync()
    tags = [refs_of(bob.top)[f"refs/devs/checkpoints/task-10/{number}"] for number in (1, 2)]
    before = state(bob)
    which = 0 if first == "10" else 1
    forged(pair, "x", ("Devs-Renumbered", f"{tags[which]} {2 - which}"))
    bob.sync()
    assert state(bob) == before
    missing = show.Request(f"task-10@{2 - which}")
    assert refusal(lambda: bob.call("show", missing)).code == "CHECKPOINT_NOT_FOUND"
    assert [bob.call("show", show.Request(tag)).tag for tag in tags] == tags
    assert {row.partition(":")[0] for row in bob.trouble("tags")} == {"TAG_MOVED"}


def point(clone: Clone, number: int) -> None:
    if number == 1:
        clone.call("task start", task_start.Request("10"))
    (clone.top / "a.txt").write_text(f"{number}\n")
    clone.git("add", "a.txt")
    clone.call("checkpoint", checkpoint.Request(message=f"point {number}"))


@pytest.mark.parametrize("kind", ["task.completed", "checkpoints.rewritten"])
@pytest.mark.parametrize("side_first", [True, False])
def test_an_event_that_records_another_checkpoint_with_a_known_tag(
    shared: Pair, kind: str, *, side_first: bool
) -> None:
    """After the tag's own event it says nothing; where it would stand before that, on a line of its own, nobody takes it over."""
    bob, tag = shared.bob, refs_of(shared.bob.top)[NUMBERED]
    before, real = state(bob), bob.call("show", show.Request("task-10@1"))
    tree, nine = bob.git("rev-parse", "HEAD^{tree}", "refs/devs/checkpoints/task-9/1").split()
    point = (("Devs-Task", "task-66"), ("Devs-Number", "1"), ("Devs-Tag", tag), ("Devs-Commit", NOWHERE))
    moved = (("Devs-Moved", f"{nine} {tag} 7 {NOWHERE} {tree}"),)
    said = (*point, ("Devs-Tree", tree)) if kind == "task.completed" else moved
    later = forged(shared, kind, *said)
    assert bob.sync().ledger == later
    assert (state(bob), bob.call("show", show.Request("task-10@1"))) == (before, real)
    root = f"{real.event}~1"
    side = forged(shared, kind, *said, parent=root, tree=root)
    first, second = (side, later) if side_first else (later, side)
    merge = forged(shared, "ledger.merged", parent=first, also=second, tree=later)
    order = git("rev-list", "--topo-order", "--reverse", merge, where=shared.origin).split()
    if order.index(side) < order.index(real.event):
        assert refusal(bob.sync).code == "LEDGER_MUTATED"
    else:
        bob.sync()
    assert (state(bob), bob.call("show", show.Request("task-10@1")).commit) == (before, real.commit)
