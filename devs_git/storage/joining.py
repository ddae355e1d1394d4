"""Make the ledger here hold what a remote's holds: by fast-forward, or by a merge where both went on (DESIGN 3).

The ledger and the refs that it speaks of move in one transaction. The objects are here already; nothing talks to a
remote. What a crash left half done is simply done again: what is in step already is skipped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from devs_git.domain import following, joining
from devs_git.domain.audit_ledger import Change
from devs_git.domain.belief import MARKER, VIRTUAL, layout
from devs_git.domain.events import LEDGER, Draft, Event, RefUpdate
from devs_git.domain.history import History, fold
from devs_git.errors import DevsError
from devs_git.storage import auditing, checked_tip, locks, receiving, refs, standpoint
from devs_git.storage import gates as store
from devs_git.storage.audit_facts import Facts
from devs_git.storage.context import Context
from devs_git.storage.far import held
from devs_git.storage.git_program import Git
from devs_git.storage.ledger import ATTEMPTS, LOCK_SECONDS, REF_LOCK_SECONDS, Ledger, Tip
from devs_git.values import field, immutable


@immutable
class Joined:
    """The ledger as it is now. `merge` is the event that joined two lines, '' where none had to; `changed` the refs that moved."""

    tip: str
    changed: tuple[str, ...] = ()
    merge: str = ""
    superseded: tuple[joining.Superseded, ...] = ()
    settled: joining.Settled = field(default_factory=joining.Settled)


class _Stale(Exception):
    """The ledger moved between looking and writing."""


def descends(git: Git, later: str, earlier: str) -> bool:
    return later == earlier or git.says("merge-base", "--is-ancestor", earlier, later)


@immutable
class Other:
    """The ledger of a remote: its tip ('' for none), and the tip that was seen there before ('' for never).

    `accept` is told the policy in force here and the one that would be, as blobs, and raises where a person must say so first.
    """

    remote: str
    tip: str
    seen: str
    accept: Callable[[str, str], None]


def join(context: Context, other: Other) -> Joined:
    """Take the remote's ledger over. BUSY where the ledger is being written all the time; what makes the remote's not sound."""
    ledger = context.ledger
    with locks.held(ledger.common / "devs" / "ledger.lock", wait=LOCK_SECONDS):
        until = time.monotonic() + REF_LOCK_SECONDS
        for attempt in range(ATTEMPTS):
            try:
                return _once(context, other)
            except (_Stale, refs.RefMoved, refs.RefLocked) as error:
                if isinstance(error, refs.RefLocked) and time.monotonic() > until:
                    raise refs.locked_out(error) from error
                time.sleep(random.uniform(0.001, 0.01 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
    raise DevsError("BUSY", "The ledger is being written by others.", hint="Run the command again.")


def _once(context: Context, other: Other) -> Joined:
    ledger, tip, theirs = context.ledger, context.ledger.require(), other.tip
    known = ledger.checked_tip
    checked_tip.require(ledger, tip.oid, behind=True)
    if known and not any(one and descends(ledger.git, one, known) for one in (tip.oid, theirs)):
        raise checked_tip.set_back(known, tip.oid)
    if not theirs or descends(ledger.git, tip.oid, theirs):
        _require_taken(ledger, other, tip.oid)
        return Joined(tip.oid, follow(context))
    ahead = descends(ledger.git, theirs, tip.oid)
    facts = Facts(ledger, ledger.git, theirs, "", "", beside=() if ahead else (tip.oid,))
    _require_sound(facts, other, tip.oid)
    if not ahead:
        return _Merge(context, other, facts, tip).write()
    other.accept(facts.belief.policy_blob(tip.oid), facts.belief.policy_blob(theirs))
    updates = _updates(context, ledger.history_at(theirs))
    move = RefUpdate(LEDGER, theirs, tip.oid)
    ledger.announce(theirs, tip.oid)
    refs.transaction(ledger.git, (*updates, move), f"devs: sync: events of {other.remote}")
    ledger.note_checked(theirs)
    changed = tuple(update.ref for update in (*updates, move))
    return Joined(theirs, changed, superseded=_rows(facts, (tip.oid,), theirs))


def _require_sound(facts: Facts, other: Other, ours: str) -> None:
    """What the rule does not allow is not taken over, nor what leaves out what was seen of this remote."""
    found = next(receiving.judged(facts, ours, other.tip, seen=other.seen), None)
    if found:
        raise receiving.refusal(found, other.remote)


def _require_taken(ledger: Ledger, other: Other, ours: str) -> None:
    """CONFLICT where the remote would refuse our ledger, though it holds all of the remote's: nothing was pushed yet."""
    merges = ("rev-list", "--min-parents=2", "--count", ours, f"^{other.tip}", "--")
    if not other.tip or other.tip == ours or ledger.git.text(*merges) == "0":
        return
    facts = Facts(ledger, ledger.git, ours, "", "")
    found = facts.belief.rollback(other.tip, ours)
    if found:
        there, here = facts.belief.policy(other.tip), facts.belief.policy(ours)
        raise DevsError(
            "CONFLICT",
            f"The ledger of {other.remote} ({other.tip[:12]}, its policy set by {there[:12]}) and the one here "
            f"({ours[:12]}, its policy set by {here[:12]}) exclude each other: {found[0].message}",
            hint="A person chooses which of the two is to stand; nothing was changed. "
            f"See both: git log --graph {other.tip[:12]} {ours[:12]}",
            remote=other.remote,
            theirs=other.tip,
            ours=ours,
        )


def _rows(facts: Facts, before: tuple[str, ...], at: str) -> tuple[joining.Superseded, ...]:
    """What the tips `before` had in place and the event `at` has not, for people."""
    belief = facts.belief
    events = {step.event.oid: step.event for step in facts.steps}
    gave_way = dict.fromkeys(one for tip in before for one in belief.gave_way(tip, at))
    return tuple(joining.superseded(gave_way, belief, at, events))


def follow(context: Context) -> tuple[str, ...]:
    """Bring checkpoints and visible tags in step with the ledger as this clone sees it now; the refs that changed."""
    updates = _updates(context, context.ledger.tip().history)
    if updates:
        refs.transaction(context.ledger.git, updates, "devs: sync: refs follow the ledger")
    return tuple(update.ref for update in updates)


def _updates(context: Context, history: History) -> tuple[RefUpdate, ...]:
    here = standpoint.seen(context.ledger.git, context.ledger.common, history)
    return following.updates(here, held(context.ledger.git), context.objects.is_tag)


class _Merge:
    """The merge of the remote's ledger and ours at `tip`; `facts` are those of both."""

    def __init__(self, context: Context, other: Other, facts: Facts, tip: Tip) -> None:
        self.context, self.other, self.ledger, self.facts = context, other, context.ledger, facts
        self.theirs, self.ours = Tip(context.ledger, other.tip), tip
        self.only_theirs = list(self.ledger.events(other.tip, since=tip.oid, oldest_first=True))
        self.only_ours = list(self.ledger.events(tip.oid, since=other.tip, oldest_first=True))

    def write(self) -> Joined:
        belief = self.facts.belief
        merge = belief.merge(self.theirs.oid, self.ours.oid)
        self.other.accept(belief.policy_blob(self.ours.oid), belief.policy_blob(VIRTUAL))
        changes = self._changes()
        both = _rows(self.facts, (self.theirs.oid, self.ours.oid), VIRTUAL)
        rows = (*both, *joining.collisions(changes))
        whole, settled = self._settled()
        event = self._event(rows, settled)
        history = fold([event], whole)
        updates = _updates(self.context, history)
        files = tuple((path, self._data(path, blob)) for path, blob in joining.union(changes, merge))

        def build(tip: Tip) -> Draft:
            if tip.oid != self.ours.oid:
                raise _Stale
            return Draft(event, files, updates, onto=self.theirs.oid)

        written = self.ledger.append(build, locked=False)
        changed = (*(update.ref for update in updates), LEDGER)
        return Joined(written.oid, changed, written.oid, rows, settled)

    def _data(self, path: str, blob: str) -> bytes | None:
        if blob == MARKER:
            return store.marker(self.facts.judged.gates[layout.gate_of(path)].gate_type)
        return self.ledger.file(blob) if blob else None

    def _changes(self) -> tuple[Change, ...]:
        pair = (self.theirs.tree, self.ours.tree)
        return auditing.changed(self.ledger.git, [pair] if pair[0] != pair[1] else []).get(pair, ())

    def _settled(self) -> tuple[History, joining.Settled]:
        """The fold of both sides, in the order in which git lists them from a merge, and what has to be said of it."""
        ours = self.ours.history
        theirs = fold(self.ledger.events(self.theirs.oid, oldest_first=True))
        whole = fold(self.only_ours, theirs)
        both = joining.touched(self.only_theirs, whole) & joining.touched(self.only_ours, whole)
        taken: dict[str, int] = {}
        for ref in held(self.ledger.git):
            task, _, number = ref.removeprefix(following.NUMBERED).partition("/")
            if number.isdigit():
                taken[task] = max(taken.get(task, 0), int(number))
        return whole, joining.settle(theirs, ours, whole, both, taken)

    def _event(self, rows: tuple[joining.Superseded, ...], settled: joining.Settled) -> Event:
        fields = [("Devs-Remote", self.other.remote)]
        fields += [("Devs-Superseded", f"{row.path} {row.kept}") for row in rows]
        fields += [("Devs-Gate", gate) for gate in dict.fromkeys(row.gate_id for row in rows if row.gate_id)]
        fields += settled.trailers()
        text = joining.subject(self.other.remote, len(self.only_theirs), len(self.only_ours), rows)
        make = self.context.event
        if any(row.gate_id for row in rows):
            return make("superseded", text, *fields, verb_name="sync")
        return make("ledger.merged", text, *fields, verb_name="sync")
