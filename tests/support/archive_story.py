"""Random work in both `Twins`: the same seed makes the same steps. Before some of them, one of the two archives."""

from __future__ import annotations

import random
from typing import Any

from tests.support.archive_twins import Twins

_TASKS = ("1", "2", "3", "4", "5")
_FILES = ("a.txt", "b.txt", "c.txt")
_ANY = (
    *("rewind",) * 4,
    *("undo",) * 4,
    *(
        "amend",
        "rebase",
        "squash",
        "drop",
        "restore",
        "branch",
        "fork",
        "side",
        "switch",
        "commit",
        "abandon",
    ),
)
# Where a task is active, and where none is.
_WORK = (*("checkpoint",) * 6, *("complete",) * 6, *_ANY)
_BETWEEN = (*("start",) * 10, *_ANY)
# How often of a hundred steps something is archived before it.
_ARCHIVED = 20


class ArchiveStory:
    def __init__(self, seed: int, twins: Twins) -> None:
        self.random, self.twins = random.Random(seed), twins
        self.steps = 0
        self.said: list[str] = []

    def step(self) -> str:
        """One step, and all that is compared after it."""
        self.steps += 1
        if self.random.randrange(100) < _ARCHIVED:
            options = self.random.choice(((), (), ("--tags",)))
            self.said.append(f"archive {options}")
            self.twins.archive(*options)
        active = self.twins.verb("status").get("active_task")
        action = self.random.choice(_WORK if active else _BETWEEN)
        self.said.append(action)
        getattr(self, f"_{action}")()
        self.read()
        self.twins.compare()
        return action

    def read(self) -> None:
        self.twins.verb("log", "--all", "--limit", "100")
        self.twins.verb("show", self.target())
        self.twins.verb("rewind", self.target(), "--dry-run")
        self.twins.verb("undo", "--dry-run")
        self.twins.verb("task", "status", self.random.choice(_TASKS))

    def target(self) -> str:
        return f"task-{self.random.choice(_TASKS)}" + self.random.choice(("", "", "@1", "@2", "@0", "^"))

    def _write(self) -> None:
        self.twins.write({self.random.choice(_FILES): f"{self.steps}\n"})
        self.twins.git("add", "-A")

    def _verb(self, *words: str) -> Any:
        self.said.append(" ".join(words))
        return self.twins.verb(*words)

    def _start(self) -> None:
        self._verb("task", "start", self.random.choice(_TASKS))

    def _checkpoint(self) -> None:
        self._write()
        self._verb("checkpoint", "-m", f"step {self.steps}")

    def _complete(self) -> None:
        self._write()
        self._verb("task", "complete", "-m", f"step {self.steps}")

    def _commit(self) -> None:
        self._write()
        self.twins.git("commit", "-q", "-m", f"by hand {self.steps}", ok=(0, 1))

    def _amend(self) -> None:
        self._write()
        self.twins.git("commit", "-q", "--amend", "-m", f"amended {self.steps}", ok=(0, 1))

    def _rebase(self) -> None:
        """The last commits get other messages and parents."""
        self._rewrite("reword")

    def _squash(self) -> None:
        self._rewrite("squash")

    def _rewrite(self, how: str) -> None:
        count = self.random.choice((2, 3))
        # All but the first line.
        edit = "2,$s/^pick/squash/" if how == "squash" else "1s/^pick/reword/"
        words = ("-c", f"sequence.editor=sed -i '{edit}'", "-c", "core.editor=sed -i '1s/^/again /'")
        self.twins.git(*words, "rebase", "-q", "-i", f"HEAD~{count}", ok=(0, 1, 128))
        self.twins.git("rebase", "--abort", ok=(0, 128))

    def _rewind(self) -> None:
        self._verb("rewind", self.target(), "--preserve", self.random.choice(("branch", "discard")))

    def _undo(self) -> None:
        self._verb("undo", "--preserve", self.random.choice(("branch", "discard")))

    def _drop(self) -> None:
        self._verb("drop", f"task-{self.random.choice(_TASKS)}")

    def _restore(self) -> None:
        self._verb("restore", self.target().removesuffix("^"))

    def _branch(self) -> None:
        self._verb("branch", self.target().removesuffix("^"), "-b", f"made-{self.steps}")

    def _fork(self) -> None:
        self._verb("fork", self.target().removesuffix("^"), "--name", f"fork-{self.steps}", "--no-worktree")

    def _side(self) -> None:
        """A branch keeps commits that a rewind takes from the other one."""
        self.twins.git("branch", f"side-{self.steps}")

    def _switch(self) -> None:
        names = self.twins.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        own = [name for name in names if not name.startswith(("devs/", "snapshot/"))]
        self._verb("checkout", self.random.choice(own))

    def _abandon(self) -> None:
        self._verb("task", "abandon")
