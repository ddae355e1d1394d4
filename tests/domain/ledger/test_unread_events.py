"""Of older events only those are read that touch the tasks of newer ones, and the refs of these tasks are judged as ever."""

from __future__ import annotations

import os
import random

import pytest

from devs_git.domain.audit import checkpoint_tags
from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger.events import Event, parse
from devs_git.domain.ledger.history import History, fold
from devs_git.domain.ledger.ids import checkpoint_ref, completed_tag
from devs_git.domain.ledger.indexing import unread_events
from tests.support.random_ledger import TASKS, Story, oid

pytestmark = pytest.mark.quick
LEDGERS = int(os.environ.get("DEVS_TEST_COUNT_UNREAD_EVENTS", "60"))
Refs = dict[str, tuple[str, str]]


class Told(Story):
    """Random events in one order, without a repository."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.events = self.tags = 0
        self.ops = []
        self.commits = [oid("c", number) for number in range(1, 8)]

    def event(self) -> Event:
        kind = self.kind()
        message = Event(kind, "subject", self.fields(kind, self.random.choice("ab"))).message()
        return parse(oid("e", self.events), (), message)


def any_refs(dice: random.Random, history: History) -> Refs:
    """The refs that the ledger wants; some are missing, moved or not annotated, and some nobody wants."""
    wanted = wanted_refs.ledger_refs(history)
    tags = [*history.checkpoints, oid("x", 1)]
    for _ in range(3):
        wanted[checkpoint_ref(dice.choice(TASKS), dice.randint(1, 20))] = dice.choice(tags)
        wanted[completed_tag(dice.choice(TASKS))] = dice.choice(tags)
    kinds = ["tag"] * 9 + ["commit"]
    return {
        ref: (dice.choice(tags) if dice.random() < 0.1 else tag, dice.choice(kinds))
        for ref, tag in wanted.items()
        if dice.random() < 0.9
    }


@pytest.mark.parametrize("part", range(4))
def test_the_refs_of_tasks_that_newer_events_name_are_judged_as_with_all_events(part: int) -> None:
    said = others = 0
    for seed in range(part, LEDGERS, 4):
        told = Told(seed)
        events = [told.event() for _ in range(told.random.randint(5, 40))]
        # A newer event may come before an older one: it is on a line of its own, which was merged later.
        newer = [event for event in events if told.random.random() < 0.15]
        older = [unread(event) for event in events if event not in newer]
        history = fold(events)
        tasks, part_of_it = unread_events.fold_named(older, newer, [event.oid for event in events])
        assert tasks >= {task for event in newer for task in event.tasks}
        refs = any_refs(told.random, history)
        whole = [one for one in checkpoint_tags.judge_held(history, refs) if one.severity == "error"]
        mine = [one for one in whole if wanted_refs.task_of(one.where) in tasks]
        found = checkpoint_tags.judge_tasks(tasks, part_of_it, refs)
        assert [one for one in found if one.severity == "error"] == mine, seed
        said += len(mine)
        others += len(whole) - len(mine)
    assert said
    assert others


def unread(event: Event) -> unread_events.Unread:
    return unread_events.unread(event.oid, (), event.message())


def test_an_unread_event_can_be_read() -> None:
    event = Told(1).event()
    assert unread_events.read(unread(event)) == event


def test_a_message_that_begins_with_a_trailer_names_its_task() -> None:
    older = unread_events.unread(oid("e", 1), (), "Devs-Task:task-7\nDevs-Event: task.started")
    newer = Event("task.result", "x", (("Devs-Task", "task-7"),), "", oid("e", 2))
    tasks, history = unread_events.fold_named([older], [newer], [older.oid, newer.oid])
    assert tasks == {"task-7"}
    assert (list(history.tasks), history.tip) == (["task-7"], newer.oid)


def test_without_newer_events_nothing_is_read() -> None:
    older = unread_events.unread(oid("e", 1), (), "Devs-Task: task-7")
    assert unread_events.fold_named([older], [], [older.oid]) == (frozenset(), History())
