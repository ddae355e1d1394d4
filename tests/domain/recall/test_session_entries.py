"""What a model was told up to a message, of a session whose messages are a tree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.domain.recall.session_entries import Native, SessionEntry, complete_part, native_of, way_to
from devs_git.domain.sessions import claude_session
from devs_git.domain.sessions.new_session import NewSession
from devs_git.values import replace

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NEW = NewSession(
    "new",
    "s",
    "/work/repo",
    "2.1.330",
    "2026-11-23T00:00:00.000Z",
    (f"id-{n}" for n in count()).__next__,
    "title",
    "main",
)


def line(kind: str, uuid: str, parent: str | None, *parts: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A line of Claude Code. An answer has the id `answer`."""
    message = {
        "role": kind,
        "content": list(parts),
        **({"id": more.pop("answer")} if "answer" in more else {}),
    }
    known = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "version": "2.1.330", **more}
    return {**known, "message": message} if parts else known


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": name}}


def result(name: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": f"{name} done"}


def read(lines: Sequence[Mapping[str, Any]]) -> list[SessionEntry]:
    reader = Reader(CLIENTS["claude"], "")
    found = [one for each in lines for one in reader.read(json.dumps(each).encode())]
    return [SessionEntry(at, one.message, one.native) for at, one in enumerate(found, 1)]


def shown(entries: Sequence[SessionEntry]) -> list[str]:
    return [entry.message.id for entry in entries]


BRANCHED = [
    line("user", "p1", None, text("one")),
    line("attachment", "n1", "p1"),
    line("assistant", "a1", "n1", text("first")),
    line("system", "n2", "a1"),
    line("user", "p2", "n2", text("two")),
    line("assistant", "a2", "p2", text("second")),
    # The person goes back to before "two".
    line("user", "p3", "n2", text("three")),
    line("assistant", "a3", "p3", text("third")),
]


def test_a_branch_that_the_person_left_is_not_on_the_way() -> None:
    entries = read(BRANCHED)
    assert shown(way_to(entries)) == ["p1", "a1", "p3", "a3"]
    assert shown(way_to(entries, "a2")) == ["p1", "a1", "p2", "a2"]
    with pytest.raises(ValueError, match="no such message"):
        way_to(entries, "none")


def test_calls_of_several_tools_at_once_are_on_the_way_with_their_results() -> None:
    entries = read(
        [
            line("user", "p1", None, text("one")),
            line("assistant", "a1", "p1", call("x"), answer="m1"),
            line("user", "r1", "a1", result("x")),
            line("assistant", "a2", "a1", call("y"), answer="m1"),
            line("user", "r2", "a2", result("y")),
            line("assistant", "a3", "r2", text("done"), answer="m2"),
        ]
    )
    assert shown(way_to(entries)) == ["p1", "a1", "a2", "r1", "r2", "a3"]
    assert shown(complete_part(way_to(entries, "r2"))) == ["p1", "a1", "a2", "r1", "r2"]
    # Without the second result, the part of the first call that has its result is kept.
    assert shown(complete_part(way_to(entries, "a2"))) == ["p1"]
    assert shown(complete_part(way_to(entries, "r1"))) == ["p1", "a1", "r1"]


def test_what_a_person_said_while_a_tool_ran_stands_after_its_result() -> None:
    prompt = {"type": "queued_command", "prompt": "and hurry", "commandMode": "prompt"}
    entries = read(
        [
            line("user", "p1", None, text("one")),
            line("assistant", "a1", "p1", call("x"), answer="m1"),
            line("user", "r1", "a1", result("x")),
            line("attachment", "q1", "r1", attachment=prompt),
            line("assistant", "a2", "q1", text("done"), answer="m2"),
        ]
    )
    told = claude_session.for_model(way_to(entries))
    assert shown(told) == ["p1", "a1", "r1", "q1", "a2"]
    written = list(claude_session.lines(told, NEW))
    assert written[3]["message"] == {"role": "user", "content": "and hurry"}


def test_a_session_begins_anew_where_it_was_compacted() -> None:
    entries = read(
        [
            line("user", "p1", None, text("one")),
            {**line("system", "b", None), "content": "Conversation compacted", "subtype": "compact_boundary"},
            line("user", "s1", "b", text("what was before"), isCompactSummary=True),
            line("assistant", "a1", "s1", text("on")),
        ]
    )
    told = claude_session.for_model(way_to(entries))
    assert shown(told) == ["s1", "a1"]
    first, *_ = claude_session.lines(told, NEW)
    assert (first["isCompactSummary"], first["parentUuid"]) == (True, None)


@pytest.mark.parametrize(
    ("anchor", "expected"), [("s1", ["s1", "a2", "r2", "p3"]), ("b", ["a2", "r2", "s1", "p3"])]
)
def test_what_a_compaction_kept_word_for_word_stands_where_the_client_tells_it(
    anchor: str, expected: list[str]
) -> None:
    kept = {"preservedMessages": {"anchorUuid": anchor, "uuids": ["a2", "r2", "n2"]}}
    entries = read(
        [
            line("user", "p1", None, text("one")),
            line("assistant", "a1", "p1", text("first"), answer="m1"),
            line("assistant", "a2", "a1", call("x"), answer="m2"),
            line("user", "r2", "a2", result("x")),
            line("system", "n2", "r2"),
            {
                **line("system", "b", None, subtype="compact_boundary", compactMetadata=kept),
                "content": "Conversation compacted",
            },
            line("user", "s1", "b", text("what was before"), isCompactSummary=True),
            line("user", "p3", "s1", text("three")),
        ]
    )
    again = [replace(one, native=native_of(json.loads(json.dumps(one.native.record())))) for one in entries]
    assert shown(claude_session.for_model(way_to(again))) == expected
    assert shown(way_to(again, "r2")) == ["p1", "a1", "a2", "r2"]


@pytest.mark.parametrize(
    "kept",
    [None, {"uuids": ["p1"]}, {"anchorUuid": "s1", "uuids": [1, None]}, {"anchorUuid": "s1", "uuids": {}}],
)
def test_a_compaction_of_another_shape_keeps_nothing(kept: Any) -> None:
    entries = read(
        [
            line("user", "p1", None, text("one")),
            {
                **line("system", "b", None, subtype="compact_boundary"),
                "content": "Conversation compacted",
                "compactMetadata": {"preservedMessages": kept},
            },
            line("user", "s1", "b", text("what was before"), isCompactSummary=True),
        ]
    )
    assert shown(claude_session.for_model(way_to(entries))) == ["s1"]


def test_signed_thoughts_stand_before_what_the_model_said_after_them() -> None:
    thought = {"type": "thinking", "thinking": "well", "signature": "c2ln"}
    entries = read(
        [
            line("user", "p1", None, text("one")),
            line("assistant", "t", "p1", thought, answer="m1"),
            line("assistant", "a1", "t", call("x"), answer="m1"),
            line("user", "r1", "a1", result("x")),
        ]
    )
    assert shown(way_to(entries)) == ["p1", "a1", "r1"]
    kept = [native_of(json.loads(json.dumps(entry.native.record()))) for entry in entries]
    assert kept == [entry.native for entry in entries]
    lines = list(claude_session.lines(way_to(entries), NEW))
    assert lines[1]["message"]["content"] == [thought, call("x")]


def test_parts_that_are_kept_by_name_only_are_known() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    shot = {"type": "tool_result", "tool_use_id": "x", "content": [image, text("seen")]}
    entries = read(
        [
            line("user", "p1", None, text("look"), image),
            line("assistant", "a1", "p1", {"type": "thinking", "thinking": "well"}, call("x")),
            line("user", "r1", "a1", shot),
        ]
    )
    assert [entry.native.omitted for entry in entries] == [("image",), (), ("image",)]


def test_what_an_older_devs_git_stored_is_a_chain_and_a_result_answers_the_call_with_its_input() -> None:
    entries = [SessionEntry(one.position, one.message, Native()) for one in read(BRANCHED[:3])]
    assert shown(way_to(entries)) == ["p1", "a1"]
    pair = read([line("assistant", "a", None, call("x")), line("user", "r", "a", result("x"))])
    bare = [SessionEntry(one.position, one.message, Native()) for one in pair]
    assert shown(complete_part(way_to(bare))) == ["a", "r"]


@pytest.mark.parametrize("name", ["transcript", "forked", "asides-transcript"])
@pytest.mark.parametrize("version", ["2.1.330", "2.1.332"])
def test_a_recorded_session_is_the_same_after_it_was_written(version: str, name: str) -> None:
    path = EXAMPLES / "clients" / "claude" / version / f"claude.{name}.jsonl"
    before = complete_part(
        claude_session.for_model(way_to(read([json.loads(one) for one in path.read_bytes().splitlines()])))
    )
    again = read(list(claude_session.lines(before, NEW)))
    assert len(before) > 2
    assert way_to(again) == again
    assert [one.message.record() | {"token_count": 0} for one in again] == [
        one.message.record() | {"token_count": 0} for one in before
    ]
    assert [one.native.call_id for one in again] == [one.native.call_id for one in before]
