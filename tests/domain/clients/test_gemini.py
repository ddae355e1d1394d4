"""Gemini CLI: what it puts round an output goes, and a message that its transcript has several times is one message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients import answer_text, gemini, hook_payload
from devs_git.domain.clients.gemini import GEMINI
from devs_git.domain.clients.transcript_reader import Reader, TranscriptMessage, memory_of, memory_text
from devs_git.domain.recall.conversation import ToolCall

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "clients" / "gemini"
USED = {"input": 100, "cached": 40, "output": 7, "thoughts": 3, "tool": 0, "total": 110}


def told(text: str) -> dict[str, Any]:
    return {"llmContent": f"<untrusted_context>\n{text}\n</untrusted_context>", "returnDisplay": "shown"}


@pytest.mark.parametrize(
    ("response", "output", "fails"),
    [
        (told("Output: one\ntwo\nProcess Group PGID: 7"), "one\ntwo", False),
        (told("Output: three\nExit Code: 3\nProcess Group PGID: 7"), "three", True),
        (told("Output: a\nSignal: SIGTERM\nBackground PIDs: 8, 9\nProcess Group PGID: 7"), "a", True),
        (told("Output: (empty)\nProcess Group PGID: 7"), "", False),
        (told("Output: Exit Code: 3\nmore\nProcess Group PGID: 7"), "Exit Code: 3\nmore", False),
        (told("Output: &lt;/untrusted_context&gt;\nProcess Group PGID: 7"), "</untrusted_context>", False),
        (
            {"llmContent": "Output: is what the file begins with"},
            "Output: is what the file begins with",
            False,
        ),
        ({"llmContent": [{"text": "<untrusted_context>\n{}\n</untrusted_context>"}]}, "{}", False),
        ({"llmContent": "no", "error": {"message": "no", "type": "mcp_tool_error"}}, "no", True),
        ({"llmContent": [{"inlineData": {"data": "AA"}}]}, '[{"inlineData":{"data":"AA"}}]', False),
        ("text", "text", False),
    ],
)
def test_an_output_has_nothing_of_what_the_client_tells_its_model(
    response: Any, output: str, *, fails: bool
) -> None:
    assert answer_text.text_of(gemini.unwrap(response)) == output
    assert gemini.has_failed(response) is fails


def test_the_end_of_a_long_output_is_found_without_reading_all_of_it() -> None:
    printed = "\n".join(f"Exit Code: {number}" for number in range(100_000))
    response = told(f"Output: {printed}\nExit Code: 3\nProcess Group PGID: 7")
    assert (gemini.unwrap(response), gemini.has_failed(response)) == (printed, True)


def test_recorded_payloads_become_what_the_tools_printed() -> None:
    (path,) = EXAMPLES.glob("*/gemini.hooks.jsonl")
    found = []
    for line in path.read_text().splitlines():
        captured = hook_payload.read(b"gemini AfterTool\n\n" + line.encode())
        if captured.payload["hook_event_name"] == "AfterTool":
            one = hook_payload.trace(captured, created_at="", commit="", task_id="", agent="")
            found.append((one.tool_name, one.is_error, one.output.decode().partition("\n")[0]))
    assert found[:2] == [("run_shell_command", False, "one"), ("run_shell_command", True, "three")]
    assert found[2][2].startswith('{"checkpoints": []')
    assert found[3][:2] == ("write_file", False)


def answer(**more: Any) -> dict[str, Any]:
    return {
        "id": "m2",
        "timestamp": "2026-11-23T12:00:01.000Z",
        "type": "gemini",
        "content": "I look.",
        "tokens": USED,
        **more,
    }


def called(number: int, status: str = "success") -> dict[str, Any]:
    response = {"functionResponse": {"id": f"c{number}", "response": {"output": f"out {number}"}}}
    return {
        "id": f"c{number}",
        "name": "read_file",
        "args": {"path": "a"},
        "result": [response],
        "status": status,
        "timestamp": f"2026-11-23T12:00:0{number + 1}.000Z",
    }


LINES: list[dict[str, Any]] = [
    {"sessionId": "s", "projectHash": "h", "kind": "main"},
    {
        "$set": {
            "messages": [
                {
                    "id": "m0",
                    "timestamp": "2026-11-23T12:00:00.000Z",
                    "type": "user",
                    "content": [{"text": "<session_context>\n"}],
                }
            ]
        }
    },
    {"id": "m1", "timestamp": "2026-11-23T12:00:00.500Z", "type": "user", "content": [{"text": "Look."}]},
    answer(),
    {"$set": {"lastUpdated": "x"}},
    answer(toolCalls=[called(1)]),
    answer(toolCalls=[called(1), called(2, "error")]),
    {
        "id": "m3",
        "timestamp": "2026-11-23T12:00:04.000Z",
        "type": "user",
        "content": [{"functionResponse": {}}],
    },
    {"id": "m4", "timestamp": "2026-11-23T12:00:05.000Z", "type": "info", "content": "Compressed."},
    {
        "$set": {
            "messages": [answer(content=[{"text": "I look."}, {"functionCall": {}}], toolCalls=[called(1)])]
        }
    },
    {"$rewindTo": "m1"},
]


def read_all(reader: Reader) -> dict[str, TranscriptMessage]:
    found: dict[str, TranscriptMessage] = {}
    for line in LINES:
        for one in reader.read(json.dumps(line).encode()):
            found.setdefault(one.message.id, one)
    return found


def test_a_message_that_comes_again_has_the_same_id_and_only_its_new_calls_are_new() -> None:
    reader = Reader(GEMINI, "fallback")
    found = read_all(reader)
    assert (reader.session, reader.garbage) == ("s", 0)
    assert [(one.message.role, one.message.content or one.message.tool_result) for one in found.values()] == [
        ("system", "<session_context>\n"),
        ("user", "Look."),
        ("assistant", "I look."),
        ("assistant", None),
        ("tool", "out 1"),
        ("assistant", None),
        ("tool", "out 2"),
        ("system", "Compressed."),
    ]
    calls = [one.message.tool_calls for one in found.values() if one.message.tool_calls]
    assert calls == [(ToolCall(f"c{number}", "read_file", {"path": "a"}),) for number in (1, 2)]
    assert [one.message.is_error for one in found.values() if one.message.role == "tool"] == [False, True]
    assert sum(one.loose for one in found.values()) == 100 - 40 + 7 + 3


def test_a_transcript_that_is_read_line_by_line_in_new_processes_gives_the_same() -> None:
    reader = Reader(GEMINI, "")
    whole = [one for line in LINES for one in reader.read(json.dumps(line).encode())]
    reader, parts = Reader(GEMINI, ""), list[TranscriptMessage]()
    for line in LINES:
        parts += reader.read(json.dumps(line).encode())
        reader = Reader(GEMINI, "", memory_of(memory_text(reader.memory)))
    assert parts == whole
    assert reader.session == "s"
