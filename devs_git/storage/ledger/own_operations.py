"""Which operations in the ledger this clone made: those whose backups it has, under the ids that the events name.

Anybody who can push can write an event in the name of this clone, or a changed copy of one of its events. But no ref below
`refs/devs/backup/` is ever fetched, and the commit of a backup has the fields that the event must have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_operations import Movement, same_movement
from devs_git.domain.ledger.events import NO_OID, Event, Fields, parse
from devs_git.storage.git import refs
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.program import Git
from devs_git.storage.git.refs import BACKUPS

PURGED: Final = "purged"


def backup_fields(tip: str, movement: Movement | None = None) -> Fields:
    """The trailers of an operation's backup: what its event will say of the movement, and `tip`, the ledger's tip."""
    return (*(movement.fields_of_backup() if movement else ()), (TrailerKey.LEDGER, tip))


def select_own(git: Git, events: Sequence[Event]) -> tuple[list[Event], list[Event]]:
    """The operations of this clone among `events`: first those with a backup, then those whose backup was purged."""
    held = refs.list_refs(git, BACKUPS.rstrip("/")) if events else {}
    copies: dict[str, list[Event]] = {}
    for event in events:
        now = held.get(BACKUPS + event.op_id)
        if now:
            copies.setdefault(now, []).append(event)
    here: set[str] = set()
    lost: set[str] = set()
    for backup, backup_event in _read_backups(git, list(copies)):
        found = [event for event in copies[backup] if _matches(event, backup_event, backup)]
        before = backup_event.get(TrailerKey.LEDGER)
        if len(found) > 1 and before:
            found = [
                event for event in found if git.says("merge-base", "--is-ancestor", before, event.parents[0])
            ]
        (lost if backup_event.type == PURGED else here).update(event.oid for event in found[:1])
    return [event for event in events if event.oid in here], [event for event in events if event.oid in lost]


def tip_before(git: Git, backup: str) -> str:
    """The ledger's tip when the backup was made; '' for one of version 0.1."""
    return next((event.get(TrailerKey.LEDGER) for _, event in _read_backups(git, [backup])), "")


def left_refs(git: Git) -> set[tuple[str, ...]] | None:
    """Name and oid of each branch or stash entry that an operation with a backup here left. None if a backup does not tell it:
    those of version 0.1 have no fields.
    """
    found = [
        event for _, event in _read_backups(git, list(refs.list_refs(git, BACKUPS.rstrip("/")).values()))
    ]
    if not all(event.get(TrailerKey.LEDGER) for event in found):
        return None
    return {tuple(event.preserved.split()) for event in found}


def _read_backups(git: Git, backups: Sequence[str]) -> Iterator[tuple[str, Event]]:
    from devs_git.storage.git.object_graph import contents

    for backup, data in contents(git, backups):
        yield backup, parse("", (), data.decode("utf-8", "replace").partition("\n\n")[2])


def _matches(event: Event, backup_event: Event, backup: str) -> bool:
    """Whether an event matches its backup. A backup of version 0.1 has no fields; then the name is enough."""
    if backup_event.type != PURGED and event.backup != backup:
        return False
    return not backup_event.get(TrailerKey.LEDGER) or same_movement(event, backup_event)


def purged_backup(objects: Objects, backup: str, forms: tuple[bytes, ...]) -> str:
    """Write the commit that replaces a purged backup: without files, so that `undo` still knows the operation.

    NO_OID if the backup has no fields, or if its message contains the secret.
    """
    from devs_git.domain.recall.purge_terms import contains

    head, _, message = objects.read(backup, "commit").partition(b"\n\n")
    backup_event = parse("", (), message.decode("utf-8", "replace"))
    if not backup_event.get(TrailerKey.LEDGER) or contains(message, forms):
        return NO_OID
    lines = b"".join(
        line + b"\n" for line in head.split(b"\n") if line.startswith((b"author ", b"committer "))
    )
    text = (
        Event(PURGED, f"Purged: {backup_event.subject}", backup_event.fields)
        .message()
        .encode("utf-8", "surrogateescape")
    )
    return objects.write("commit", f"tree {objects.write_tree({})}\n".encode() + lines + b"\n" + text)
