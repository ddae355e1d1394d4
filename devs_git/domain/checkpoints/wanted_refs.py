"""Which refs the ledger wants, here or on a remote, and the updates that make them so.

A missing ref is created. A ref is moved or deleted only if it has a checkpoint that the ledger knows, so that an event
explains the change. A ref with another value stays and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import checkpoint_ref, completed_tag

VISIBLE, NUMBERED = "refs/tags/devs/", "refs/devs/checkpoints/"
FOLDERS: Final = (VISIBLE, NUMBERED)


def task_of(ref: str) -> str:
    """The task of a checkpoint's ref."""
    return (
        ref.removeprefix(NUMBERED).partition("/")[0]
        if ref.startswith(NUMBERED)
        else ref.removeprefix(VISIBLE)
    )


def ledger_refs(history: History) -> dict[str, str]:
    """Every ref that the ledger wants, with its tag object."""
    found = {checkpoint_ref(p.task_id, p.number): p.tag for p in history.checkpoints.values() if not p.gone}
    return found | visible_tags(history)


def visible_tags(history: History) -> dict[str, str]:
    """The visible tag of each task that is completed, with its tag object."""
    return {completed_tag(p.task_id): p.tag for p in history.live() if p.completed and not p.gone}


def updates(
    history: History,
    refs: Mapping[str, str],
    there: Callable[[str], bool],
    archived: Container[tuple[str, str]] = (),
) -> tuple[RefUpdate, ...]:
    """The updates of `refs` (those below FOLDERS), only with objects that are `there`.

    `archived`: the refs that archives of the same repository have, each with its tag. They are not made.

    Whatever events say: a checkpoint that a ref of `refs` has keeps a numbered ref, unless it is gone.
    """
    want, known = ledger_refs(history), history.checkpoints
    made = {
        ref: tag for ref, tag in want.items() if ref not in refs and (ref, tag) not in archived and there(tag)
    }
    stay = {ref: tag for ref, tag in refs.items() if want.get(ref) == tag}
    kept = {tag for ref, tag in (*made.items(), *stay.items()) if ref.startswith(NUMBERED)}
    kept |= {tag for ref, tag in want.items() if ref.startswith(NUMBERED) and (ref, tag) in archived}

    def may_lose(ref: str) -> bool:
        """Whether the ref may lose its value."""
        return refs[ref] in known and (refs[ref] in kept or bool(known[refs[ref]].gone))

    moved: dict[str, str] = {}
    later = [
        ref
        for ref, tag in want.items()
        if ref in refs and ref not in stay and ((ref, tag) in archived or there(tag))
    ]
    while ready := [ref for ref in later if may_lose(ref)]:
        # An archive has what the ledger wants at this name: it needs no ref.
        moved |= {ref: NO_OID if (ref, want[ref]) in archived else want[ref] for ref in ready}
        kept |= {want[ref] for ref in ready if ref.startswith(NUMBERED)}
        later = [ref for ref in later if ref not in moved]
    steps = [
        *made.items(),
        *moved.items(),
        *((ref, NO_OID) for ref in refs if ref not in want and may_lose(ref)),
    ]
    return tuple(RefUpdate(ref, tag, refs.get(ref, NO_OID)) for ref, tag in steps)


def strangers(history: History, refs: Mapping[str, str]) -> tuple[str, ...]:
    """The wanted refs whose value the ledger does not know."""
    want = ledger_refs(history)
    return tuple(ref for ref, oid in refs.items() if ref in want and oid not in history.checkpoints)
