"""The expected content of a catalog, as plain values. The test records here what it does.

This module uses none of our code: no table, no ledger, no digest. It knows by itself what is rewound, from the tasks that
were completed and the times.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class ExpectedTrace:
    """A trace as the catalog must return it. A search for one of `words` must find it."""

    output: bytes
    known: dict[str, object]
    words: frozenset[str]
    raw: bytes = b""

    @property
    def at(self) -> str:
        return str(self.known["created_at"])

    @property
    def task(self) -> str:
        return str(self.known["task_id"])

    def row(self, trace_id: str, *, rewound: bool) -> dict[str, object]:
        """Its row in a list."""
        digest = hashlib.sha256(self.output).hexdigest()
        made = {"trace_id": trace_id, "digest": digest, "size": len(self.output), "rewound": rewound}
        return {**self.known, **made, "cut_by_client": False, "full_bytes": None, "masked": False}


@dataclass(frozen=True)
class ExpectedMessage:
    """A message that a search for `word` must find."""

    session: str
    task: str
    at: str
    word: str


@dataclass(frozen=True)
class Branch:
    """The completed tasks of the branch, oldest first. Traces of a task up to the time in `hidden` are hidden."""

    tasks: tuple[str, ...] = ()
    hidden: dict[str, str] = field(default_factory=dict)

    def after_move(self, then: Branch, now: str) -> Branch:
        """The branch after a rewind or undo moved it to `then`. Tasks that left it are hidden from `now` on; others come back."""
        left = {task: now for task in self.tasks if task not in then.tasks}
        back = [task for task in then.tasks if task not in self.tasks]
        stays = {task: upto for task, upto in self.hidden.items() if task not in back}
        return Branch(then.tasks, {**stays, **{t: then.hidden[t] for t in back if t in then.hidden}, **left})


@dataclass
class ExpectedCatalog:
    """What the catalog of one repository must contain. `before` has the branch before each operation."""

    traces: dict[str, ExpectedTrace] = field(default_factory=dict)
    messages: dict[str, ExpectedMessage] = field(default_factory=dict)
    branch: Branch = field(default_factory=Branch)
    before: dict[str, Branch] = field(default_factory=dict)

    def is_hidden(self, task: str, at: str) -> bool:
        return bool(task) and at <= self.branch.hidden.get(task, "")

    def rows(self) -> dict[str, dict[str, object]]:
        found = self.traces.items()
        return {name: one.row(name, rewound=self.is_hidden(one.task, one.at)) for name, one in found}

    def oldest_first(self) -> list[str]:
        return sorted(self.traces, key=lambda name: self.traces[name].at)

    def traces_with(self, word: str, *, rewound: bool) -> set[str]:
        return {
            name
            for name, one in self.traces.items()
            if word in one.words and (rewound or not self.is_hidden(one.task, one.at))
        }

    def messages_with(self, word: str, *, rewound: bool) -> set[str]:
        return {
            name
            for name, one in self.messages.items()
            if one.word == word and (rewound or not self.is_hidden(one.task, one.at))
        }

    def add_import(self, traces: dict[str, ExpectedTrace]) -> int:
        """Add the traces of an import, which replaces no trace; how many are new."""
        new = len(traces.keys() - self.traces.keys())
        self.traces = {name: replace(one) for name, one in traces.items()} | self.traces
        return new
