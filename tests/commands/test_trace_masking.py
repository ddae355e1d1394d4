"""An export leaves out what looks like a secret, unless a person asks for it; an import keeps the mark."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import trace_export, trace_get, trace_import, trace_list, trace_put
from devs_git.domain.recall.traces import Trace
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.documents import secrets
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.credentials import credentials

pytestmark = pytest.mark.quick

FORMS = {name: (text, secret) for name, text, secret in credentials()}
TEXT, SECRET = FORMS["GitHub classic"]


def put(top: Path, output: bytes, **known: object) -> str:
    request = trace_put.Request(output, **known)  # type: ignore[arg-type]
    return str(router.call("trace put", Workspace.open(top), request).traceId)


def export(top: Path, *, raw: bool = False) -> tuple[trace_export.Result, bytes]:
    packed = io.BytesIO()
    result = trace_export.run(Workspace.open(top), trace_export.Request(packed.write, raw=raw))
    return result, gzip.decompress(packed.getvalue())


def bring_in(top: Path, lines: bytes) -> trace_import.Result:
    return trace_import.run(Workspace.open(top), trace_import.Request(io.BytesIO(gzip.compress(lines))))


def parsed(lines: bytes) -> list[object]:
    return [json.loads(line) for line in lines.splitlines()]


def forget_all(top: Path) -> None:
    for path in (top / ".git/devs").glob("catalog.db*"):
        path.unlink()


def cli(top: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "devs_git", "trace", *words]
    return subprocess.run(command, cwd=top, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def test_secrets_in_output_input_tool_and_payload_are_masked_and_other_traces_are_whole(
    initialised: Path,
) -> None:
    put(initialised, f"before\n{TEXT}\nafter\n".encode(), trace_id="output")
    put(
        initialised,
        b"x",
        trace_id="input",
        input=json.dumps({"command": f"curl -H 'Authorization: Bearer {SECRET}'"}),
    )
    put(initialised, b"x", trace_id="tool", tool_name=f"https://anna:{SECRET}@example.org")
    put(initialised, b"as it is", trace_id="whole")
    with open_catalog.open_catalog(Workspace.open(initialised)) as catalog:
        told = traces.trace(catalog, "whole")
        assert told is not None
        with fulltext.write_transaction(catalog):
            traces.put(catalog, with_payload(told))
    result, lines = export(initialised)
    assert (result.traces, result.masked) == (5, 4)
    assert SECRET.encode() not in lines
    forget_all(initialised)
    bring_in(initialised, lines)
    rows = {
        row.trace_id: row for row in trace_list.run(Workspace.open(initialised), trace_list.Request()).traces
    }
    assert {name for name, row in rows.items() if row.masked} == {"output", "input", "tool", "payload"}
    got = trace_get.run(Workspace.open(initialised), trace_get.Request("output"))
    assert (got.fullOutput, got.masked) == (
        "before\nremote: token [masked:github-pat] rejected\nafter\n",
        True,
    )
    assert not trace_get.run(Workspace.open(initialised), trace_get.Request("whole")).masked
    assert b"masked when it was exported" in cli(initialised, "list").stdout
    said = cli(initialised, "get", "output")
    assert (said.stdout, said.stderr) == (got.fullOutput.encode(), b"devs-git: masked when it was exported\n")


def with_payload(told: Trace) -> Trace:
    """The same trace under another id, with a payload that has a secret which its input and output lack."""
    return replace(told, trace_id="payload", raw=json.dumps({"said": TEXT}).encode())


def test_what_was_masked_stays_masked_and_never_stands_for_the_whole_trace(initialised: Path) -> None:
    put(initialised, TEXT.encode(), trace_id="t")
    _result, masked = export(initialised)
    _result, raw = export(initialised, raw=True)
    kept = bring_in(initialised, masked)
    assert (kept.new, kept.kept, kept.others) == (0, 1, ())
    assert trace_get.run(Workspace.open(initialised), trace_get.Request("t")).fullOutput == TEXT
    forget_all(initialised)
    assert bring_in(initialised, masked).new == 1
    assert bring_in(initialised, raw).others == ("t",)
    assert SECRET not in trace_get.run(Workspace.open(initialised), trace_get.Request("t")).fullOutput
    # Its mark stays in each later export, which has nothing left to mask.
    for whole in (False, True):
        result, again = export(initialised, raw=whole)
        assert (result.masked, parsed(again)) == (1, parsed(masked))


def test_a_secret_across_two_parts_of_a_long_output_is_masked(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "PART", 1 << 16)
    monkeypatch.setattr(secrets, "_OVERLAP", 1 << 13)
    monkeypatch.setattr(secrets, "_WINDOW", 1 << 16)
    key = FORMS["private key RSA"][1]
    start = b"a line of a log\n" * 4095
    output = start + key.encode() + b"\n" + start * 3
    assert len(start) < bodies.PART < len(start) + len(key)
    put(initialised, output, trace_id="t")
    result, lines = export(initialised)
    assert result.masked == 1
    forget_all(initialised)
    bring_in(initialised, lines)
    got = trace_get.run(Workspace.open(initialised), trace_get.Request("t")).fullOutput.encode()
    assert got == start + b"[masked:private-key]\n" + start * 3


def test_raw_asks_at_a_terminal_and_needs_yes_in_a_pipe(initialised: Path) -> None:
    put(initialised, TEXT.encode())
    refused = cli(initialised, "export", "--raw", "-o", "x.gz")
    assert (refused.returncode, (initialised / "x.gz").exists()) == (3, False), refused
    assert b"--yes" in refused.stderr
    done = cli(initialised, "export", "--raw", "--yes")
    assert SECRET.encode() in gzip.decompress(done.stdout)
    assert done.stderr == b"Exported 1 trace.\n"
    said = cli(initialised, "export")
    assert SECRET.encode() not in gzip.decompress(said.stdout)
    assert said.stderr.startswith(b"Exported 1 trace. What looks like a secret is masked in 1 trace")
    for answer, is_there in ((b"n\n", False), (b"y\n", True)):
        at_terminal(initialised, answer)
        assert (initialised / "x.gz").exists() == is_there


def at_terminal(top: Path, answer: bytes) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "devs_git", "trace", "export", "--raw", "-o", "x.gz"]
    child = subprocess.Popen(command, cwd=top, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(ours, 1000)
    os.write(ours, answer)
    child.wait(30)
    os.close(ours)
    assert b"passwords and keys" in said


def test_without_the_detector_an_export_is_refused_and_raw_goes_on(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(initialised, b"x")
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    secrets._detector.cache_clear()
    with pytest.raises(DevsError, match="not installed") as refused:
        export(initialised)
    assert "devs-git[mask]" in str(refused.value.hint)
    assert export(initialised, raw=True)[0].traces == 1
