"""OpenCode: the plug-in has our line for each event, and the lines that it writes become messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients import hook_payload, opencode
from devs_git.domain.clients.client import BEFORE, MARK
from devs_git.domain.clients.opencode import OPENCODE
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.domain.recall.conversation import ToolCall
from devs_git.domain.recall.traces import Cut

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "clients" / "opencode"


def test_the_plug_in_runs_our_line_at_each_event_and_names_no_place() -> None:
    text = opencode.plugin(OPENCODE)
    begin = text.index("const LINES = ") + len("const LINES = ")
    lines, _ = json.JSONDecoder().raw_decode(text, begin)
    assert lines == {event: OPENCODE.command(event) for event in OPENCODE.events}
    assert f"opencode {BEFORE};" in lines["PreToolUse"]
    assert all(MARK in line for line in lines.values())
    assert "@LINES@" not in text
    for event in lines:
        assert f'"{event}"' in text.replace(json.dumps(lines, indent=2), "")


def answer(**metadata: Any) -> dict[str, Any]:
    return {"title": "t", "output": "out\n", "metadata": metadata}


@pytest.mark.parametrize(
    ("payload", "cut"),
    [
        ({"tool_response": answer(exit=0, truncated=False)}, None),
        ({"tool_response": answer(outputPath="/x", truncated=True), "whole": True}, None),
        # What a tool answered is not our plug-in's word.
        ({"tool_response": {**answer(outputPath="/x", truncated=True), "whole": True}}, Cut()),
        ({"tool_response": answer(outputPath="/x", truncated=True)}, Cut()),
        # Tools that search say so if there are more results than they show.
        ({"tool_response": answer(truncated=True)}, None),
        ({"error": "no"}, None),
        ({"tool_response": "text"}, None),
    ],
)
def test_an_output_is_cut_if_all_of_it_is_in_a_file_that_was_not_taken(
    payload: dict[str, Any], cut: Cut | None
) -> None:
    assert opencode.cut(payload) == cut


def test_recorded_payloads_become_what_the_tools_printed() -> None:
    (path,) = EXAMPLES.glob("*/opencode.hooks.jsonl")
    found = {}
    for line in path.read_text().splitlines():
        event = json.loads(line)["hook_event_name"]
        if event in OPENCODE.after:
            captured = hook_payload.read(f"opencode {event}\n\n{line}".encode())
            one = hook_payload.trace(captured, created_at="", commit="", task_id="", agent="")
            assert one.tool_use_id.startswith("call_")
            assert one.duration_ms is not None
            found[one.output.decode().partition("\n")[0][:16]] = (one.tool_name, one.is_error)
    assert found == {
        "one": ("bash", False),
        "three": ("bash", True),
        '{"checkpoints": ': ("devs-git_list_checkpoints", False),
        "Wrote file succe": ("write", False),
    }


def line(kind: str, **more: Any) -> bytes:
    return json.dumps(
        {"opencode": "ses_1", "type": kind, "timestamp": "2026-11-23T12:00:00.000Z", **more}
    ).encode()


TOKENS = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 3}}


def test_texts_calls_results_and_tokens_are_read() -> None:
    lines = [
        line("text", id="p1", role="user", text="Look."),
        line("text", id="p2", role="system", text="A reminder."),
        line(
            "tool",
            id="p3",
            call="c1",
            tool="bash",
            input={"command": "x"},
            output="no\n",
            failed=True,
            ended="2026-11-23T12:00:01.000Z",
        ),
        line("tokens", message="m1", tokens=TOKENS),
        line("tokens", message="m1", tokens=TOKENS),
        line("text", id="p4", role="assistant", text="Done."),
        line("text", id="p5", role="assistant", text=" "),
        line("text", id="p6", text="Nobody said it."),
        line("another", id="p7"),
    ]
    reader = Reader(OPENCODE, "fallback")
    found = [one for each in lines for one in reader.read(each)]
    assert (reader.session, reader.garbage) == ("ses_1", 0)
    assert [(one.message.id, one.message.role, one.message.content) for one in found] == [
        ("p1", "user", "Look."),
        ("p2", "system", "A reminder."),
        ("p3", "assistant", None),
        ("p3.result", "tool", None),
        ("p4", "assistant", "Done."),
    ]
    assert found[2].message.tool_calls == (ToolCall("c1", "bash", {"command": "x"}),)
    result = found[3].message
    assert (result.tool_result, result.is_error, result.timestamp) == (
        "no\n",
        True,
        "2026-11-23T12:00:01.000Z",
    )
    assert (found[3].call_id, found[3].event) == ("c1", "PostToolUseFailure")
    assert [one.loose for one in found] == [0, 0, 0, 0, 10 + 5 + 2 + 3]
