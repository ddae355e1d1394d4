"""Sessions go with an export: on another machine they are shown, and written for their client."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_import, conversation_show, trace_export, trace_import
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target
from devs_git.workspace import Workspace
from tests.support.conversation_scene import EXAMPLES, SESSION

pytestmark = pytest.mark.quick

# The detector knows it as a token of GitHub; it is nobody's.
SECRET = "ghp_" + "Zk3vQ9mN2xR7tB5wL8cD1fH4jK6pS0aYeUgV"


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def exported(top: Path, **asked: Any) -> bytes:
    packed = io.BytesIO()
    call(top, "trace export", trace_export.Request(packed.write, **asked))
    return packed.getvalue()


def imported(top: Path, data: bytes) -> Any:
    return call(top, "trace import", trace_import.Request(io.BytesIO(data)))


def forget(top: Path) -> None:
    for path in (top / ".git/devs").glob("catalog.db*"):
        path.unlink()


def written(top: Path, cwd: Path) -> list[Any]:
    """What a model is told of the session that is written for its client."""
    workspace = Workspace.open(top)
    with open_catalog(workspace) as catalog:
        target = Target(cwd, installed="2.1.330")
        file = write_session.write(workspace, catalog, Point(SESSION), target).file
    return [json.loads(line).get("message") for line in file.read_text().splitlines()]


def test_a_session_is_shown_and_written_on_another_machine_as_on_the_first(
    initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    call(
        initialised, "conversation import", conversation_import.Request(EXAMPLES / "claude.jsonl", task="10")
    )
    before = call(initialised, "conversation show", conversation_show.Request(session=SESSION))
    told = written(initialised, tmp_path / "here")
    data = exported(initialised, raw=True)
    assert exported(initialised, raw=True, task="10") == data
    assert b'"session_id":"' + SESSION.encode() not in gzip.decompress(
        exported(initialised, raw=True, task="11")
    )
    forget(initialised)
    done = imported(initialised, data)
    assert (done.sessions, done.messages, done.new_messages) == (
        1,
        len(before.messages),
        len(before.messages),
    )
    after = call(initialised, "conversation show", conversation_show.Request(session=SESSION))
    assert after.messages == before.messages
    assert written(initialised, tmp_path / "there") == told
    again = imported(initialised, data)
    assert (again.messages, again.new_messages) == (len(before.messages), 0)
    assert (
        call(initialised, "conversation show", conversation_show.Request(session=SESSION)).messages
        == before.messages
    )


def test_secrets_in_messages_are_masked_and_stay_masked(initialised: Path, tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": f"I see {SECRET}", "signature": "c2ln"}
    lines = [
        {"type": "user", "uuid": "p", "message": {"role": "user", "content": f"Use {SECRET} now."}},
        {
            "type": "assistant",
            "uuid": "a",
            "parentUuid": "p",
            "message": {
                "id": "m",
                "content": [
                    thought,
                    {
                        "type": "tool_use",
                        "id": "c",
                        "name": "Bash",
                        "input": {"command": f"curl -u {SECRET}"},
                    },
                ],
            },
        },
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"sessionId": SESSION, **line}) + "\n" for line in lines))
    call(initialised, "conversation import", conversation_import.Request(path))
    path.unlink()
    assert SECRET.encode() in gzip.decompress(exported(initialised, raw=True))
    data = exported(initialised)
    assert SECRET.encode() not in gzip.decompress(data)
    assert b"signature" not in gzip.decompress(data)
    forget(initialised)
    assert imported(initialised, data).new_messages == 2
    shown = call(initialised, "conversation show", conversation_show.Request(session=SESSION)).messages
    assert "[masked:" in shown[0].content
    assert "[masked:" in repr(shown[1].tool_calls)
    assert SECRET.encode() not in gzip.decompress(exported(initialised, raw=True))


@pytest.mark.parametrize(
    ("number", "name", "value"),
    [
        (0, "client", "nobody"),
        (0, "session_id", "a\nb"),
        (1, "role", "nobody"),
        (1, "body", "[]"),
        (1, "body", '{"content":1}'),
        (1, "body", '{"tool_calls":[1]}'),
        (1, "native", '{"parent":1}'),
        (1, "native", '{"odd":1}'),
        (1, "native", "[" * 100_000),
    ],
)
def test_a_damaged_line_of_a_session_is_refused_with_its_number(
    initialised: Path, number: int, name: str, value: str
) -> None:
    call(initialised, "conversation import", conversation_import.Request(EXAMPLES / "claude.jsonl"))
    first, *lines = gzip.decompress(exported(initialised, raw=True)).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith(b'{"session_id"')) + number
    lines[at] = json.dumps({**json.loads(lines[at]), name: value}).encode()
    with pytest.raises(DevsError) as caught:
        imported(initialised, gzip.compress(b"\n".join([first, *lines]) + b"\n"))
    assert caught.value.code == "INVALID_ARGUMENTS"
    assert f"Line {at + 2} " in caught.value.message


def test_a_message_before_its_session_is_refused(initialised: Path) -> None:
    call(initialised, "conversation import", conversation_import.Request(EXAMPLES / "claude.jsonl"))
    lines = gzip.decompress(exported(initialised, raw=True)).splitlines()
    kept = [line for line in lines if not line.startswith(b'{"session_id"')]
    with pytest.raises(DevsError) as caught:
        imported(initialised, gzip.compress(b"\n".join(kept) + b"\n"))
    assert caught.value.code == "INVALID_ARGUMENTS"
