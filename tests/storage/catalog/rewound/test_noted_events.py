"""The marks that follow from a few events are those of the whole ledger, and nobody folds it or asks the index for them."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import directive_add, drop
from devs_git.storage.catalog import conversation_snapshots, database, fulltext, migrations
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.storage.ledger.index import NAME
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.support.clones import Clone, make_pair
from tests.support.random_ledger import TASKS, Story, oid
from tests.support.random_work import RandomWork
from tests.support.whole_marks import WholeMarks, cut, marks, put_work

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_MARKED_LEDGERS", "4"))
CHANGES = {"Devs-Undone", "Devs-Revived", "Devs-Moved", "Devs-Renumbered"}
WORKS = int(os.environ.get("DEVS_TEST_COUNT_MARKED_WORKS", "1"))


class Talk(Story):
    """The same with directives, and with operations that take messages of conversations back."""

    def kind(self) -> str:
        rare = ("directive.added", "directive.withdrawn", "conversation.rewound", "rewound", "undone")
        return self.random.choice(rare) if self.random.random() < 0.3 else super().kind()

    def fields(self, kind: str, clone: str) -> tuple[tuple[str, str], ...]:
        found = super().fields(kind, clone)
        if kind.startswith("directive"):
            found = (*found, ("Devs-Directive", f"d{self.random.randint(1, 6)}"))
        if kind == "conversation.rewound":
            found = (*found, ("Devs-Op", f"talk-{self.events}"), ("Devs-Clone", clone))
        if kind in ("conversation.rewound", "rewound", "undone") and self.random.random() < 0.6:
            ends = ["Undone", "Undone", "Revived"]
            found = (*found, (f"Devs-Messages-{self.random.choice(ends)}", self.cut()))
        if any(key == "Devs-Tag" for key, _ in found) and self.random.random() < 0.4:
            found = (*found, ("Devs-Conversation", f"s1 {self.random.randint(1, 6)} d"))
        return found

    def cut(self) -> str:
        # Often one that was made before.
        return cut(random.Random(self.random.randint(1, 9)))


class Honest(Talk):
    """The same without a tag that two events record, or that an event names before it was recorded."""

    def fields(self, kind: str, clone: str) -> tuple[tuple[str, str], ...]:
        own, later = oid("t", self.tags + 1), {oid("t", self.tags + more) for more in (1, 2, 3)}
        return tuple(
            (key, own if key == "Devs-Tag" else value)
            for key, value in super().fields(kind, clone)
            if key == "Devs-Tag" or value.split(" ")[0] not in later
        )


def folded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tips at which a whole ledger was folded."""
    found: list[str] = []
    whole = Ledger.history_at

    def note(ledger: Ledger, oid: str, *more: Any) -> Any:
        found.append(oid)
        return whole(ledger, oid, *more)

    monkeypatch.setattr(Ledger, "history_at", note)
    return found


def harm(dice: random.Random, index: Path) -> None:
    """What may be in the place of the index."""
    for end in ("", "-wal", "-shm"):
        index.with_name(index.name + end).unlink(missing_ok=True)
    if dice.random() < 0.7:
        index.write_bytes(dice.randbytes(dice.choice((0, 100, 5000))))


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_marks_are_those_of_the_whole_ledger_whatever_it_says(
    seed: int, ledgered: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story, oracle = Talk(seed, ledgered.places.common), WholeMarks(tmp_path / "oracle")
    (ledgered.places.common / "devs/clone").write_text("a\n")
    whole = folded(monkeypatch)
    for _ in range(12):
        clone = story.random.choice("aab")
        for _ in range(story.random.choice((1, 1, 2, 9))):
            story.add(story.random.choice((clone, clone, "a", "b")))
        story.show(clone)
        harm(story.random, ledgered.places.common / NAME)
        at, dice = f"2001-01-01T00:00:{story.events:02d}Z", story.random.randint(1, 1 << 30)
        # Each step opens everything anew, as another process does.
        with Catalog.open(ledgered.places.shared) as catalog:
            for one in (catalog, oracle.catalog):
                put_work(one, TASKS, at, dice)
            whole.clear()
            ledger_marks.catch_up(catalog, Workspace.open(ledgered.top).ledger)
            assert whole == []
            oracle.step(Workspace.open(ledgered.top).ledger)
            assert marks(catalog) == marks(oracle.catalog)
            same_noted(catalog, Workspace.open(ledgered.top).ledger)


def same_noted(catalog: Catalog, ledger: Ledger) -> None:
    """The noted rows are those of the whole ledger, in its order."""
    rows: list[tuple[str, str | None]] = []
    for event in ledger.events(oldest_first=True):
        rows += [(event.oid, event.tag)] if event.effects.records and not event.failed else []
        if not event.failed and (event.effects.operation or CHANGES & event.first.keys()):
            rows.append((event.oid, None))
    assert catalog.rows("SELECT event, tag FROM noted_events ORDER BY number") == rows


def snapshots(catalog: Catalog) -> dict[str, tuple[str, int]]:
    rows = catalog.rows("SELECT tag, checkpoint, live FROM snapshots")
    return {tag: (checkpoint, live) for tag, checkpoint, live in rows}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_snapshot_that_was_pruned_comes_back_with_its_checkpoint_and_changes_no_other(
    seed: int, ledgered: Workspace, tmp_path: Path
) -> None:
    story = Honest(seed, ledgered.places.common)
    back = 0
    with Catalog.open(ledgered.places.shared) as catalog:
        for step in range(25):
            before = story.tips["a"]
            for _ in range(story.random.randint(1, 4)):
                # Alone: the clones never meet.
                story.add("a")
            story.show("a")
            with fulltext.write_transaction(catalog) as base:
                for tag in snapshots(catalog):
                    if story.random.random() < 0.2:
                        base.execute("DELETE FROM snapshots WHERE tag = ?", (tag,))
            pruned = snapshots(catalog)
            ledger = Workspace.open(ledgered.top).ledger
            ledger_marks.catch_up(catalog, ledger)
            with Catalog.open(tmp_path / str(step)) as whole, fulltext.write_transaction(whole):
                for event in ledger.events(oldest_first=True):
                    if not event.failed:
                        conversation_snapshots.apply_event(whole, event)
                expected = snapshots(whole)
            found = snapshots(catalog)
            assert found.items() <= expected.items()
            new = [event for event in ledger.events(since=before) if not event.failed]
            revived = {tag for event in new for tag in event.revived} & expected.keys()
            assert revived <= found.keys()
            back += len(revived - pruned.keys())
    assert back or seed


def test_a_catalog_of_before_reads_the_ledger_once_and_one_of_another_format_of_events_again(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Talk(3, ledgered.places.common)
    (ledgered.places.common / "devs/clone").write_text("a\n")
    for _ in range(60):
        story.add("a")
    story.show("a")
    with pytest.MonkeyPatch.context() as before:
        before.setattr(database, "STEPS", migrations.STEPS[:11])
        with Catalog.open(ledgered.places.shared) as catalog, catalog.transaction():
            catalog.set("ledger", ledgered.ledger.tip().oid)
    with Catalog.open(ledgered.places.shared) as catalog:
        ledger_marks.catch_up(catalog, ledgered.ledger)
        same_noted(catalog, ledgered.ledger)
        rows = marks(catalog)
        assert rows["cuts"]
        assert rows["directives"]
        # A program that did not know some of the events noted too few.
        with fulltext.write_transaction(catalog) as base:
            base.execute("DELETE FROM noted_events")
            base.execute("DELETE FROM cuts")
            catalog.set("format", "1")
        ledger_marks.catch_up(catalog, ledgered.ledger)
        same_noted(catalog, ledgered.ledger)
        assert marks(catalog) == rows
        # The next time nothing is read.
        monkeypatch.setattr(Ledger, "read_with_trees", None)
        ledger_marks.catch_up(catalog, ledgered.ledger)


def test_a_ledger_that_was_replaced_by_another_one_leaves_no_mark(ledgered: Workspace) -> None:
    story = Talk(3, ledgered.places.common)
    (ledgered.places.common / "devs/clone").write_text("a\n")
    begin = story.tips["a"]
    for _ in range(60):
        story.add("a")
    with Catalog.open(ledgered.places.shared) as catalog:
        for tip in (story.tips["a"], begin):
            story.tips["a"] = tip
            story.show("a")
            ledger_marks.catch_up(catalog, Workspace.open(ledgered.top).ledger)
            same_noted(catalog, ledgered.ledger)
            assert bool(marks(catalog)["cuts"]) == (tip != begin)
        assert marks(catalog)["directives"] == marks(catalog)["rewinds"] == []


class Work(RandomWork):
    """The same with drops and directives."""

    def _restore(self, clone: Clone) -> None:
        if self.random.random() < 0.5:
            task = self.random.choice(sorted(clone.opened.ledger.tip().history.tasks) or ["task-1"])
            self._call(clone, "drop", drop.Request(task))
        else:
            super()._restore(clone)

    def _result(self, clone: Clone) -> None:
        task = self.random.choice(sorted(clone.opened.ledger.tip().history.tasks) or ["task-1"])
        self._call(clone, "directive add", directive_add.Request(task, "Look.", at_terminal=True))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(WORKS))
def test_the_marks_of_two_clones_that_work_and_meet_are_those_of_the_whole_ledger(
    seed: int, initialised: Path, tmp_path: Path
) -> None:
    pair = make_pair(initialised, tmp_path)
    work = Work(seed, pair)
    oracles = {clone.top: WholeMarks(tmp_path / f"oracle-{clone.top.name}") for clone in (pair.ann, pair.bob)}
    hid = 0
    for _ in range(60):
        work.step()
        at, dice = pair.ann.opened.now(), work.random.randint(1, 1 << 30)
        for clone in (pair.ann, pair.bob):
            harm(work.random, clone.opened.places.common / NAME)
            oracle = oracles[clone.top]
            with Catalog.open(clone.opened.places.shared) as catalog:
                for one in (catalog, oracle.catalog):
                    put_work(one, TASKS, at, dice)
                ledger_marks.catch_up(catalog, clone.opened.ledger)
                oracle.step(clone.opened.ledger)
                assert marks(catalog) == marks(oracle.catalog), (work.steps, clone.top)
                same_noted(catalog, clone.opened.ledger)
                hid += len(marks(catalog)["rewinds"])
    assert hid or seed
