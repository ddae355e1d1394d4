"""A task that was forked within a session of Codex, or into one: Codex goes on with exactly what was kept, and is guarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, CodexInCode
from tests.clients.script import Text, Thought
from tests.clients.test_client_written_codex import said
from tests.clients.test_client_written_sessions import said as said_in_claude
from tests.clients.workbench import Run, Workbench

pytestmark = pytest.mark.thorough

FIRST, SECOND, THIRD, FOURTH = "Do as planned.", "Go another way.", "Go on from there.", "And now?"
BLOCKER = "Section 2.3 rules out what the task needs."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bench"
    made.mkdir()
    return made


@pytest.mark.parametrize("program", [Codex(), CodexInCode()], ids=lambda program: program.name)
def test_a_fork_of_a_session_of_codex_goes_on_in_either_client_with_what_came_before(
    program: Codex, folder: Path
) -> None:
    """The checkpoint is made in the middle of a turn: the conversation is cut before the call that made it."""
    with Workbench(program, folder) as bench:
        bench.devs_git("task", "start", "10")
        first = bench.run((program.shell("echo one"),), prompt=FIRST)
        session = session_of(first)
        second = bench.run(
            (program.write(bench.top / "b.txt", "b\n"),),
            (program.own("create_checkpoint", message="half"),),
            (program.write(bench.top / "c.txt", "c\n"),),
            prompt=SECOND,
            resume=session,
        )
        kept = said(second.asked[1])
        before = {path: path.read_bytes() for path in program.transcripts(bench.home)}
        done = bench.answer("fork", "task-10@1", "--name", "10b")
        place, forked = Path(done["worktree"]), done["session"]["session_id"]
        assert ((place / "b.txt").exists(), (place / "c.txt").exists()) == (True, False)
        assert done["start_command"] == ["codex", "resume", forked]
        assert (done["guarded"], done["to_do"]) == (True, [])
        assert any("from the first call without an answer" in one for one in done["left_out"])
        with Workbench(ClaudeCode(), folder, joins=True) as other:
            goes_on_in_claude(other, kept)
        bench.devs_git("gate", "request", "--type", "MANUAL", "--blocker", BLOCKER)
        write = program.write(place / "new.txt", "n\n")
        run = bench.run((write,), prompt=THIRD, resume=forked, where=place)
        assert said(run.asked[0]) == [*kept, person(THIRD)]
        assert "GATE_BLOCKED" in run.results[-1]
        assert not (place / "new.txt").exists()
        assert {path: path.read_bytes() for path in before} == before
        again = bench.run(prompt=FOURTH, resume=session)
        whole = said(second.asked[-1])
        assert said(again.asked[0]) == [*whole, said(again.asked[0])[len(whole)], person(FOURTH)]


def goes_on_in_claude(bench: Workbench, kept: Sequence[Any]) -> None:
    """Fork the checkpoint into Claude Code, whose model is told the same texts, calls and results."""
    done = bench.answer("fork", "task-10@1", "--name", "10c", "--to", "claude")
    forked = done["session"]["session_id"]
    assert done["start_command"] == ["claude", "--resume", forked]
    run = bench.run(prompt=THIRD, resume=forked, where=Path(done["worktree"]))
    told = [(role, block) for role, block in said_in_claude(run.asked[0]) if role != "system"]
    # Claude Code itself puts an answer between a result and a prompt.
    between = ("assistant", {"type": "text", "text": "No response requested."})
    assert told == [*map(in_claude, kept), between, ("user", {"type": "text", "text": THIRD})]


def in_claude(item: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """How the request of Claude Code has what the request of Codex has as this item."""
    if item["type"] == "message":
        return item["role"], {"type": "text", "text": item["content"][0]["text"]}
    if item["type"].endswith("_output"):
        output = item["output"]
        text = output if isinstance(output, str) else "\n".join(part["text"] for part in output)
        return "user", {"type": "tool_result", "tool_use_id": item["call_id"], "content": text}
    given = item["arguments"] if "arguments" in item else {"input": item["input"]}
    return "assistant", {"type": "tool_use", "id": item["call_id"], "name": item["name"], "input": given}


def session_of(run: Run) -> str:
    return str(run.payloads[0]["session_id"])


def person(text: str) -> dict[str, Any]:
    """What a request to Codex's model has of a prompt."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def test_a_fork_of_a_session_of_claude_code_goes_on_in_codex_with_what_came_before(folder: Path) -> None:
    program, other = ClaudeCode(), Codex()
    with Workbench(program, folder) as bench:
        bench.devs_git("task", "start", "10")
        turn = (Thought("It can run."), Text("Now one."), program.shell("echo one; exit 3"))
        first = bench.run(turn, (program.write(bench.top / "b.txt", "b\n"),), prompt=FIRST)
        bench.devs_git("checkpoint", "--all", "-m", "half")
        later = (program.write(bench.top / "c.txt", "c\n"),)
        second = bench.run(later, prompt=SECOND, resume=session_of(first))
        kept = [*map(without_own, said_in_claude(second.asked[0])[:-1])]
        before = {path: path.read_bytes() for path in program.transcripts(bench.home)}
        lacking = bench.answer("fork", "task-10@1", "--name", "10b", "--to", "codex")
        assert lacking["guarded"] is False
        assert lacking["to_do"][0].endswith(f"cd {bench.top} && devs-git agent install codex")
        with Workbench(other, folder, joins=True) as joined:
            done = joined.answer("fork", "task-10@1", "--name", "10c", "--to", "codex")
            place, forked = Path(done["worktree"]), done["session"]["session_id"]
            assert (done["guarded"], done["to_do"]) == (True, [])
            assert done["start_command"] == ["codex", "resume", forked]
            assert any("thoughts of their model" in one for one in done["left_out"])
            joined.devs_git("gate", "request", "--type", "MANUAL", "--blocker", BLOCKER)
            write = other.write(place / "new.txt", "n\n")
            run = joined.run((write,), prompt=THIRD, resume=forked, where=place)
        told = [in_claude(item) for item in said(run.asked[0])]
        assert told == [*filter(None, kept), ("user", {"type": "text", "text": THIRD})]
        assert "GATE_BLOCKED" in run.results[-1]
        assert not (place / "new.txt").exists()
        assert {path: path.read_bytes() for path in program.transcripts(bench.home)} == before


def without_own(said: tuple[str, Mapping[str, Any]]) -> tuple[str, Mapping[str, Any]] | None:
    """What Claude Code told its model, without what only its own API has."""
    role, block = said
    kept = {name: value for name, value in block.items() if name != "is_error"}
    return None if block["type"] == "thinking" else (role, kept)


def test_a_fork_says_that_codex_does_not_trust_its_hooks_and_a_gate_holds_there_afterwards(
    folder: Path,
) -> None:
    """Codex keeps the trust of a linked worktree by the path of the main one."""
    program = Codex()
    with Workbench(program, folder, trusted=False) as bench:
        bench.devs_git("task", "start", "10")
        (bench.top / "b.txt").write_text("b\n")
        bench.devs_git("checkpoint", "--all", "-m", "half")
        done = bench.answer("fork", "task-10@1", "--name", "10b")
        place = Path(done["worktree"])
        assert done["guarded"] is False
        (text,) = done["to_do"]
        assert "the project is not trusted" in text
        assert f"cd {place} && codex, and choose" in text
        program.trust(bench.place)
        assert bench.answer("fork", "task-10@1", "--name", "10c")["guarded"] is True
        bench.devs_git("gate", "request", "--type", "MANUAL", "--blocker", BLOCKER)
        run = bench.run((program.write(place / "new.txt", "n\n"),), where=place)
        assert "GATE_BLOCKED" in run.results[-1]
        assert not (place / "new.txt").exists()
