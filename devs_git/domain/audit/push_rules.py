"""What a server refuses of a push, given the refs that it moves.

The ledger, numbered checkpoints and visible tags of tasks are governed: they move as events say, at any time. A clone's
own refs below `refs/devs/` are never pushed. Every other ref is work, and is refused while a gate is open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from devs_git.domain.audit import checkpoint_tags
from devs_git.domain.audit.findings import Finding
from devs_git.domain.checkpoints.wanted_refs import NUMBERED, VISIBLE
from devs_git.domain.ledger.events import LEDGER, NO_OID, Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.domain.audit.checkpoint_archives import Archive

NO_ARCHIVES: Final[Mapping[str, Archive]] = MappingProxyType({})
_TAGS = VISIBLE + "task-"
_FOLDERS = (NUMBERED, _TAGS)
_OWN = "refs/devs/"
# The ledger that a person asks the server's administrator to set.
_CHOSEN = "refs/devs/chosen"
_SHORT = "/" + LEDGER.removeprefix("refs/heads/")
# git makes no ref below the name of another.
_ABOVE: Final = frozenset((LEDGER.rpartition("/")[0], VISIBLE.rstrip("/")))


@immutable
class Move:
    """One line of a push: the old and new value of a ref, NO_OID for no ref."""

    old: str
    new: str
    ref: str


def rejection(code: str, ref: str, message: str, fix: str) -> Finding:
    return Finding(code, "error", message, fix, ref)


def spelling(moves: Sequence[Move]) -> Iterator[Finding]:
    """Findings for names that a case-insensitive file system would take for ours."""
    for move in moves:
        folded = move.ref.lower()
        known = (
            LEDGER if folded == LEDGER else next((name for name in _FOLDERS if folded.startswith(name)), "")
        )
        if not move.ref.startswith(known):
            text = f"{move.ref} differs from a name of devs-git only in upper and lower case."
            yield rejection("INVALID_BRANCH", move.ref, text, "Give it another name.")


def private(move: Move) -> str:
    """Why this ref cannot be pushed; '' if it can."""
    folded = move.ref.lower()
    if folded != LEDGER and folded.removesuffix("/head").endswith(_SHORT):
        # git prefers a tag to a branch.
        return f"where somebody types {_SHORT[1:]}, git would take it for the ledger, {LEDGER}"
    if folded in _ABOVE or folded.startswith(f"{LEDGER}/"):
        return "it would be in the way of the refs of devs-git, and no clone could sync"
    if folded.startswith(_OWN) and not folded.startswith(NUMBERED) and move.ref != _CHOSEN:
        return "each clone writes this ref for itself, and another clone would trust it"
    return ""


def names(moves: Sequence[Move]) -> Iterator[Finding]:
    """INVALID_BRANCH for each ref that cannot be pushed. Deleting such a ref is allowed."""
    for move in moves:
        why = private(move) if move.new != NO_OID else ""
        if why:
            yield rejection(
                "INVALID_BRANCH", move.ref, f"{move.ref} is refused: {why}.", "Push without this ref."
            )


def work(moves: Sequence[Move], gates: Sequence[str]) -> Iterator[Finding]:
    """GATE_BLOCKED for every ref that is work, if `gates` are open in the ledger after the push."""
    for move in moves if gates else ():
        if move.ref not in (LEDGER, _CHOSEN) and not move.ref.startswith(_FOLDERS) and not private(move):
            text = f"{move.ref} is refused, because gate {gates[0]} waits for a person's decision."
            yield rejection("GATE_BLOCKED", move.ref, text, f"See it: devs-git gate show {gates[0]}")


def checkpoints_of(event: Event) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The tags that an event makes checkpoints of, each with what it says of it: task ('' for a move), commit and tree."""
    if not event.failed and event.effects.records:
        yield event.tag, (event.task, event.commit, event.tree)
    for _old, tag, _number, *what in (words for words in event.moves if len(words) > 2):
        yield tag, ("", *what[:2])


def is_about_archives(move: Move) -> bool:
    """Whether it moves an archive, or deletes a ref of a checkpoint, which an archive may stand for."""
    return move.ref.startswith(f"{ARCHIVES}/") or (move.new == NO_OID and move.ref.startswith(_FOLDERS))


def ends_archive(move: Move, history: History) -> bool:
    """Whether it deletes an archive that no event names any more. `tags` refuses to delete one that an event names."""
    named = move.ref.removeprefix(f"{ARCHIVES}/")
    return move.ref != named and move.new == NO_OID and named not in history.archives


def losses(had: Mapping[str, Collection[str]], kept: Collection[str], history: History) -> Iterator[Finding]:
    """TAG_MISSING for each archive that is deleted, with the tags that it `had`, if a checkpoint would not be `kept` then."""
    for ref, tags_of_it in had.items():
        points = [history.checkpoints[tag] for tag in tags_of_it if tag in history.checkpoints]
        lost = next((point for point in points if not point.gone and point.tag not in kept), None)
        if lost:
            text = f"{ref} must not be deleted yet: {lost.name} has no ref of its own."
            yield rejection("TAG_MISSING", ref, text, "Push its checkpoints first: devs-git sync")


def tags(
    moves: Sequence[Move],
    history: History,
    kinds: Mapping[str, str],
    read: Mapping[str, Archive] = NO_ARCHIVES,
) -> Iterator[Finding]:
    """Findings for checkpoints that differ from the ledger's events. `kinds` are the types of the new objects by oid.

    `read`: what was read of the archives that events name and that are there after the push.
    """
    governed = [m for m in moves if m.ref.startswith(_FOLDERS)]
    after = {m.ref: (m.new, kinds.get(m.new, "")) for m in governed if m.new != NO_OID}
    named = {m.ref for m in governed}
    archived = {(e.ref, e.tag) for found in read.values() if not found.faults for e in found.entries}
    yield from (found for found in checkpoint_tags.judge(history, after, archived) if found.where in named)
    if any(ref.startswith(f"{ARCHIVES}/") for ref in named):
        from devs_git.domain.audit import checkpoint_archives  # few pushes have an archive

        of_archives = checkpoint_archives.judge(history.archives, (), after, read)
        yield from (found for found in of_archives if found.where in named)
