"""Helpers for the tests of conversations in the catalog."""

from __future__ import annotations

import json
import os
from pathlib import Path

from devs_git.storage.catalog import (
    messages,
    transcripts,
)
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Place
from devs_git.storage.catalog.transcripts import ReadContext, ReadResult, Source

EXAMPLES = Path(__file__).parent.parent / "examples" / "transcripts"
SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"
NOW = "2026-03-01T00:00:00.000Z"


def ids() -> str:
    return os.urandom(8).hex()


def take(catalog: Catalog, path: Path, **seen: object) -> ReadResult:
    return transcripts.take_in(catalog, Source(path), ReadContext(NOW, NOW, ids, **seen))  # type: ignore[arg-type]


def stored_places(catalog: Catalog, session: str) -> tuple[Place, ...]:
    return messages.places(catalog, session, 1 << 60, 1 << 60)


def conversation(session: str, count: int) -> bytes:
    """A transcript of Claude Code with so many messages."""
    message = {"role": "user", "content": "Say it again, please."}
    made = (
        {"type": "user", "uuid": f"{session}-{number}", "sessionId": session, "message": message}
        for number in range(count)
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in made)
