"""The conversation commands on a real repository: read, shown, tied to checkpoints, hidden by a rewind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import (
    checkpoint,
    conversation_import,
    conversation_show,
    conversation_snapshot,
    conversation_snapshots,
    log,
    rewind,
    show,
    task_complete,
    task_start,
    trace_search,
    undo,
)
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import fulltext
from devs_git.workspace import Workspace

EXAMPLES = Path(__file__).parent.parent / "examples" / "transcripts"
SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def line(number: int, content: str, session: str = "s1", time: str = "") -> bytes:
    stamp = time or f"2026-01-01T00:00:{number:02d}.000Z"
    message = {"role": "user", "content": content}
    known = {"type": "user", "uuid": f"{session}-{number}", "sessionId": session, "timestamp": stamp}
    return json.dumps({**known, "message": message}).encode() + b"\n"


def take(top: Path, path: Path, **known: str) -> conversation_import.Result:
    result: conversation_import.Result = call(
        top, "conversation import", conversation_import.Request(path, **known)
    )
    return result


def contents(top: Path, **asked: Any) -> list[str | None]:
    found = call(top, "conversation show", conversation_show.Request(**asked))
    return [message.content for message in found.messages]


def taken(top: Path, **asked: Any) -> tuple[Any, ...]:
    found: conversation_snapshots.Result = call(
        top, "conversation snapshots", conversation_snapshots.Request(**asked)
    )
    return found.snapshots


def start(top: Path, task: str) -> None:
    call(top, "task start", task_start.Request(task))


def work(top: Path, name: str) -> None:
    (top / name).write_text(name)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def add(transcript: Path, *lines: bytes) -> None:
    with transcript.open("ab") as stream:
        stream.writelines(lines)


@pytest.mark.quick
def test_each_checkpoint_names_the_conversation_until_then(initialised: Path, transcript: Path) -> None:
    start(initialised, "10")
    add(transcript, line(1, "Begin."))
    take(initialised, transcript)
    work(initialised, "a")
    first = call(initialised, "checkpoint", checkpoint.Request(everything=True))
    add(transcript, line(2, "Go on."), line(3, "And end."))  # nobody reads it before the next checkpoint does
    work(initialised, "b")
    call(initialised, "task complete", task_complete.Request(everything=True))
    assert contents(initialised, at="task-10@1") == ["Begin."]
    assert contents(initialised, at="task-10") == ["Begin.", "Go on.", "And end."]
    found = taken(initialised, task="10")
    assert [(one.checkpoint, one.snapshot_type, one.message_count) for one in found] == [
        ("task-10@2", "checkpoint", 3),
        ("task-10@1", "checkpoint", 1),
    ]
    whole = call(initialised, "show", show.Request("task-10@1"))
    trailer = next(one.value for one in whole.trailers if one.key == "Devs-Conversation")
    assert trailer == f"s1 1 {found[1].digest}"
    assert next(one.value for one in whole.trailers if one.key == "Devs-Point") == "claude s1-1"
    assert (found[1].point.entry, found[1].point.message_count) == ("s1-1", 1)
    assert whole.conversation_snapshot_id == found[1].snapshot_id
    listed = call(initialised, "log", log.Request())
    ids = [row.conversation_snapshot_id for row in listed.checkpoints]
    assert ids == [one.snapshot_id for one in found]
    assert first.tag == whole.tag
    assert contents(initialised, snapshot=found[1].snapshot_id) == ["Begin."]
    assert contents(initialised, message="s1-2") == ["Begin.", "Go on."]


def test_a_broken_catalog_or_a_transcript_that_is_gone_never_stops_a_checkpoint(
    initialised: Path, transcript: Path
) -> None:
    start(initialised, "10")
    add(transcript, line(1, "Begin."))
    take(initialised, transcript)
    transcript.unlink()
    work(initialised, "a")
    call(initialised, "checkpoint", checkpoint.Request(everything=True))
    assert contents(initialised, at="task-10@1") == ["Begin."]
    (initialised / ".git" / "devs" / "catalog.db").write_bytes(b"broken" * 1000)
    work(initialised, "b")
    done = call(initialised, "task complete", task_complete.Request(everything=True))
    assert done.number == 2
    (initialised / ".git" / "devs" / "conversation").write_bytes(b"\xff\0 what\ntask-11 is this\n")
    start(initialised, "11")
    work(initialised, "c")
    assert call(initialised, "checkpoint", checkpoint.Request(everything=True)).number == 1


def test_a_rewind_marks_the_messages_of_rewound_tasks_and_search_hides_them(
    initialised: Path, transcript: Path
) -> None:
    def found(**more: Any) -> list[str]:
        request = trace_search.Request("remember", within="messages", **more)
        return sorted(hit.message_id for hit in call(initialised, "trace search", request).hits)

    for number, task in enumerate(("10", "11")):
        start(initialised, task)
        add(transcript, line(number, f"remember {task}"))
        take(initialised, transcript)
        work(initialised, task)
        call(initialised, "task complete", task_complete.Request(everything=True))
    assert found() == ["s1-0", "s1-1"]
    planned = call(initialised, "rewind", rewind.Request("task-10", dry_run=True))
    assert planned.sqlite_tables_affected == ("messages",)
    call(initialised, "rewind", rewind.Request("task-10"))
    assert found() == ["s1-0"]
    assert found(rewound=True) == ["s1-0", "s1-1"]
    add(transcript, line(2, "remember this of before, read only now"))
    take(initialised, transcript, task="11")
    assert found() == ["s1-0"]
    marked = call(initialised, "conversation show", conversation_show.Request(task="11")).messages
    assert [message.rewound for message in marked] == [True, True]
    assert [one.checkpoint for one in taken(initialised)] == ["task-11@1", "task-10@1"]
    call(initialised, "undo", undo.Request())
    assert found() == ["s1-0", "s1-1", "s1-2"]


def test_the_snapshot_of_a_checkpoint_that_lives_again_is_back(initialised: Path, transcript: Path) -> None:
    for number, task in enumerate(("10", "11", "12")):
        start(initialised, task)
        if task != "11":  # one has no conversation
            add(transcript, line(number, task))
            take(initialised, transcript, task=task)
        work(initialised, task)
        call(initialised, "task complete", task_complete.Request(everything=True))
    call(initialised, "rewind", rewind.Request("task-10"))
    workspace = Workspace.open(initialised)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog, fulltext.write_transaction(catalog):
        catalog.base.execute("DELETE FROM snapshots WHERE NOT live")
    assert [one.checkpoint for one in taken(initialised)] == ["task-10@1"]
    call(initialised, "undo", undo.Request())
    assert [one.checkpoint for one in taken(initialised)] == ["task-12@1", "task-10@1"]
    assert contents(initialised, at="task-12") == ["10", "12"]


def test_a_snapshot_by_hand_is_read_back_by_its_id(initialised: Path, transcript: Path) -> None:
    add(transcript, line(1, "One."), line(2, "Two."))
    take(initialised, transcript, task="10")
    made = call(initialised, "conversation snapshot", conversation_snapshot.Request())
    assert (made.snapshot_type, made.message_count, made.task_id) == ("manual", 2, "task-10")
    add(transcript, line(3, "Three."))
    again = call(initialised, "conversation snapshot", conversation_snapshot.Request(task="10"))
    assert again.message_count == 3
    assert contents(initialised, snapshot=made.snapshot_id) == ["One.", "Two."]
    assert {one.snapshot_id for one in taken(initialised, task="10")} == {made.snapshot_id, again.snapshot_id}


def test_a_checkpoint_of_another_clone_says_that_its_messages_are_not_here(
    initialised: Path, transcript: Path
) -> None:
    start(initialised, "10")
    add(transcript, line(1, "One."))
    take(initialised, transcript)
    work(initialised, "a")
    call(initialised, "checkpoint", checkpoint.Request(everything=True))
    for file in (initialised / ".git" / "devs").glob("catalog.db*"):
        file.unlink()
    with pytest.raises(DevsError) as caught:
        contents(initialised, at="task-10@1")
    assert caught.value.code == "MESSAGE_NOT_FOUND"
    take(initialised, transcript)
    assert contents(initialised, at="task-10@1") == ["One."]


def test_what_is_not_there_has_its_code(initialised: Path) -> None:
    def code(name: str, request: Any) -> str:
        with pytest.raises(DevsError) as caught:
            call(initialised, name, request)
        return caught.value.code

    assert code("conversation show", conversation_show.Request(snapshot="none")) == "SNAPSHOT_NOT_FOUND"
    assert code("conversation show", conversation_show.Request(message="none")) == "MESSAGE_NOT_FOUND"
    assert code("conversation show", conversation_show.Request(session="none")) == "MESSAGE_NOT_FOUND"
    assert code("conversation show", conversation_show.Request(at="task-9@1")) == "TASK_NOT_FOUND"
    assert code("conversation snapshot", conversation_snapshot.Request()) == "MESSAGE_NOT_FOUND"
    assert contents(initialised) == []
    start(initialised, "10")
    work(initialised, "a")
    call(initialised, "checkpoint", checkpoint.Request(everything=True))
    assert code("conversation show", conversation_show.Request(at="task-10@1")) == "SNAPSHOT_NOT_FOUND"
    with pytest.raises(DevsError):
        conversation_show.Request(at="task-10@1", message="x")
    with pytest.raises(DevsError):
        conversation_import.Request(Path("x"), client="nobody")


def test_the_command_line_shows_a_conversation_in_each_format_safe_for_a_terminal(
    initialised: Path, tmp_path: Path
) -> None:
    nasty = tmp_path / "nasty.jsonl"
    nasty.write_bytes(line(1, "\x1b[31mred \u202e backwards", session="nasty"))

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["conversation", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    del initialised
    assert "Read 1 new message of nasty" in run("import", str(nasty))
    for format_ in ("chat", "table"):
        out = run("show", "--session", "nasty", "--format", format_)
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert "\\x1b[31mred" in out
    said = run("import", str(EXAMPLES / "claude.jsonl"))
    assert said == f"Read 12 new messages of {SESSION}; it has 12.\n"
    chat = run("show", "--session", SESSION)
    assert "→ Bash" in chat
    assert "git devs trace get" in chat
    assert "→" not in run("show", "--session", SESSION, "--no-tool-calls")
    assert "Edit\nThe file" not in run("show", "--session", SESSION, "--no-tool-results")
    assert len(run("show", "--session", SESSION, "--format", "table", "--limit", "3").splitlines()) == 3
    found = json.loads(run("show", "--session", SESSION, "--format", "json"))
    assert found == json.loads(run("show", "--session", SESSION, "--json"))
    assert found["messages"][0] == {
        "id": "00000001-5a00-4000-8000-000000000000",
        "role": "user",
        "content": "Work on the dates: parse them as ISO 8601.",
        "timestamp": "2026-02-12T16:02:25.284Z",
        "session_id": SESSION,
        "position": 1,
        "task_id": "",
        "rewound": False,
    }
    assert "snapshot" not in run("snapshots").partition("No ")[0]


def test_reading_tells_of_garbage_a_half_line_and_a_file_written_anew(
    initialised: Path, transcript: Path
) -> None:
    add(transcript, line(1, "One."), b"garbage\n", b'{"type":"us')
    done = CliRunner().invoke(cli, ["conversation", "import", str(transcript)])
    assert done.output.splitlines() == [
        "Read 1 new message of s1; it has 1.",
        "Left out: 1 line that devs-git cannot read.",
        "The last line is incomplete. The next import reads it.",
    ]
    transcript.write_bytes(line(2, "Two."))
    done = CliRunner().invoke(cli, ["conversation", "import", str(transcript)])
    assert "was rewritten" in done.output
    assert contents(initialised) == ["One.", "Two."]
