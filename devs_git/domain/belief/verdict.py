"""The rule applied to a whole ledger: the state of every event, and a finding for each violation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from devs_git.domain.audit import ledger_shape
from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.audit.ledger_shape import WAY_OUT, Freezes, Step
from devs_git.domain.belief import layout, memory
from devs_git.domain.belief.claims import Claim
from devs_git.domain.belief.masks import bits
from devs_git.domain.belief.records import DecisionRecord, Records
from devs_git.domain.belief.trees import ReplacedFile, Trees
from devs_git.domain.belief.walk import NONE, Walk
from devs_git.domain.ledger.events import FORMAT, IN_FORCE, Event
from devs_git.errors import DevsError
from devs_git.values import immutable

_NO_POLICY: Final = (
    "A person must start again, with the policy first. Keep this ledger: "
    "git -c core.hooksPath=/dev/null branch -m devs/ledger devs/ledger-before && mv .git/devs .git/devs-before. "
    "Remove the tracked policy, which names it: git rm -q --ignore-unmatch devs-policy.yaml && "
    "git -c core.hooksPath=/dev/null commit --allow-empty -m 'devs-git begins anew'. "
    "Delete devs/ledger on each remote that has it. Then run: devs-git init"
)
VIRTUAL: Final = "a merge that is not written yet"


@immutable
class Merge:
    """What a merge of two tips must have: the `files` that differ from its first parent, as path and blob ('' to remove the
    file, MARKER for a marker). `first` and `second` are the files of the two parents that were replaced.
    """

    files: tuple[tuple[str, str], ...]
    first: tuple[ReplacedFile, ...]
    second: tuple[ReplacedFile, ...]


@immutable
class Belief:
    """A ledger, judged by the rule. Events are named by their oids."""

    walk: Walk
    trees: Trees
    findings: tuple[Finding, ...]

    @property
    def events(self) -> Sequence[str]:
        """The oids of the events by their numbers."""
        return self.walk.oids

    def policy(self, event: str) -> str:
        """The event that set the policy in force, '' before the first."""
        return next(iter(self.chain(event)[-1:]), "")

    def policy_blob(self, event: str) -> str:
        """The blob of the policy in force, '' before the first."""
        return self.walk.policies.get(self.walk.states[self.walk.numbers[event]].policy, "")

    def asked_under(self, gate: str) -> str:
        """The event that set the policy under which a gate was requested, '' for none."""
        at = self.walk.askers.get(gate, [NONE])[0]
        return self.policy(self.events[at]) if at != NONE else ""

    def brought(self, event: str, says: DecisionRecord) -> bool:
        """Whether this event or an ancestor has a copy of a decision, signed with the same key."""
        copies = self.walk.copies.get(says.signed, 0)
        return bool(self.walk.states[self.walk.numbers[event]].known & copies)

    def chain(self, event: str) -> tuple[str, ...]:
        """The events that set the policies, from the first to the one in force."""
        found = self.walk.chains.get(self.walk.states[self.walk.numbers[event]].policy, ())
        return tuple(self.events[at] for at in found)

    def open_gates(self, event: str) -> frozenset[str]:
        """The gates that were requested and are not decided at this event."""
        state = self.walk.states[self.walk.numbers[event]]
        return frozenset(self.walk.names[gate] for gate in bits(state.asked & ~state.decided))

    def claims(self, event: str) -> dict[str, Claim]:
        """For each gate the decision that counts at this event, in the order of their events."""
        stands = self.walk.states[self.walk.numbers[event]].stands
        found = [self.walk.claims[number] for number in bits(stands)]
        return {claim.files.gate_id: claim for claim in found}

    def decisions(self, event: str) -> dict[str, str]:
        """For each gate the event whose decision counts at this event."""
        return {gate: self.events[claim.at] for gate, claim in self.claims(event).items()}

    def rollback(self, old: str, new: str) -> list[Finding]:
        """What a receiver that knows the tip `old` refuses of the tip `new`."""
        return memory.rollback(self.walk, self.events, old, new)

    def freezes(self) -> Freezes:
        """The bits of the gates, and for every event which are requested and which are open."""
        walk = self.walk
        rows = list(zip(self.events, walk.states, strict=True))
        return Freezes(
            dict(walk.gates),
            {name: self.events[at[0]] for name, at in walk.askers.items()},
            {oid: state.asked for oid, state in rows},
            {oid: state.asked & ~state.decided for oid, state in rows},
        )

    def replaced_files(self, before: str, at: str) -> tuple[ReplacedFile, ...]:
        """The policy and the decisions that the event `before` has, and its descendant `at` does not."""
        return tuple(self.trees.replaced_files(self.walk.numbers[before], self.walk.numbers[at]))

    def why(self, one: ReplacedFile, at: str) -> str:
        """Why a file was replaced, in words."""
        if not one.gate_id:
            walk = self.walk
            stands = walk.chains[walk.states[walk.numbers[at]].policy]
            gave = [c for n, c in walk.chains.items() if walk.policies[n] == one.blob and n not in stands]
            if any(stands == chain[: len(stands)] for chain in gave):
                return "The other side decided the gate of this policy differently, and it was first."
            return "Both sides changed the policy; the other side was first."
        return self.walk.why_not(one.number, self.walk.numbers[at]) or "The other side was first."

    def event_of(self, number: int) -> str:
        """The event of a decision, '' for none."""
        return self.events[self.walk.claims[number].at] if number != NONE else ""

    def merge(self, first: str, second: str) -> Merge:
        """What a merge of `second` into `first` must have. Afterwards the walk has this merge as VIRTUAL."""
        walk, trees = self.walk, self.trees
        step = Step(Event("", "", (), oid=VIRTUAL, parents=(first, second)), ((), ()))
        at, before, other = walk.visit(step), walk.numbers[first], walk.numbers[second]
        wanted = {path: trees.blob_by_rule(at, path) for path in trees.changed_paths(at)}
        files = {path: blob for path, blob in wanted.items() if blob != trees.blob_by_rule(before, path)}
        ours, theirs = (tuple(trees.replaced_files(side, at)) for side in (before, other))
        placed = tuple(trees.places((*ours, *theirs), (other, before)))
        files |= {one.kept: one.blob for one in placed}
        return Merge(tuple(files.items()), placed[: len(ours)], placed[len(ours) :])


def believe(  # noqa: PLR0913 - keywords, which say what a trusted source names
    steps: Sequence[Step],
    records: Records,
    *,
    genesis: str = "",
    first: str = "",
    must_sign: frozenset[str] = frozenset(),
    each: Callable[[int], None] = lambda _done: None,
) -> Belief:
    """Judge a ledger, parents first.

    `genesis` and `first` are the oids of the root and of the event of the first policy, if a trusted source names them.
    In the events `must_sign` no unsigned decision counts. `each` hears before each event how many were judged.
    """
    walk = Walk(records, must_sign, first)
    trees = Trees(walk)
    found = list(ledger_shape.roots(steps, genesis))
    for step in steps:
        if step.judged and len(step.event.parents) == 1 and not step.edges[0]:
            walk.pass_by(step)
            trees.pass_by()
            continue
        each(len(walk.states))
        at = walk.visit(step)
        odd = trees.visit(step, at)
        if step.judged:
            found += (*_decided(walk, step, at), *_odd(walk, step, at, odd))
            continue
        # First what a newer format says of itself: then its files may have names that are not known here.
        found += _event(walk, step, at)
        found += ledger_shape.mutations(step)
        found += _odd(walk, step, at, odd)
        found += _merged(trees, step, at) if len(step.event.parents) > 1 else _kept(step)
    leaps = ledger_shape.leaps([step for step in steps if not step.judged])
    return Belief(walk, trees, (*found, *_twice(walk, steps), *leaps))


def _finding(code: str, event: Event, what: str, fix: str = WAY_OUT) -> Finding:
    kind = ", a merge," if len(event.parents) > 1 else ""
    return Finding(code, "error", f"Event {event.oid[:12]}{kind} {what}.", fix, event.oid)


def _event(walk: Walk, step: Step, at: int) -> Iterator[Finding]:
    event = step.event
    if event.format > FORMAT:
        what = f"has format {event.format}; this devs-git reads formats up to {FORMAT}"
        yield _finding("FORMAT_TOO_NEW", event, what, "Install a newer devs-git, then run the command again.")
    if len(event.parents) > 2:
        yield _finding("LEDGER_MUTATED", event, f"has {len(event.parents)} parents; a merge has two")
    asked = list(layout.added_files(step, layout.REQUEST)) if len(event.parents) < 2 else []
    for gate, blob in asked:
        says = walk.records.requests.get(blob)
        # A decision names its gate, so nobody could decide this gate.
        if says and says.gate_id != gate:
            yield _finding(
                "LEDGER_MUTATED", event, f"requests gate {gate} with the request of {says.gate_id}"
            )
        # Two events that request one gate exclude each other, so only the copy is at fault.
        if walk.records.is_copy(blob, event.parents):
            yield _finding(
                "LEDGER_MUTATED", event, f"requests gate {gate} with a copy of another event's request"
            )
    if asked and walk.states[at].policy == NONE:
        what = f"requests gate {asked[0][0]} before there is a policy"
        yield _finding("LEDGER_MUTATED", event, what, _NO_POLICY)
    yield from _decided(walk, step, at)


def _decided(walk: Walk, step: Step, at: int) -> Iterator[Finding]:
    for claim in _wrong(walk, at):
        assert claim.wrong
        yield finding_of_decision(claim.files.gate_id, claim.wrong, step.event.oid)


def finding_of_decision(gate_id: str, why: DevsError, event: str) -> Finding:
    """The finding for a decision that is not valid at its event."""
    text = f"Gate {gate_id}, decided by event {event[:12]}: {why.message.rstrip('.')}."
    damaged = why.details.get("damaged", "")
    cause = IN_LEDGER + damaged if damaged else ""
    return Finding(why.code, "error", text, f"See: git show {event[:12]}", event, cause=cause)


def _wrong(walk: Walk, at: int) -> Iterator[Claim]:
    """The invalid decisions of this event, which is the last that was visited."""
    for claim in reversed(walk.claims):
        if claim.at != at:
            return
        if claim.wrong:
            yield claim


def _odd(walk: Walk, step: Step, at: int, odd: Iterable[str]) -> Iterator[Finding]:
    """Findings for the paths at which an event differs from the rule, except those of its invalid decisions."""
    judged = {claim.files.gate_id for claim in _wrong(walk, at)}
    event, merge = step.event, len(step.event.parents) > 1
    changes = {change.path: change for change in layout.first_edge(step)}
    for path in (path for path in odd if layout.gate_of(path) not in judged):
        if path == IN_FORCE and not merge and (path not in changes or changes[path].new):
            what = "puts a policy into force that no decision approved"
            yield _finding("POLICY_INVALID", event, what, f"See: git show {event.oid[:12]}")
        elif path.startswith("open/"):
            yield _finding("LEDGER_MUTATED", event, f"has a wrong marker {path}")
        elif merge:
            yield _finding("LEDGER_MUTATED", event, f"has a {path} that does not follow from its parents")
        elif path in changes:
            yield _finding("LEDGER_MUTATED", event, f"{ledger_shape.did(changes[path])} {path}")
        else:
            yield _finding("LEDGER_MUTATED", event, f"does not change {path}, as it should")


def _merged(trees: Trees, step: Step, at: int) -> Iterator[Finding]:
    """Findings for a merge that does not save replaced files, or adds files of its own."""
    gave_way: list[tuple[str, str, tuple[str, ...]]]
    gave_way = [(one.path, one.blob, (one.kept, layout.aside(one.blob))) for one in _given(trees, at)]
    gave_way += [
        (change.path, change.old, (layout.aside(change.old),))
        for edge in step.edges[1:]
        for change in edge
        if change.old and not layout.governs(change.path)
    ]
    kept = {place: blob for _, blob, places in gave_way for place in places}
    for path, blob, places in gave_way:
        if blob not in [trees.blob_kept_aside(at, place) for place in places]:
            yield _finding("LEDGER_MUTATED", step.event, f"removes {path} without saving it")
    new = [{change.path: change.new for change in edge if not change.old} for edge in step.edges]
    for path, blob in sorted(new[0].items()):
        own = not layout.governs(path) and all(path in edge for edge in new)
        if own and kept.get(path) != blob:
            yield _finding("LEDGER_MUTATED", step.event, f"adds {path}, which no parent has")


def _given(trees: Trees, at: int) -> Iterator[ReplacedFile]:
    for side in trees.walk.parents[at]:
        yield from trees.replaced_files(side, at)


def _kept(step: Step) -> Iterator[Finding]:
    for change in layout.first_edge(step):
        if change.path.startswith(layout.ASIDE):
            yield _finding("LEDGER_MUTATED", step.event, f"adds {change.path}, but is not a merge")
            return


def _twice(walk: Walk, steps: Sequence[Step]) -> Iterator[Finding]:
    """Findings for what only one event of a ledger may add: the first policy, and each request."""
    pinned = walk.first
    for at in walk.firsts if len(walk.firsts) > 1 or pinned else ():
        if steps[at].event.oid != pinned:
            yield _finding("LEDGER_FORK", steps[at].event, "sets another first policy")
    for at in walk.firsts:
        if not steps[at].event.parents:
            yield _finding("LEDGER_MUTATED", steps[at].event, "is the genesis, but has a policy")
    for gate, events in walk.askers.items():
        # A copy with the same parent is the same question at the same place, and excludes no other.
        asked = {
            (dict(layout.added_files(steps[at], layout.REQUEST))[gate], walk.parents[at]) for at in events
        }
        for at in events if len(asked) > 1 else ():
            yield _finding("LEDGER_MUTATED", steps[at].event, f"requests gate {gate}, as another event does")
