"""What a client's hooks hand over, and what becomes of it."""

from __future__ import annotations

import pytest

from tests.clients.everyday_run import Everyday
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def test_the_output_of_a_shell_tool_is_captured(everyday: Everyday) -> None:
    """Claude Code and Gemini CLI take the newlines at the end away before they tell a hook."""
    told = {"claude": "one\ntwo", "codex": "one\ntwo\n", "gemini": "one\ntwo", "opencode": "one\ntwo\n"}
    assert everyday.output(0) == told[everyday.program.client]
    trace = everyday.traces[0]
    assert (trace["client"], trace["tool_name"]) == (everyday.program.client, everyday.program.shell_tool)
    assert trace["commit"] == everyday.bench.git("rev-parse", "HEAD").strip()


def test_every_call_is_captured_once_and_in_order(everyday: Everyday) -> None:
    """A tool of ours that only reads is not stored."""
    shell = everyday.program.shell_tool
    theirs = {
        "claude": [shell, shell, "Write"],
        "codex": [shell, shell, "apply_patch"],
        "gemini": [shell, shell, "write_file"],
        "opencode": [shell, shell, "write"],
    }
    assert [one["tool_name"] for one in everyday.traces] == theirs[everyday.program.client]


def test_our_hook_spools_the_payload_as_the_client_sent_it(everyday: Everyday) -> None:
    """A recording hook stands beside ours and gets the same. The payloads of OpenCode are made by our plug-in."""
    events = {event for event, _ in everyday.spooled_payloads()}
    told = [(one["hook_event_name"], one) for one in everyday.run.payloads]
    key = str
    if everyday.program.tells_payloads:
        assert sorted(everyday.spooled_payloads(), key=key) == sorted(
            (one for one in told if one[0] in events), key=key
        )
    ended = {
        "claude": [*["PostToolUse"] * 3, "PostToolUseFailure", "SessionEnd", "Stop"],
        "codex": [*["PostToolUse"] * 4, "SessionEnd", "Stop"],
        "gemini": ["AfterAgent", *["AfterTool"] * 4, "SessionEnd"],
        "opencode": [*["PostToolUse"] * 3, "PostToolUseFailure", "Stop"],
    }
    assert [event for event, _ in everyday.spooled_payloads()] == ended[everyday.program.client]


def test_a_failing_command_is_known_to_have_failed(everyday: Everyday) -> None:
    """Codex tells a hook only what the command printed; its exit status stands in the transcript alone."""
    output = {"claude": "Exit code 3\nthree", "codex": "three\n", "gemini": "three", "opencode": "three\n"}[
        everyday.program.client
    ]
    assert (everyday.output(1), everyday.traces[1]["is_error"]) == (output, True)
    assert [one["is_error"] for one in everyday.messages("tool")] == [False, True, False, False]
    # Gemini CLI tells no duration.
    if everyday.program.client != "gemini":
        assert all(one["duration_ms"] is not None for one in everyday.traces[:2])


def test_a_long_output_is_stored_once_and_its_message_names_it(workbench: Workbench) -> None:
    """Also where a model's program calls the tools: the hook names another call than the message does."""
    program = workbench.program
    run = workbench.run((program.shell("seq 1000 1299"),))
    printed = "".join(f"{number}\n" for number in range(1000, 1300))
    (trace,) = workbench.answer("trace", "list")["traces"]
    assert trace["tool_name"] == program.shell_tool
    assert workbench.devs_git("trace", "get", trace["trace_id"]).rstrip("\n") == printed.rstrip("\n")
    (result,) = (one for one in workbench.answer("conversation", "show")["messages"] if one["role"] == "tool")
    assert result["trace_id"] == trace["trace_id"]
    assert f"trace get {trace['trace_id']}" in result["tool_result"]
    (told,) = run.payloads_of(program.after)
    assert told.get("tool_use_id", "").startswith("exec-") == (program.name == "codex-code")
