"""A session of Claude Code with four messages, and the commands that take messages of it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devs_git.commands import (
    conversation_import,
    conversation_rewind,
    conversation_show,
    task_complete,
    task_start,
    trace_search,
)
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

SAID = ("one", "two", "three", "four")


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def line(
    name: str, content: Any, kind: str = "user", parent: str = "", minute: int = 0, **more: Any
) -> bytes:
    known = {"type": kind, "uuid": name, "parentUuid": parent or None, "sessionId": "s1", **more}
    stamp = {"timestamp": f"2026-01-01T00:{minute:02d}:00.000Z"}
    return json.dumps({**known, **stamp, "message": {"role": kind, "content": content}}).encode() + b"\n"


def write(transcript: Path, *lines: bytes) -> None:
    with transcript.open("ab") as stream:
        stream.writelines(lines)


def four(transcript: Path) -> None:
    """A session with four messages of a person."""
    for at, word in enumerate(SAID):
        write(transcript, line(f"m{at}", word, parent=f"m{at - 1}" if at else "", minute=at))


def take(top: Path, transcript: Path) -> None:
    call(top, "conversation import", conversation_import.Request(transcript))


def go_back(top: Path, **asked: Any) -> conversation_rewind.Result:
    result: conversation_rewind.Result = call(
        top, "conversation rewind", conversation_rewind.Request(**asked)
    )
    return result


def shown(top: Path, session: str = "s1") -> list[tuple[str | None, bool]]:
    found = call(top, "conversation show", conversation_show.Request(session=session))
    return [(one.content, one.rewound) for one in found.messages]


def two_tasks(top: Path) -> None:
    for number in ("1", "2"):
        call(top, "task start", task_start.Request(number))
        (top / "work").write_text(number)
        call(top, "task complete", task_complete.Request(everything=True))


def marks(top: Path) -> list[bool]:
    return [rewound for _content, rewound in shown(top)]


def found(top: Path, word: str) -> list[str]:
    request = trace_search.Request(word, within="messages")
    return [hit.message_id for hit in call(top, "trace search", request).hits]
