"""What `agent install` writes into the client's own files: what a person sees of it, and what it does not break."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from tests.clients.claude_code import ClaudeCode
from tests.clients.script import Turn
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

CLAUDE = ClaudeCode()


def test_a_person_sees_a_short_line_when_claude_code_compacts_and_the_hook_is_told(tmp_path: Path) -> None:
    """In a subfolder Claude Code reads none of the project's hooks; that is why it has to be started at the top."""
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(CLAUDE, folder) as bench:
        below, top = bench.top / "below", bench.top
        below.mkdir()
        bench.top = below
        bench.run((CLAUDE.shell("pwd"),))
        bench.top = top
        assert not bench.spool
        commands = ("echo one", "echo two", "git devs status")
        turns: list[Turn] = [(CLAUDE.shell(command),) for command in commands]
        run = bench.run(*turns)
        session = run.payloads[0]["session_id"]
        assert "On main at" in run.results[-1]
        said = str(bench.run(prompt="/compact", resume=session).lines)
        shown = said[said.index("PreCompact [set -- claude") :].partition("] completed successfully")[0]
        assert len(shown) < 125
        assert any(path.name.endswith(".claude.PreCompact") for path in bench.spool)


def test_a_client_works_where_our_server_cannot_start(workbench: Workbench) -> None:
    """With `required = true` Codex would not start at all in a clone of somebody who has no devs-git."""
    file = workbench.top / CLIENTS[workbench.program.client].server_file
    missing = re.sub(r'(command"?\s*[:=]\s*\[?)"devs-git"', r'\1"no-such-program"', file.read_text())
    assert "no-such-program" in missing
    file.write_text(missing)
    workbench.run((workbench.program.shell("echo works"),), waits=False)
    assert len(workbench.spool) > 0
