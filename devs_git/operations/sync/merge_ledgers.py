"""Make the ledger here hold what a remote's holds: by fast-forward, or by a merge where both went on.

The ledger and the refs that it speaks of move in one transaction. The objects are here already; nothing talks to a
remote. What a crash left half done is simply done again: what is in step already is skipped.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.belief import MARKER, VIRTUAL, layout
from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger import ledger_merge
from devs_git.domain.ledger.events import LEDGER, Draft, Event, Key, RefUpdate
from devs_git.domain.ledger.history import History, fold
from devs_git.errors import DevsError
from devs_git.storage.git import locks, refs
from devs_git.storage.git.program import Git
from devs_git.storage.git.remote_repository import list_devs_refs
from devs_git.storage.ledger import checked_tip, clone_history, gate_files, received, whole_history
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.storage.ledger.store import ATTEMPTS, LOCK_SECONDS, REF_LOCK_SECONDS, Ledger, Tip
from devs_git.values import field, immutable
from devs_git.workspace import Workspace

_SEEN: Final = "refs/devs/remotes"


@immutable
class JoinResult:
    """The ledger as it is now. `merge` is the event that joined two lines, '' where none had to; `changed` the refs that moved."""

    tip: str
    changed: tuple[str, ...] = ()
    merge: str = ""
    superseded: tuple[ledger_merge.Superseded, ...] = ()
    settled: ledger_merge.Settled = field(default_factory=ledger_merge.Settled)


class _Stale(Exception):
    """The ledger moved between looking and writing."""


def is_descendant(git: Git, later: str, earlier: str) -> bool:
    return later == earlier or git.says("merge-base", "--is-ancestor", earlier, later)


@immutable
class RemoteLedger:
    """The ledger of a remote: its tip ('' for none), and the tip that was seen there before ('' for never).

    `accept` is told the policy in force here and the one that would be, as blobs, and raises where a person must say so first.
    `lets_stand` says of a tip whether a person chose it, of two ledgers that exclude each other.
    """

    remote: str
    tip: str
    seen: str
    accept: Callable[[str, str], None]
    lets_stand: Callable[[str], bool]


def join(context: Workspace, other: RemoteLedger) -> JoinResult:
    """Take the remote's ledger over. BUSY where the ledger is being written all the time; what makes the remote's not sound."""
    ledger = context.ledger
    with locks.hold(ledger.common / "devs" / "ledger.lock", wait=LOCK_SECONDS):
        until = time.monotonic() + REF_LOCK_SECONDS
        for attempt in range(ATTEMPTS):
            try:
                return _once(context, other)
            except (_Stale, refs.RefMoved, refs.RefLocked) as error:
                if isinstance(error, refs.RefLocked) and time.monotonic() > until:
                    raise refs.lock_refusal(error) from error
                time.sleep(random.uniform(0.001, 0.01 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
    raise DevsError("BUSY", "The ledger is being written by others.", hint="Run the command again.")


def _once(context: Workspace, other: RemoteLedger) -> JoinResult:
    ledger, tip, theirs = context.ledger, context.ledger.require(), other.tip
    known = ledger.checked_tip
    checked_tip.require(ledger, tip.oid, behind=True)
    if known and not any(one and is_descendant(ledger.git, one, known) for one in (tip.oid, theirs)):
        raise checked_tip.set_back(known, tip.oid)
    if not theirs or is_descendant(ledger.git, tip.oid, theirs):
        facts = Facts(ledger, ledger.git, tip.oid, "", "") if _doubtful(ledger, theirs, tip.oid) else None
        if facts and _theirs_stands(facts, other, tip.oid):
            return _Merge(context, other, facts, tip).write()
        return JoinResult(tip.oid, update_refs(context))
    ahead = is_descendant(ledger.git, theirs, tip.oid)
    facts = Facts(ledger, ledger.git, theirs, "", "", other_tips=() if ahead else (tip.oid,))
    _require_sound(facts, other, tip.oid)
    if not ahead or other.lets_stand(tip.oid):
        return _Merge(context, other, facts, tip, ours_first=other.lets_stand(tip.oid)).write()
    _require_kept(ledger, facts, other, tip.oid, theirs)
    other.accept(facts.belief.policy_blob(tip.oid), facts.belief.policy_blob(theirs))
    updates = _updates(context, ledger.history_at(theirs))
    move = RefUpdate(LEDGER, theirs, tip.oid)
    ledger.announce(theirs, tip.oid)
    refs.transaction(ledger.git, (*updates, move), f"devs: sync: events of {other.remote}")
    ledger.note_checked(theirs)
    changed = tuple(update.ref for update in (*updates, move))
    return JoinResult(theirs, changed, superseded=_rows(facts, (tip.oid,), theirs))


def _require_sound(facts: Facts, other: RemoteLedger, ours: str) -> None:
    """What the rule does not allow is not taken over, nor what leaves out what was seen of this remote, unless a person chose it."""
    found = next(received.judge(facts, ours, other.tip, seen=""), None)
    if found:
        raise received.refusal(found, other.remote)
    gone = facts.belief.rollback(other.seen, other.tip) if other.seen else []
    if gone and not other.lets_stand(other.tip):
        said = received.refusal(gone[0], other.remote)
        look = f"git log --graph {other.seen[:12]} {other.tip[:12]}"
        raise DevsError(
            said.code,
            said.message,
            hint=f"Nothing was changed here. A person looks at both ({look}), and where it is right as it is: "
            + _choice(other, other.tip),
            **said.details,
        )


def _choice(other: RemoteLedger, tip: str) -> str:
    return f"devs-git sync {other.remote} --let-stand {tip[:12]}"


def _doubtful(ledger: Ledger, theirs: str, ours: str) -> bool:
    """Whether our ledger holds all of the remote's and the remote may refuse it: only a merge lets something give way."""
    merges = ("rev-list", "--min-parents=2", "--count", ours, f"^{theirs}", "--")
    return bool(theirs) and theirs != ours and ledger.git.text(*merges) != "0"


def _theirs_stands(facts: Facts, other: RemoteLedger, ours: str) -> bool:
    """Whether a person chose the remote's of two ledgers that exclude each other; CONFLICT where nobody chose."""
    belief = facts.belief
    found = belief.rollback(other.tip, ours)
    if not found or other.lets_stand(ours):
        return False
    if other.lets_stand(other.tip):
        return True
    there, here = belief.policy(other.tip), belief.policy(ours)
    raise _to_choose(
        other,
        ours,
        f"The ledger of {other.remote} ({other.tip[:12]}, its policy set by {there[:12]}) and the one here "
        f"({ours[:12]}, its policy set by {here[:12]}) exclude each other: {found[0].message}",
    )


def _to_choose(other: RemoteLedger, ours: str, message: str) -> DevsError:
    """CONFLICT with the two commands by which a person says which ledger stands."""
    return DevsError(
        "CONFLICT",
        message,
        hint="Nothing was changed. A person looks at both "
        f"(git log --graph {other.tip[:12]} {ours[:12]}) and chooses at a terminal. To let the ledger of {other.remote} "
        f"stand: {_choice(other, other.tip)}. To let the one here stand: {_choice(other, ours)}",
        remote=other.remote,
        theirs=other.tip,
        ours=ours,
    )


def _require_kept(ledger: Ledger, facts: Facts, other: RemoteLedger, ours: str, at: str) -> None:
    """CONFLICT where the event `at` takes back what another remote has: that one would refuse it, once it is written here."""
    belief = facts.belief
    for ref, seen in refs.list_refs(ledger.git, _SEEN).items():
        name = ref.removeprefix(f"{_SEEN}/").removesuffix("/ledger")
        if name == other.remote or seen not in belief.walk.numbers or other.lets_stand(other.tip):
            continue
        if found := belief.rollback(seen, at):
            what = f"The ledger of {other.remote} ({other.tip[:12]}) takes back what {name} has: {found[0].message}"
            raise _to_choose(other, ours, what)


def _rows(facts: Facts, before: tuple[str, ...], at: str) -> tuple[ledger_merge.Superseded, ...]:
    """What the tips `before` had in place and the event `at` has not, for people."""
    belief = facts.belief
    events = {step.event.oid: step.event for step in facts.steps}
    gave_way = dict.fromkeys(one for tip in before for one in belief.gave_way(tip, at))
    return tuple(ledger_merge.superseded_rows(gave_way, belief, at, events))


def update_refs(context: Workspace) -> tuple[str, ...]:
    """Bring checkpoints and visible tags in step with the ledger as this clone sees it now; the refs that changed."""
    updates = _updates(context, context.ledger.tip().history)
    if updates:
        refs.transaction(context.ledger.git, updates, "devs: sync: refs follow the ledger")
    return tuple(update.ref for update in updates)


def _updates(context: Workspace, history: History) -> tuple[RefUpdate, ...]:
    here = clone_history.view_here(context.ledger.git, context.ledger.common, history)
    return wanted_refs.updates(here, list_devs_refs(context.ledger.git), context.objects.is_tag)


class _Merge:
    """The merge of the remote's ledger and the one here at `tip`; `facts` are those of both.

    The remote's is the first parent; with `ours_first` the one here, because a person chose it.
    """

    def __init__(
        self, context: Workspace, other: RemoteLedger, facts: Facts, tip: Tip, *, ours_first: bool = False
    ) -> None:
        self.context, self.other, self.ledger, self.facts = context, other, context.ledger, facts
        self.tip, there = tip.oid, Tip(context.ledger, other.tip)
        self.first, self.second = (tip, there) if ours_first else (there, tip)
        first, second = self.first.oid, self.second.oid
        self.only_first = list(self.ledger.events(first, since=second, oldest_first=True))
        self.only_second = list(self.ledger.events(second, since=first, oldest_first=True))

    def write(self) -> JoinResult:
        belief = self.facts.belief
        merge = belief.merge(self.first.oid, self.second.oid)
        _require_kept(self.ledger, self.facts, self.other, self.tip, VIRTUAL)
        self.other.accept(belief.policy_blob(self.tip), belief.policy_blob(VIRTUAL))
        changes = self._changes()
        both = _rows(self.facts, (self.first.oid, self.second.oid), VIRTUAL)
        rows = (*both, *ledger_merge.collisions(changes))
        whole, settled = self._settled()
        event = self._event(rows, settled)
        history = fold([event], whole)
        updates = _updates(self.context, history)
        files = tuple((path, self._data(path, blob)) for path, blob in ledger_merge.union(changes, merge))

        def build(tip: Tip) -> Draft:
            if tip.oid != self.tip:
                raise _Stale
            first, second = (one.oid if one.oid != tip.oid else "" for one in (self.first, self.second))
            return Draft(event, files, updates, onto=first, beside=second)

        written = self.ledger.append(build, locked=False)
        changed = (*(update.ref for update in updates), LEDGER)
        return JoinResult(written.oid, changed, written.oid, rows, settled)

    def _data(self, path: str, blob: str) -> bytes | None:
        if blob == MARKER:
            return gate_files.marker(self.facts.judgement.gates[layout.gate_of(path)].gate_type)
        return self.ledger.file(blob) if blob else None

    def _changes(self) -> tuple[Change, ...]:
        pair = (self.first.tree, self.second.tree)
        return whole_history.changed_paths(self.ledger.git, [pair] if pair[0] != pair[1] else []).get(
            pair, ()
        )

    def _settled(self) -> tuple[History, ledger_merge.Settled]:
        """The fold of both sides, in the order in which git lists them from a merge, and what has to be said of it."""
        ours = self.second.history
        theirs = fold(self.ledger.events(self.first.oid, oldest_first=True))
        whole = fold(self.only_second, theirs)
        both = ledger_merge.touched_tasks(self.only_first, whole) & ledger_merge.touched_tasks(
            self.only_second, whole
        )
        taken: dict[str, int] = {}
        for ref in list_devs_refs(self.ledger.git):
            task, _, number = ref.removeprefix(wanted_refs.NUMBERED).partition("/")
            if number.isdigit():
                taken[task] = max(taken.get(task, 0), int(number))
        return whole, ledger_merge.settle(theirs, ours, whole, both, taken)

    def _event(self, rows: tuple[ledger_merge.Superseded, ...], settled: ledger_merge.Settled) -> Event:
        fields = [(Key.REMOTE, self.other.remote)]
        fields += [(Key.SUPERSEDED, f"{row.path} {row.kept}") for row in rows]
        fields += [(Key.GATE, gate) for gate in dict.fromkeys(row.gate_id for row in rows if row.gate_id)]
        fields += settled.trailers()
        there, here = self.only_first, self.only_second
        there, here = (here, there) if self.first.oid == self.tip else (there, here)
        text = ledger_merge.subject(self.other.remote, len(there), len(here), rows)
        make = self.context.event
        if any(row.gate_id for row in rows):
            return make("superseded", text, *fields, verb_name="sync")
        return make("ledger.merged", text, *fields, verb_name="sync")
