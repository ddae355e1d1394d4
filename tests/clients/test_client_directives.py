"""A person's directive reaches the model of a real client once, and its transcript shows that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.model_input import READERS
from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex
from tests.clients.program import Program
from tests.clients.workbench import Run, Workbench
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.thorough

TEXT = "Use the new parser, not the old one."


def told(run: Run) -> int:
    """How often the last request of a run tells the model the directive."""
    return str(run.asked[-1].body).count(TEXT)


def row(bench: Workbench) -> dict[str, Any]:
    (found,) = bench.answer("directive", "list")["directives"]
    return dict(found)


def test_a_directive_arrives_once_at_the_next_prompt_and_is_seen(workbench: Workbench) -> None:
    workbench.devs_git("task", "start", "11", "--title", "Dates")
    status, shown = at_terminal(
        workbench.top, "directive", "add", "11", TEXT, env={"HOME": str(workbench.home)}
    )
    assert status == 0, shown
    assert [one["state"] for one in workbench.answer("status")["directives"]] == ["written"]
    first = workbench.run(prompt="Do as planned.")
    assert told(first) == 1
    provable = workbench.program.client in READERS
    found = row(workbench)
    assert (found["state"], found["tries"]) == ("seen" if provable else "handed", 1)
    assert found["written_at"] < found["handed_at"]
    assert bool(found["seen_at"]) == provable
    assert workbench.answer("status")["directives"] == []
    second = workbench.run(prompt="Go on.", resume=str(first.payloads[0]["session_id"]))
    # The session still has it from the first prompt. Gemini CLI and OpenCode may leave a hook's text out of later requests.
    assert told(second) <= 1
    assert row(workbench)["tries"] == 1


@pytest.mark.parametrize("program", [ClaudeCode(), Codex()], ids=lambda program: program.name)
def test_after_a_compaction_the_model_is_told_again_on_which_task_it_works(
    program: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(program, folder) as bench:
        bench.devs_git("task", "start", "11", "--title", "Dates", "--plan", "Parse first.")
        home = {"HOME": str(bench.home)}
        assert at_terminal(bench.top, "directive", "add", "11", TEXT, env=home)[0] == 0
        first = bench.run((program.shell("echo one"),), (program.shell("echo two"),))
        session = str(first.payloads[0]["session_id"])
        assert row(bench)["state"] == "seen"
        if program.client == "claude":
            compacted = bench.run(prompt="/compact", resume=session)
            last = bench.run(prompt="Go on.", resume=session)
        else:
            config = bench.home / ".codex/config.toml"
            config.write_text(f"model_auto_compact_token_limit = 12\n{config.read_text()}")
            compacted = last = bench.run(prompt="Go on.", resume=session)
        assert "compact" in [one["source"] for one in compacted.payloads_of("SessionStart")]
        after = str(last.asked[-1].body)
        assert after.count("the conversation was compacted. You work on task-11.") == 1
        assert "> Parse first." in after
        assert "> " + TEXT in after
        assert "git devs resume task-11" in after
        assert row(bench)["tries"] == 1
