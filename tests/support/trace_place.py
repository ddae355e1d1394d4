"""One repository of `trace_world`: how its verbs are run and killed, and how all that its catalog holds is compared."""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from devs_git.commands import (
    conversation_show,
    trace_get,
    trace_import,
    trace_ingest,
    trace_list,
    trace_put,
    trace_search,
)
from devs_git.errors import DevsError
from devs_git.storage.catalog import fulltext
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.rewind_cases import Case
from tests.support.trace_oracle import Held

PART = 700  # bytes; so that outputs of every size have a part's end near by
VERBS: dict[str, Any] = {"put": trace_put, "import": trace_import, "ingest": trace_ingest}
LOOKED_AT = 6  # words that are looked for after each step, beside the new ones
# Run by a child that dies at the `argv[1]`-th statement that it gives to SQLite, or file that it takes away.
DYING = """
import os, pickle, signal, sys
from tests.support import trace_place
from devs_git.storage.catalog import bodies; from devs_git.storage.catalog import database
bodies.PART = trace_place.PART
left, plain, gone = [int(sys.argv[1])], database._configure, os.unlink
def step(*_):
    left[0] -= 1
    left[0] or os.kill(os.getpid(), signal.SIGKILL)
def configured(base):
    base.set_trace_callback(step)
    return plain(base)
def unlink(*words, **named):
    step()
    gone(*words, **named)
database._configure, os.unlink = configured, unlink
trace_place.run(os.getcwd(), sys.argv[2], pickle.loads(sys.stdin.buffer.read()))
"""


def run(top: str | Path, verb: str, known: dict[str, Any]) -> Any:
    """The result of a verb; an export to import is given as its bytes."""
    module = VERBS[verb]
    given = {name: io.BytesIO(value) if name == "source" else value for name, value in known.items()}
    return module.run(Workspace.open(Path(top)), module.Request(**given))


class Place:
    """One repository, and what it must hold."""

    def __init__(self, top: Path) -> None:
        self.case = Case(top)
        self.held = Held()

    @property
    def workspace(self) -> Workspace:
        return self.case.workspace

    def survives(self, verb: str, known: dict[str, Any], dies: int) -> bool:
        """Run a verb in a child that dies at some step; False where it did not get to its end."""
        words = [sys.executable, "-c", DYING, str(dies), verb]
        where = {"PYTHONPATH": str(Path(__file__).parent.parent.parent)}
        done = subprocess.run(
            words,
            cwd=self.case.top,
            input=pickle.dumps(known),
            capture_output=True,
            check=False,
            env={**os.environ, **where},
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
        return not done.returncode

    def output(self, trace_id: str, **asked: Any) -> bytes | None:
        try:
            return trace_get.read(self.workspace, trace_get.Request(trace_id, **asked))[0]
        except DevsError as error:
            if error.code != "TRACE_NOT_FOUND":
                raise
            return None

    def trace_rows(self, *, rewound: bool) -> list[dict[str, Any]]:
        found = trace_list.run(self.workspace, trace_list.Request(limit=10_000, rewound=rewound))
        assert found.next_cursor == ""
        return [dict(vars(row)) for row in found.traces]

    def must_hold(self, *fresh: str) -> None:
        """Everything that was put is there, all of it, and nothing else; `fresh` are the words to look for at any rate."""
        rows = self.trace_rows(rewound=True)
        ids = {self._name(row): row["trace_id"] for row in rows}
        found = {self._name(row): {**row, "trace_id": self._name(row)} for row in rows}
        assert len(ids) == len(rows), "a trace is there twice"
        wanted = self.held.rows()
        assert found.keys() == wanted.keys()
        other = [(row, wanted[name]) for name, row in found.items() if row != wanted[name]]
        assert other == [], other
        seen = [row["trace_id"] for row in self.trace_rows(rewound=False)]
        newest_first = reversed(self.held.oldest_first())
        assert seen == [ids[name] for name in newest_first if not found[name]["rewound"]]
        for name, kept in self.held.traces.items():
            assert self.output(ids[name]) == kept.output, f"{name!r} came back otherwise"
        for name in self.held.oldest_first()[-2:]:
            kept = self.held.traces[name]
            assert self.output(ids[name], payload=True) == kept.raw
            whole = kept.output.decode("utf-8", "replace").isascii() and kept.output
            if whole:
                assert self.output(ids[name], offset=PART - 9, limit=PART) == whole[PART - 9 :][:PART]
        self._words(ids, fresh)
        self._sound(len(rows))

    def _name(self, row: dict[str, Any]) -> str:
        """A captured trace has an id that our code makes: the oracle knows it by the client's own number."""
        if row["session_id"] != "captured":
            return str(row["trace_id"])
        payload = trace_get.run(self.workspace, trace_get.Request(row["trace_id"], payload=True))
        return "captured {tool_use_id}".format(**json.loads(payload.fullOutput))

    def _words(self, ids: dict[str, str], fresh: tuple[str, ...]) -> None:
        known = sorted({word for kept in self.held.traces.values() for word in kept.words})
        for word in {*known[-LOOKED_AT:], *known[:2], *fresh}:
            for rewound in (False, True):
                asked = trace_search.Request(word, limit=200, rewound=rewound)
                hits = trace_search.run(self.workspace, asked).hits
                wanted = {ids[name] for name in self.held.with_word(word, rewound=rewound)}
                assert {hit.trace_id for hit in hits} == wanted, f"{word}: {hits}"
                for hit in hits:
                    assert [hit.snippet[a:b] for a, b in hit.highlights] == [word]
        said = list(self.held.messages)
        for name in {*said[-LOOKED_AT:], *said[:2]}:
            word = self.held.messages[name].word
            for rewound in (False, True):
                request = trace_search.Request(word, limit=200, rewound=rewound, within="messages")
                found = {
                    getattr(hit, "message_id", "") for hit in trace_search.run(self.workspace, request).hits
                }
                assert found == self.held.messages_with(word, rewound=rewound), word

    def _sound(self, traces: int) -> None:
        """SQLite's own word on the file, and nothing left of what is gone."""
        with closing(sqlite3.connect(self.case.top / ".git/devs/catalog.db")) as base:
            assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            counts = base.execute("SELECT (SELECT count(*) FROM traces), (SELECT count(*) FROM bodies)")
            assert counts.fetchone() == (traces, traces)
            lone = "SELECT count(*) FROM parts WHERE body_id NOT IN (SELECT body_id FROM traces)"
            assert base.execute(lone).fetchone() == (0,)
            assert base.execute("SELECT count(*) FROM messages").fetchone() == (len(self.held.messages),)
        with Catalog.open(self.workspace.places.shared) as catalog:
            assert fulltext.trouble(catalog) == ""

    def messages(self, session: str) -> list[conversation_show.ShownMessage]:
        """The messages of the session that was read last."""
        found = conversation_show.run(self.workspace, conversation_show.Request(limit=10_000))
        assert found.session_id == session
        return list(found.messages)
