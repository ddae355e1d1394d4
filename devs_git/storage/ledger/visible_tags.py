"""Update the visible tags `devs/task-<id>` from the ledger: restore a deleted tag, delete the tag of an undone task.

They are only names for users: nothing is written to the ledger, and `doctor` reports a tag that somebody moved. Commands
of devs-git update the tags and note them. The ledger is only read if the tags differ from that note, because then
somebody else changed them. A merge or a rebase may bring back commits of rewound tasks, so their hooks overwrite the note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.ids import completed_tag
from devs_git.storage.git import ref_files, refs
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import Git
from devs_git.storage.git.ref_files import ListedRefs
from devs_git.storage.ledger.store import Ledger
from devs_git.values import TYPE_CHECKING

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import History

FOLDER, NUMBERED = "refs/tags/devs", "refs/devs/checkpoints"


def out_of_step(history: History, tags: dict[str, str]) -> tuple[RefUpdate, ...]:
    """The updates that make `tags` (those below FOLDER) agree with the ledger."""
    # Most commands find the tags as they are noted, and do not need it.
    from devs_git.domain.checkpoints import wanted_refs

    live = wanted_refs.visible_tags(history)
    known = {point.tag for point in history.checkpoints.values()}
    back = [RefUpdate(ref, tag, NO_OID) for ref, tag in live.items() if ref not in tags]
    gone = [RefUpdate(ref, NO_OID, tag) for ref, tag in tags.items() if ref not in live and tag in known]
    return (*back, *gone)


def mend(
    ledger: Ledger,
    *,
    always: bool = False,
    again: bool = False,
    say: Callable[[str], None] = lambda _text: None,
) -> tuple[str, ...]:
    """Update the visible tags and return the refs that changed. If another git moves one meanwhile, the next command tries again.

    `always`: look also if the tags are as noted, because branches may have moved, which changes the history for this clone.
    `again`: the command itself has moved tags since they were noted. `say` gets a message for each task that is gone because
    another clone rewound it.
    """
    tags = ref_files.list_below(ledger.reader, ledger.common, FOLDER)
    if (again or _are_noted(tags, ledger.common)) and not (always and may_be_out_of_step(ledger, tags)):
        return ()
    from devs_git.domain.ledger import clone_view
    from devs_git.storage.ledger.clone_history import clone_of

    history = ledger.tip().here
    updates = _safe_updates(ledger, out_of_step(history, ref_files.parse(tags.text)))
    if not updates:
        return ()
    try:
        refs.transaction(ledger.git, updates, "devs: visible tags follow the ledger")
    except (refs.RefMoved, refs.RefLocked):
        return ()
    clone = clone_of(ledger.common)
    for update in updates:
        point = history.checkpoints.get(update.old)
        if point and point.rewound and not clone_view.rewind_of(point, clone):
            say(
                f"{point.task_id} was rewound in another clone, and no branch here or on a remote contains it any more."
            )
    return tuple(update.ref for update in updates)


def _safe_updates(ledger: Ledger, wanted: Sequence[RefUpdate]) -> list[RefUpdate]:
    """Those of the wanted updates that lose nothing, and what they need."""
    if not wanted:
        return []
    from devs_git.storage.ledger.archived import archives

    found = archives.oids(ledger.git)
    have = archives.entries(ledger.git, found)
    made = [one for one in wanted if one.new != NO_OID and (one.ref, one.new) not in have]
    # The event of a checkpoint may be here without its tag object, which an archive may have.
    new = {one.new for one in made}
    archives.restore_tags(ledger.git, found, [(ref, tag) for ref, tag in have if tag in new])
    made = [one for one in made if ledger.objects.is_tag(one.new)]
    gone = [one for one in wanted if one.new == NO_OID]
    # A tag is deleted only if a numbered ref or an archive keeps the checkpoint, whatever an event says.
    kept = {*refs.list_refs(ledger.git, NUMBERED).values(), *(tag for _, tag in have)} if gone else set()
    return [*made, *(one for one in gone if one.old in kept)]


def may_be_out_of_step(ledger: Ledger, tags: ListedRefs) -> bool:
    """Whether a branch may have changed what is live: that can only be a checkpoint that an operation undid.

    The index says which these are. It decides nothing: whatever it finds, the whole ledger is read for it.
    """
    from devs_git.storage.ledger.index import listing

    history = listing.undone(ledger.tip())
    if history is None:
        return True
    # Only these: to parse 25,000 tags takes longer than the rest.
    held = {ref: tags.find(ref) for ref in map(completed_tag, history.tasks)}
    return bool(out_of_step(history, {ref: tag for ref, tag in held.items() if tag}))


def note_tags(git: Git, common: Path) -> None:
    """Note the tags after a command of devs-git."""
    now = ref_files.list_below(git, common, FOLDER).text
    if now != _read_note(common):
        replace_file(_file(common), now)


def _are_noted(tags: ListedRefs, common: Path) -> bool:
    """Whether the tags are as noted. git may have packed them since."""
    now, note = tags.text, _read_note(common)
    # What a hook wrote instead of a note has no tags.
    return now == note or (bool(noted := ref_files.parse(note or b"")) and noted == ref_files.parse(now))


def _file(common: Path) -> Path:
    return common / "devs" / "visible-tags"


def _read_note(common: Path) -> bytes | None:
    try:
        return _file(common).read_bytes()
    except FileNotFoundError:
        return None
