"""A client's payload becomes a trace: the whole output, who printed it, and one id for one call."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients import answer_text, hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.recall.traces import Trace
from tests.support.agent_calls import EXAMPLES, after

pytestmark = pytest.mark.quick

NOW = "2001-02-03T04:05:06.789Z"
TRACED = sorted(name for name, example in EXAMPLES.items() if "trace" in example)


def spooled(payload: Any, client: str = "claude", *lines: str) -> bytes:
    top = "\n".join((f"{client} {payload['hook_event_name']}", *lines))
    return top.encode() + b"\n\n" + json.dumps(payload).encode()


def trace(payload: Any, client: str = "claude") -> Trace:
    told = hook_payload.read(spooled(payload, client))
    return hook_payload.trace(told, created_at=NOW, commit="c", task_id="task-10", agent="developer")


@pytest.mark.parametrize("name", TRACED)
def test_each_example_becomes_the_trace_that_stands_beside_it(name: str) -> None:
    example = EXAMPLES[name]
    payload, found = example["payload"], trace(example["payload"], example["client"])
    told = {
        "tool_name": found.tool_name,
        "is_error": found.is_error,
        "duration_ms": found.duration_ms,
        "output": found.output.decode(),
    }
    assert told == example["trace"]
    assert (found.session_id, found.tool_use_id) == (payload["session_id"], payload["tool_use_id"])
    assert (found.event, found.client) == (payload["hook_event_name"], example["client"])
    assert json.loads(found.input) == payload["tool_input"]
    assert json.loads(found.raw) == payload
    assert (found.created_at, found.commit, found.task_id, found.agent) == (NOW, "c", "task-10", "developer")


def test_every_example_names_where_it_is_from() -> None:
    kinds = ("documentation page https://", "public repository ", "recorded from ")
    for path in (Path(__file__).parent.parent.parent / "examples/hooks").iterdir():
        assert path.stem in EXAMPLES
        assert EXAMPLES[path.stem]["source"].startswith(kinds)
        assert EXAMPLES[path.stem]["client"] in CLIENTS


@pytest.mark.parametrize(
    ("response", "output"),
    [
        ("plain\0text\r\n", "plain\0text\r\n"),
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ({"stdout": "a\n", "stderr": "b"}, "a\nb"),
        ({"stdout": "", "stderr": "b"}, "b"),
        ({"stdout": "a"}, "a"),
        ({"output": "a", "metadata": {"exit_code": 0}}, "a"),
        ({"type": "text", "file": {"filePath": "f", "content": "line\n"}}, "line\n"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"content": [{"type": "text", "text": "a"}], "isError": False}, "a"),
        ([{"type": "image", "data": "x"}], '[{"data":"x","type":"image"}]'),
        ({"b": 1, "a": "\u00e9"}, '{"a":"\u00e9","b":1}'),
        ([], "[]"),
        (0, "0"),
        (False, "false"),
        (None, ""),
    ],
)
def test_the_output_is_the_text_where_there_is_one_and_else_canonical_json(
    response: Any, output: str
) -> None:
    assert answer_text.text_of(response) == output


def test_one_call_has_one_id_and_every_other_call_event_and_session_another() -> None:
    assert trace(after(1)).trace_id == trace(after(1, "printed again")).trace_id
    told = uuid.uuid5(uuid.UUID("6b2f1a54-59a5-5a0c-9d4f-6f1c7f1b1c55"), "s\0u1\0PostToolUse")
    assert trace(after(1)).trace_id == str(told)
    failed = {**after(1), "hook_event_name": "PostToolUseFailure", "error": "no"}
    others = [after(1), after(2), failed, {**after(1), "session_id": "t"}]
    assert len({trace(payload).trace_id for payload in others}) == 4
    unnumbered = [{**after(1), "tool_use_id": None}, {**after(1, "else"), "tool_use_id": None}]
    assert len({trace(payload).trace_id for payload in unnumbered}) == 2


def test_a_failure_is_told_by_the_event_or_by_codex_by_its_exit_status() -> None:
    failed = {**after(1, None), "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\nno"}
    assert trace(failed).is_error
    assert trace(failed).output == b"Exit code 1\nno"
    said = "Exit code: 101\nWall time: 5.3 seconds\nOutput:\ntest result: FAILED"
    assert trace(after(1, said), "codex").is_error
    assert not trace(after(1, said.replace("101", "0")), "codex").is_error
    assert trace(after(1, {"output": "", "metadata": {"exit_code": 2}}), "codex").is_error
    assert not trace(after(1, {"output": "", "metadata": {"exit_code": 0}}), "codex").is_error
    assert not trace(after(1, said)).is_error  # in what Claude Code printed it is only a text


def test_odd_values_are_stored_and_not_refused() -> None:
    odd = {**after(1, "\ud800"), "session_id": "\ud800", "duration_ms": float("nan"), "tool_input": None}
    found = trace(odd)
    assert found.output == "\ud800".encode("utf-8", "surrogatepass")
    assert (found.session_id, found.duration_ms, found.input) == ("?", None, "")
    assert trace({**after(1), "duration_ms": 12.7}).duration_ms == 13
    assert trace({**after(1), "duration_ms": "soon", "session_id": 7}).duration_ms is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"nobody PostToolUse\n\n{}",
        b"claude PostToolUse\n\n",
        b"claude PostToolUse\n\n{",
        b"claude PostToolUse\n\n[]",
        b"claude PostToolUse\n\n\xff\xfe\xff",
        b"claude PostToolUse\n\n{}",
        b'claude PostToolUse\n\n{"tool_name": 7}',
    ],
)
def test_what_is_no_payload_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        hook_payload.trace(hook_payload.read(data), created_at=NOW, commit="", task_id="", agent="")


def test_the_lines_on_top_tell_what_was_when_the_hook_ran() -> None:
    told = hook_payload.read(
        spooled(
            after(1), "codex", "PWD /x", "HEAD ref: refs/heads/main", "Devs-Task: task-10", "Devs-Agent: x"
        )
    )
    assert (told.client.name, told.event, told.head) == ("codex", "PostToolUse", "ref: refs/heads/main")
    assert (told.pwd, told.lines) == ("/x", "Devs-Task: task-10\nDevs-Agent: x")
    told = hook_payload.read(spooled(after(1)))
    assert (told.pwd, told.head, told.lines) == ("", "", "")
