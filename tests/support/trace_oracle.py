"""An independent account of what a catalog must hold: plain values, told by the test of what it did.

It knows nothing of our code: no table, no ledger, no digest of ours. What is rewound it follows by itself, from which tasks
were completed when.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Kept:
    """A trace as it must come back; `words` are the planted ones that find it."""

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
        """All that a list says of it."""
        digest = hashlib.sha256(self.output).hexdigest()
        made = {"trace_id": trace_id, "digest": digest, "size": len(self.output), "rewound": rewound}
        return {**self.known, **made, "cut_by_client": False, "full_bytes": None}


@dataclass(frozen=True)
class Word:
    """A message as it must be found by the word that stands in it."""

    session: str
    task: str
    at: str
    word: str


@dataclass(frozen=True)
class Line:
    """The completed tasks on the branch, oldest first, and until when what each task did is hidden."""

    tasks: tuple[str, ...] = ()
    hidden: dict[str, str] = field(default_factory=dict)

    def after_move(self, then: Line, now: str) -> Line:
        """After a move of the branch to where it was `then`: what left is hidden, what came back is as it was."""
        left = {task: now for task in self.tasks if task not in then.tasks}
        back = [task for task in then.tasks if task not in self.tasks]
        stays = {task: upto for task, upto in self.hidden.items() if task not in back}
        return Line(then.tasks, {**stays, **{t: then.hidden[t] for t in back if t in then.hidden}, **left})


@dataclass
class Held:
    """One repository."""

    traces: dict[str, Kept] = field(default_factory=dict)
    messages: dict[str, Word] = field(default_factory=dict)
    line: Line = field(default_factory=Line)
    before: dict[str, Line] = field(default_factory=dict)

    def is_hidden(self, task: str, at: str) -> bool:
        return bool(task) and at <= self.line.hidden.get(task, "")

    def rows(self) -> dict[str, dict[str, object]]:
        found = self.traces.items()
        return {name: one.row(name, rewound=self.is_hidden(one.task, one.at)) for name, one in found}

    def oldest_first(self) -> list[str]:
        return sorted(self.traces, key=lambda name: self.traces[name].at)

    def with_word(self, word: str, *, rewound: bool) -> set[str]:
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

    def takes(self, traces: dict[str, Kept]) -> int:
        """What an import brings, which replaces nothing; how many are new."""
        new = len(traces.keys() - self.traces.keys())
        self.traces = {name: replace(one) for name, one in traces.items()} | self.traces
        return new
