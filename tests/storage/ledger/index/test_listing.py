"""The index answers as the fold of the whole ledger does, whatever the ledger is and whatever happened to the file."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from devs_git.domain.ledger import event_names
from devs_git.domain.ledger.events import LEDGER, Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import Target
from devs_git.domain.ledger.recent import newest
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.timeline.stream_rows import Filter
from devs_git.errors import DevsError
from devs_git.storage.ledger import event_walk
from devs_git.storage.ledger.index import NAME, index_check, index_queries, index_tables, listing
from devs_git.storage.ledger.store import Ledger, Tip
from devs_git.workspace import Workspace
from tests.support.history_pages import same_history
from tests.support.random_ledger import TASKS, Story, oid

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_INDEXED_LEDGERS", "6"))


def outcome(history: History, target: Target) -> object:
    try:
        return resolve(history, target)
    except DevsError as error:
        return error.code, str(error)


def same(ledger: Ledger, tags: int) -> None:
    """Each question to the index has the answer of the fold."""
    tip = ledger.tip()
    whole = Tip(ledger, tip.oid).here
    for task in (*TASKS, "task-none"):
        part = listing.of_tasks(tip, task)
        assert part.tasks.get(task) == whole.tasks.get(task)
        assert part.of_task(task) == whole.of_task(task)
        if task in whole.tasks:
            assert part.phase_of(part.tasks[task]) == whole.phase_of(whole.tasks[task])
        assert {one.task_id: one for one in listing.children(tip, task)} == {
            name: one for name, one in whole.tasks.items() if one.parent == task
        }
    names = [oid(kind, number) for kind in "tm" for number in range(1, tags + 2)]
    names += {point.commit for point in whole.checkpoints.values()}
    for name in random.Random(tags).sample(sorted(names), min(len(names), 9)):
        for target in (
            Target(oid=name),
            Target(task=f"task-{name[:7]}", short=name[:7]),
            Target(TASKS[0], oid=name),
        ):
            part = listing.of_target(tip, target)
            assert outcome(part, target) == outcome(whole, target)


def same_at_commits(tip: Tip, whole: History) -> None:
    """The checkpoints at each commit, in the same order."""
    for commit in {point.commit for point in whole.checkpoints.values()}:
        tasks = listing.tasks_at(tip, (commit,))
        assert tasks is not None
        part = listing.of_tasks(tip, *tasks)
        assert [point for point in part.checkpoints.values() if point.commit == commit] == [
            point for point in whole.checkpoints.values() if point.commit == commit
        ]


def same_doubts(ledger: Ledger) -> None:
    """What depends on branches, by the index, is what the whole ledger says of it."""
    tip = ledger.tip()
    whole, part = Tip(ledger, tip.oid), listing.undone(tip)
    assert part is not None
    assert {tag: point for tag, point in whole.here.checkpoints.items() if point.rewound} == {
        tag: point for tag, point in part.checkpoints.items() if point.rewound
    }
    assert all(whole.here.tasks[task] == part.tasks[task] for task in part.tasks)
    has_drops = any(point.drop for point in whole.history.checkpoints.values())
    assert listing.may_have_drops(tip) or not has_drops
    same_at_commits(tip, whole.here)
    assert listing.operations(tip).operations == whole.here.operations


def items(events: Iterable[Event]) -> list[tuple[str, str, int, str]]:
    """What `newest` lists of these events: of checkpoints what the log shows, of operations the event."""
    return [
        ("event", item.oid, 0, "")
        if isinstance(item, Event)
        else (
            item.task_id,
            item.tag,
            item.number,
            f"{item.commit} {item.gone} {item.replaced} {item.rewound}",
        )
        for item in newest(events)
    ]


def page(
    listed: list[tuple[str, str, int, str]], task: str, cursor: str, limit: int
) -> list[tuple[str, str, int, str]]:
    """The rows of a page of the log."""
    left = iter(listed)
    if cursor:
        assert any(item[1] == cursor for item in left)
    found: list[tuple[str, str, int, str]] = []
    points = 0
    for item in left:
        if item[0] == "event" or task in ("", item[0]):
            points += item[0] != "event"
            if points > limit:
                break
            found.append(item)
    return [item for item in found if not task or item[0] == task]


def same_pages(ledger: Ledger, dice: random.Random) -> None:
    """Each page of the log by the index is that by the whole ledger."""
    tip = ledger.tip()
    whole = items(ledger.newest_first(tip.oid))
    tags = [item[1] for item in whole if item[0] != "event"]
    if tags[::-1] != list(Tip(ledger, tip.oid).history.checkpoints):
        # Of forged events, for example two that claim one tag, `newest` makes another list than the fold.
        return
    for task in TASKS:
        events = listing.events_of_points(tip, task, "", 100)
        assert events is not None
        assert page(items(events), task, "", 100) == page(whole, task, "", 100)
    for cursor in dice.sample(tags, min(len(tags), 6)):
        limit = dice.randint(1, 5)
        events = listing.events_of_points(tip, "", cursor, limit)
        assert events is not None
        assert page(items(events), "", cursor, limit) == page(whole, "", cursor, limit)


def same_walks(ledger: Ledger, dice: random.Random) -> None:
    """Each walk back from an event, of one task or one type, is the whole walk without the other events."""
    tip = ledger.tip()
    walk = list(event_walk.back(ledger, tip.oid))
    for at, (start, merge) in enumerate(walk):
        for name in ("", merge) if dice.random() < 0.3 else ():
            whole = list(event_walk.back(ledger, start.oid, name))
            task, kind = dice.choice(TASKS), dice.choice(("task", "checkpoint", "rewind"))
            by_task = listing.before(tip, (start.oid, name), Filter(task_id=task))
            by_kind = listing.before(tip, (start.oid, name), Filter(types=(kind,)))
            assert at or (by_task is not None and by_kind is not None)
            if by_task is not None:
                expected = [one for one in whole if task in one[0].tasks]
                assert [one for one in by_task if task in one[0].tasks] == expected
            if by_kind is not None:
                assert list(by_kind) == [one for one in whole if event_names.kind_of(one[0])[0] == kind]


def harm(story: Story, path: Path, older: list[bytes], foreign: bytes) -> None:
    """What may happen to the file between two commands."""
    what = story.random.choice(
        ["nothing", "nothing", "nothing", "delete", "cut", "older", "foreign", "noise", "empty"]
    )
    if what == "nothing" or not path.exists():
        return
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    data = path.read_bytes()
    older.append(data)
    new = {
        "delete": b"",
        "cut": data[: story.random.randint(0, len(data))],
        "older": story.random.choice(older),
        "foreign": foreign,
        "noise": story.random.randbytes(5000),
        "empty": b"",
    }[what]
    path.write_bytes(new)


def of_another_ledger(seed: int, workspace: Workspace, path: Path) -> bytes:
    """The file of a ledger that has other events."""
    story = Story(seed + 1000, workspace.places.common)
    for _ in range(20):
        story.add("a")
    begin = story.tips["b"]
    story.show("a")
    assert (
        index_queries.ask(workspace.ledger.tip(), lambda base: index_tables.about(base, "tip"))
        == story.tips["a"]
    )
    story.tips["a"] = begin
    story.show("a")
    return path.read_bytes()


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_index_answers_as_the_fold_whatever_happens_to_its_file(seed: int, ledgered: Workspace) -> None:
    story = Story(seed, ledgered.places.common)
    path = ledgered.places.common / NAME
    path.touch()
    older: list[bytes] = []
    foreign = of_another_ledger(seed, ledgered, path)
    for _ in range(6):
        clone = story.random.choice("ab")
        for _ in range(story.random.randint(1, 9)):
            story.add(story.random.choice("ab"))
        story.show(clone)
        harm(story, path, older, foreign)
        path.touch()
        if story.random.random() < 0.4:
            # A command that began before another process wrote the newest events.
            listing.of_tasks(ledgered.ledger.tip(), TASKS[0])
            newest_first = story.git("rev-list", "--max-count=9", LEDGER).split()
            story.git("update-ref", LEDGER, story.random.choice(newest_first[1:]))
        path.touch()
        same(Workspace.open(ledgered.top).ledger, story.tags)
        path.touch()
        same_doubts(Workspace.open(ledgered.top).ledger)
        path.touch()
        same_pages(Workspace.open(ledgered.top).ledger, story.random)
        same_walks(Workspace.open(ledgered.top).ledger, story.random)
        same_history(ledgered.top, story.random, path)
        now = Workspace.open(ledgered.top).ledger.tip()
        # A damaged file was deleted; in a ledger as small as this one nobody makes it again unasked.
        path.touch()
        assert index_queries.ask(now, lambda base: index_tables.about(base, "tip")) == now.oid
        # doctor makes the rows again, from the first event on.
        assert list(index_check.findings(now)) == []


def test_an_event_that_records_a_checkpoint_and_moves_another_has_both_in_the_index(
    ledgered: Workspace,
) -> None:
    story = Story(1, ledgered.places.common)
    first, second, moved = (oid("t", number) for number in range(3))
    for trailers in (
        f"Devs-Tag: {first}",
        # No program of ours writes such an event.
        f"Devs-Tag: {second}\nDevs-Moved: {first} {moved} 3 {oid('m', 1)} {oid('f', 1)}",
    ):
        text = f"subject\n\nDevs-Event: checkpoint.created\nDevs-Task: task-1\nDevs-Number: 1\n{trailers}\n"
        story.tips["a"] = story.git("commit-tree", "-p", story.tips["a"], f"{LEDGER}^{{tree}}", text=text)
    story.show("a")
    tip = ledgered.ledger.tip()
    (ledgered.places.common / NAME).touch()
    query = "SELECT tag FROM points ORDER BY seq, at"
    assert index_queries.ask(tip, lambda base: base.execute(query).fetchall()) == [
        (first,),
        (second,),
        (moved,),
    ]
    assert list(index_check.findings(tip)) == []
    assert listing.of_tasks(tip, "task-1").checkpoints == tip.here.checkpoints
