"""Whether the archives of checkpoints are what ledger events name, and which refs they stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.checkpoints.archives import Entry, archive_ref, oid_of
from devs_git.domain.ledger.event_upkeep import CheckpointsUnarchived
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.values import immutable

_UNDO: Final = "devs-git archive --undo"
_NAMED: Final = "git log --grep='^Devs-Archived: ' refs/heads/devs/ledger"


@immutable
class Archive:
    """What was read of an archive: its `entries`, and its `faults` as texts for people."""

    entries: tuple[Entry, ...]
    faults: tuple[str, ...] = ()


def stand_for(archives: Iterable[Archive]) -> frozenset[tuple[str, str]]:
    """The refs, each with its tag, that the sound ones of these archives stand for."""
    return frozenset(
        (entry.ref, entry.tag) for archive in archives if not archive.faults for entry in archive.entries
    )


def taken_back(events: Iterable[Event]) -> frozenset[str]:
    """The archives that events took back. One that is still here does no harm."""
    return frozenset(
        oid
        for event in events
        if event.type == CheckpointsUnarchived.type
        for oid in CheckpointsUnarchived.of(event).archives
    )


def judge(
    named: Mapping[str, str],
    back: Collection[str],
    refs: Mapping[str, tuple[str, str]],
    read: Mapping[str, Archive],
) -> Iterator[Finding]:
    """Findings about archives: those that events have `named` (each with its event), and those among `refs`.

    `back`: those that events took back. `read`: what was read of those that are named and here.
    """
    for oid, event in named.items():
        ref = archive_ref(oid)
        held = refs.get(ref, ("", ""))[0]
        if not held:
            text = f"{ref} is missing, and event {event[:12]} says that it keeps checkpoints."
            yield _error("TAG_MISSING", ref, text, f"Fetch it: devs-git sync. If no clone has it: {_UNDO}")
        elif held != oid:
            yield _error("TAG_MOVED", ref, f"{ref} is {held[:12]}; its name says {oid[:12]}.", _repair(oid))
        for fault in read[oid].faults[:1] if oid in read else ():
            text = f"{ref}, which event {event[:12]} names, does not keep its checkpoints: {fault}."
            yield _error("TAG_MISSING", ref, text, f"Fetch it: devs-git sync. Else take it back: {_UNDO}")
    for ref, (held, _kind) in refs.items():
        if ref.startswith(f"{ARCHIVES}/") and oid_of(ref) not in named and oid_of(ref) not in back:
            text = f"{ref} is {held[:12]}, and no event of the ledger explains that."
            fix = f"See which archives the ledger names: {_NAMED}. Then delete it: git update-ref -d {ref}"
            yield _error("TAG_MOVED", ref, text, fix)


def unconfirmed_removals(history: History, read: Mapping[str, Archive]) -> Iterator[Finding]:
    """Checkpoints that an archive has although an event says that they were removed. Only a person removes them here."""
    for oid, archive in read.items():
        gone = {entry.tag: history.checkpoints.get(entry.tag) for entry in archive.entries}
        for point in gone.values():
            if point and point.gone:
                text = f"{archive_ref(oid)} still has {point.name}, and event {point.gone[:12]} says that it was removed."
                fix = f"If that is right: devs-git purge --from {point.gone[:12]}"
                yield Finding("TAG_MOVED", "warning", text, fix, archive_ref(oid))


def _repair(oid: str) -> str:
    return f"Put it back: git update-ref {archive_ref(oid)} {oid}. If git no longer has it: devs-git sync"


def _error(code: str, ref: str, text: str, fix: str) -> Finding:
    return Finding(code, "error", text, fix, ref)
