"""What an agent's hooks tell of a session is read by the next command, and named by the next checkpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    checkpoint,
    conversation_show,
    conversation_snapshot,
    conversation_snapshots,
    task_complete,
    task_start,
    trace_ingest,
    trace_list,
)
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.opencode import OPENCODE
from devs_git.domain.recall.session_points import entry_of
from devs_git.entrypoints import router
from devs_git.operations.recall import ingest_in_hook, worktree_note
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import EXAMPLES, call

Run = Callable[..., str]
TRANSCRIPTS = Path(__file__).parent.parent / "examples" / "transcripts"
SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"


@pytest.fixture
def project(initialised: Path) -> Path:
    for client in (CLAUDE, CODEX):
        client_files.install(locate(initialised), initialised, client)
    return initialised


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes((TRANSCRIPTS / "claude.jsonl").read_bytes())
    return path


def run(name: str, request: Any, where: Path | None = None) -> Any:
    return router.call(name, Workspace.open(where), request)


def said(**asked: Any) -> list[str | None]:
    found = run("conversation show", conversation_show.Request(**asked))
    return [message.content for message in found.messages if message.role == "user"]


def tell(top: Path, transcript: Path, event: str = "Stop", where: Path | None = None, **more: Any) -> None:
    """The client's hook at `event`, in the folder `where`."""
    known = {"session_id": SESSION, "transcript_path": os.fspath(transcript), "cwd": os.fspath(where or top)}
    payload = {**EXAMPLES["claude-stop"]["payload"], **known, "hook_event_name": event, **more}
    call(top, payload, where=where)


def tool(top: Path, transcript: Path, use: str, output: str) -> None:
    more: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "x"},
        "tool_use_id": use,
        "tool_response": output,
    }
    tell(top, transcript, "PostToolUse", **more)


def line(number: int, content: str, time: str) -> bytes:
    known = {"type": "user", "uuid": f"later-{number}", "sessionId": SESSION, "timestamp": time}
    return json.dumps({**known, "message": {"role": "user", "content": content}}).encode() + b"\n"


def snapshots() -> list[tuple[str, str, int]]:
    found = run("conversation snapshots", conversation_snapshots.Request()).snapshots
    return [(one.snapshot_type, one.checkpoint, one.message_count) for one in found]


@pytest.mark.quick
def test_when_a_session_stops_it_is_read_and_the_next_checkpoint_names_it(
    project: Path, transcript: Path
) -> None:
    run("task start", task_start.Request("10"))
    tool(project, transcript, "toolu_01Uw", "as the hook told it " * 100)
    tell(project, transcript)
    (project / "a").write_text("a")
    run("checkpoint", checkpoint.Request(everything=True))  # it reads what the hooks left
    assert said(at="task-10@1") == [
        "Work on the dates: parse them as ISO 8601.",
        "What does this show?\n[image]",
    ]
    assert sorted(snapshots()) == [("auto", "", 12), ("checkpoint", "task-10@1", 12)]
    traces = run("trace list", trace_list.Request()).traces
    assert [(row.tool_name, row.size) for row in traces] == [("Bash", 2000)]


def test_a_commit_that_the_git_hook_records_names_what_was_said_until_then(
    project: Path, git: Run, transcript: Path
) -> None:
    run("task start", task_start.Request("10"))
    tool(project, transcript, "begin", "short")  # nothing of ours has run since, and there is no catalog
    git("commit", "-q", "--allow-empty", "-m", "first")
    with transcript.open("ab") as stream:
        stream.write(line(1, "Go on.", "2026-02-12T16:10:00.000Z") + b'{"half')
    git("commit", "-q", "--allow-empty", "-m", "second")
    with transcript.open("ab") as stream:
        stream.write(b'": 1}\n' + line(2, "x" * ingest_in_hook.LITTLE, "2026-02-12T16:11:00.000Z"))
    git("commit", "-q", "--allow-empty", "-m", "third")  # too much to read while somebody waits for git
    (project / ".git" / "devs" / "catalog.db").write_bytes(b"broken" * 1000)
    git("commit", "-q", "--allow-empty", "-m", "fourth")
    kept = [git("cat-file", "-p", f"refs/devs/checkpoints/task-10/{number}") for number in range(1, 5)]
    counts = [text.partition("Devs-Conversation: ")[2].split()[1] for text in kept]
    assert counts == ["12", "13", "13", "13"]
    (project / ".git" / "devs" / "catalog.db").unlink()
    run("trace list", trace_list.Request())
    assert len(said(at="task-10@2")) == 3


def test_before_a_compaction_all_is_read_and_after_it_nothing_is_lost(
    project: Path, transcript: Path
) -> None:
    tell(project, transcript, "PreCompact", trigger="auto")
    run("trace ingest", trace_ingest.Request())
    transcript.write_bytes((TRANSCRIPTS / "claude-compacted.jsonl").read_bytes())
    tell(project, transcript, "SessionEnd", reason="other")
    assert said() == [
        "Work on the dates: parse them as ISO 8601.",
        "What does this show?\n[image]",
        "Go on with the time zones.",
    ]
    assert snapshots() == [("auto", "", 15), ("auto", "", 12)]


def test_each_message_belongs_to_the_task_that_was_active_then(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "later.jsonl"
    path.touch()
    for number, task in enumerate(("10", "11")):
        run("task start", task_start.Request(task))
        tool(project, path, f"begin {task}", "short")
        with path.open("ab") as stream:
            stream.write(line(number, f"during {task}", Workspace.open().now()))
        (project / task).write_text(task)
        tool(project, path, f"end {task}", "short")
        run("trace list", trace_list.Request())
        run("task complete", task_complete.Request(everything=True))
    tell(project, path)
    assert said(task="10") == ["during 10"]
    assert said(task="11") == ["during 11"]
    assert said(at="task-10") == ["during 10"]
    assert said(at="task-11") == ["during 10", "during 11"]


def test_a_session_in_another_worktree_is_that_worktrees(project: Path, git: Run, transcript: Path) -> None:
    other = project.parent / "other"
    git("worktree", "add", "-q", os.fspath(other))
    run("task start", task_start.Request("10"))
    run("task start", task_start.Request("11"), other)
    tell(project, transcript, where=other)
    run("trace ingest", trace_ingest.Request())
    assert worktree_note.read(locate(project), "task-10") is None
    noted = worktree_note.read(locate(other), "task-11")
    assert noted is not None
    assert noted.prefix.startswith(f"{SESSION} 12 ")


def test_a_transcript_that_is_gone_or_none_at_all_is_no_trouble(project: Path, tmp_path: Path) -> None:
    for strange in (
        tmp_path / "gone.jsonl",
        tmp_path,
        Path("relative"),
        Path("~nobody-of-that-name/x"),
        Path("\0"),
    ):
        tell(project, strange)
    none = {**EXAMPLES["codex-bash"]["payload"], "transcript_path": None, "hook_event_name": "Stop"}
    call(project, none, client="codex")
    done = run("trace ingest", trace_ingest.Request())
    assert (done.ingested, done.rejected) == (6, 0)
    assert said() == []


def test_a_policy_that_wants_no_conversations_is_heeded(project: Path, transcript: Path) -> None:
    workspace = Workspace.open()
    policy = workspace.ledger.require().read("policy.yaml")
    assert policy is not None
    assert workspace.policy.record_conversations
    from devs_git.domain.ledger.events import Draft

    changed = policy.replace(b"conversations: true", b"conversations: false")
    event = workspace.event("policy.set", "policy: another", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", changed),)))
    tell(project, transcript)
    run("trace ingest", trace_ingest.Request())
    assert said() == []
    assert transcript.exists()  # it is the client's
    ours = workspace.places.transcripts / "opencode-s.jsonl"
    ours.parent.mkdir()
    ours.write_text('{"opencode":"s","type":"text","id":"p","role":"user","text":"Hi."}\n')
    told = {"session_id": "s", "transcript_path": str(ours), "hook_event_name": "Stop"}
    client_files.install(workspace.places, workspace.top, OPENCODE)
    call(project, told, client="opencode")
    run("trace ingest", trace_ingest.Request())
    assert said() == []
    assert not ours.exists()  # our plug-in wrote it


def test_a_session_whose_transcript_the_client_deleted_is_whole_in_the_catalog(
    project: Path, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    tool(project, transcript, "call-1", "long " * 1000)
    tell(project, transcript)
    whole = conversation_show.Request(session=SESSION, limit=conversation_show.MOST, system=True)
    before = run("conversation show", whole)
    transcript.unlink()
    tell(project, transcript, "SessionEnd")
    assert run("conversation show", whole) == before
    lines = map(json.loads, (TRANSCRIPTS / "claude.jsonl").read_bytes().splitlines())
    told = {line["uuid"]: line["message"] for line in lines if line["type"] in ("user", "assistant")}
    kept = {entry_of(message.id, "") for message in before.messages}
    # Thoughts are no message of their own: the message after them has them. An empty line is none, either.
    left = [part for uuid in told.keys() - kept for part in told[uuid]["content"]]
    assert len(told) == 13
    assert sorted((part["type"], part.get("text", "").strip()) for part in left) == [
        ("text", ""),
        ("thinking", ""),
    ]
    made = run("conversation snapshot", conversation_snapshot.Request(session=SESSION))
    assert (made.message_count, made.digest) == (before.message_count, before.digest)
    workspace = Workspace.open(project)
    with open_catalog(workspace) as catalog:
        target = Target(project, installed=CLAUDE.evidence.version)
        written = write_session.write(workspace, catalog, Point(SESSION), target)
    assert written.messages > 0
    assert written.last == made.point.message_id
