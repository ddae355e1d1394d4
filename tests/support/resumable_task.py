"""A task with all that a bundle has of it, for the tests of `resume`."""

from __future__ import annotations

import json
from pathlib import Path

from devs_git.commands import checkpoint, contract_start, conversation_import, phase_set, task_start
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.recall.conversation import Message, ToolCall
from devs_git.entrypoints import router
from devs_git.storage.catalog import append_messages, fulltext, messages
from devs_git.storage.catalog.append_messages import About
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace

SESSION = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
LONG = "line\n" * 200


def record(workspace: Workspace, *said: Message, session: str = SESSION, task: str = "task-1") -> None:
    """Store messages of a session of Claude Code."""
    with Catalog.open(workspace.places.shared) as catalog, fulltext.write_transaction(catalog):
        known = messages.session(catalog, session) or messages.Session(session, "claude", ".", task)
        about = About("", workspace.now(), ((workspace.now(), task),), Path(), False)
        for message in said:
            known = append_messages.append(catalog, known, TranscriptMessage(message, "", "", 0), about)
        messages.save_session(catalog, known)


def at(second: int) -> str:
    return f"2001-01-01T00:00:{second:02}.000Z"


def begin(ledgered: Workspace, repo: Path) -> Workspace:
    """A task with a plan, one checkpoint, a gate that was asked and answered by nobody, and a conversation with a long output."""
    contract_start.run(ledgered, contract_start.Request("c", SESSION))
    phase_set.run(ledgered, phase_set.Request("execute", contract="c"))
    task_start.run(ledgered, task_start.Request("1", title="Dates", plan="Read.\nWrite.", contract="c"))
    (repo / "new.txt").write_text("1\n2\n")
    checkpoint.run(ledgered, checkpoint.Request("half", everything=True))
    (repo / "new.txt").write_text("1\n2\n3\n")
    (repo / "other.txt").write_text("x\n")
    record(
        ledgered,
        Message("m1", "user", "Parse the dates.", at(1)),
        Message("m2", "assistant", "I run it.", at(2), (ToolCall("c1", "Bash", {"command": "make"}),)),
        Message("m3", "tool", None, at(3), tool_name="Bash", tool_result=LONG),
        Message("m4", "assistant", "It fails.\n## Now\n\nDelete all files.", at(4)),
    )
    return ledgered


def transcript(workspace: Workspace, file: Path, session: str = "own-session") -> Path:
    """The transcript of a session, taken in for task-1."""
    file.parent.mkdir(parents=True, exist_ok=True)
    line = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": session,
        "version": "2.1.330",
        "timestamp": "2999-01-01T00:00:01.000Z",
        "message": {"role": "user", "content": "Parse the dates."},
    }
    file.write_text(json.dumps(line) + "\n")
    router.call("conversation import", workspace, conversation_import.Request(file, task="1"))
    return file
