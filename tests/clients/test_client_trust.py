"""What Codex and Gemini CLI do with a project or a hook that nobody trusted yet, and that we say so. Claude Code asks for no
trust without a person; its settings can turn our hooks off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, known_hooks
from tests.clients.gemini import Gemini
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

CODEX, GEMINI = Codex(), Gemini()


@pytest.fixture
def untrusted(tmp_path: Path) -> Iterator[Workbench]:
    """Codex in a repository that nobody trusted, with an open gate."""
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(CODEX, folder, trusted=False) as bench:
        bench.devs_git(
            "gate", "request", "--type", "MANUAL", "--blocker", "Section 2.3 rules out what the task needs."
        )
        yield bench


def told(bench: Workbench) -> tuple[Any, list[str]]:
    """What `agent list` says of the client's trust, and what `doctor` finds."""
    listed = {one["name"]: one["trust"] for one in bench.answer("agent", "list")["clients"]}
    found = [one["code"] for one in bench.answer("doctor")["findings"]]
    return listed[bench.program.client], found


def test_codex_runs_no_hook_of_a_project_that_is_not_trusted_and_writes_nothing_there(
    untrusted: Workbench,
) -> None:
    run = untrusted.run((CODEX.write(untrusted.top / "new.txt", "hello\n"),))
    assert (run.payloads, untrusted.spool) == ([], [])
    assert "writing is blocked by read-only sandbox" in run.results[0]
    assert "Run `codex exec --trust`" in run.errors
    trust, found = told(untrusted)
    assert trust["state"] == "untrusted"
    assert "the project is not trusted" in trust["text"]
    assert found == ["AGENT_HOOK_UNTRUSTED"]


def test_codex_runs_no_hook_that_is_not_trusted_and_only_we_say_so(untrusted: Workbench) -> None:
    """So an open gate stops nothing. Only the client itself can be asked: `trustStatus`."""
    CODEX.trust_project(untrusted.place)
    run = untrusted.run((CODEX.write(untrusted.top / "new.txt", "hello\n"),))
    assert (untrusted.top / "new.txt").read_text() == "hello\n"
    assert (run.payloads, untrusted.spool) == ([], [])
    assert "trust" not in run.errors
    assert "trust" not in str(run.lines)
    assert {hook["trustStatus"] for hook in known_hooks(untrusted.place)} == {"untrusted"}
    trust, found = told(untrusted)
    assert trust["state"] == "untrusted"
    assert "7 of 7 are not trusted" in trust["text"]
    assert found == ["AGENT_HOOK_UNTRUSTED"]


def test_codex_itself_says_that_every_hook_of_ours_is_trusted(untrusted: Workbench) -> None:
    CODEX.trust(untrusted.place)
    ours = [hook for hook in known_hooks(untrusted.place) if hook["source"] == "project"]
    assert {hook["trustStatus"] for hook in ours} == {"trusted"}
    assert {hook["eventName"] for hook in ours} == {
        "preToolUse",
        "postToolUse",
        "preCompact",
        "sessionEnd",
        "sessionStart",
        "userPromptSubmit",
        "stop",
    }
    trust, found = told(untrusted)
    assert (trust["state"], found) == ("trusted", [])


def test_settings_that_turn_the_hooks_of_claude_code_off_are_found(tmp_path: Path) -> None:
    """`.claude/settings.local.json` is of one person: nobody else sees that a gate stops nothing here."""
    folder = tmp_path / "bench"
    folder.mkdir()
    program = ClaudeCode()
    with Workbench(program, folder) as bench:
        assert told(bench)[0]["state"] == "trusted"
        (bench.top / ".claude/settings.local.json").write_text(json.dumps({"disableAllHooks": True}))
        run = bench.run((program.write(bench.top / "new.txt", "hello\n"),))
        assert (run.payloads, bench.spool) == ([], [])
        trust, found = told(bench)
        assert ".claude/settings.local.json sets disableAllHooks" in trust["text"]
        assert found == ["AGENT_HOOK_OFF"]


def test_gemini_cli_runs_no_hook_of_a_folder_that_is_not_trusted_and_does_not_say_so(tmp_path: Path) -> None:
    """So an open gate stops nothing. Without --skip-trust it ends with status 55 and a message."""
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(GEMINI, folder, trusted=False) as bench:
        bench.devs_git("gate", "request", "--type", "MANUAL", "--blocker", "Section 2.3 rules it out.")
        run = bench.run((GEMINI.write(bench.top / "new.txt", "hello\n"),))
        assert (bench.top / "new.txt").read_text() == "hello\n"
        # Hooks of the user's own settings run.
        assert len(run.payloads_of("BeforeTool")) == 1
        assert bench.spool == []
        assert "trust" not in run.errors
