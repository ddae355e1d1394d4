"""Sessions of Claude Code that we write from the catalog: their files, and what is refused."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.sessions import claude_session
from devs_git.errors import DevsError
from devs_git.operations.recall import ingest
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target, WrittenSession
from devs_git.storage.catalog import fulltext, messages, purge_rows
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import entries, written_files
from devs_git.storage.catalog.transcripts import Source
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.conversation_scene import EXAMPLES, SESSION

pytestmark = pytest.mark.quick

SECRET = "quartz"


@pytest.fixture
def workspace(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return Workspace.open(initialised)


@pytest.fixture
def catalog(workspace: Workspace) -> Iterator[Catalog]:
    with open_catalog(workspace) as catalog:
        yield catalog


def take(workspace: Workspace, catalog: Catalog, path: Path) -> None:
    ingest.ingest_transcript(
        workspace, catalog, Source(path, "claude"), ingest.current_attribution(workspace)
    )


def write(workspace: Workspace, catalog: Catalog, last: str = "", installed: str = "") -> WrittenSession:
    target = Target(Path("/work/my repo"), "devs task-10@2", "main", installed)
    return write_session.write(workspace, catalog, Point(SESSION, last), target)


def test_the_file_is_private_and_in_the_folder_of_the_worktree(
    workspace: Workspace, catalog: Catalog, tmp_path: Path
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    written = write(workspace, catalog, installed="2.1.330")
    folder = tmp_path / "claude" / "projects" / "-work-my-repo"
    assert written.file == folder / f"{written.session_id}.jsonl"
    assert [path.stat().st_mode & 0o777 for path in (written.file, folder, folder.parent)] == [
        0o600,
        0o700,
        0o700,
    ]
    lines = [json.loads(line) for line in written.file.read_text().splitlines()]
    assert {line["sessionId"] for line in lines} == {written.session_id}
    assert lines[-1]["customTitle"] == "devs task-10@2"
    assert len(lines) == written.messages + 1
    assert written.tokens > 0


def test_no_file_is_written_over(
    workspace: Workspace, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    monkeypatch.setattr(Workspace, "new_trace_id", lambda _self: "same")
    written = write(workspace, catalog, installed="2.1.330")
    before = written.file.read_bytes()
    with pytest.raises(DevsError, match="File exists"):
        write(workspace, catalog, installed="2.1.330")
    assert written.file.read_bytes() == before


def test_messages_of_an_older_devs_git_get_their_places_from_the_transcript(
    workspace: Workspace, catalog: Catalog
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    expected = entries.read(catalog, SESSION)
    with fulltext.write_transaction(catalog) as base:
        base.execute("UPDATE messages SET native = NULL")
    write(workspace, catalog, installed="2.1.330")
    assert entries.read(catalog, SESSION) == expected


def grown(tmp_path: Path, **more: Any) -> Path:
    """The recorded transcript with one line more, and with these keys in it."""
    line = {"type": "user", "uuid": "new", "sessionId": SESSION, "message": {"content": "more"}, **more}
    path = tmp_path / "grown.jsonl"
    path.write_bytes((EXAMPLES / "claude.jsonl").read_bytes() + json.dumps(line).encode() + b"\n")
    return path


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"novel": True}, "key novel"),
        ({"modelOnlyText": "another text"}, "key modelOnlyText"),
        ({"message": {"content": [{"type": "novel"}]}}, "part novel"),
        ({"type": "novel", "parentUuid": "p"}, "line novel"),
    ],
)
def test_a_version_that_was_not_tried_is_not_written_for_if_its_model_may_have_been_told_something_else(
    more: dict[str, Any], name: str, workspace: Workspace, catalog: Catalog, tmp_path: Path
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    assert write(workspace, catalog, installed="9.9.9").messages
    take(workspace, catalog, grown(tmp_path, **more))
    with pytest.raises(DevsError) as caught:
        write(workspace, catalog, installed="9.9.9")
    assert (caught.value.code, caught.value.details["unknown"]) == ("CONFLICT", [name])
    for tried in ("2.1.330", "2.1.332"):
        assert write(workspace, catalog, installed=tried).messages


def test_new_keys_that_say_something_about_a_message_do_not_end_the_writing_for_newer_versions(
    workspace: Workspace, catalog: Catalog, tmp_path: Path
) -> None:
    take(workspace, catalog, grown(tmp_path, novel=1, rowSource="local", kept={"a": True}, isNovel=False))
    with (tmp_path / "grown.jsonl").open("a") as file:
        file.write(json.dumps({"type": "novel-note", "sessionId": SESSION}) + "\n")
    take(workspace, catalog, tmp_path / "grown.jsonl")
    assert write(workspace, catalog, installed="9.9.9").messages


def test_what_an_older_devs_git_did_not_know_of_a_transcript_is_looked_at_again(
    workspace: Workspace, catalog: Catalog, tmp_path: Path
) -> None:
    path = grown(tmp_path, rowSource="local")
    take(workspace, catalog, path)
    ((memory,),) = catalog.rows("SELECT memory FROM transcripts")
    older = json.dumps({**json.loads(memory), "unknown": ["key rowSource"]})
    with fulltext.write_transaction(catalog) as base:
        base.execute("UPDATE transcripts SET memory = ?", (older,))
    assert entries.unknown_forms(catalog, SESSION) == ["key rowSource"]
    assert write(workspace, catalog, installed="9.9.9").messages
    assert entries.unknown_forms(catalog, SESSION) == []


def test_a_message_or_a_session_that_is_not_there_is_refused(workspace: Workspace, catalog: Catalog) -> None:
    with pytest.raises(DevsError) as caught:
        write(workspace, catalog)
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", "session")
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    with pytest.raises(DevsError) as caught:
        write(workspace, catalog, "no such message", installed="2.1.330")
    assert caught.value.code == "MESSAGE_NOT_FOUND"


def test_a_secret_in_thoughts_is_purged_and_does_not_come_back(
    workspace: Workspace, catalog: Catalog, tmp_path: Path
) -> None:
    parts = [
        {"type": "thinking", "thinking": f"the word is {SECRET}", "signature": "c2ln"},
        {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": f"echo {SECRET}"}},
    ]
    made = [
        {"type": "user", "uuid": "p", "message": {"content": "Say it."}},
        {"type": "assistant", "uuid": "a", "parentUuid": "p", "message": {"id": "m", "content": parts}},
        {
            "type": "user",
            "uuid": "r",
            "parentUuid": "a",
            "message": {"content": [{"type": "tool_result", "tool_use_id": "c", "content": "done"}]},
        },
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"sessionId": SESSION, **line}) + "\n" for line in made))
    take(workspace, catalog, path)
    forms = (SECRET.encode(),)
    with fulltext.write_transaction(catalog):
        purge_rows.take_out(catalog, purge_rows.look(catalog, forms, workspace.progress), forms)
    entries.complete(catalog, Source(path, "claude", SESSION))
    assert not purge_rows.look(catalog, forms, workspace.progress).messages
    # The result has no call any more.
    written = write(workspace, catalog, installed="2.1.330")
    assert SECRET not in written.file.read_text()
    assert written.messages == 2


def test_a_session_that_cannot_be_written_whole_is_not_there(
    workspace: Workspace, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    real, written = json.dumps, list[str]()

    def on_a_full_disk(value: Any, **more: Any) -> str:
        if isinstance(value, dict) and "parentUuid" in value:
            written.append(value["uuid"])
            if len(written) > 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(value, **more)

    monkeypatch.setattr(json, "dumps", on_a_full_disk)
    with pytest.raises(DevsError, match="No space left on device") as refused:
        write(workspace, catalog, installed="2.1.330")
    assert refused.value.code == "CONFLICT"
    assert list((tmp_path / "claude").rglob("*.jsonl")) == []
    monkeypatch.setattr(json, "dumps", real)
    assert write(workspace, catalog, installed="2.1.330").file.exists()


def test_the_folder_of_a_worktree_is_the_one_in_which_claude_code_looks() -> None:
    assert claude_session.folder_of("/work/é_a.b") == "-work---a-b"
    assert claude_session.folder_of("/work/😀") == "-work---"
    # What the program's own functions, run by node, make of these paths.
    assert claude_session.folder_of("/" + "d" * 199) == "-" + "d" * 199
    assert claude_session.folder_of("/" + "d" * 300) == "-" + "d" * 199 + "-gkdw0h"
    assert claude_session.folder_of("/é😀" + "x/" * 150) == "----" + "x-" * 98 + "-1f1c7d"


def test_a_session_of_claude_code_is_written_for_codex_without_signed_thoughts(
    workspace: Workspace, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    target = Target(Path("/work/my repo"), "devs task-10@2", "main", "0.169.0")
    written = write_session.write(workspace, catalog, Point(SESSION), target, "codex")
    assert written.file.is_relative_to(tmp_path / "codex" / "sessions")
    assert written.start_command == ("codex", "resume", written.session_id)
    meta, *rest = [json.loads(line) for line in written.file.read_text().splitlines()]
    assert (meta["payload"]["id"], meta["payload"]["cwd"]) == (written.session_id, "/work/my repo")
    assert {line["payload"]["type"] for line in rest} >= {"message", "function_call", "function_call_output"}
    with pytest.raises(DevsError) as caught:
        write_session.write(workspace, catalog, Point(SESSION), target, "gemini")
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", "client")


def test_messages_of_a_client_whose_sessions_we_cannot_write_are_not_taken_back_and_two_other_ways_are_named(
    workspace: Workspace, catalog: Catalog
) -> None:
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    known = messages.session(catalog, SESSION)
    assert known
    with fulltext.write_transaction(catalog):
        messages.save_session(catalog, replace(known, client="gemini"))
    with pytest.raises(DevsError) as caught:
        write_session.kept_part(catalog, Point(SESSION))
    assert caught.value.message.startswith("This is a session of gemini.")
    assert [words in caught.value.hint for words in ("devs-git rewind", "--to claude")] == [True, True]


def test_nothing_is_left_of_a_session_for_a_version_of_codex_that_cannot_be_asked(
    workspace: Workspace, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\necho codex-cli 9.9.9\n")
    (programs / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    take(workspace, catalog, EXAMPLES / "claude.jsonl")
    with pytest.raises(DevsError) as caught:
        write_session.write(workspace, catalog, Point(SESSION), Target(Path("/work")), "codex")
    assert (caught.value.code, "9.9.9" in str(caught.value)) == ("CONFLICT", True)
    assert not list((tmp_path / "codex").rglob("*.jsonl"))
    assert not list(written_files.list_files(catalog))
