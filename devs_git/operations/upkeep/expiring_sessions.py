"""Transcripts of this repository's sessions that the client will delete, and whether the catalog has them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.recall import expiring
from devs_git.domain.recall.expiring import Expiring
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.operations.recall import payload_handlers, spool
from devs_git.storage.catalog.database import TROUBLE, Catalog
from devs_git.storage.git import bounded
from devs_git.storage.hooks import client_trust
from devs_git.workspace import Workspace

_READ: Final = "SELECT path, session_id, read FROM transcripts WHERE client = ?"
_HEARD: Final = "SELECT path, session_id FROM heard WHERE client = ?"
# Payloads that wait, of which the newest are looked at.
_WAITING: Final = 200


def notes(workspace: Workspace) -> Iterator[str]:
    """What `doctor` says about it. Reads only."""
    kept = expiring.days_kept(client_trust.claude_settings(CLAUDE, workspace.places.top))
    if kept is not None:
        yield from expiring.sentences(tuple(find(workspace, kept)), kept)


def find(workspace: Workspace, kept: int) -> Iterator[Expiring]:
    """Each transcript of Claude Code that is there. `kept`: days after which the client deletes it."""
    now = workspace.clock().timestamp()
    for path, (session, read) in _known(workspace).items():
        # A session of a subagent goes with the one that called it.
        if "/" in session:
            continue
        with contextlib.suppress(OSError):
            facts = Path(path).stat()
            left = expiring.days_left(kept, facts.st_mtime, now)
            yield Expiring(session, path, left, max(0, facts.st_size - read))


def _known(workspace: Workspace) -> dict[str, tuple[str, int]]:
    """Session and bytes that were read, by the path of the transcript: those of the catalog, and those that hooks named."""
    found = {path: (session, 0) for path, session in _waiting(workspace)}
    with contextlib.suppress(*TROUBLE), Catalog.look(workspace.places.shared) as catalog:
        found |= {os.fsdecode(path): (session, 0) for path, session in catalog.rows(_HEARD, CLAUDE.name)}
        found |= {
            os.fsdecode(path): (session, read) for path, session, read in catalog.rows(_READ, CLAUDE.name)
        }
    return found


def _waiting(workspace: Workspace) -> Iterator[tuple[str, str]]:
    ends = tuple(f".{CLAUDE.name}.{event}" for event in CLAUDE.session)
    files = [path for path in spool.waiting_files(workspace.places) if path.name.endswith(ends)]
    for file in files[-_WAITING:]:
        with contextlib.suppress(OSError, ValueError, RecursionError, DevsError):
            payload = hook_payload.read(bounded.read_regular(file, limits.PAYLOAD, "payload"))
            if path := payload_handlers.transcript_path(payload):
                yield os.fspath(path), payload.text(CLAUDE.fields.session)
