"""What a server does not accept: decisions about one push, given the refs that it moves.

Governed are the ledger, numbered checkpoints and visible tags of tasks: they move as events explain. What lets others
know (`refs/devs/*`) goes through at any time. Every other ref is work, and waits while a gate is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from devs_git.domain import audit_tags
from devs_git.domain.events import LEDGER, NO_OID
from devs_git.domain.following import NUMBERED, VISIBLE
from devs_git.domain.history import History
from devs_git.domain.report import Finding
from devs_git.values import immutable

_TAGS = VISIBLE + "task-"
_FOLDERS = (NUMBERED, _TAGS)


@immutable
class Move:
    """One line of a push: what the ref was and will be, NO_OID where it is not."""

    old: str
    new: str
    ref: str


def refused(code: str, ref: str, message: str, fix: str) -> Finding:
    return Finding(code, "error", message, fix, ref)


def spelling(moves: Sequence[Move]) -> Iterator[Finding]:
    """Names that a file system which folds letters would take for ours."""
    for move in moves:
        folded = move.ref.lower()
        known = (
            LEDGER if folded == LEDGER else next((name for name in _FOLDERS if folded.startswith(name)), "")
        )
        if not move.ref.startswith(known):
            text = f"{move.ref} differs from a name of devs-git only in its letters' case."
            yield refused("INVALID_BRANCH", move.ref, text, "Give it another name.")


def work(moves: Sequence[Move], gates: Sequence[str]) -> Iterator[Finding]:
    """GATE_BLOCKED for every ref that is work, while `gates` are open in the ledger as it will be."""
    for move in moves if gates else ():
        if move.ref != LEDGER and not move.ref.startswith((*_FOLDERS, "refs/devs/")):
            text = f"{move.ref} is frozen: gate {gates[0]} waits for a person's decision."
            yield refused("GATE_BLOCKED", move.ref, text, f"See it: devs-git gate show {gates[0]}")


def tags(moves: Sequence[Move], history: History, kinds: Mapping[str, str]) -> Iterator[Finding]:
    """Checkpoints that are not as the ledger's events say; `kinds` are the types of the new objects by oid."""
    governed = [m for m in moves if m.ref.startswith(_FOLDERS)]
    after = {m.ref: (m.new, kinds.get(m.new, "")) for m in governed if m.new != NO_OID}
    named = {m.ref for m in governed}
    yield from (found for found in audit_tags.judge(history, after) if found.where in named)
