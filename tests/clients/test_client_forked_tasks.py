"""A task that was forked within a session: the client goes on in the new worktree with exactly what was kept, and is guarded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.claude_code import ClaudeCode
from tests.clients.test_client_written_sessions import said
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

FIRST, SECOND, THIRD = "Do as planned.", "Go another way.", "Go on from there."


def test_a_fork_in_the_middle_of_a_session_keeps_what_came_before_and_a_gate_stops_it(tmp_path: Path) -> None:
    (tmp_path / "claude").mkdir()
    program = ClaudeCode()
    with Workbench(program, tmp_path / "claude") as bench:
        bench.devs_git("task", "start", "10")
        first = bench.run((program.write(bench.top / "b.txt", "b\n"),), prompt=FIRST)
        bench.devs_git("checkpoint", "--all", "-m", "half")
        session = str(first.payloads[0]["session_id"])
        second = bench.run((program.write(bench.top / "c.txt", "c\n"),), prompt=SECOND, resume=session)
        before = {path: path.read_bytes() for path in program.transcripts(bench.home)}
        done = bench.answer("fork", "task-10@1", "--name", "10b")
        place = Path(done["worktree"])
        assert (done["guarded"], done["left_out"], done["session"]["client"]) == (True, [], "claude")
        assert ((place / "b.txt").exists(), (place / "c.txt").exists()) == (True, False)
        blocker = "Section 2.3 rules out what the task needs."
        bench.devs_git("gate", "request", "--type", "MANUAL", "--blocker", blocker)
        forked = str(done["session"]["session_id"])
        assert done["start_command"] == ["claude", "--resume", forked]
        run = bench.run((program.write(place / "new.txt", "n\n"),), prompt=THIRD, resume=forked, where=place)
        told = said(run.asked[0])
        assert told == [*said(second.asked[0])[:-1], ("user", {"type": "text", "text": THIRD})]
        assert "GATE_BLOCKED" in run.results[-1]
        assert not (place / "new.txt").exists()
        assert {path: path.read_bytes() for path in before} == before
