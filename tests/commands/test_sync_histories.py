"""Random work in two clones that sync now and then: in the end one ledger with every event of both, and verify is green."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest

from devs_git.commands import rewind, task_start, undo
from devs_git.errors import DevsError
from tests.commands.test_sync_tags import complete, point
from tests.support.clones import LEDGER, TAGS, Clone, Pair, refs_of

HISTORIES = int(os.environ.get("DEVS_TEST_COUNT_SYNC_HISTORIES", "1"))
STEPS = 14 if HISTORIES > 1 else 8


class Work:
    """What the two clones do, drawn from one seed; what a verb refuses does not happen."""

    def __init__(self, pair: Pair, seed: int) -> None:
        self.pair, self.dice, self.count = pair, random.Random(seed), 0
        self.done: list[str] = []
        self.events: set[str] = set()

    def step(self) -> None:
        clone = self.dice.choice((self.pair.ann, self.pair.bob))
        does: tuple[Callable[[Clone], object], ...] = (
            self.start, self.point, self.point, self.complete, self.complete, self.amend, self.rewind,
            self.undo, self.ask, self.decide, self.decide, self.share, self.share, self.meet, self.sync,
        )  # fmt: skip
        self.do(clone, self.dice.choice(does))

    def do(self, clone: Clone, does_it: Callable[[Clone], object]) -> None:
        try:
            does_it(clone)
            outcome = ""
        except DevsError as error:
            if error.code.startswith("LEDGER") or error.code == "INTERNAL":
                raise
            outcome = f" {error.code}"
        self.done.append(f"{clone.top.name} {does_it.__name__}{outcome}")
        self.events |= set(clone.git("rev-list", LEDGER).split())

    def name(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def start(self, clone: Clone) -> None:
        clone.call("task start", task_start.Request(str(self.dice.choice((10, 11, 12))), title="t"))

    def task(self, clone: Clone) -> str:
        """The active task; one is started where there is none."""
        active = clone.opened.places.active_task
        if not active.exists():
            self.start(clone)
        return active.read_text().split()[1]

    def point(self, clone: Clone) -> None:
        self.task(clone)
        point(clone, self.name())

    def complete(self, clone: Clone) -> None:
        complete(clone, self.name(), self.task(clone))

    def amend(self, clone: Clone) -> None:
        head = clone.git("rev-parse", "HEAD")
        mine = head in {point.commit for point in clone.opened.ledger.tip().history.live()}
        if mine and not clone.opened.ledger.open_gates():
            clone.git("commit", "-q", "--amend", "--allow-empty", "-m", self.name())

    def rewind(self, clone: Clone) -> None:
        live = clone.opened.ledger.tip().history.live()
        if live:
            clone.call("rewind", rewind.Request(self.dice.choice(live).name, preserve="branch"))

    def undo(self, clone: Clone) -> None:
        clone.call("undo", undo.Request(preserve="branch"))

    def ask(self, clone: Clone) -> None:
        clone.ask(kind=self.dice.choice(("MANUAL", "TAS_REVISION")))

    def decide(self, clone: Clone) -> None:
        for gate in clone.opened.ledger.open_gates()[:1]:
            self.dice.choice((clone.approve, clone.reject))(gate)

    def share(self, clone: Clone) -> None:
        """The clone takes over the other's commits, unless their ledger is its own, further on: then it syncs first.

        What it commits on top would name an earlier event than its parent does, as after a ledger was set back.
        """
        other = self.pair.bob if clone == self.pair.ann else self.pair.ann
        ahead = other.tip != clone.tip and clone.tip in other.git("rev-list", LEDGER).split()
        if not ahead and not clone.opened.ledger.open_gates():
            clone.git("pull", "-q", "--no-rebase", "--no-edit", str(other.top), "main")

    def sync(self, clone: Clone) -> None:
        clone.sync()

    def meet(self, _clone: Clone) -> None:
        self.pair.meet()


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_any_two_histories_become_one(seed: int, pair: Pair) -> None:
    work = Work(pair, seed)
    for _ in range(STEPS):
        work.step()
    for clone in (pair.ann, pair.bob, pair.ann):
        clone.sync()
    try:
        pair.assert_agree()
        assert work.events <= set(pair.ann.git("rev-list", LEDGER).split())
        for clone in (pair.ann, pair.bob):
            again = clone.sync()
            assert (again.fetched, again.pushed, again.merged, again.left) == ((), (), None, ())
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}\n" + "\n".join(work.done)) from error


def test_after_a_rewind_of_shared_work_the_visible_tags_are_each_clones_own(pair: Pair) -> None:
    for task in ("1", "2"):
        pair.ann.task(task)
    pair.bob.git("pull", "-q", "--no-rebase", "--no-edit", str(pair.ann.top), "main")
    pair.meet()
    pair.ann.call("rewind", rewind.Request("1"))
    pair.meet()
    pair.assert_agree()
    names = [name for clone in (pair.ann, pair.bob) for name in refs_of(clone.top) if name.startswith(TAGS)]
    assert names == [f"{TAGS}/task-1", f"{TAGS}/task-1", f"{TAGS}/task-2"]
