"""A client deletes its transcripts after some weeks. The hooks alone keep what no command has read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_show, trace_ingest
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.ledger.events import Draft
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import EXAMPLES, call

EXAMPLE = Path(__file__).parent.parent / "examples" / "transcripts" / "claude.jsonl"
SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"

pytestmark = pytest.mark.quick


@pytest.fixture
def project(initialised: Path) -> Path:
    client_files.install(locate(initialised), initialised, CLAUDE)
    call(initialised, {"session_id": SESSION, "hook_event_name": "UserPromptSubmit", "prompt": "Go on."})
    return initialised


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "claude" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(EXAMPLE.read_bytes())
    return path


def run(name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(), request)


def tell(top: Path, event: str, transcript: Path, **more: Any) -> None:
    """The client's hook at this event, and nothing else of devs-git."""
    known = {"session_id": SESSION, "transcript_path": os.fspath(transcript), "cwd": os.fspath(top)}
    call(top, {**EXAMPLES["claude-stop"]["payload"], **known, "hook_event_name": event, **more})


def messages() -> list[tuple[str, str]]:
    whole = conversation_show.Request(session=SESSION, limit=conversation_show.MOST, system=True)
    return [(message.id, message.content or "") for message in run("conversation show", whole).messages]


def kept(top: Path) -> list[Path]:
    return sorted((top / ".git/devs/transcripts").glob("*"))


def without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program `ln` does what it does between two file systems."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "ln").write_text("#!/bin/sh\necho 'Invalid cross-device link' >&2\nexit 1\n")
    (programs / "ln").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def whole(project: Path, transcript: Path) -> list[tuple[str, str]]:
    """What the catalog has of the session if the client deletes nothing; afterwards this clone has no catalog."""
    tell(project, "Stop", transcript)
    found = messages()
    for path in (project / ".git/devs").glob("catalog.db*"):
        path.unlink()
    assert len(found) > 10
    return found


def test_a_session_that_the_client_deleted_before_any_command_ran_is_whole(
    project: Path, transcript: Path, whole: list[tuple[str, str]]
) -> None:
    lines = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(lines[:4]))
    tell(project, "Stop", transcript)
    # The client goes on, and is killed: it tells no end.
    with transcript.open("ab") as stream:
        stream.writelines(lines[4:])
    before = transcript.stat().st_mtime_ns
    transcript.unlink()
    assert [path.stat().st_mtime_ns for path in kept(project)] == [before]
    assert messages() == whole
    assert kept(project) == []
    assert messages() == whole


def test_a_session_that_was_read_in_part_is_read_to_its_end_after_the_client_deleted_it(
    project: Path, transcript: Path, whole: list[tuple[str, str]]
) -> None:
    lines = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(lines[:4]))
    tell(project, "Stop", transcript)
    assert 0 < len(messages()) < len(whole)
    assert kept(project) == []
    with transcript.open("ab") as stream:
        stream.writelines(lines[4:])
    tell(project, "Stop", transcript)
    transcript.unlink()
    assert messages() == whole


def test_a_transcript_that_the_client_wrote_anew_is_kept_as_it_was_at_the_last_turn(
    project: Path, transcript: Path, whole: list[tuple[str, str]]
) -> None:
    tell(project, "Stop", transcript)
    other = transcript.with_name("other")
    other.write_bytes(EXAMPLE.read_bytes())
    other.replace(transcript)
    tell(project, "SessionEnd", transcript)
    assert [path.samefile(transcript) for path in kept(project)] == [True]
    transcript.unlink()
    assert messages() == whole


def test_on_another_file_system_the_end_of_the_session_makes_a_copy(
    project: Path,
    transcript: Path,
    whole: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_links(tmp_path, monkeypatch)
    tell(project, "Stop", transcript)
    assert kept(project) == []
    tell(project, "SessionEnd", transcript)
    assert [path.read_bytes() for path in kept(project)] == [transcript.read_bytes()]
    transcript.unlink()
    assert messages() == whole
    assert kept(project) == []


def test_the_transcript_of_a_subagent_is_kept_too(project: Path, transcript: Path) -> None:
    subagents = transcript.with_suffix("") / "subagents"
    subagents.mkdir(parents=True)
    of_subagent = subagents / "agent-a1.jsonl"
    lines = [json.loads(line) | {"agentId": "a1"} for line in EXAMPLE.read_bytes().splitlines()]
    of_subagent.write_text("".join(json.dumps(line) + "\n" for line in lines))
    more = {"agent_id": "a1", "agent_transcript_path": os.fspath(of_subagent)}
    tell(project, "SubagentStop", transcript, **more)
    assert [path.name for path in kept(project)] == [transcript.name, of_subagent.name]
    for path in (of_subagent, transcript):
        path.unlink()
    with open_catalog(Workspace.open()) as catalog:
        found = catalog.rows("SELECT session_id FROM sessions WHERE message_count > 0 ORDER BY session_id")
    assert [row[0] for row in found] == [SESSION, f"{SESSION}/a1"]
    assert kept(project) == []


def test_if_the_policy_wants_no_conversations_the_next_command_takes_the_second_name_away(
    project: Path, transcript: Path
) -> None:
    workspace = Workspace.open()
    policy = workspace.ledger.require().read("policy.yaml") or b""
    assert b"conversations: true" in policy
    changed = policy.replace(b"conversations: true", b"conversations: false")
    event = workspace.event("policy.set", "policy: another", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", changed),)))
    tell(project, "Stop", transcript)
    assert len(kept(project)) == 1
    run("trace ingest", trace_ingest.Request())
    assert kept(project) == []
    assert transcript.exists()
    with pytest.raises(DevsError, match="no messages"):
        messages()


def test_a_link_in_the_place_of_what_is_kept_is_not_followed(
    project: Path, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, folder = tmp_path / "mine", project / ".git/devs/transcripts"
    mine.write_text("mine")
    folder.mkdir()
    (folder / transcript.name).symlink_to(mine)
    without_links(tmp_path, monkeypatch)
    tell(project, "SessionEnd", transcript)
    assert [path.read_bytes() for path in kept(project)] == [transcript.read_bytes()]
    (folder / transcript.name).unlink()
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    tell(project, "SessionEnd", transcript)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "..", "x/..", "a\\u0000b.jsonl", "gone.jsonl", "notes.txt"])
def test_a_path_that_is_no_transcript_is_left_alone(project: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    tell(project, "Stop", tmp_path / name if name else Path("/"))
    run("trace ingest", trace_ingest.Request())
    assert kept(project) == []
    assert (tmp_path / "notes.txt").read_text() == "mine"
