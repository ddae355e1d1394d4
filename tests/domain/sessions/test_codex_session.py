"""What a rollout of Codex has beside its messages, and rollouts that we write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.domain.recall import whole_results
from devs_git.domain.recall.session_entries import (
    SessionEntry,
    complete_part,
    native_of,
    way_to,
    without_lost_calls,
)
from devs_git.domain.recall.traces import shorten
from devs_git.domain.sessions import codex_session, other_client
from devs_git.domain.sessions.new_session import NewSession
from devs_git.values import replace

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NEW = NewSession(
    "new", "s", "/work/repo", "0.169.0", "2026-11-23T01:02:03.004Z", (f"id-{n}" for n in count()).__next__
)


def line(kind: str, payload: Mapping[str, Any], ordinal: int | None = None) -> dict[str, Any]:
    numbered = {} if ordinal is None else {"ordinal": ordinal}
    return {"timestamp": "2026-11-23T00:00:00.000Z", **numbered, "type": kind, "payload": payload}


def item(ordinal: int, **payload: Any) -> dict[str, Any]:
    return line("response_item", payload, ordinal)


def said(ordinal: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
    return item(ordinal, type="message", role=role, content=content, **more)


def call(ordinal: int, name: str, **more: Any) -> dict[str, Any]:
    return item(
        ordinal, type="function_call", name="exec_command", arguments='{"cmd":"x"}', call_id=name, **more
    )


def answer(ordinal: int, name: str, output: Any) -> dict[str, Any]:
    return item(ordinal, type="function_call_output", call_id=name, output=output)


def read(*lines: Mapping[str, Any]) -> list[SessionEntry]:
    reader = Reader(CLIENTS["codex"], "")
    found = [one for each in lines for one in reader.read(json.dumps(each).encode())]
    return [SessionEntry(at, one.message, one.native, one.ordinal) for at, one in enumerate(found, 1)]


def written(entries: Sequence[SessionEntry]) -> list[dict[str, Any]]:
    """The payloads of the items that the model is told."""
    lines = codex_session.lines(codex_session.for_model(entries), NEW)
    return [one["payload"] for one in lines if one["type"] in ("response_item", "compacted")]


def test_encrypted_thoughts_and_searches_for_tools_stand_where_they_stood() -> None:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"}
    search = {"type": "tool_search_call", "call_id": "t", "arguments": {}}
    lines = [
        said(1, "user", "one"),
        item(2, **thought),
        item(3, **search),
        call(4, "c"),
        answer(5, "c", "done"),
    ]
    entries = read(*lines)
    kept = [native_of(json.loads(json.dumps(entry.native.record()))) for entry in entries]
    assert kept == [entry.native for entry in entries]
    assert [one["type"] for one in written(entries)] == [
        "message",
        "reasoning",
        "tool_search_call",
        "function_call",
        "function_call_output",
    ]
    assert written(entries)[1:3] == [thought, search]


def test_the_parts_of_an_output_and_the_phase_of_a_message_are_kept() -> None:
    parts = [{"type": "input_text", "text": "one\n"}, {"type": "input_text", "text": "two"}]
    entries = read(
        call(1, "c", namespace="functions"),
        answer(2, "c", parts),
        said(3, "assistant", "so", phase="commentary"),
    )
    told = written(entries)
    assert (told[0]["name"], told[0]["namespace"]) == ("exec_command", "functions")
    assert told[1]["output"] == parts
    assert told[2]["phase"] == "commentary"


def test_what_codex_tells_its_model_after_a_compaction_begins_the_session() -> None:
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "rules"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "summary"}]},
    ]
    entries = read(
        said(1, "user", "one"),
        said(2, "assistant", "long"),
        line("compacted", {"message": "summary", "replacement_history": history}, 3),
        said(4, "user", "two"),
    )
    told = written(way_to(entries))
    assert told[0] == {"message": "summary", "replacement_history": [history[0], history[2]]}
    assert [one["content"][0]["text"] for one in told[1:]] == ["two"]
    assert [one["content"][0]["text"] for one in written(way_to(entries, entries[1].message.id))] == [
        "one",
        "long",
    ]


def test_messages_that_the_person_took_back_are_not_on_the_way() -> None:
    base = {"thread_id": "s", "end_ordinal_exclusive": 3}
    entries = read(
        line("session_meta", {"id": "s", "cli_version": "0.169.0"}, 0),
        said(1, "user", "one"),
        said(2, "assistant", "first"),
        said(3, "user", "two"),
        said(4, "assistant", "second"),
        line("session_meta", {"id": "s", "history_base": base}, 3),
        said(4, "user", "three"),
    )
    assert [entry.message.content for entry in way_to(entries)] == ["one", "first", "three"]
    assert entries[0].native.version == "0.169.0"


def test_a_call_without_an_answer_before_a_later_prompt_is_left_out_and_the_rest_stays() -> None:
    entries = read(
        said(1, "user", "one"),
        call(2, "lost"),
        said(3, "user", "two"),
        call(4, "c"),
        answer(5, "c", "done"),
        call(6, "open"),
    )
    kept = complete_part(without_lost_calls(entries))
    assert [one["type"] for one in written(kept)] == [
        "message",
        "message",
        "function_call",
        "function_call_output",
    ]


def test_a_search_of_the_provider_needs_no_answer() -> None:
    action = {"type": "search", "query": "git"}
    entries = read(
        item(1, type="web_search_call", status="completed", action=action), said(2, "assistant", "so")
    )
    assert complete_part(without_lost_calls(entries)) == entries
    assert written(entries)[0] == {"type": "web_search_call", "status": "completed", "action": action}


def test_another_client_gets_names_that_its_model_allows_and_objects_as_inputs() -> None:
    given = item(1, type="custom_tool_call", name="apply.patch", input="*** Begin", call_id="a:b")
    entries = other_client.plain(read(given, answer(2, "a:b", "done"), said(3, "developer", "rules")))
    (asked,) = entries[0].message.tool_calls or ()
    assert (asked.id, asked.name, asked.input) == ("a_b", "apply_patch", {"input": "*** Begin"})
    assert entries[1].native.call_id == "a_b"
    assert len(entries) == 2


@pytest.mark.parametrize(
    ("before", "spelled", "after"),
    [
        ("", False, ""),
        ("Chunk ID: 1\nOutput:\n", False, ""),
        ('Script completed\n{"chunk_id":1,"output":"', True, '"}'),
    ],
)
def test_a_long_result_is_whole_again_with_the_words_of_the_client_around_it(
    before: str, spelled: bool, after: str
) -> None:
    output = "".join(f'number "{number}"\n' for number in range(200))
    told = before + (json.dumps(output)[1:-1] if spelled else output) + after
    short = shorten(told, "trace-1")
    assert whole_results.is_shortened(short)
    assert whole_results.lengthen(short, lambda _: output) == told
    assert whole_results.lengthen(short, lambda _: output[1:]) == short
    assert whole_results.lengthen(short, lambda _: None) == short


@pytest.mark.parametrize("name", ["codex.transcript", "codex-code.transcript"])
@pytest.mark.parametrize("version", ["0.169.0", "0.171.0"])
def test_a_recorded_session_of_codex_is_the_same_after_it_was_written(version: str, name: str) -> None:
    path = EXAMPLES / "clients" / "codex" / version / f"{name}.jsonl"
    lines = [json.loads(one) for one in path.read_bytes().splitlines()]
    before = complete_part(codex_session.for_model(way_to(read(*lines))))
    again = codex_session.for_model(read(*codex_session.lines(before, NEW)))
    assert len(before) > 4
    assert [one.message.id for one in again] == [one.message.id for one in before]
    assert [one.message.tool_result for one in again] == [one.message.tool_result for one in before]
    told = [one["payload"] for one in lines if one["type"] == "response_item"]
    calls = [one for one in told if one["type"].endswith("_call")]
    assert [one["name"] for one in written(before) if one["type"].endswith("_call")] == [
        one["name"] for one in calls
    ]


def test_what_codex_reads_of_a_session_is_compared_with_what_was_said() -> None:
    entries = read(said(1, "user", "one"), said(2, "assistant", "so"))
    shown = [
        {"type": "userMessage", "content": [{"type": "text", "text": "one"}]},
        {"type": "agentMessage", "text": "so"},
    ]
    assert codex_session.is_read_back({"turns": [{"items": shown}]}, entries)
    assert not codex_session.is_read_back({"turns": [{"items": shown[:1]}]}, entries)
    assert not codex_session.is_read_back({"turns": []}, entries)
    assert not codex_session.is_read_back(None, entries)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("", "openai"),
        ('model_provider = "local"\n', "local"),
        ('model_provider = "local"\nprofile = "p"\n[profiles.p]\nmodel_provider = "far"\n', "far"),
        ('model_provider = "local"\nprofile = "p"\n[profiles.q]\nmodel_provider = "far"\n', "local"),
        ("model_provider = 7\nprofile = []\nprofiles = 1\n", "openai"),
        ("no toml", "openai"),
    ],
)
def test_a_session_names_the_provider_of_the_settings(settings: str, named: str) -> None:
    """Without one, `codex resume` at a terminal says that the provider "" is not configured."""
    entries = read(said(1, "user", "one"))
    first, *_ = codex_session.lines(entries, replace(NEW, settings=settings))
    assert first["payload"]["model_provider"] == named
