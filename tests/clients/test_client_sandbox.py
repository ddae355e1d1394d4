"""The sandbox of Codex lets a shell command write in the project, but not in `.git`. Our MCP server is outside of it
(`test_client_mcp.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.codex import Codex
from tests.clients.script import Turn
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

CODEX = Codex()
# The shell of Codex is a login shell. It does not know our virtual environment.
DEVS_GIT = "git devs"


def test_a_shell_in_the_sandbox_reads_and_a_verb_that_writes_names_our_tool(tmp_path: Path) -> None:
    """Neither git nor we can write there. What the hooks captured waits in the spool."""
    commands = (
        f"{DEVS_GIT} status",
        "git commit -am more",
        f"{DEVS_GIT} trace list",
        f"{DEVS_GIT} task start 10",
    )
    turns: list[Turn] = [(CODEX.shell(command),) for command in ("echo more >>a.txt", *commands)]
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(CODEX, folder) as bench:
        _, status, commit, traces, start = bench.run(*turns).results
        assert "On main at" in status
        assert "Read-only file system" in commit
        assert "Process exited with code 0" in traces
        assert "they wait in the spool" in traces
        assert "No traces found." in traces
        assert "Process exited with code 4" in start
        assert "READ_ONLY" in start
        assert "the MCP tool start_task of devs-git" in start
        assert "space" not in start
        assert len(bench.answer("trace", "list")["traces"]) >= len(commands)
