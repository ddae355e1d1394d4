"""What the git hook reads of a conversation before it records a checkpoint: what is new, if that is little."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import Draft
from devs_git.operations.recall import worktree_note
from devs_git.operations.recall.ingest_in_hook import LITTLE, read_new_messages
from devs_git.operations.recall.worktree_note import Note
from devs_git.storage.catalog import conversation_snapshots
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.cut_outputs import Session


def line(number: int, content: str = "Go on.", session: str = "s1") -> bytes:
    known = {
        "uuid": f"{session}-{number}",
        "sessionId": session,
        "timestamp": f"2026-01-01T00:00:{number:02d}.000Z",
    }
    return json.dumps({"type": "user", **known, "message": {"content": content}}).encode() + b"\n"


@pytest.fixture
def working(ledgered: Workspace) -> Workspace:
    """A workspace with an active task."""
    active_task.write(ledgered.places, "Devs-Task: task-10\nDevs-Agent: developer\n")
    return Workspace.open(ledgered.top)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(line(1))
    return path


def leave(workspace: Workspace, transcript: Path, task: str = "task-10") -> None:
    """What the hook of an agent leaves."""
    payload = {"session_id": "s1", "transcript_path": os.fspath(transcript), "cwd": os.fspath(workspace.top)}
    folder = workspace.places.spool
    folder.mkdir(parents=True, exist_ok=True)
    text = f"claude Stop\nHEAD {'1' * 40}\nDevs-Task: {task}\n\n{json.dumps(payload)}"
    (folder / f"{os.urandom(4).hex()}.claude.Stop").write_text(text)


def noted(workspace: Workspace) -> tuple[str, int] | None:
    found = worktree_note.read(workspace.places, "task-10")
    return (found.prefix.rpartition(" ")[0], found.read) if found else None


@pytest.mark.quick
def test_the_transcript_that_a_hook_told_of_is_read_and_later_read_on(
    working: Workspace, transcript: Path
) -> None:
    read_new_messages(working, "task-10")
    assert not (working.places.shared / "catalog.db").exists()
    leave(working, transcript)
    read_new_messages(working, "task-10")
    assert noted(working) == ("s1 1", len(line(1)))
    next(working.places.spool.iterdir()).unlink()
    transcript.write_bytes(line(1) + line(2))
    read_new_messages(working, "task-10")
    assert noted(working) == ("s1 2", 2 * len(line(1)))


@pytest.mark.parametrize(("size", "taken"), [(LITTLE, True), (LITTLE + 1, False)])
def test_a_long_output_in_a_file_of_the_client_waits_for_a_command_that_has_time(
    size: int, taken: bool, working: Workspace, tmp_path: Path
) -> None:
    session = Session(tmp_path, "s1")
    told = session.told(session.keep(b"x" * size), size=size)["tool_response"]
    call = {"type": "tool_use", "id": "u1", "name": "Bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "u1", "content": "<persisted-output>\n" + "x" * 600}
    known = {"sessionId": "s1", "timestamp": "2026-01-01T00:00:01.000Z"}
    lines = (
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}, **known},
        {"type": "user", "uuid": "b", "message": {"content": [result]}, "toolUseResult": told, **known},
    )
    session.transcript.write_text("".join(json.dumps(one) + "\n" for one in lines))
    leave(working, session.transcript)
    read_new_messages(working, "task-10")
    with Catalog.open(working.places.shared) as catalog:
        rows = catalog.rows("SELECT size, cut_by_client, full_bytes FROM traces")
    assert rows == [(size, 0, None) if taken else (30000, 1, size)]


def test_what_another_task_s_session_said_is_not_read(working: Workspace, transcript: Path) -> None:
    leave(working, transcript, task="task-11")
    read_new_messages(working, "task-10")
    assert noted(working) is None


def test_much_to_read_a_locked_or_a_broken_catalog_leave_the_note_as_it_is(
    working: Workspace, transcript: Path
) -> None:
    leave(working, transcript)
    read_new_messages(working, "task-10")
    before = noted(working)
    transcript.write_bytes(line(1) + line(2, "x" * LITTLE))
    read_new_messages(working, "task-10")
    assert noted(working) == before
    transcript.write_bytes(line(1) + line(2))
    path = working.places.shared / "catalog.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    read_new_messages(working, "task-10")
    other.close()
    assert noted(working) == before
    for companion in path.parent.glob("catalog.db-*"):
        companion.unlink()
    path.write_bytes(b"broken" * 1000)
    read_new_messages(working, "task-10")
    assert noted(working) == before


def test_the_policy_is_heeded(working: Workspace, transcript: Path) -> None:
    event = working.event("policy.set", "policy: another", verb_name="init")
    data = b"recording: {conversations: true, snapshot_every: 1}\n"
    working.append(lambda _tip: Draft(event, (("policy.yaml", data),)))
    leave(working, transcript)
    read_new_messages(working, "task-10")
    with Catalog.open(working.places.shared) as catalog:
        assert [one.message_count for one in conversation_snapshots.list_newest(catalog, "", 9)] == [1]
    silent = data.replace(b"true", b"false")
    working.append(lambda _tip: Draft(event, (("policy.yaml", silent),)))
    transcript.write_bytes(line(1) + line(2))
    read_new_messages(working, "task-10")
    assert noted(working) == ("s1 1", len(line(1)))


def test_a_note_that_says_nothing_sensible_is_none(working: Workspace, tmp_path: Path) -> None:
    path = working.places.own / "conversation"
    for text in (b"\xff\0", b"task-10\n", b"task-10\t\ts1 1 abc\tmany\t/x\n", b"task-10\t\ts1\t3\t/x\n"):
        path.write_bytes(text)
        assert worktree_note.read(working.places, "task-10") is None
    worktree_note.write(working.places, "task-10", Note("2026", "s1 3 abc", 7, str(tmp_path / "gone")))
    worktree_note.write(working.places, "task-10", Note("2025", "s0 9 def", 7, str(tmp_path / "older")))
    worktree_note.write(working.places, "", Note("2027", "s0 9 def", 7, str(tmp_path / "none")))
    found = worktree_note.read(working.places, "task-10")
    assert found == Note("2026", "s1 3 abc", 7, str(tmp_path / "gone"))
    assert found.is_all
    for number in range(9):
        worktree_note.write(working.places, f"task-{number}", Note("2026", "s 1 a", 1, str(tmp_path)))
    assert worktree_note.read(working.places, "task-10") is None
    assert worktree_note.read(working.places, "task-8") is not None


def test_the_glance_needs_no_yaml(working: Workspace, transcript: Path) -> None:
    leave(working, transcript)
    code = (
        "import sys\nfrom devs_git.workspace import Workspace\n"
        "from devs_git.operations.recall.ingest_in_hook import read_new_messages\n"
        "read_new_messages(Workspace.open(), 'task-10')\nassert 'sqlite3' in sys.modules\nassert 'ruamel' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=working.top, check=True)
    assert noted(working) == ("s1 1", len(line(1)))
