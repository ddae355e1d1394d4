"""Random work with the real verbs in two clones, which meet now and then: what a writer reads of it is compared with the fold."""

from __future__ import annotations

import random
from typing import Any

from devs_git.commands import (
    checkpoint,
    restore,
    rewind,
    task_abandon,
    task_complete,
    task_result,
    task_start,
    undo,
)
from devs_git.errors import DevsError
from devs_git.storage.worktree import active_task
from tests.support.clones import Clone, Pair

_ANY = ("result", "abandon", "rewind", "rewind", "rewind", "undo", "undo", "restore", "branch", "meet")
# Where a task is active, and where none is.
_WORK = (*("checkpoint",) * 5, *("complete",) * 4, *_ANY)
_BETWEEN = ("start",) * 8 + _ANY
TASKS = tuple(f"task-{number}" for number in range(1, 6))


class RandomWork:
    """The same seed makes the same steps. `answers` counts the verbs that were done, and the codes of the others."""

    def __init__(self, seed: int, pair: Pair) -> None:
        self.random, self.pair = random.Random(seed), pair
        self.steps = 0
        self.answers: dict[str, int] = {}

    def step(self) -> Clone:
        """One step of one of the clones, which is returned. A refusal is a step, too."""
        clone = self.random.choice((self.pair.ann, self.pair.bob))
        self.steps += 1
        action = self.random.choice(_WORK if active_task.read(clone.opened.places) else _BETWEEN)
        try:
            getattr(self, f"_{action}")(clone)
            said = action
        except DevsError as error:
            said = error.code
        self.answers[said] = self.answers.get(said, 0) + 1
        return clone

    def target(self, clone: Clone) -> str:
        """A target that there may be."""
        known = sorted(clone.opened.ledger.tip().history.tasks) or TASKS
        return self.random.choice(known) + self.random.choice(("", "", "@1", "@2", "@0", "^"))

    def _write(self, clone: Clone) -> None:
        (clone.top / f"{clone.top.name}.txt").write_text(f"{self.steps}\n")

    def _call(self, clone: Clone, verb: str, request: Any) -> None:
        clone.call(verb, request)

    def _start(self, clone: Clone) -> None:
        parent = self.random.choice(("", "", *TASKS))
        task = self.random.choice(TASKS)
        contract = self.random.choice(("", "one"))
        more = {"parent": parent} if parent != task else {}
        self._call(clone, "task start", task_start.Request(task, contract=contract, **more))

    def _checkpoint(self, clone: Clone) -> None:
        self._write(clone)
        self._call(clone, "checkpoint", checkpoint.Request("some", everything=True))

    def _complete(self, clone: Clone) -> None:
        self._write(clone)
        self._call(clone, "task complete", task_complete.Request(message="all", everything=True))

    def _result(self, clone: Clone) -> None:
        self._call(clone, "task result", task_result.Request(self.random.choice(TASKS), "It works."))

    def _abandon(self, clone: Clone) -> None:
        """Not always the active task; now and then with its files."""
        task = self.random.choice((None, None, *TASKS))
        preserve = self.random.choice((None, "discard"))
        request = (
            task_abandon.Request(task, rewind=True, preserve=preserve)
            if preserve
            else task_abandon.Request(task)
        )
        self._call(clone, "task abandon", request)

    def _rewind(self, clone: Clone) -> None:
        mode = self.random.choice(("branch", "discard"))
        name = f"kept-{self.steps}" if mode == "branch" and self.random.random() < 0.3 else None
        self._call(clone, "rewind", rewind.Request(self.target(clone), preserve=mode, branch_name=name))

    def _undo(self, clone: Clone) -> None:
        self._call(clone, "undo", undo.Request(preserve=self.random.choice((None, "discard"))))

    def _restore(self, clone: Clone) -> None:
        self._call(clone, "restore", restore.Request(self.target(clone).removesuffix("^")))

    def _branch(self, clone: Clone) -> None:
        """A branch keeps commits that a rewind takes from the other one."""
        clone.git("branch", f"side-{self.steps}")

    def _meet(self, _clone: Clone) -> None:
        self.pair.meet()
