"""An output that the client cut is never shown as whole: not in a text, not in JSON, not after an export."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import trace_export, trace_import, trace_list
from devs_git.domain.recall.traces import Trace, cut_text
from devs_git.entrypoints.cli.main import cli as cli_main
from devs_git.entrypoints.tools import calling
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import fulltext, traces
from devs_git.workspace import Workspace
from tests.support.cut_outputs import KEPT, SIZE

pytestmark = pytest.mark.quick

NOW = "2001-02-03T04:05:06.789Z"
KNOWN = "cut by the client: 30,000 of 168,894 bytes"
UNKNOWN = "cut by the client: 30,000 bytes of an unknown number"


@pytest.fixture
def top(initialised: Path) -> Path:
    """Three traces: cut with a size, cut without one, whole."""
    found = (
        Trace("sized", NOW, KEPT.encode(), cut_by_client=True, full_bytes=SIZE),
        Trace("unsized", NOW, KEPT.encode(), cut_by_client=True),
        Trace("whole", NOW, KEPT.encode()),
    )
    with (
        open_catalog.open_catalog(Workspace.open(initialised)) as catalog,
        fulltext.write_transaction(catalog),
    ):
        for trace in found:
            traces.put(catalog, trace)
    return initialised


def text(*words: str) -> list[str]:
    done = CliRunner().invoke(cli_main, ["trace", *words])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def piped(top: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "devs_git", "trace", *words]
    return subprocess.run(command, cwd=top, capture_output=True, check=True)


def marks(rows: list[dict[str, Any]]) -> dict[str, tuple[bool, int | None]]:
    return {row["trace_id"]: (row["cut_by_client"], row["full_bytes"]) for row in rows}


WANTED = {"sized": (True, SIZE), "unsized": (True, None), "whole": (False, None)}


def test_the_words_for_people_name_both_sizes_or_say_that_one_is_unknown() -> None:
    assert cut_text(30000, SIZE) == KNOWN
    assert cut_text(30000, None) == UNKNOWN


@pytest.mark.parametrize("words", [("list",), ("search", "4242")])
def test_a_list_and_a_search_say_it_in_the_line_of_the_trace(words: tuple[str, ...], top: Path) -> None:
    del top
    lines = {line.split()[0]: line for line in text(*words) if line.split()[0] in WANTED}
    assert lines["sized"].endswith(KNOWN)
    assert lines["unsized"].endswith(UNKNOWN)
    assert "cut" not in lines["whole"]


def test_get_says_it_on_standard_error_and_gives_the_bytes_alone(top: Path) -> None:
    for words in (("get",), ("get", "--limit", "30000")):
        done = piped(top, *words, "sized")
        assert (done.stdout, done.stderr.decode()) == (KEPT.encode(), f"devs-git: {KNOWN}\n")
    assert piped(top, "get", "unsized").stderr.decode() == f"devs-git: {UNKNOWN}\n"
    assert piped(top, "get", "whole").stderr == b""


def test_get_of_a_part_still_names_the_size_of_what_is_stored(top: Path) -> None:
    assert piped(top, "get", "sized", "--limit", "10").stderr.decode() == f"devs-git: {KNOWN}\n"


def test_a_payload_is_as_the_client_sent_it_so_nothing_is_said(top: Path) -> None:
    assert piped(top, "get", "sized", "--payload").stderr == b""


def test_json_has_both_members_at_every_door(top: Path) -> None:
    assert marks(json.loads(piped(top, "list", "--json").stdout)["traces"]) == WANTED
    assert marks(json.loads(piped(top, "search", "4242", "--json").stdout)["hits"]) == WANTED
    assert marks(calling.call("search_traces", {"query": "4242"}, top).value["hits"]) == WANTED
    for name, (cut, full) in WANTED.items():
        got = json.loads(piped(top, "get", name, "--json").stdout)
        told = calling.call("get_task_trace", {"traceId": name}, top).value
        assert got == told
        assert (got["cut_by_client"], got["full_bytes"], got["size"]) == (cut, full, 30000)


def test_an_export_and_an_import_keep_it(top: Path) -> None:
    packed = io.BytesIO()
    trace_export.run(Workspace.open(top), trace_export.Request(packed.write))
    before = trace_list.run(Workspace.open(top), trace_list.Request()).traces
    for path in (top / ".git/devs").glob("catalog.db*"):
        path.unlink()
    packed.seek(0)
    trace_import.run(Workspace.open(top), trace_import.Request(packed))
    assert trace_list.run(Workspace.open(top), trace_list.Request()).traces == before


def test_an_import_of_a_cut_output_is_not_taken_for_the_whole_one_that_is_stored(top: Path) -> None:
    packed = io.BytesIO()
    trace_export.run(Workspace.open(top), trace_export.Request(packed.write))
    with open_catalog.open_catalog(Workspace.open(top)) as catalog, fulltext.write_transaction(catalog):
        traces.put(catalog, Trace("sized", NOW, KEPT.encode()))
    packed.seek(0)
    done = trace_import.run(Workspace.open(top), trace_import.Request(packed))
    assert (done.new, done.others) == (0, ("sized",))
