"""Snapshots of conversations."""

from __future__ import annotations

import uuid
from typing import Final

from devs_git.values import immutable

# The namespace of the ids of checkpoints' snapshots; it never changes.
_SNAPSHOTS: Final = uuid.UUID("0d9f2a2e-6c0b-5f4f-8f53-0a6f7cf3a9c1")


@immutable
class Metadata:
    """What a prefix cost, as far as the client says."""

    token_count: int
    cost_usd: float


@immutable
class Snapshot:
    """The first `message_count` messages of a session. `checkpoint` is '' if the snapshot belongs to none."""

    snapshot_id: str
    task_id: str
    checkpoint: str
    snapshot_type: str
    message_count: int
    digest: str
    metadata: Metadata
    created_at: str
    session_id: str


def snapshot_of_checkpoint(tag: str) -> str:
    """The snapshot id of the checkpoint with this tag: the same in every clone."""
    return str(uuid.uuid5(_SNAPSHOTS, tag))
