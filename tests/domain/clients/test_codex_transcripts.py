"""What transcripts of Codex tell of its calls: how they ended, in lines of their own or in the words above a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_lines import FinishedCall, Memory
from devs_git.domain.clients.transcript_reader import Reader, TranscriptMessage
from tests.domain.clients.test_transcripts import one

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "clients" / "codex"


@pytest.mark.parametrize("program", ["codex", "codex-code"])
@pytest.mark.parametrize("version", ["0.169.0", "0.171.0"])
def test_a_recorded_transcript_of_codex_tells_how_each_call_ended_by_the_id_that_its_hook_told(
    version: str, program: str
) -> None:
    reader = Reader(CLIENTS["codex"], "fallback")
    reads, ended = list[TranscriptMessage](), list[FinishedCall]()
    for line in (EXAMPLES / version / f"{program}.transcript.jsonl").read_bytes().splitlines():
        reads += reader.read(line)
        ended += reader.finished
    payloads = map(json.loads, (EXAMPLES / version / f"{program}.hooks.jsonl").read_text().splitlines())
    heard = [
        one
        for one in payloads
        # A tool of ours that only reads is no trace.
        if one["hook_event_name"] == "PostToolUse" and "list_checkpoints" not in one["tool_name"]
    ]
    assert [(call.call_id, call.tool_name) for call in ended] == [
        (one["tool_use_id"], one["tool_name"]) for one in heard
    ]
    assert [(call.is_error, call.exit_code) for call in ended] == [
        (False, 0),
        (True, 3),
        (False, None),
    ]
    assert [call.tool_input for call in ended[:2]] == [one["tool_input"] for one in heard[:2]]
    # 0.171 tells less than a millisecond of a short command.
    assert all(isinstance(call.duration_ms, int) for call in ended[:2])
    results = [read for read in reads if read.message.role == "tool"]
    assert [read.message.is_error for read in results] == [False, True, False, False]
    answered = [read.answer.calls for number, read in enumerate(results) if number != 2]
    assert answered == [(call.call_id,) for call in ended]
    names = {
        "codex": ["exec_command", "exec_command", "mcp__devs_git__list_checkpoints", "apply_patch"],
        "codex-code": ["exec"] * 4,
    }
    assert [read.message.tool_name for read in results] == names[program]


@pytest.mark.parametrize(
    ("told", "failed"),
    [
        ("Chunk ID: 846b68\nWall time: 0.1675 seconds\nProcess exited with code 3\nOutput:\nthree\n", True),
        ("Chunk ID: 846b68\nWall time: 0.1675 seconds\nProcess exited with code 0\nOutput:\nthree\n", False),
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno\n", True),
        ("Wall time: 0.2 seconds\nOutput:\nProcess exited with code 3\nOutput:\n", False),
        ("apply_patch verification failed: Failed to find expected lines in a.txt:\nb", True),
        ("Command blocked by PreToolUse hook: no. Command: make", True),
        ("Process exited with code 3, said the log.\n", False),
    ],
)
def test_the_words_above_a_result_of_codex_say_whether_the_call_failed(told: str, failed: bool) -> None:
    called = {"type": "function_call_output", "call_id": "c", "output": told}
    (message,) = one("codex", {"type": "response_item", "payload": called})
    assert (message.is_error, message.tool_result) == (failed, told)


@pytest.mark.parametrize(
    ("part", "failed"),
    [
        ('{"chunk_id":"a","exit_code":3,"output":"three\\n"}', True),
        ('{"chunk_id":"a","exit_code":0,"output":"three\\n"}', False),
        ('{"content":[{"type":"text","text":"no"}],"isError":true}', True),
        ('{"broken', False),
        ("exit_code: 3", False),
    ],
)
def test_the_result_of_a_program_failed_if_a_tool_that_it_called_failed(part: str, failed: bool) -> None:
    """Also in a transcript without the lines that tell how a call ended."""
    memory = Memory(calls={"c": ["exec", "…"]})
    output = [{"type": "input_text", "text": text} for text in ("Script completed\nOutput:\n", part)]
    called = {"type": "custom_tool_call_output", "call_id": "c", "output": output}
    reader = Reader(CLIENTS["codex"], "fallback", memory)
    line = {"type": "response_item", "payload": called}
    assert [read.message.is_error for read in reader.read(json.dumps(line).encode())] == [failed]
