"""`conversation rewind`: messages are taken back, the session goes on in one that is cut there, and undo covers it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    contract_start,
    conversation_snapshot,
    history,
    log,
    task_complete,
    task_start,
    undo,
)
from devs_git.commands import rewind as rewind_verb
from devs_git.entrypoints.cli.texts.move_text import undo_text
from devs_git.errors import DevsError
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.talk_scene import (
    SAID,
    call,
    found,
    four,
    go_back,
    line,
    marks,
    shown,
    take,
    two_tasks,
    write,
)

pytestmark = pytest.mark.quick


@pytest.fixture
def top(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return initialised


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


@pytest.mark.parametrize(
    "asked",
    [{"by_messages": 2}, {"to_message": "m1"}, {"to": "2026-01-01T00:01:30Z"}],
    ids=["count", "message", "time"],
)
def test_the_messages_after_the_point_are_marked_and_the_session_goes_on_in_one_that_is_cut_there(
    top: Path, transcript: Path, asked: dict[str, Any]
) -> None:
    four(transcript)
    take(top, transcript)
    before = transcript.read_bytes()
    done = go_back(top, **asked)
    assert (done.session_id, done.message_id, done.kept_messages, done.messages_rewound) == ("s1", "m1", 2, 2)
    assert shown(top) == [("one", False), ("two", False), ("three", True), ("four", True)]
    assert (found(top, "two"), found(top, "three")) == (["m1"], [])
    assert done.session is not None
    lines = [json.loads(one) for one in Path(done.session.file).read_text().splitlines()]
    assert [one["message"]["content"] for one in lines if "message" in one] == ["one", "two"]
    assert done.start_command == ("claude", "--resume", done.session.session_id)
    assert transcript.read_bytes() == before


def test_a_session_of_another_worktree_is_rewound_only_by_its_name_and_stays_there(
    top: Path, transcript: Path, tmp_path: Path
) -> None:
    four(transcript)
    take(top, transcript)
    git("worktree", "add", "-q", str(tmp_path / "other"), where=top)
    with pytest.raises(DevsError) as refused:
        go_back(tmp_path / "other", by_messages=1)
    assert refused.value.code == "MESSAGE_NOT_FOUND"
    assert marks(top) == [False] * 4
    assert go_back(tmp_path / "other", by_messages=1, session="s1").messages_rewound == 1
    call(tmp_path / "other", "conversation snapshot", conversation_snapshot.Request(session="s1"))
    with Catalog.look(Workspace.open(top).places.shared) as catalog:
        known = messages.session(catalog, "s1")
    assert known
    assert known.worktree == "."


def test_undo_brings_the_messages_back_and_a_second_undo_takes_them_back_again(
    top: Path, transcript: Path
) -> None:
    four(transcript)
    take(top, transcript)
    done = go_back(top, by_messages=1)
    (top / "f1.txt").write_text("an edit that no undo touches")
    planned = call(top, "undo", undo.Request(dry_run=True))
    assert (planned.undone_operation, planned.sessions_revived) == (done.rewind_id, ("s1",))
    assert marks(top) == [False, False, False, True]
    undone = call(top, "undo", undo.Request())
    assert (undone.undone_verb, undone.sessions_revived, undone.files) == ("conversation rewind", ("s1",), 0)
    assert "branch and files stay as they are" in undo_text(undone)
    assert marks(top) == [False] * 4
    assert found(top, "four") == ["m3"]
    redone = call(top, "undo", undo.Request())
    assert (redone.undone_operation, redone.sessions_rewound) == (undone.undo_id, ("s1",))
    assert marks(top) == [False, False, False, True]
    assert (top / "f1.txt").read_text() == "an edit that no undo touches"


def test_a_cut_inside_a_call_goes_back_to_before_it(top: Path, transcript: Path) -> None:
    asked = [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}]
    answer = [{"type": "tool_result", "tool_use_id": "c", "content": "a.py"}]
    write(
        transcript,
        line("m0", "Look."),
        line("m1", asked, "assistant", "m0"),
        line("m2", answer, parent="m1"),
        line("m3", "Go on.", parent="m2"),
    )
    take(top, transcript)
    done = go_back(top, to_message="m1")
    assert (done.message_id, done.messages_rewound) == ("m0", 3)
    assert marks(top) == [False, True, True, True]


def test_what_the_client_wrote_since_is_read_and_taken_back_too(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    write(transcript, line("m4", "five", parent="m3", minute=9))
    assert go_back(top, to_message="m0").messages_rewound == 4


def test_messages_are_counted_from_those_that_were_not_taken_back(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    go_back(top, by_messages=1)
    done = go_back(top, by_messages=1, session="s1")
    assert (done.message_id, done.messages_rewound) == ("m1", 1)
    call(top, "undo", undo.Request())
    assert marks(top) == [False, False, False, True]


def test_a_message_that_another_session_has_stays_there(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    fork = transcript.with_name("s2.jsonl")
    fork.write_bytes(transcript.read_bytes().replace(b'"s1"', b'"s2"'))
    take(top, fork)
    go_back(top, by_messages=3, session="s1")
    assert marks(top) == [False, True, True, True]
    assert shown(top, "s2") == [(word, False) for word in SAID]
    assert found(top, "four") == ["m3"]
    go_back(top, by_messages=1, session="s2")
    assert found(top, "four") == []
    assert found(top, "three") == ["m2"]


def test_a_session_that_is_read_anew_has_its_marks(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    go_back(top, by_messages=2)
    for name in ("catalog.db", "catalog.db-wal", "catalog.db-shm"):
        (top / ".git" / "devs" / name).unlink(missing_ok=True)
    take(top, transcript)
    assert marks(top) == [False, False, True, True]


def test_a_dry_run_writes_nothing(top: Path, transcript: Path, tmp_path: Path) -> None:
    four(transcript)
    take(top, transcript)
    tip = Workspace.open(top).ledger.tip().oid
    planned = go_back(top, by_messages=2, dry_run=True)
    assert (planned.rewind_id, planned.session, planned.messages_rewound) == ("", None, 2)
    assert planned.sqlite_tables_affected == ("messages",)
    assert Workspace.open(top).ledger.tip().oid == tip
    assert not (tmp_path / "claude").exists()
    assert marks(top) == [False] * 4


def test_history_and_log_show_it_as_a_rewind(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    done = go_back(top, by_messages=2)
    row = call(top, "history", history.Request(types=("rewind",))).events[0]
    assert (row.event_type, row.event_subtype, row.event_data["op_id"]) == (
        "rewind",
        "rewound",
        done.rewind_id,
    )
    assert done.session is not None
    assert row.event_data["target"] == f"claude {done.session.session_id}"
    assert row.event_data["messages_undone"] == "s1 m1 m3"
    assert [one.type for one in call(top, "log", log.Request()).operations] == ["conversation.rewound"]


def test_an_undo_of_an_earlier_rewind_brings_the_messages_back_too(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    two_tasks(top)
    moved = call(top, "rewind", rewind_verb.Request("task-1"))
    go_back(top, by_messages=1)
    undone = call(top, "undo", undo.Request(moved.rewind_id))
    assert (undone.undone_verb, undone.sessions_revived, undone.revived) == ("rewind", ("s1",), ("task-2@1",))
    assert (top / "work").read_text() == "2"
    assert marks(top) == [False] * 4
    redone = call(top, "undo", undo.Request())
    assert redone.sessions_rewound == ("s1",)
    assert (top / "work").read_text() == "1"
    assert marks(top) == [False, False, False, True]


def test_the_session_that_steers_a_contract_is_found_by_the_contracts_name(
    top: Path, transcript: Path
) -> None:
    four(transcript)
    take(top, transcript)
    call(top, "contract start", contract_start.Request("a/b", "s1"))
    assert go_back(top, by_messages=1, contract="a/b").session_id == "s1"


def test_a_rewound_task_stays_marked_when_the_messages_come_back(top: Path, transcript: Path) -> None:
    for number, at in (("1", 0), ("2", 1)):
        call(top, "task start", task_start.Request(number))
        write(transcript, line(f"m{at}", SAID[at], parent="m0" if at else "", minute=at))
        take(top, transcript)
        (top / "work").write_text(number)
        call(top, "task complete", task_complete.Request(everything=True))
    call(top, "rewind", rewind_verb.Request("task-1"))
    assert marks(top) == [False, True]
    go_back(top, by_messages=1)
    call(top, "undo", undo.Request())
    assert marks(top) == [False, True]


def test_an_undo_on_one_branch_leaves_what_was_taken_back_on_another(top: Path, transcript: Path) -> None:
    four(transcript)
    take(top, transcript)
    two_tasks(top)
    call(top, "rewind", rewind_verb.Request("task-1"))
    subprocess.run(["git", "switch", "-qc", "side"], cwd=top, check=True)
    go_back(top, by_messages=1)
    subprocess.run(["git", "switch", "-q", "main"], cwd=top, check=True)
    undone = call(top, "undo", undo.Request())
    assert (undone.undone_verb, undone.sessions_revived) == ("rewind", ())
    assert marks(top) == [False, False, False, True]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "to_message"),
        ({"by_messages": 1, "to_message": "m1"}, "to_message"),
        ({"by_messages": 0}, "by_messages"),
        ({"by_messages": 4}, "by_messages"),
        ({"to_message": "m3"}, "to_message"),
        ({"to": "2025-01-01"}, "to"),
        ({"to": "some day"}, "to"),
        ({"by_messages": 1, "session": "s1", "contract": "c"}, "session"),
    ],
)
def test_what_is_no_point_is_refused(top: Path, transcript: Path, asked: dict[str, Any], field: str) -> None:
    four(transcript)
    take(top, transcript)
    with pytest.raises(DevsError) as caught:
        go_back(top, **asked)
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", field)
    assert marks(top) == [False] * 4


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"to_message": "none"}, "MESSAGE_NOT_FOUND"),
        ({"by_messages": 1, "session": "none"}, "MESSAGE_NOT_FOUND"),
        ({"by_messages": 1, "contract": "none"}, "CONTRACT_NOT_FOUND"),
    ],
)
def test_what_is_not_there_is_said(top: Path, transcript: Path, asked: dict[str, Any], code: str) -> None:
    four(transcript)
    take(top, transcript)
    with pytest.raises(DevsError) as caught:
        go_back(top, **asked)
    assert caught.value.code == code
