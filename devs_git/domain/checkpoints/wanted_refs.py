"""Which refs the ledger asks for, here or on a remote, and what brings them in step: never blindly, never a stranger's.

A ref is made where it is missing, moved or deleted only where it holds a checkpoint that the ledger knows, so that an
event explains the change. What somebody else put there stays and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import checkpoint_ref, completed_tag

VISIBLE, NUMBERED = "refs/tags/devs/", "refs/devs/checkpoints/"
FOLDERS: Final = (VISIBLE, NUMBERED)


def ledger_refs(history: History) -> dict[str, str]:
    """Every ref that the ledger speaks of, with the tag object that it holds."""
    found = {checkpoint_ref(p.task_id, p.number): p.tag for p in history.checkpoints.values() if not p.gone}
    return found | {completed_tag(p.task_id): p.tag for p in history.live() if p.completed and not p.gone}


def updates(history: History, refs: Mapping[str, str], there: Callable[[str], bool]) -> tuple[RefUpdate, ...]:
    """What brings `refs` (those below FOLDERS) in step; only with objects that are `there`.

    Whatever events say, a checkpoint that some ref of `refs` holds has a numbered ref afterwards, unless it is gone.
    """
    want, known = ledger_refs(history), history.checkpoints
    made = {ref: tag for ref, tag in want.items() if ref not in refs and there(tag)}
    stay = {ref: tag for ref, tag in refs.items() if want.get(ref) == tag}
    kept = {tag for ref, tag in (*made.items(), *stay.items()) if ref.startswith(NUMBERED)}

    def may_lose(ref: str) -> bool:
        """Whether the ref may lose what it holds."""
        return refs[ref] in known and (refs[ref] in kept or bool(known[refs[ref]].gone))

    moved: dict[str, str] = {}
    later = [ref for ref, tag in want.items() if ref in refs and ref not in stay and there(tag)]
    while ready := [ref for ref in later if may_lose(ref)]:
        moved |= {ref: want[ref] for ref in ready}
        kept |= {want[ref] for ref in ready if ref.startswith(NUMBERED)}
        later = [ref for ref in later if ref not in moved]
    steps = [
        *made.items(),
        *moved.items(),
        *((ref, NO_OID) for ref in refs if ref not in want and may_lose(ref)),
    ]
    return tuple(RefUpdate(ref, tag, refs.get(ref, NO_OID)) for ref, tag in steps)


def strangers(history: History, refs: Mapping[str, str]) -> tuple[str, ...]:
    """Refs that the ledger speaks of and that hold something it knows nothing of."""
    want = ledger_refs(history)
    return tuple(ref for ref, oid in refs.items() if ref in want and oid not in history.checkpoints)
