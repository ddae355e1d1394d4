"""Traces leave by an export and come by an import, which replaces nothing and takes nothing damaged."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import trace_export, trace_get, trace_import, trace_list, trace_put
from devs_git.domain.text import limits
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.recall import open_catalog
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

pytestmark = pytest.mark.quick

LONG = b"".join(b"line %d of TypeError\r\n" % number for number in range(400)) + b"\0\xff"


def put(top: Path, output: bytes, **known: object) -> str:
    request = trace_put.Request(output, **known)  # type: ignore[arg-type]
    return str(router.call("trace put", Workspace.open(top), request).traceId)


def cli(top: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "devs_git", "trace", *words]
    return subprocess.run(command, cwd=top, input=given, capture_output=True, check=False)


def test_an_export_is_read_back_into_another_repository_the_same(initialised: Path) -> None:
    for number, output in enumerate((LONG, b"", "é".encode())):
        put(
            initialised,
            output,
            trace_id=f"t-{number}",
            task_id="10",
            tool_name="x",
            duration_ms=number,
            input="in\ud800",
            is_error=(None, True, False)[number],
        )
    packed = io.BytesIO()
    assert trace_export.run(Workspace.open(initialised), trace_export.Request(packed.write)).traces == 3
    before = trace_list.run(Workspace.open(initialised), trace_list.Request()).traces
    for path in (initialised / ".git/devs").glob("catalog.db*"):
        path.unlink()
    packed.seek(0)
    done = trace_import.run(Workspace.open(initialised), trace_import.Request(packed))
    assert (done.traces, done.new) == (3, 3)
    assert trace_list.run(Workspace.open(initialised), trace_list.Request()).traces == before
    assert [row.is_error for row in before] == [False, True, None]
    packed.seek(0)
    again = trace_import.run(Workspace.open(initialised), trace_import.Request(packed))
    assert (again.new, again.others) == (0, ())
    assert cli(initialised, "get", "t-0").stdout == LONG


def test_an_import_never_replaces_a_stored_trace_and_says_which_are_others(initialised: Path) -> None:
    known = {"tool_name": "Bash", "task_id": "10", "input": "make"}
    put(initialised, b"stored", trace_id="same", **known)
    put(initialised, b"theirs", trace_id="output", **known)
    put(initialised, b"one", trace_id="input", **known | {"input": "make all"})
    packed = io.BytesIO()
    trace_export.run(Workspace.open(initialised), trace_export.Request(packed.write))
    put(initialised, b"ours", trace_id="output", **known)
    put(initialised, b"one", trace_id="input", **known)
    again = gzip.decompress(packed.getvalue()).splitlines(keepends=True)
    more = [line.replace(b'"same"', b'"more"') for line in again[1:3]]  # twice: the second time it is here
    before = stored(initialised)
    source = gzip.compress(b"".join([*again, *more, *more]))
    done = trace_import.run(Workspace.open(initialised), trace_import.Request(io.BytesIO(source)))
    assert (done.traces, done.new, done.kept, done.others) == (5, 1, 4, ("input", "output"))
    assert {name: one for name, one in stored(initialised).items() if name != "more"} == before
    assert trace_get.run(Workspace.open(initialised), trace_get.Request("output")).fullOutput == "ours"
    (initialised / "x.gz").write_bytes(source)
    said = cli(initialised, "import", "x.gz").stdout.decode()
    assert said == (
        "Read 5 traces: 0 are new, 5 are already stored.\n"
        "Not imported, because other traces are stored under these ids: input, output\n"
    )


def stored(top: Path) -> dict[str, tuple[object, ...]]:
    """All that the catalog says of each trace."""
    with open_catalog.open_catalog(Workspace.open(top)) as catalog:
        rows = catalog.rows("SELECT * FROM traces JOIN bodies USING (body_id)")
        return {str(row[0]): tuple(row) for row in rows}


def test_an_export_to_a_file_waits_for_open_gates_and_one_to_standard_output_goes_on(
    initialised: Path,
) -> None:
    """An agent's hook passes our own calls. So with a file of the agent's choice this would write past the gate."""
    put(initialised, b"x")
    gate = ask(Workspace.open(initialised), kind="MANUAL")
    places = ("new.gz", ".git/index.lock", ".git/refs/heads/master", ".git/hooks/post-index-change")
    for place in places:
        there = (initialised / place).exists()
        refused = cli(initialised, "export", "-o", place, "--json")
        assert (refused.returncode, (initialised / place).exists()) == (1, there)
        told = json.loads(refused.stdout or refused.stderr)
        assert (told["code"], told["gate_id"]) == ("GATE_BLOCKED", gate)
        assert "'trace export --output' is refused" in told["message"]
    assert gzip.decompress(cli(initialised, "export").stdout)


def test_a_damaged_export_is_refused_with_the_line(initialised: Path) -> None:
    put(initialised, b"out")
    packed = io.BytesIO()
    trace_export.run(Workspace.open(initialised), trace_export.Request(packed.write))
    lines = gzip.decompress(packed.getvalue()).splitlines(keepends=True)
    for bad, said in ((lines[1:], "not an export"), (lines[:-1], "Line 2"), ([*lines, b"[]\n"], "Line 4")):
        with pytest.raises(DevsError, match=said):
            trace_import.run(
                Workspace.open(initialised), trace_import.Request(io.BytesIO(gzip.compress(b"".join(bad))))
            )
    with pytest.raises(DevsError, match="not an export"):
        trace_import.run(Workspace.open(initialised), trace_import.Request(io.BytesIO(b"plain")))


HOSTILE = [
    {"trace_id": ""}, {"trace_id": {}}, {"trace_id": "\ud800"}, {"is_error": "x"}, {"duration_ms": {}}, {"duration_ms": 10**30},
    {"duration_ms": -5}, {"parts": 10**9}, {"parts": -1}, {"parts": True}, {"created_at": "garbage"}, {"task_id": "a\x1b[31mb"},
    {"input": None}, {"raw": 5}, {"commit": []}, {"tool_name": 5}, {"rawBase64": "%"},
]  # fmt: skip


def test_an_export_with_something_else_than_we_write_is_refused_before_any_of_it_is_stored(
    initialised: Path,
) -> None:
    put(initialised, b"x", trace_id="t")
    packed = io.BytesIO()
    trace_export.run(Workspace.open(initialised), trace_export.Request(packed.write))
    head, known, part = (json.loads(line) for line in gzip.decompress(packed.getvalue()).splitlines())
    parts = [{"part": 1}, {"part": "x"}, {"output": 5}, {"output": "\ud800"}, {"output": "x" * (5 << 20)}]
    changed = [(known | bad, part) for bad in HOSTILE] + [(known, part | bad) for bad in parts]
    for lines in [(head, *both) for both in changed]:
        data = gzip.compress("\n".join(map(json.dumps, lines)).encode(), 1)
        with pytest.raises(DevsError, match=r"Line [23] of the export"):
            trace_import.run(Workspace.open(initialised), trace_import.Request(io.BytesIO(data)))
    assert trace_get.run(Workspace.open(initialised), trace_get.Request("t")).fullOutput == "x"


@pytest.mark.thorough
def test_an_export_that_unpacks_to_an_endless_line_is_refused(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "EXPORTED", replace(limits.EXPORTED, most=1000))
    bomb = gzip.compress(b'{"format":"devs-git traces 1"}\n' + b" " * 10_000)
    with pytest.raises(DevsError, match="A line of an export has at most 1000 bytes"):
        trace_import.run(Workspace.open(initialised), trace_import.Request(io.BytesIO(bomb)))
