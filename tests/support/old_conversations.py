"""Conversations that are told at a time of the test's, and what `prune` leaves of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devs_git.commands import conversation_import, conversation_show, prune, task_complete
from devs_git.domain.ledger.events import Draft
from devs_git.entrypoints import router
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import prune_sessions
from devs_git.workspace import Workspace


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def line(session: str, uuid: str, text: str) -> bytes:
    message = {"role": "user", "content": text}
    known = {"type": "user", "uuid": uuid, "sessionId": session, "timestamp": "2026-01-01T00:00:00.000Z"}
    return json.dumps({**known, "message": message}).encode() + b"\n"


def tell(top: Path, session: str, count: int, *, first: str = "", task: str = "") -> Path:
    """Read a transcript with so many messages. `first`: it is a fork, and begins with the messages of that session."""
    path = top.parent / f"{session.replace('/', '-')}.jsonl"
    lines = [
        line(session, f"{first}-{number}", f"{first} says {number}") for number in range(2 if first else 0)
    ]
    lines += [line(session, f"{session}-{number}", f"{session} says {number}") for number in range(count)]
    path.write_bytes(b"".join(lines))
    call(top, "conversation import", conversation_import.Request(path, task=task))
    return path


def said(top: Path, session: str) -> list[str]:
    """What the catalog has of a session; nothing if it is gone."""
    with open_catalog.open_catalog(Workspace.open(top)) as catalog:
        if session not in prune_sessions.last_seen(catalog):
            return []
    shown = call(top, "conversation show", conversation_show.Request(session=session))
    return [message.content for message in shown.messages]


def completed(top: Path, task: str) -> None:
    """A task with one checkpoint, while the last session is this worktree's."""
    (top / f"{task}.txt").write_text(task)
    call(top, "task complete", task_complete.Request(everything=True))


def run(top: Path, **asked: Any) -> prune.Result:
    done: prune.Result = call(top, "prune", prune.Request(**asked))
    return done


def counts(result: prune.Result) -> dict[str, int]:
    return {kind.kind: kind.count for kind in result.kinds if kind.count}


def kept(result: prune.Result) -> dict[str, str]:
    return {one.name: one.reason for kind in result.kinds for one in kind.kept}


def policy(top: Path, **retention: str) -> None:
    workspace = Workspace.open(top)
    text = json.dumps({"genesis": "0" * 40, "retention": retention}).encode()
    event = workspace.event("policy.set", "policy: x", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", text),)))
