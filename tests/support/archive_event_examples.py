"""Examples of the events of archives, with the trailers that are written for them, by hand."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_header import Content
from devs_git.domain.ledger.event_upkeep import CheckpointsArchived, CheckpointsUnarchived

A, B = "a" * 40, "b" * 40
ARCHIVES: Final[tuple[tuple[Content, str, str], ...]] = (
    (CheckpointsArchived(A), "checkpoints.archived", f"Devs-Archived: {A}"),
    (
        CheckpointsUnarchived((A, B)),
        "checkpoints.unarchived",
        f"Devs-Unarchived: {A}\nDevs-Unarchived: {B}",
    ),
)
