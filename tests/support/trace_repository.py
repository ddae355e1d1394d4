"""One repository of `trace_world`: it runs and kills verbs, and compares the catalog with what is expected."""

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
from devs_git.operations.recall.session_page import ShownMessage
from devs_git.storage.catalog import fulltext
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.rewind_cases import Case
from tests.support.trace_oracle import ExpectedCatalog

# Bytes of a part of an output, so small that most outputs have several parts.
PART = 700
VERBS: dict[str, Any] = {"put": trace_put, "import": trace_import, "ingest": trace_ingest}
SEARCHED_WORDS = 6  # how many older words are searched for after each step
# The program of a child. It kills itself before the SQLite statement, or the deletion of a file, with the number `argv[1]`.
KILLED_CHILD = """
import os, pickle, signal, sys
from tests.support import trace_repository
from devs_git.storage.catalog import bodies; from devs_git.storage.catalog import database
bodies.PART = trace_repository.PART
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
trace_repository.run(os.getcwd(), sys.argv[2], pickle.loads(sys.stdin.buffer.read()))
"""


def run(top: str | Path, verb: str, known: dict[str, Any]) -> Any:
    """Run a verb in this process; its result. The source of an import is given as bytes."""
    module = VERBS[verb]
    given = {name: io.BytesIO(value) if name == "source" else value for name, value in known.items()}
    return module.run(Workspace.open(Path(top)), module.Request(**given))


class Repository:
    """One repository, and the expected content of its catalog."""

    def __init__(self, top: Path) -> None:
        self.case = Case(top)
        self.expected = ExpectedCatalog()

    @property
    def workspace(self) -> Workspace:
        return self.case.workspace

    def completes(self, verb: str, known: dict[str, Any], kill_at: int) -> bool:
        """Run a verb in a child that kills itself at step `kill_at`; whether the verb ended before that."""
        words = [sys.executable, "-c", KILLED_CHILD, str(kill_at), verb]
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

    def assert_complete(self, *fresh: str) -> None:
        """The catalog has exactly the expected traces and messages. `fresh` are words that are searched for in any case."""
        rows = self.trace_rows(rewound=True)
        ids = {self._name(row): row["trace_id"] for row in rows}
        found = {self._name(row): {**row, "trace_id": self._name(row)} for row in rows}
        assert len(ids) == len(rows), "a trace is there twice"
        wanted = self.expected.rows()
        assert found.keys() == wanted.keys()
        other = [(row, wanted[name]) for name, row in found.items() if row != wanted[name]]
        assert other == [], other
        seen = [row["trace_id"] for row in self.trace_rows(rewound=False)]
        newest_first = reversed(self.expected.oldest_first())
        assert seen == [ids[name] for name in newest_first if not found[name]["rewound"]]
        for name, trace in self.expected.traces.items():
            assert self.output(ids[name]) == trace.output, f"the output of {name!r} has changed"
        for name in self.expected.oldest_first()[-2:]:
            trace = self.expected.traces[name]
            assert self.output(ids[name], payload=True) == trace.raw
            whole = trace.output.decode("utf-8", "replace").isascii() and trace.output
            if whole:
                assert self.output(ids[name], offset=PART - 9, limit=PART) == whole[PART - 9 :][:PART]
        self._words(ids, fresh)
        self._sound(len(rows))

    def _name(self, row: dict[str, Any]) -> str:
        """The name of a trace in `expected`. Our code makes the id of a captured trace, so its name is the client's number."""
        if row["session_id"] != "captured":
            return str(row["trace_id"])
        payload = trace_get.run(self.workspace, trace_get.Request(row["trace_id"], payload=True))
        return "captured {tool_use_id}".format(**json.loads(payload.fullOutput))

    def _words(self, ids: dict[str, str], fresh: tuple[str, ...]) -> None:
        known = sorted({word for trace in self.expected.traces.values() for word in trace.words})
        for word in {*known[-SEARCHED_WORDS:], *known[:2], *fresh}:
            for rewound in (False, True):
                asked = trace_search.Request(word, limit=200, rewound=rewound)
                hits = trace_search.run(self.workspace, asked).hits
                wanted = {ids[name] for name in self.expected.traces_with(word, rewound=rewound)}
                assert {hit.trace_id for hit in hits} == wanted, f"{word}: {hits}"
                for hit in hits:
                    assert [hit.snippet[a:b] for a, b in hit.highlights] == [word]
        said = list(self.expected.messages)
        for name in {*said[-SEARCHED_WORDS:], *said[:2]}:
            word = self.expected.messages[name].word
            for rewound in (False, True):
                request = trace_search.Request(word, limit=200, rewound=rewound, within="messages")
                found = {
                    getattr(hit, "message_id", "") for hit in trace_search.run(self.workspace, request).hits
                }
                assert found == self.expected.messages_with(word, rewound=rewound), word

    def _sound(self, traces: int) -> None:
        """SQLite finds the file sound, and nothing is left of deleted traces."""
        with closing(sqlite3.connect(self.case.top / ".git/devs/catalog.db")) as base:
            assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            counts = base.execute("SELECT (SELECT count(*) FROM traces), (SELECT count(*) FROM bodies)")
            assert counts.fetchone() == (traces, traces)
            lone = "SELECT count(*) FROM parts WHERE body_id NOT IN (SELECT body_id FROM traces)"
            assert base.execute(lone).fetchone() == (0,)
            assert base.execute("SELECT count(*) FROM messages").fetchone() == (len(self.expected.messages),)
        with Catalog.open(self.workspace.places.shared) as catalog:
            assert fulltext.trouble(catalog) == ""

    def messages(self, session: str) -> list[ShownMessage]:
        """The messages of this session, which was read last."""
        found = conversation_show.run(self.workspace, conversation_show.Request(limit=10_000))
        assert found.session_id == session
        return list(found.messages)
