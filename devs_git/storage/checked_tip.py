"""The tip of the ledger up to which the rule of belief was asked here: `<common git directory>/devs/checked-tip`.

Whoever can push a ledger must not choose the policy that judges him. So a ledger that somebody moved without us (a plain
`git fetch` into the branch) is judged before anything believes it, and compared with what was here. What our own
commands write moves the note along. It may be deleted: then the next command judges the whole ledger.
"""

from __future__ import annotations

from typing import Final

from devs_git.domain import event_fields
from devs_git.domain.belief import layout
from devs_git.domain.events import FORMAT_KEY, LEDGER, Event
from devs_git.domain.policy import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage import refs, rewritten
from devs_git.storage.git_program import GitFailed
from devs_git.storage.ledger import LOCK, Ledger

_GOVERNING: Final = (IN_FORCE, "gates", "open", layout.ASIDE.rstrip("/"))

_GROWING: Final = ("tasks", "rewinds", "directives")


def set_back(known: str, tip: str) -> DevsError:
    """LEDGER_ROLLBACK: a gate may have been open in what was here."""
    return DevsError(
        "LEDGER_ROLLBACK",
        f"The ledger was set back to {tip[:12]}: it leaves out event {known[:12]}, which was here.",
        hint=f"Put it back: git update-ref {LEDGER} {known}",
    )


def require(ledger: Ledger, tip: str, *, note: bool = False, behind: bool = False) -> None:
    """The ledger at `tip` is what the rule allows and goes on from what was here; the code of what is wrong otherwise.

    A clone that has no memory at all, neither a note nor an event of its own, compares it with the tracked policy: LEDGER_FORK, CONFLICT.
    With `behind` it may be an older tip of what was here, as for `sync`, which brings it forward.
    HISTORY_REWRITTEN where what was here is gone: git itself never takes away what a ref or a reflog reaches. With `note`
    what was judged is noted; reads and dry runs write nothing.
    """
    known = ledger.checked_tip
    if not tip or tip == known:
        return
    if known and not ledger.objects.exists(known):
        raise rewritten.of_ledger(known)
    if known and _older(ledger, tip, known):
        # Another process may have written between two looks of this one, which then has an older tip, as it may.
        if not behind and ledger.tip().oid == tip:
            raise set_back(known, tip)
        return
    if known and _forgotten(ledger, known, tip):
        raise rewritten.of_ledger(known)
    if not (known and _only_grew(ledger, known, tip)):
        unseen = not known and not (ledger.common / LOCK).exists()
        _judge(ledger, known, tip, _first(ledger, tip) if unseen else "")
    if note:
        ledger.note_checked(tip)


def _older(ledger: Ledger, tip: str, known: str) -> bool:
    """Whether `tip` is before what was here; HISTORY_REWRITTEN where only the newest of that are still here (`newest.py`)."""
    try:
        return ledger.reader.says("merge-base", "--is-ancestor", tip, known)
    except GitFailed as error:
        raise rewritten.of_ledger(known) from error


def _forgotten(ledger: Ledger, known: str, tip: str) -> bool:
    """Whether what was here is in no reflog any more, and `tip` does not go on from it: so a rewritten history leaves it.

    Its objects may all have second names still. Where git keeps no reflog, this is not known.
    """
    if not (ledger.common / "logs" / LEDGER).is_file() or known in refs.reflog(ledger.common, LEDGER):
        return False
    return not ledger.reader.says("merge-base", "--is-ancestor", known, tip)


def _first(ledger: Ledger, tip: str) -> str:
    from devs_git.storage import first_sight

    return first_sight.require_known(ledger, tip)


def _only_grew(ledger: Ledger, known: str, tip: str) -> bool:
    """Whether all that came since is events of one line, with fields as we write them, which name no format, leave alone what
    governs, and add nothing beside the folders that are known.
    """
    from devs_git.storage import tree_shape

    try:
        before, after = (ledger.list_path(ledger.tree_of(oid), "") for oid in (known, tip))
        since = ("--count", tip, f"^{known}", "--")
        merges = ledger.reader.text("rev-list", "--min-parents=2", *since)
        # What one event put there and a later one took out again is not seen at the ends.
        touched = ledger.reader.text("rev-list", "--full-history", *since, *_GOVERNING)
        # The user may have another kind of patterns configured.
        formats = ledger.reader.text("rev-list", "--basic-regexp", f"--grep=^{FORMAT_KEY}:", *since)
        same = all(before.get(name) == after.get(name) for name in _GOVERNING)
        known_names = after.keys() <= before.keys() | {*_GROWING}
        return (
            same
            and known_names
            and not any(tree_shape.odd(ledger.reader, tip))
            and merges == formats == touched == "0"
            and not any(_doubtful(event) for event in ledger.events(tip, since=known))
            and ledger.reader.says("merge-base", "--is-ancestor", known, tip)
        )
    except (KeyError, ValueError, DevsError):
        return False


def _doubtful(event: Event) -> bool:
    """Whether the fields of an event, alone, do not show that it is as our writers make it."""
    return any(event_fields.odd(event)) or max(event_fields.numbers(event), default=0) > event_fields.HIGHEST


def _judge(ledger: Ledger, known: str, tip: str, first: str) -> None:
    from devs_git.storage import receiving

    found = next(receiving.unsound(ledger, known, tip, first=first), None)
    if found:
        raise DevsError(
            found.code,
            f"The ledger here is not to be believed: {found.message}",
            hint=f"Nothing was changed. Call a person; see: devs-git verify ledger, and: git show {found.where}",
        )
