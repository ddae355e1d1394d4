"""Snapshots of conversations."""

from __future__ import annotations

import re
import uuid
from typing import Final

from devs_git.domain.recall.session_points import SessionPoint
from devs_git.errors import invalid
from devs_git.values import field, immutable

# The namespace of the ids of checkpoints' snapshots; it never changes.
_SNAPSHOTS: Final = uuid.UUID("0d9f2a2e-6c0b-5f4f-8f53-0a6f7cf3a9c1")
# A cursor has the key of the last row of a page: its time, as the ledger may say it, its number of messages and its id.
CURSOR_FORM: Final = "(.{0,100})_([0-9]{1,15})_([0-9A-Za-z-]{1,60})"


@immutable
class Metadata:
    """What a prefix cost, as far as the client says."""

    token_count: int
    cost_usd: float


@immutable
class Snapshot:
    """The first `message_count` messages of a session. `checkpoint` is '' if the snapshot belongs to none.

    `point`: where its client can cut the session after them; left out if the messages are not here.
    """

    snapshot_id: str
    task_id: str
    checkpoint: str
    snapshot_type: str
    message_count: int
    digest: str
    metadata: Metadata
    created_at: str
    session_id: str
    point: SessionPoint | None = field(default=None, metadata={"optional": True})


def snapshot_of_checkpoint(tag: str) -> str:
    """The snapshot id of the checkpoint with this tag: the same in every clone."""
    return str(uuid.uuid5(_SNAPSHOTS, tag))


def cursor_after(last: Snapshot) -> str:
    """The cursor of the rows after this one in a list. A row that came or is gone meanwhile moves no other."""
    return f"{last.created_at}_{last.message_count}_{last.snapshot_id}"


def key_in(cursor: str) -> tuple[str, int, str] | None:
    """The key of a row that a cursor names, None for ''. INVALID_ARGUMENTS if it is not one of ours."""
    if not cursor:
        return None
    match = re.fullmatch(CURSOR_FORM, cursor, re.ASCII)
    if not match:
        raise invalid("cursor", "The cursor must be the next_cursor of an earlier answer.")
    return match[1], int(match[2]), match[3]
