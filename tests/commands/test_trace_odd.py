"""What a person or a disk may bring to the trace commands that no trace has."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from devs_git.commands import trace_get, trace_put, trace_search
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

pytestmark = pytest.mark.thorough

LONG = b"".join(b"line %d of TypeError\n" % number for number in range(400))


def put(top: Path, output: bytes, **known: str) -> None:
    trace_put.run(Workspace.open(top), trace_put.Request(output, **known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "get"),
        ("trace", "list", "--tool"),
        ("trace", "list", "--session"),
        ("trace", "search", "agent:a", "--in", "messages"),
        ("conversation", "show", "--session"),
        ("conversation", "show", "--message"),
        ("conversation", "show", "--snapshot"),
        ("conversation", "snapshot", "--session"),
    ],
)
def test_a_name_that_is_no_utf_8_finds_nothing(initialised: Path, words: tuple[str, ...]) -> None:
    put(initialised, b"out", trace_id="?", tool_name="?", session_id="?")
    command = [sys.executable, "-m", "devs_git", *words]
    given = [word.replace("agent:a", "session:\udcff") for word in command]
    if given == command:
        given.append("\udcff")
    done = subprocess.run(given, cwd=initialised, capture_output=True, check=False)
    assert done.returncode in {0, 3}, done.stderr
    assert b"?" not in done.stdout


def test_a_stored_output_that_the_disk_has_changed_is_told_as_that(initialised: Path) -> None:
    put(initialised, LONG, trace_id="u")
    put(initialised, LONG, trace_id="t")
    with closing(sqlite3.connect(initialised / ".git/devs/catalog.db")) as base, base:
        base.execute("UPDATE parts SET output = zeroblob(9)")
    with pytest.raises(DevsError, match="damaged") as told:
        trace_get.run(Workspace.open(initialised), trace_get.Request("t"))
    assert told.value.code == "CONFLICT"
    found = trace_search.run(Workspace.open(initialised), trace_search.Request("TypeError")).hits
    assert [hit.trace_id for hit in found] == ["t", "u"]
