"""Whether a ledger is what only our writers make: one root, append-only along every parent edge, gates consistent.

Rules, each broken one a finding:
- there is one root and it is the pinned genesis (LEDGER_FORK otherwise, LEDGER_MISSING without any);
- every commit but a merge is an event (LEDGER_MUTATED otherwise);
- along every parent edge files are only added; the exceptions are `policy.yaml`, which an event `policy.set` may
  replace, and `open/<gate>`, which goes with its decision (LEDGER_MUTATED otherwise);
- a merge is a union: where both sides have a path with other content the first parent's stays and the other is kept
  under `superseded/<its oid>`;
- after every event `open/<gate>` exists exactly for the requests without a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from devs_git.domain.events import LEDGER, Event
from devs_git.domain.report import Finding
from devs_git.values import field, immutable

# No name that begins like an option or leads out of its folder: a gate of such a name could never be decided.
_ADDED: Final = re.compile(
    r"gates/{1}/(request\.yaml|decision\.yaml|decision\.yaml\.sig)|open/{1}|tasks/{0}/{0}\.yaml"
    r"|rewinds/{0}\.yaml|directives/{0}\.yaml|superseded/.+|policy\.yaml".format(
        "[0-9A-Za-z][^/]*", "[0-9A-Za-z][0-9A-Za-z-]*"
    )
)
_GATE: Final = re.compile(r"(?:gates/([^/]+)/(request|decision)\.yaml|(open)/([^/]+))")
WAY_OUT: Final = (
    "Call a person: compare with another clone's refs/heads/devs/ledger before anything is written."
)


@immutable
class Change:
    """One path along one parent edge; `old` and `new` are blob oids, '' where a side has none."""

    path: str
    old: str
    new: str


@immutable
class Step:
    """One event with what changed along each of its parent edges (a root: against nothing)."""

    event: Event
    edges: tuple[tuple[Change, ...], ...]


@immutable
class Freezes:
    """Gates by number (their bit), and for every event which are requested and which are open there, as bit masks."""

    numbers: dict[str, int] = field(default_factory=dict)
    requested_at: dict[str, str] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)


def _damaged(code: str, oid: str, message: str) -> Finding:
    return Finding(code, "error", message, WAY_OUT, oid)


def roots(steps: Sequence[Step], genesis: str) -> Iterator[Finding]:
    """Findings about where the ledger begins; `genesis` is the pinned oid, '' where none is."""
    found = [step.event.oid for step in steps if not step.event.parents]
    if not found:
        yield _damaged("LEDGER_MISSING", LEDGER, "The ledger has no root here.")
    for oid in found if len(found) > 1 else ():
        if oid != genesis:
            yield _damaged("LEDGER_FORK", oid, f"The ledger has another root: {oid}.")
    if genesis and found and genesis not in found:
        yield _damaged(
            "LEDGER_FORK", found[0], f"The ledger begins at {found[0]}; the policy names {genesis}."
        )


def mutations(step: Step, kept: Mapping[str, str]) -> Iterator[Finding]:
    """Changes of one event that no writer of ours makes; `kept` are the blobs it has under `superseded/`."""
    oid = step.event.oid
    if not step.event.type and len(step.event.parents) < 2:
        yield _damaged("LEDGER_MUTATED", oid, f"Commit {oid[:12]} on the ledger's branch is no event.")
    decided = {
        match[1]
        for edge in step.edges
        for c in edge
        if (match := _GATE.fullmatch(c.path)) and match[2] == "decision"
    }
    for number, edge in enumerate(step.edges):
        for change in edge:
            if not _allowed(step, change, number, decided, kept):
                did = "added" if not change.old else "removed" if not change.new else "changed"
                yield _damaged("LEDGER_MUTATED", oid, f"Event {oid[:12]} {did} {change.path}.")


def _allowed(step: Step, change: Change, number: int, decided: set[str], kept: Mapping[str, str]) -> bool:
    if not change.old:
        return bool(_ADDED.fullmatch(change.path)) or (not step.event.parents and change.path == "README.md")
    merge = len(step.event.parents) > 1
    gave_way = merge and number > 0 and change.old in kept.values()
    if not change.new:
        marker = change.path.startswith("open/") and (merge or change.path[5:] in decided)
        # The signature of a decision that gave way goes along with it.
        return marker or (gave_way and change.path.endswith("/decision.yaml.sig"))
    if change.path == "policy.yaml":
        return step.event.type == "policy.set" or merge
    # The second parent's content gave way to the first's: it must not be lost.
    return gave_way


def superseded(steps: Sequence[Step]) -> dict[str, str]:
    """What gave way to another clone's content: its path under `superseded/` and its blob."""
    changes = (change for step in steps for edge in step.edges for change in edge)
    return {change.path: change.new for change in changes if change.path.startswith("superseded/")}


def freezes(steps: Sequence[Step]) -> tuple[Freezes, list[Finding]]:
    """Which gates are open at every event, and where the markers do not tell it. Steps come parents first."""
    found, trouble = Freezes(), []
    decided: dict[str, int] = {}
    for step in steps:
        oid, parents = step.event.oid, step.event.parents
        known = _union(found.known, parents)
        done = _union(decided, parents)
        marked = found.open.get(parents[0], 0) if parents else 0
        for gate, kind, present in _marks(step.edges[0] if step.edges else ()):
            bit = 1 << found.numbers.setdefault(gate, len(found.numbers))
            if kind == "request":
                known |= bit
                found.requested_at.setdefault(gate, oid)
            elif kind == "decision":
                done |= bit
            else:
                marked = marked | bit if present else marked & ~bit
        found.known[oid], decided[oid], found.open[oid] = known, done, known & ~done
        if marked != known & ~done:
            names = [
                gate for gate, number in found.numbers.items() if (marked ^ (known & ~done)) >> number & 1
            ]
            text = f"Event {oid[:12]} leaves a wrong marker open/{names[0]}."
            trouble.append(_damaged("LEDGER_MUTATED", oid, text))
            found.open[oid] = known & ~done
    return found, trouble


def _union(masks: Mapping[str, int], parents: Sequence[str]) -> int:
    whole = 0
    for parent in parents:
        whole |= masks.get(parent, 0)
    return whole


def _marks(edge: Sequence[Change]) -> Iterator[tuple[str, str, bool]]:
    for change in edge:
        match = _GATE.fullmatch(change.path)
        if match:
            yield match[1] or match[4], match[2] or match[3], bool(change.new)
