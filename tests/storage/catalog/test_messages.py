"""Conversations in the catalog: however a transcript is read, its messages are the same, and none is there twice."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.clients.hook_payload import trace_id_of
from devs_git.domain.recall.conversation import chain_digest
from devs_git.domain.recall.query import parse
from devs_git.domain.recall.traces import Trace
from devs_git.errors import DevsError
from devs_git.storage.catalog import (
    database,
    fulltext,
    message_search,
    messages,
    migrations,
    traces,
    transcripts,
)
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.search import Page
from devs_git.storage.catalog.transcripts import ReadContext, Source
from tests.support import old_catalog
from tests.support.conversation_scene import EXAMPLES, NOW, SESSION, conversation, ids, stored_places, take

NAMES = ("claude", "claude-compacted", "codex", "codex-bare")


def grow(catalog: Catalog, path: Path, data: bytes, ends: Iterable[int]) -> str:
    """Write `data` in steps, and read the transcript after each. Returns the session."""
    session = ""
    for start, end in pairwise([0, *sorted(ends), len(data)]):
        with path.open("ab") as stream:
            stream.write(data[start:end])
        if path.stat().st_size:
            source = Source(path, "claude" if b"parentUuid" in data else "codex")
            session = transcripts.take_in(catalog, source, ReadContext(NOW, NOW, ids)).session.session_id
    return session


@pytest.mark.quick
@given(st.sampled_from(NAMES), st.lists(st.floats(0, 1), max_size=6))
def test_any_way_of_reading_a_transcript_piece_by_piece_gives_the_same_messages(
    name: str, cuts: list[float]
) -> None:
    data = (EXAMPLES / f"{name}.jsonl").read_bytes() + b"garbage\n" + b'{"type":"half'
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        path = Path(one) / "session.jsonl"
        with Catalog.open(Path(one)) as whole, Catalog.open(Path(many)) as pieces:
            expected = stored_places(whole, grow(whole, path, data, []))
            session = grow(pieces, Path(many) / "session.jsonl", data, [int(cut * len(data)) for cut in cuts])
            found = stored_places(pieces, session)
            assert found == expected
            assert messages.session(pieces, session) == messages.session(whole, session)
            assert len(found) > 2


def test_messages_come_back_as_they_were_said_and_a_long_result_is_its_trace(catalog: Catalog) -> None:
    done = take(catalog, EXAMPLES / "claude.jsonl", task_id="task-10", agent="developer")
    assert (done.new, done.garbage, done.rewritten, done.waits) == (12, 0, False, False)
    found = stored_places(catalog, SESSION)
    assert [place.position for place in found] == list(range(1, 13))
    assert {place.task_id for place in found} == {"task-10"}
    long = found[4].message
    assert long.trace_id == trace_id_of(SESSION, "toolu_01Uw", "PostToolUse")
    output = traces.output(catalog, long.trace_id)
    assert output.startswith(b"def parse_0(text)")
    assert len(output) > 1000
    row = traces.row(catalog, long.trace_id)
    assert row is not None
    assert (row.session_id, row.task_id, row.tool_name, row.is_error) == (SESSION, "task-10", "Bash", False)
    digest = ""
    for place in found:
        digest = chain_digest(digest, place.message)
        assert place.digest == digest


def test_a_result_that_the_hook_stored_is_not_stored_again(catalog: Catalog) -> None:
    trace_id = trace_id_of(SESSION, "toolu_01Uw", "PostToolUse")
    with fulltext.write_transaction(catalog):
        traces.put(catalog, Trace(trace_id, NOW, b"as the hook told it", session_id=SESSION))
    take(catalog, EXAMPLES / "claude.jsonl")
    assert traces.count(catalog) == 1
    assert traces.output(catalog, trace_id) == b"as the hook told it"


def test_what_was_only_read_back_from_us_is_no_trace_again(catalog: Catalog, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "devs-git trace get x"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "long " * 1000}
    parts = [("assistant", call), ("user", result)]
    made = (
        {"type": kind, "uuid": kind, "sessionId": "s", "message": {"content": [part]}} for kind, part in parts
    )
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in made))
    take(catalog, tmp_path / "x.jsonl")
    assert traces.count(catalog) == 0
    assert stored_places(catalog, "s")[1].message.tool_result == "long " * 1000


def test_a_transcript_that_was_compacted_loses_nothing_and_doubles_nothing(
    catalog: Catalog, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes((EXAMPLES / "claude.jsonl").read_bytes())
    take(catalog, path)
    before = stored_places(catalog, SESSION)
    path.write_bytes((EXAMPLES / "claude-compacted.jsonl").read_bytes())
    done = take(catalog, path)
    assert (done.new, done.rewritten) == (3, True)
    found = stored_places(catalog, SESSION)
    assert found[: len(before)] == before
    assert [place.message.content for place in found[len(before) :]] == [
        "Conversation compacted",
        "This session is being continued from a previous conversation that ran out of context. The dates are parsed.",
        "Go on with the time zones.",
    ]
    assert take(catalog, path).new == 0
    with path.open("ab") as stream:
        stream.write((EXAMPLES / "claude.jsonl").read_bytes())  # and the same messages once more
    assert take(catalog, path).new == 0


def test_the_same_session_in_another_file_is_the_same_session(catalog: Catalog, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        path = tmp_path / name
        path.write_bytes((EXAMPLES / "codex.jsonl").read_bytes())
        assert take(catalog, path).new == (12 if name == "a.jsonl" else 0)
    assert len(stored_places(catalog, "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5")) == 12


IMPORTER = """
import os, sys
from pathlib import Path
from devs_git.storage.catalog import transcripts
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.transcripts import ReadContext; from devs_git.storage.catalog.transcripts import Source
folder, name = Path(sys.argv[1]), sys.argv[2]
sys.stdin.read()
for path in (folder / "shared.jsonl", folder / f"{name}.jsonl"):
    with Catalog.open(folder) as catalog:
        transcripts.take_in(catalog, Source(path), ReadContext("2026-03-01", "2026-03-01", lambda: os.urandom(8).hex()))
"""


def test_eight_importers_of_one_transcript_and_of_their_own_at_once_lose_and_double_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "shared.jsonl").write_bytes(conversation("shared", 300))
    children = []
    for number in range(8):
        (tmp_path / f"w{number}.jsonl").write_bytes(conversation(f"w{number}", 40))
        command = [sys.executable, "-c", IMPORTER, str(tmp_path), f"w{number}"]
        children.append(subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE))
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    assert [child.communicate()[1].decode() for child in children] == [""] * 8
    with Catalog.open(tmp_path) as catalog:
        counts = {
            name: len(stored_places(catalog, name)) for name in ("shared", *(f"w{n}" for n in range(8)))
        }
        assert counts == {"shared": 300} | {f"w{n}": 40 for n in range(8)}
        assert [place.position for place in stored_places(catalog, "shared")] == list(range(1, 301))
        assert catalog.trouble() == ""


def test_an_importer_that_is_killed_leaves_whole_batches_and_the_next_one_reads_the_rest(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(conversation("s", 2300))
    killed = IMPORTER.replace("hex())", "hex(), on_read=lambda *_: os.kill(os.getpid(), 9))")
    command = [sys.executable, "-c", killed, str(tmp_path), "s"]
    (tmp_path / "shared.jsonl").write_bytes(conversation("s", 2300))
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    with Catalog.open(tmp_path) as catalog:
        assert len(stored_places(catalog, "s")) == 2000
        assert take(catalog, tmp_path / "shared.jsonl").new == 300
        assert [place.position for place in stored_places(catalog, "s")] == list(range(1, 2301))


def test_messages_are_found_by_what_they_say_call_and_answer(catalog: Catalog) -> None:
    take(catalog, EXAMPLES / "claude.jsonl", task_id="task-10", agent="developer")
    take(catalog, EXAMPLES / "codex.jsonl", task_id="task-11")

    def found(text: str) -> list[tuple[str, int]]:
        hits = message_search.search(catalog, parse(text, datetime.now(UTC), str), Page()).hits
        return sorted((hit.place.session_id[:4], hit.place.position) for hit in hits)

    assert found('"parse them as ISO 8601"') == [("4d56", 1)]
    assert found("ValueError error:yes") == [("4d56", 6)]
    assert found("pytest -ValueError") == [("4d56", 4)]
    assert found("files task:task-11") == [("019a", 3), ("019a", 10)]
    assert found("tool:apply_patch") == [("019a", 7)]
    assert found("session:nobody") == []
    hit = message_search.search(catalog, parse("unconverted", datetime.now(UTC), str), Page()).hits[0]
    assert hit.snippet.text[slice(*hit.snippet.highlights[0])] == "unconverted"


def test_a_message_of_anything_that_json_can_hold_is_kept_and_read_back(
    catalog: Catalog, tmp_path: Path
) -> None:
    content = "NUL \0, lone \ud800, \u202e and \x1b[31m"
    line = {"type": "user", "uuid": "u", "sessionId": "s\n1", "message": {"content": content}}
    call = {"type": "tool_use", "id": "c", "name": "T\ud800", "input": {"\ud800": float("inf")}}
    answer = {"type": "assistant", "uuid": "v", "sessionId": "s", "message": {"content": [call]}}
    (tmp_path / "x.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(answer)}\n")
    assert take(catalog, tmp_path / "x.jsonl").session.session_id == "s 1"
    first, second = stored_places(catalog, "s 1")
    assert first.message.content == content.replace("\ud800", "?")
    assert second.message.tool_calls is not None
    assert second.message.tool_calls[0].input == {"\ud800": None}  # our own JSON has no Infinity


def test_what_is_no_transcript_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello\n")
    for path in (tmp_path / "x", tmp_path / "none", tmp_path):
        with pytest.raises(DevsError) as caught:
            take(catalog, path)
        assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", "file")
        assert str(tmp_path) not in caught.value.message


def test_a_catalog_of_before_conversations_gets_them(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(database, "STEPS", migrations.STEPS[:1])
        before.setattr(fulltext, "INDEXES", (fulltext.TRACES,))
        with Catalog.open(tmp_path) as catalog, fulltext.write_transaction(catalog):
            old_catalog.put(catalog, Trace("t", NOW, b"printed before"))
            catalog.set("DEVS_FTS", engine)
    with Catalog.open(tmp_path) as catalog:
        take(catalog, EXAMPLES / "claude.jsonl")
        query = parse("dates", datetime.now(UTC), str)
        assert message_search.search(catalog, query, Page()).hits
        assert traces.output(catalog, "t") == b"printed before"
