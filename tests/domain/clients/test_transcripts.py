"""Transcripts of Claude Code and Codex give messages: who said what, which tool was called with what and answered what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.hook_payload import trace_id_of
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader, client_of, is_complete, memory_of, memory_text
from devs_git.domain.recall.conversation import Message, ToolCall, chain_digest, task_at
from devs_git.domain.recall.conversation_prefix import Prefix, prefix_of
from devs_git.domain.recall.long_results import with_trace
from devs_git.domain.recall.traces import Trace
from devs_git.values import replace

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "transcripts"


def lines(name: str) -> list[bytes]:
    return (EXAMPLES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def said(name: str) -> list[Message]:
    reader = Reader(CLIENTS[name.partition("-")[0]], "fallback")
    return [read.message for line in lines(name) for read in reader.read(line)]


def one(client: str, value: Any) -> list[Message]:
    reader = Reader(CLIENTS[client], "fallback")
    return [read.message for read in reader.read(json.dumps(value).encode())]


@pytest.mark.parametrize("name", ["claude", "claude-compacted", "codex", "codex-bare"])
def test_a_transcript_shows_whose_it_is(name: str) -> None:
    assert client_of(lines(name)) == name.partition("-")[0]


def test_a_transcript_of_claude_code_gives_every_message_with_its_calls_and_results() -> None:
    found = said("claude")
    assert [(message.role, message.content) for message in found] == [
        ("user", "Work on the dates: parse them as ISO 8601."),
        ("assistant", "I look at the parser first."),
        ("assistant", None),
        ("assistant", None),
        ("tool", None),
        ("tool", None),
        ("assistant", None),
        ("tool", None),
        ("system", "<command-name>/context</command-name>"),
        ("system", "Caveat: the messages below were made while running local commands."),
        ("user", "What does this show?\n[image]"),
        ("assistant", "It shows that 2026-02-12T16:02 is parsed now."),
    ]
    assert found[3].tool_calls == (
        ToolCall("toolu_01Eq", "Bash", {"command": "pytest -q", "description": "Run the tests"}),
    )
    assert found[5].record() == {
        "id": "00000008-5a00-4000-8000-000000000000",
        "role": "tool",
        "timestamp": "2026-02-12T16:02:31.200Z",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q", "description": "Run the tests"},
        "tool_result": "Exit code 1\nE   ValueError: unconverted data remains: T10:00",
        "is_error": True,
    }


def test_lines_that_share_an_answer_count_its_tokens_once() -> None:
    # usage of msg_01Pd: 15008 read or cached and at last 75 written, though five lines repeat it
    counts = [message.token_count for message in said("claude") if message.role == "assistant"]
    assert counts == [21, 30, 15, 923, 73]
    reader = Reader(CLIENTS["claude"], "fallback")
    reads = [read for line in lines("claude") for read in reader.read(line)]
    whole_answer = sum(read.loose + (read.message.token_count or 0) for read in reads[:4])
    assert whole_answer == 3 + 15005 + 75


def test_a_transcript_of_codex_gives_every_message_once() -> None:
    found = said("codex")
    assert [(message.role, message.content) for message in found] == [
        ("system", "<permissions instructions>read-only</permissions instructions>"),
        ("system", "<environment_context><cwd>/home/ada/repo</cwd></environment_context>"),
        ("user", "List the files."),
        ("assistant", None),
        ("tool", None),
        ("assistant", None),
        ("tool", None),
        ("assistant", None),
        ("tool", None),
        ("assistant", "There are sixty files."),
        ("system", "Conversation compacted"),
        ("user", "Count them."),
    ]
    assert found[3].tool_calls == (ToolCall("call_001", "exec_command", {"cmd": "find . -type f"}),)
    results = [message for message in found if message.role == "tool"]
    assert [(message.tool_name, message.is_error) for message in results] == [
        ("exec_command", False),
        ("apply_patch", True),
        ("mcp__devs-git__get_task_trace", False),
    ]
    assert results[1].tool_result == "Failed to apply"
    assert results[2].tool_result == "status: ok\n[input_image]"


def test_the_tokens_that_codex_counts_apart_go_with_the_next_message() -> None:
    reader = Reader(CLIENTS["codex"], "fallback")
    loose = [read.loose for line in lines("codex") for read in reader.read(line)]
    assert loose == [0, 0, 0, 0, 1100, 0, 0, 0, 0, 0, 350, 0]


def test_a_message_without_a_name_of_its_own_is_named_by_what_it_says_and_how_often() -> None:
    ids = [message.id for message in said("codex-bare")]
    assert ids == [*ids[:2], ids[0] + ".2"]


GARBAGE = (
    b"no json\n",
    b'{"type":"user","uuid":\n',
    b"[1, 2]\n",
    b"\xff\xfe\0\n",
    b'{"type":"user","message":{"content":' + b"[" * 200_000 + b"}}\n",
)


@pytest.mark.parametrize("client", CLIENTS)
def test_garbage_is_counted_and_never_fatal(client: str) -> None:
    reader = Reader(CLIENTS[client], "fallback")
    assert [reader.read(line) for line in GARBAGE] == [[]] * len(GARBAGE)
    assert reader.garbage == len(GARBAGE)


STRANGE: tuple[Any, ...] = (
    {"type": "assistant", "uuid": 7, "message": {"content": [None, 3, {"type": "tool_use"}]}},
    {"type": "user", "message": {"content": [{"tool_use_id": None, "content": {"a": 1}}]}},
    {"type": "user", "message": "text"},
    {"type": "system", "content": ["x"]},
    {"type": "assistant", "message": {"id": 3, "usage": {"output_tokens": "many"}, "content": "\ud800"}},
    {"type": "response_item", "payload": {"type": "function_call", "arguments": "{broken"}},
    {"type": "response_item", "payload": {"type": "function_call_output", "output": {"metadata": 3}}},
    {
        "type": "event_msg",
        "payload": {"type": "token_count", "info": {"total_token_usage": {"input_tokens": -4}}},
    },
    {"type": "compacted", "payload": {"message": None}},
    {"timestamp": 5, "type": "session_meta", "payload": {"id": ["x"]}},
    {"type": "message", "role": "user", "content": [{"type": "input_text"}]},
)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("value", STRANGE, ids=str)
def test_a_line_of_another_shape_than_we_know_is_no_trouble(client: str, value: Any) -> None:
    for message in one(client, value):
        json.dumps(message.record()).encode()
        assert message.id
        assert message.tool_result is None or message.tool_result.encode() is not None


def test_a_line_that_repeats_what_was_sent_is_no_message() -> None:
    parts = [{"type": "tool_result", "tool_use_id": "t", "content": "printed"}, {"type": "text", "text": "a"}]
    for kind in ("api-request-blob", "progress", "queue-operation"):
        line = {"type": kind, "sessionId": "s", "message": {"role": "user", "content": parts}}
        assert one("claude", line) == []


def test_a_reader_that_stops_and_goes_on_gives_the_same() -> None:
    for name in ("claude", "codex", "codex-bare"):
        client = CLIENTS[name.partition("-")[0]]
        reader, found = Reader(client, "fallback"), []
        for line in lines(name):
            found += [read.message for read in reader.read(line)]
            reader = Reader(client, "fallback", memory_of(memory_text(reader.memory)))
        assert found == said(name)


def test_a_long_result_is_shortened_and_names_the_trace_that_the_hook_stores() -> None:
    reader = Reader(CLIENTS["claude"], "fallback")
    reads = [read for line in lines("claude") for read in reader.read(line)]
    long, short = reads[4], reads[5]
    known = Trace("", "", b"", session_id=reader.session, client="claude")
    kept, trace = with_trace(long, known)
    assert trace is not None
    assert trace.trace_id == trace_id_of(reader.session, "toolu_01Uw", "PostToolUse")
    assert trace.output.decode() == long.message.tool_result
    assert kept.trace_id == trace.trace_id
    assert f"git devs trace get {trace.trace_id}" in (kept.tool_result or "")
    assert with_trace(short, known) == (short.message, None)
    longer = short._replace(message=replace(short.message, tool_result="E " * 300))
    _kept, failed = with_trace(longer, known)
    assert failed is not None
    assert failed.trace_id == trace_id_of(reader.session, "toolu_01Eq", "PostToolUseFailure")


def test_the_digest_of_a_prefix_says_all_of_it_and_its_order() -> None:
    a, b = Message("1", "user", "a"), Message("2", "user", "b")
    digests = {
        chain_digest(chain_digest("", a), b),
        chain_digest(chain_digest("", b), a),
        chain_digest("", a),
        chain_digest("", b),
    }
    assert len(digests) == 4
    assert chain_digest("", a) == chain_digest("", Message("1", "user", "a"))


def test_a_trailer_names_a_prefix_or_nothing() -> None:
    assert prefix_of("my session 12 abc") == Prefix("my session", 12, "abc")
    assert prefix_of("session twelve abc") is None
    assert prefix_of("") is None


def test_a_message_belongs_to_the_task_that_was_active_when_a_tool_was_last_called() -> None:
    samples = (("2026-01-01T10:00", "task-1"), ("2026-01-01T11:00", ""), ("2026-01-01T12:00", "task-2"))
    moments = ("2026-01-01T09:00", "2026-01-01T10:30", "2026-01-01T11:30", "2026-01-01T13:00", None)
    assert [task_at(samples, moment) for moment in moments] == ["task-1", "task-1", "", "task-2", "task-1"]
    assert task_at((), "2026-01-01T09:00") == ""


def test_a_part_of_a_line_is_no_line() -> None:
    line = lines("claude")[2].rstrip()
    assert is_complete(line)
    assert not any(is_complete(line[:cut]) for cut in range(0, len(line), 7))


@pytest.mark.parametrize("cost", ["NaN", "Infinity", "1e400", "1" + "0" * 400, "-1", "true", '"1"'])
def test_what_no_answer_costs_is_not_counted(cost: str) -> None:
    line = f'{{"type":"assistant","uuid":"a","costUSD":{cost},"message":{{"id":"m","content":"so"}}}}'
    (read,) = Reader(CLIENTS["claude"], "fallback").read(line.encode())
    assert (read.message.content, read.message.cost_usd) == ("so", None)


def test_a_number_that_no_reader_of_json_knows_is_null() -> None:
    block = '{"type":"tool_use","id":"c","name":"T","input":{"a":NaN,"b":1e999,"c":1.5}}'
    line = f'{{"type":"assistant","uuid":"a","message":{{"id":"m","content":[{block}]}}}}'
    (read,) = Reader(CLIENTS["claude"], "fallback").read(line.encode())
    assert read.message.tool_calls == (ToolCall("c", "T", {"a": None, "b": None, "c": 1.5}),)


@pytest.mark.parametrize("name", ["a\nDevs-Completed: true", "a\udcff", "\ud800\n", "", "x" * 999])
def test_a_session_that_only_a_file_or_a_hook_names_stands_on_one_line_and_can_be_stored(name: str) -> None:
    session = Reader(CLIENTS["claude"], name).session
    assert session.encode().decode("ascii") == session
    assert (session.splitlines(), len(session) <= 200) == ([session], True)
