"""Whether each event's tree has what the rule says, and what the tree of a merge must have.

An event is at fault for its own differences from the rule, not for those that its first parent has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.audit.ledger_shape import Change, Step
from devs_git.domain.belief import layout
from devs_git.domain.belief.claims import Claim
from devs_git.domain.belief.masks import Rows, bits
from devs_git.domain.belief.walk import NONE, Walk
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.values import field, immutable, mutable, replace

MARKER: Final = "here"


@immutable
class ReplacedFile:
    """A file that a later event no longer has: the path, the blob, and where the blob is saved.

    Of a decision also its gate, its number, and that of the decision that replaced it (NONE if the gate is open).
    """

    path: str
    blob: str
    kept: str
    gate_id: str = ""
    number: int = NONE
    stands: int = NONE


@mutable
class Trees:
    """The paths at which the trees of a walk differ from the rule, and the replaced files that each event saves: sets of `rows`."""

    walk: Walk
    rows: Rows = field(default_factory=Rows)
    odd: list[int] = field(default_factory=list)
    asides: list[int] = field(default_factory=list)

    def blob_by_rule(self, at: int, path: str) -> str:
        """The blob that the rule wants at a path, '' for none, MARKER for a marker."""
        walk, state = self.walk, self.walk.states[at]
        if path == IN_FORCE:
            return walk.policies.get(state.policy, "")
        gate = walk.gates.get(layout.gate_of(path), NONE)
        if gate == NONE or not state.asked >> gate & 1:
            return ""
        if path.startswith("open/"):
            return "" if state.decided >> gate & 1 else MARKER
        if path.endswith(layout.REQUEST):
            return walk.requests[gate]
        claim = walk.decision_on(at, gate)
        if claim is None:
            return ""
        return claim.files.decision if path.endswith(layout.DECISION) else claim.files.signature

    def visit(self, step: Step, at: int) -> list[str]:
        """The paths at which this event itself differs from the rule."""
        parents = self.walk.parents[at]
        odd = before = self.odd[parents[0]] if parents else 0
        edge = {change.path: change for change in layout.first_edge(step) if layout.governs(change.path)}
        made = []
        for path in dict.fromkeys((*edge, *self.changed_paths(at))):
            blob = self._found(path, edge, before, at)
            fits = blob == self.blob_by_rule(at, path)
            odd = self.rows.put(odd, path, None if fits else blob)
            if not fits and self.rows.get(before, path) != blob:
                made.append(path)
        self.odd.append(odd)
        self._keep(step, at)
        return made

    def pass_by(self) -> None:
        """Visit the event that the walk passed by."""
        [parent] = self.walk.parents[-1]
        self.odd.append(self.odd[parent])
        self.asides.append(self.asides[parent])

    def _keep(self, step: Step, at: int) -> None:
        kept = self.asides[self.walk.parents[at][0]] if self.walk.parents[at] else 0
        for one in layout.first_edge(step):
            if one.path.startswith(layout.ASIDE):
                kept = self.rows.put(kept, one.path, one.new or None)
        self.asides.append(kept)

    def blob_kept_aside(self, at: int, path: str) -> str | None:
        """The blob of a path under `superseded/` at an event; None for none."""
        return self.rows.get(self.asides[at], path)

    def places(self, gave_way: Iterable[ReplacedFile], sides: Iterable[int]) -> Iterator[ReplacedFile]:
        """The same, each with a free place. One decision may have several signature files."""
        taken: dict[str, str] = {}
        for side in sides:
            taken |= self.rows.every(self.asides[side])
        for one in gave_way:
            kept = one.kept if taken.get(one.kept, one.blob) == one.blob else layout.aside(one.blob)
            taken[kept] = one.blob
            yield replace(one, kept=kept)

    def _found(self, path: str, edge: Mapping[str, Change], before: int, at: int) -> str:
        """The blob that the tree of an event has at a path, in the terms of `blob_by_rule`."""
        if path in edge:
            new = edge[path].new
            return MARKER if new and path.startswith("open/") else new
        parents, odd = self.walk.parents[at], self.rows.get(before, path)
        return odd if odd is not None else self.blob_by_rule(parents[0], path) if parents else ""

    def changed_paths(self, at: int) -> Iterable[str]:
        """The paths whose blob, by the rule, may differ from that in the first parent."""
        walk, state, parents = self.walk, self.walk.states[at], self.walk.parents[at]
        if not parents:
            return
        first = walk.states[parents[0]]
        if state is first:
            return
        if state.policy != first.policy:
            yield IN_FORCE
        gates = (state.asked ^ first.asked) | walk.gates_of(state.stands ^ first.stands)
        for gate in bits(gates):
            yield from layout.paths_of(walk.names[gate])

    def replaced_files(self, before: int, at: int) -> Iterator[ReplacedFile]:
        """The policy and the decisions that the event `before` has, and its descendant `at` does not."""
        old, new = self.walk.states[before], self.walk.states[at]
        if old.policy != NONE and old.policy not in self.walk.chains[new.policy]:
            blob = self.walk.policies[old.policy]
            # Two clones may have approved the same policy.
            if blob != self.walk.policies[new.policy]:
                yield ReplacedFile(IN_FORCE, blob, layout.aside(blob))
        for gate in bits(self.walk.gates_of(old.stands & ~new.stands)):
            had, has = self.walk.decision_on(before, gate), self.walk.decision_on(at, gate)
            if had and not (has and has.files == had.files):
                yield from self._decision(had, has)

    def _decision(self, had: Claim, has: Claim | None) -> Iterator[ReplacedFile]:
        blob, gate = had.files.decision, had.files.gate_id
        who = (gate, had.number, has.number if has else NONE)
        if not has or has.files.decision != blob:
            yield ReplacedFile(f"gates/{gate}/{layout.DECISION}", blob, layout.aside(blob), *who)
        if had.files.signature:
            kept = layout.aside(blob, signature=True)
            yield ReplacedFile(f"gates/{gate}/{layout.SIGNATURE}", had.files.signature, kept, *who)
