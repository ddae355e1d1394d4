"""The lines of our hooks in a client's own file: what a person sees of them, and where the client does not read them."""

from __future__ import annotations

from pathlib import Path

import pytest

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
        turns: list[Turn] = [(CLAUDE.shell(f"echo {word}"),) for word in ("one", "two", "three")]
        session = bench.run(*turns).payloads[0]["session_id"]
        said = str(bench.run(prompt="/compact", resume=session).lines)
        shown = said[said.index("PreCompact [set -- claude") :].partition("] completed successfully")[0]
        assert len(shown) < 125
        assert any(path.name.endswith(".claude.PreCompact") for path in bench.spool)
