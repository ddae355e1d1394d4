"""Whether commits were made while a gate was open. No clock is needed for the proof.

Each commit names the ledger's tip at that time (`Devs-Ledger`). The request of each gate recorded the tips of all local
branches (`heads`). So a commit does not violate a gate if the gate was decided at its tip, or if the branches had the
commit when the gate was requested. A set of gates is a bit mask, so one pass judges a history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from devs_git.domain.audit.findings import Finding, Severity
from devs_git.domain.audit.ledger_shape import Freezes
from devs_git.values import immutable

_SEE: Final = "See: git log -1 --format=%B "


@immutable
class Bound:
    """A commit: its parents, the ledger tip that it names ('' for none), the gate that it claims to land ('' for none), and
    the mail address of its committer.
    """

    oid: str
    parents: tuple[str, ...]
    ledger: str
    gate: str = ""
    committer: str = ""


@immutable
class Witness:
    """What the ledger proves: which gates were open when, the parents of its events (parents first), the heads that each
    gate's request recorded, and the event that recorded a commit as a checkpoint (`recorded`). `landed` are the commits that
    a decision made, `early` those that are older than devs-git. `shared` are events that prove several clones: a clone
    adopted the ledger, or two lines were merged. `damaged` are the gates with a file that cannot be read.
    """

    freezes: Freezes
    parents: Mapping[str, tuple[str, ...]]
    heads: Mapping[str, Sequence[str]]
    recorded: Mapping[str, str]
    unbound: Severity | None = "warning"
    landed: frozenset[str] = frozenset()
    early: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    damaged: frozenset[str] = frozenset()

    @cached_property
    def readable(self) -> int:
        """The gates that count. If a gate's file cannot be read, nobody knows when the gate was open."""
        numbers = self.freezes.numbers
        return sum(1 << number for gate, number in numbers.items() if gate not in self.damaged)


def judge(commits: Sequence[Bound], witness: Witness, context: Sequence[Bound] = ()) -> Iterator[Finding]:
    """Findings about `commits`, given parents first.

    `context` are commits that are not judged: parents of `commits`, and commits between a recorded head and `commits`.
    """
    named = {commit.oid: commit.ledger for commit in (*context, *commits)}
    every = (*commits, *context)
    reach = _reached(every, witness)
    later = _later(witness)
    existed = _existed(every, witness, later)
    ancestors = Ancestry(witness.parents)
    # Gates of a shared ledger: who named the event just before one of them may not have known it.
    elsewhere = 0
    for event in witness.shared:
        elsewhere |= later.get(event, 0)
    unseen = {
        one.oid: _unknown(one, witness) & ~(reach.get(one.oid, 0) | existed.get(one.oid, (0, 0))[0])
        for one in commits
    }
    own = gates_known_to((*context, *commits), witness, {one.committer for one in commits if unseen[one.oid]})
    for commit in commits:
        if not commit.ledger:
            yield from _unbound(commit, witness)
        elif commit.ledger not in witness.freezes.known:
            yield _finding("LEDGER_ROLLBACK", commit, "names an event that the ledger does not contain")
        else:
            yield from _frozen(commit, witness)
            after = later.get(commit.ledger, 0)
            apart = existed.get(commit.oid, (0, 0))[1] | elsewhere | ~after
            apart &= ~(own.get((commit.committer, commit.oid), 0) & after)
            yield from _unseen(commit, witness, unseen[commit.oid], apart)
            yield from _regression(commit, named, ancestors)


def _finding(code: str, commit: Bound, what: str, severity: Severity = "error") -> Finding:
    return Finding(code, severity, f"Commit {commit.oid[:12]} {what}.", _SEE + commit.oid[:12], commit.oid)


def _unbound(commit: Bound, witness: Witness) -> Iterator[Finding]:
    if witness.unbound and commit.oid not in witness.early:
        yield _finding(
            "UNBOUND_COMMIT",
            commit,
            "names no ledger event (it was made without the hooks of devs-git)",
            witness.unbound,
        )


def _names(witness: Witness, mask: int) -> str:
    found = [gate for gate, number in witness.freezes.numbers.items() if mask >> number & 1]
    return found[0] + (f" and {len(found) - 1} more" if len(found) > 1 else "")


def _frozen(commit: Bound, witness: Witness) -> Iterator[Finding]:
    still = witness.freezes.open[commit.ledger] & witness.readable
    if still and commit.oid not in witness.landed:
        yield _finding(
            "COMMITTED_WHILE_FROZEN", commit, f"was made while gate {_names(witness, still)} was open"
        )


def _unknown(commit: Bound, witness: Witness) -> int:
    """The gates that did not exist yet at the event that a commit names."""
    known = witness.freezes.known.get(commit.ledger)
    return 0 if known is None else witness.readable & ~known


def _unseen(commit: Bound, witness: Witness, unseen: int, apart: int) -> Iterator[Finding]:
    """`unseen` are the gates that the commit should have known, `apart` those that another clone may have opened."""
    if sure := unseen & ~apart:
        text = f"was made after gate {_names(witness, sure)} was opened, but names an earlier event of the ledger"
        yield _finding("UNSEEN_AT_FREEZE", commit, text)
    if maybe := unseen & apart:
        text = (
            f"was made without knowing of gate {_names(witness, maybe)}, which another clone may have opened"
        )
        yield _finding("UNSEEN_AT_FREEZE", commit, text, "warning")


def gates_known_to(
    commits: Sequence[Bound], witness: Witness, committers: Iterable[str]
) -> dict[tuple[str, str], int]:
    """For each of these committers and each commit: the gates that an earlier commit of this committer knew.

    Whoever made the earlier commit had the gate in the ledger, so a later commit of theirs had it, too. No commit names its
    clone. The committer is the nearest fact to it, although anybody can invent a name.
    """
    found: dict[tuple[str, str], int] = {}
    for who in committers:
        for one in commits:
            mask = 0
            for parent in one.parents:
                mask |= found.get((who, parent), 0)
            if one.committer == who:
                mask |= witness.freezes.known.get(one.ledger, 0)
            if mask:
                found[who, one.oid] = mask
    return found


def _regression(commit: Bound, named: Mapping[str, str], ancestors: Ancestry) -> Iterator[Finding]:
    for parent in commit.parents:
        before = named.get(parent, "")
        if before in ancestors.parents and not ancestors.contains(commit.ledger, before):
            if ancestors.contains(before, commit.ledger):
                yield _finding(
                    "LEDGER_REGRESSION", commit, "names an earlier ledger event than its parent does"
                )
            else:
                text = "names a ledger event that is on another line than its parent's"
                yield _finding("LEDGER_REGRESSION", commit, text, "warning")
            return


def _reached(commits: Sequence[Bound], witness: Witness) -> dict[str, int]:
    """For every commit: the gates whose request recorded a head that contains the commit."""
    reach: dict[str, int] = {}
    for gate, number in witness.freezes.numbers.items():
        for head in witness.heads.get(gate, ()):
            reach[head] = reach.get(head, 0) | 1 << number
    for commit in reversed(commits):
        mask = reach.get(commit.oid, 0)
        for parent in commit.parents if mask else ():
            reach[parent] = reach.get(parent, 0) | mask
    return reach


def _existed(
    commits: Sequence[Bound], witness: Witness, later: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """For every commit that existed at some event: the gates requested after that event, and those on other lines.

    A checkpoint's event names its commit, a request names the branches' tips. All ancestors of these existed, too.
    """
    known = witness.freezes.known
    proofs = [(commit, event) for commit, event in witness.recorded.items() if event in known]
    for gate, event in witness.freezes.requested_at.items():
        proofs += [(head, event) for head in witness.heads.get(gate, ())]
    found: dict[str, tuple[int, int]] = {}

    def add(commit: str, cleared: int, apart: int) -> None:
        before = found.get(commit, (0, 0))
        found[commit] = before[0] | cleared, before[1] | apart

    for commit, event in proofs:
        add(commit, later.get(event, 0), ~known[event])
    for one in reversed(commits):
        if one.oid in found:
            for parent in one.parents:
                add(parent, *found[one.oid])
    return found


def _later(witness: Witness) -> dict[str, int]:
    """For every event: the gates that a later event of the same line requested."""
    later: dict[str, int] = {}
    requests: dict[str, int] = {}
    for gate, event in witness.freezes.requested_at.items():
        requests[event] = requests.get(event, 0) | 1 << witness.freezes.numbers[gate]
    # The mapping has parents first.
    for event in reversed(list(witness.parents)):
        mask = later.get(event, 0) | requests.get(event, 0)
        for parent in witness.parents[event] if mask else ():
            later[parent] = later.get(parent, 0) | mask
    return later


class Ancestry:
    """Which event descends from which; events are given parents first. One line needs positions, a merged one bit masks."""

    def __init__(self, parents: Mapping[str, tuple[str, ...]]) -> None:
        self.parents = parents
        self._place = {oid: at for at, oid in enumerate(parents)}
        self._linear = all(len(above) <= 1 for above in parents.values())
        self._bits: dict[str, int] = {}
        for oid, above in parents.items() if not self._linear else ():
            mask = 1 << self._place[oid]
            for parent in above:
                mask |= self._bits.get(parent, 0)
            self._bits[oid] = mask

    def contains(self, later: str, earlier: str) -> bool:
        """Whether `earlier` is `later` or one of its ancestors."""
        if self._linear:
            return self._place[earlier] <= self._place[later]
        return bool(self._bits[later] >> self._place[earlier] & 1)
