"""Which refs the ledger asks for, here or on a remote, and what brings them in step: never blindly, never a stranger's.

A ref is made where it is missing, moved or deleted only where it holds a checkpoint that the ledger knows, so that an
event explains the change. What somebody else put there stays and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from devs_git.domain.events import NO_OID, RefUpdate
from devs_git.domain.history import History
from devs_git.domain.ids import checkpoint_ref, completed_tag

VISIBLE, NUMBERED = "refs/tags/devs/", "refs/devs/checkpoints/"
FOLDERS: Final = (VISIBLE, NUMBERED)


def wanted(history: History) -> dict[str, str]:
    """Every ref that the ledger speaks of, with the tag object that it holds."""
    found = {checkpoint_ref(p.task_id, p.number): p.tag for p in history.checkpoints.values() if not p.gone}
    return found | {completed_tag(p.task_id): p.tag for p in history.live() if p.completed and not p.gone}


def updates(history: History, refs: Mapping[str, str], there: Callable[[str], bool]) -> tuple[RefUpdate, ...]:
    """What brings `refs` (those below FOLDERS) in step; only with objects that are `there`."""
    want, known = wanted(history), history.checkpoints
    numbered = {tag for ref, tag in want.items() if ref.startswith(NUMBERED)}

    def spared(ref: str) -> bool:
        """Whether the ref may lose what it holds: a checkpoint that has no other number stays, whatever an event says."""
        tag = refs[ref]
        return tag in known and (ref.startswith(VISIBLE) or tag in numbered or known[tag].gone)

    moved = (
        RefUpdate(ref, tag, refs.get(ref, NO_OID))
        for ref, tag in want.items()
        if refs.get(ref, "") != tag and (ref not in refs or spared(ref)) and there(tag)
    )
    gone = (RefUpdate(ref, NO_OID, tag) for ref, tag in refs.items() if ref not in want and spared(ref))
    return (*moved, *gone)


def strangers(history: History, refs: Mapping[str, str]) -> tuple[str, ...]:
    """Refs that the ledger speaks of and that hold something it knows nothing of."""
    want = wanted(history)
    return tuple(ref for ref, oid in refs.items() if ref in want and oid not in history.checkpoints)
