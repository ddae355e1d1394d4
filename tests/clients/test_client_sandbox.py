"""The sandbox of Codex lets a shell command write in the project, but not in `.git`. Our MCP server is outside of it
(`test_client_mcp.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.clients.codex import Codex
from tests.clients.script import Turn
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

CODEX = Codex()
# By its path, for the shell of Codex is a login shell, which may have another PATH.
DEVS_GIT = Path(sys.executable).parent / "devs-git"


def test_a_shell_in_the_sandbox_reads_but_neither_git_nor_we_can_write(tmp_path: Path) -> None:
    """Our hint speaks of room on the disk, which is not what is missing; a verb that reads says it, too."""
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
    for told in (traces, start):
        assert "Process exited with code 4" in told
        assert "CONFLICT" in told
        assert "Read-only file system" in told
        assert "Free some space" in told
