"""Whether a directive that was handed over stands in the transcript of its session: the proof that the model got it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from devs_git.domain.clients.model_input import READERS
from devs_git.domain.directives import handed_text
from devs_git.storage.catalog import directives
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.directives import Handover

# Bytes of a transcript that are looked at after a hand-over, and of one line.
_MOST: Final = 64 << 20
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def note(workspace: Workspace, catalog: Catalog, task_id: str = "") -> None:
    """Note which directives of a task ('' for all) were seen since they were handed over."""
    for one, at in find(workspace, catalog, task_id).items():
        directives.note_seen(catalog, one.number, at or workspace.now())


def find(workspace: Workspace, catalog: Catalog, task_id: str = "") -> dict[Handover, str]:
    """The hand-overs that a transcript shows now, each with the time of its line ('' for a line without one). Nothing is noted.

    If the policy does not want conversations, no transcript is read.
    """
    left = directives.without_proof(catalog, task_id)
    if not left or not workspace.policy.record_conversations:
        return {}
    found = {one: _seen_at(one) for one in left}
    return {one: at for one, at in found.items() if at is not None}


def _seen_at(one: Handover) -> str | None:
    """The time of the line with the directive: '' if the line has no time, None if there is no such line."""
    # The mark has only letters that JSON does not escape, so most lines need not be parsed.
    mark = one.directive_id.encode()
    read = READERS.get(one.client)
    if read is None:
        return None
    for line in _lines(one.transcript, one.start):
        if mark in line and (parsed := _parsed(line)) and handed_text.is_in(one.directive_id, read(parsed)):
            time = str(parsed.get("timestamp") or "")
            return time if _TIME.fullmatch(time) else ""
    return None


def _parsed(line: bytes) -> dict[str, Any]:
    """The object of a line; empty for another line."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        return found if isinstance(found, dict) else {}
    return {}


def _lines(path: bytes, start: int) -> Iterator[bytes]:
    """The lines of a transcript after the byte `start`; all lines of a shorter file; no line if it is gone or is no regular file."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if stat.S_ISREG(facts.st_mode):
                file.seek(start if facts.st_size >= start else 0)
                left = _MOST
                while left > 0 and (line := file.readline(left)):
                    left -= len(line)
                    yield line
