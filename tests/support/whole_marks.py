"""A catalog whose marks are made from the fold of the whole ledger after each step: what all shorter ways must agree with."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.recall import message_cuts
from devs_git.storage.catalog import bodies, directives, fulltext
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.storage.catalog.sessions import rewound_messages
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.store import Ledger, Tip

SESSIONS: Final = ("s1", "s2")
MESSAGES: Final = 6
MARKS: Final = {
    "rewinds": "SELECT operation, task_id, upto FROM rewinds",
    "traces": "SELECT trace_id, rewound_by FROM traces",
    "messages": "SELECT number, rewound_by FROM messages",
    "paths": "SELECT session_id, position, cut_by FROM paths",
    "cuts": "SELECT * FROM cuts",
    "directives": "SELECT * FROM directives",
}


def marks(catalog: Catalog) -> dict[str, list[Any]]:
    return {name: sorted(catalog.rows(query)) for name, query in MARKS.items()}


def put_work(catalog: Catalog, tasks: list[str], at: str, seed: int) -> None:
    """A trace of each task, and at first the messages of two sessions of which the second is a fork of the first."""
    with fulltext.write_transaction(catalog) as base:
        if not catalog.rows("SELECT 1 FROM messages"):
            _put_messages(catalog, tasks, at, seed)
        for task in tasks:
            body = base.execute("INSERT INTO bodies (input, raw) VALUES (x'', x'')").lastrowid
            base.execute(
                "INSERT INTO traces (trace_id, body_id, task_id, session_id, agent, client, tool_name, is_error, "
                '"commit", tool_use_id, event, created_at, digest, size, stored) '
                "VALUES (?, ?, ?, '', '', '', '', 0, '', '', '', ?, '', 0, 0)",
                (f"{task} at {at}", body, task, at),
            )


def _put_messages(catalog: Catalog, tasks: list[str], at: str, seed: int) -> None:
    """Messages 1 to 6 are of the first session; the second has 1 to 3 and 7 to 9."""
    dice = random.Random(seed)
    path = "INSERT INTO paths (session_id, position, number, digest, token_count, cost_usd) VALUES (?, ?, ?, '', 0, 0)"
    for number in range(1, MESSAGES + 4):
        catalog.base.execute(
            "INSERT INTO messages (number, session_id, message_id, turn_id, task_id, agent, role, tool_name, is_error, "
            "body, created_at) VALUES (?, ?, ?, '', ?, '', 'user', '', 0, ?, ?)",
            (number, SESSIONS[number > MESSAGES], f"m{number}", dice.choice(tasks), bodies.pack(b"{}"), at),
        )
        if number <= MESSAGES:
            catalog.base.execute(path, (SESSIONS[0], number, number))
        if number <= 3 or number > MESSAGES:
            catalog.base.execute(path, (SESSIONS[1], number if number <= 3 else number - 3, number))


def cut(dice: random.Random) -> str:
    """The value of a trailer that takes messages of a session back."""
    session = dice.choice((0, 1))
    own = [1, 2, 3, *((4, 5, 6) if session == 0 else (7, 8, 9))]
    kept, last = sorted(dice.sample(range(len(own)), 2))
    return f"{SESSIONS[session]} m{own[kept]} m{own[last]}"


def _live_here(history: History) -> dict[str, Checkpoint]:
    return {tag: point for tag, point in history.checkpoints.items() if not point.live}


def hidden(history: History) -> dict[tuple[str, str], str]:
    """What the fold of the whole ledger says is hidden: by operation and task, the time of the operation."""
    dead = _live_here(history)
    found: dict[tuple[str, str], str] = {}
    for event in history.operations:
        tasks = {dead[tag].task_id for tag in event.undone if tag in dead and _undid(dead[tag], event.op_id)}
        rows = [task for task, status in event.statuses if status in ("rewound", "dropped") and task in tasks]
        found |= {(event.op_id or event.oid, task): event.finished for task in rows}
    return found


def _undid(point: Checkpoint, op_id: str) -> bool:
    return op_id in [entry.op for entry in point.rewound]


class WholeMarks:
    """The oracle. `step` follows the ledger as far as it goes now; its folder has no other use."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.catalog = Catalog.open(folder)
        self.tip = ""

    def step(self, ledger: Ledger) -> None:
        tip = ledger.tip()
        history = Tip(ledger, tip.oid).here
        every = list(ledger.events(tip.oid, oldest_first=True))
        found = list(ledger.events(tip.oid, since=self.tip, oldest_first=True))
        goes_on = self.tip == tip.oid or any(self.tip in event.parents for event in found)
        with fulltext.write_transaction(self.catalog):
            rewound_messages.clear(self.catalog)
            ledger_marks._mark(self.catalog, hidden(history))
            rewound_messages.mark(
                self.catalog, message_cuts.in_force(history.operations, clone_of(ledger.common))
            )
            if self.tip and not goes_on:
                directives.forget(self.catalog)
                found = every
            for event in found:
                directives.apply_event(self.catalog, event)
        self.tip = tip.oid
