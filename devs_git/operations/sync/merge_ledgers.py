"""Join the ledger of a remote with the one here: by fast-forward, or by a merge where both have new events.

The ledger and the refs that its events name move in one transaction. The objects are here already: nothing asks the
remote. After a crash the next `sync` does the rest, and skips what is done.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Final

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.belief import MARKER, VIRTUAL, layout
from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger import merge_rules
from devs_git.domain.ledger.events import LEDGER, Draft, Event, RefUpdate
from devs_git.domain.ledger.history import History, fold
from devs_git.errors import DevsError
from devs_git.operations.sync.archive_refs import Archives
from devs_git.storage.git import locks, refs
from devs_git.storage.git.program import Git
from devs_git.storage.git.remotes.remote_repository import list_devs_refs
from devs_git.storage.ledger import checked_tip, clone_history, gate_files, ledger_trees, received
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.storage.ledger.store import ATTEMPTS, LOCK_SECONDS, REF_LOCK_SECONDS, Ledger, Tip
from devs_git.values import field, immutable
from devs_git.workspace import Workspace

_SEEN: Final = "refs/devs/remotes"


@immutable
class JoinResult:
    """`tip` is the ledger's tip now, `changed` the refs that moved, `merge` the event that merged two ledgers ('' for none)."""

    tip: str
    changed: tuple[str, ...] = ()
    merge: str = ""
    superseded: tuple[merge_rules.Superseded, ...] = ()
    settled: merge_rules.Settlement = field(default_factory=merge_rules.Settlement)


class _Stale(Exception):
    """The ledger moved between reading and writing."""


def is_descendant(git: Git, later: str, earlier: str) -> bool:
    return later == earlier or git.says("merge-base", "--is-ancestor", earlier, later)


@immutable
class RemoteLedger:
    """The ledger of a remote: its tip ('' for none), and the tip that this clone saw there last ('' for none).

    `accept` takes the blobs of the policy in force and of the next one, and raises if a person has to accept the next one.
    `is_chosen` says whether a person chose the ledger with this tip, of two that exclude each other.
    """

    remote: str
    tip: str
    seen: str
    accept: Callable[[str, str], None]
    is_chosen: Callable[[str], bool]
    archives: Archives


def join(workspace: Workspace, other: RemoteLedger) -> JoinResult:
    """Join it with the one here. BUSY if other processes write the ledger all the time, CONFLICT, and what is wrong with
    the remote's ledger.
    """
    ledger = workspace.ledger
    with locks.hold(ledger.common / "devs" / "ledger.lock", wait=LOCK_SECONDS):
        until = time.monotonic() + REF_LOCK_SECONDS
        for attempt in range(ATTEMPTS):
            try:
                return _try_join(workspace, other)
            except (_Stale, refs.RefMoved, refs.RefLocked) as error:
                if isinstance(error, refs.RefLocked) and time.monotonic() > until:
                    raise refs.lock_refusal(error) from error
                time.sleep(random.uniform(0.001, 0.01 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
    raise DevsError("BUSY", "Other processes are writing the ledger.", hint="Run the command again.")


def _try_join(workspace: Workspace, other: RemoteLedger) -> JoinResult:
    ledger, tip, remote_tip = workspace.ledger, workspace.ledger.require(), other.tip
    known = ledger.checked_tip
    checked_tip.require(ledger, tip.oid, behind=True)
    if known and not any(one and is_descendant(ledger.git, one, known) for one in (tip.oid, remote_tip)):
        raise checked_tip.rollback_error(known, tip.oid)
    if not remote_tip or is_descendant(ledger.git, tip.oid, remote_tip):
        return _join_older(workspace, other, tip)
    ahead = is_descendant(ledger.git, remote_tip, tip.oid)
    facts = Facts(ledger, ledger.git, remote_tip, "", "", other_tips=() if ahead else (tip.oid,))
    _require_sound(facts, other, tip.oid)
    if not ahead or other.is_chosen(tip.oid):
        return _Merge(workspace, other, facts, tip, ours_first=other.is_chosen(tip.oid)).write()
    _require_kept(ledger, facts, other, tip.oid, remote_tip)
    return _fast_forward(workspace, other, facts, tip.oid)


def _join_older(workspace: Workspace, other: RemoteLedger, tip: Tip) -> JoinResult:
    """Keep the ledger here, which has all events of the remote; merge only if the remote would refuse it otherwise."""
    ledger = workspace.ledger
    if _may_be_refused(ledger, other.tip, tip.oid):
        facts = Facts(ledger, ledger.git, tip.oid, "", "")
        if _remote_is_chosen(facts, other, tip.oid):
            return _Merge(workspace, other, facts, tip).write()
    return JoinResult(tip.oid, update_refs(workspace, other.archives))


def _fast_forward(workspace: Workspace, other: RemoteLedger, facts: Facts, tip: str) -> JoinResult:
    """Move the ledger here from `tip` to that of the remote, and the refs that its events name."""
    ledger, remote_tip = workspace.ledger, other.tip
    other.accept(facts.belief.policy_blob(tip), facts.belief.policy_blob(remote_tip))
    updates = _updates(workspace, ledger.history_at(remote_tip), other.archives)
    move = RefUpdate(LEDGER, remote_tip, tip)
    ledger.announce(remote_tip, tip)
    refs.transaction(ledger.git, (*updates, move), f"devs: sync: events of {other.remote}")
    ledger.note_checked(remote_tip)
    changed = tuple(update.ref for update in (*updates, move))
    return JoinResult(remote_tip, changed, superseded=_rows(facts, (tip,), remote_tip))


def _require_sound(facts: Facts, other: RemoteLedger, ours: str) -> None:
    """Raises if the rule of belief forbids the remote's ledger, or if it lacks events that this clone saw there."""
    found = next(received.judge(facts, ours, other.tip, known_tip=""), None)
    if found:
        raise received.refusal(found, other.remote)
    gone = facts.belief.rollback(other.seen, other.tip) if other.seen else []
    if gone and not other.is_chosen(other.tip):
        said = received.refusal(gone[0], other.remote)
        look = f"git log --graph {other.seen[:12]} {other.tip[:12]}"
        raise DevsError(
            said.code,
            said.message,
            hint=f"Nothing was changed here. Compare both: {look}. If the remote is right, run at a terminal: "
            + _choice(other, other.tip),
            **said.details,
        )


def _choice(other: RemoteLedger, tip: str) -> str:
    return f"devs-git sync {other.remote} --let-stand {tip[:12]}"


def _may_be_refused(ledger: Ledger, remote_tip: str, ours: str) -> bool:
    """Whether the remote may refuse our ledger, although that has all of its events: if one of the new ones is a merge."""
    merges = ("rev-list", "--min-parents=2", "--count", ours, f"^{remote_tip}", "--")
    return bool(remote_tip) and remote_tip != ours and ledger.git.text(*merges) != "0"


def _remote_is_chosen(facts: Facts, other: RemoteLedger, ours: str) -> bool:
    """Whether a person chose the remote's ledger, of two that exclude each other; CONFLICT if nobody chose one."""
    belief = facts.belief
    found = belief.rollback(other.tip, ours)
    if not found or other.is_chosen(ours):
        return False
    if other.is_chosen(other.tip):
        return True
    there, here = belief.policy(other.tip), belief.policy(ours)
    raise _choice_needed(
        other,
        ours,
        f"The ledger of {other.remote} ({other.tip[:12]}, whose policy is from {there[:12]}) and the one here "
        f"({ours[:12]}, whose policy is from {here[:12]}) exclude each other: {found[0].message}",
    )


def _choice_needed(other: RemoteLedger, ours: str, message: str) -> DevsError:
    """CONFLICT with the two commands by which a person says which ledger to keep."""
    return DevsError(
        "CONFLICT",
        message,
        hint=f"Nothing was changed. Compare both: git log --graph {other.tip[:12]} {ours[:12]}. Then choose at a "
        f"terminal. To keep the ledger of {other.remote}: {_choice(other, other.tip)}. "
        f"To keep the one here: {_choice(other, ours)}",
        remote=other.remote,
        theirs=other.tip,
        ours=ours,
    )


def _require_kept(ledger: Ledger, facts: Facts, other: RemoteLedger, ours: str, at: str) -> None:
    """CONFLICT if the event `at` takes back what another remote has: that remote would refuse the ledger then."""
    belief = facts.belief
    for ref, seen in refs.list_refs(ledger.git, _SEEN).items():
        name = ref.removeprefix(f"{_SEEN}/").removesuffix("/ledger")
        if name == other.remote or seen not in belief.walk.numbers or other.is_chosen(other.tip):
            continue
        if found := belief.rollback(seen, at):
            what = f"The ledger of {other.remote} ({other.tip[:12]}) takes back what {name} has: {found[0].message}"
            raise _choice_needed(other, ours, what)


def _rows(facts: Facts, before: tuple[str, ...], at: str) -> tuple[merge_rules.Superseded, ...]:
    """What was in force at the tips `before` and is not at the event `at`, for people."""
    belief = facts.belief
    events = {step.event.oid: step.event for step in facts.steps}
    gave_way = dict.fromkeys(one for tip in before for one in belief.replaced_files(tip, at))
    return tuple(merge_rules.superseded_rows(gave_way, belief, at, events))


def update_refs(workspace: Workspace, archives: Archives) -> tuple[str, ...]:
    """Move the refs of checkpoints and the visible tags as the ledger says. Returns the refs that changed."""
    updates = archives.updates_here(workspace.ledger.tip().history)
    if updates:
        refs.transaction(workspace.ledger.git, updates, "devs: sync: refs follow the ledger")
    return tuple(update.ref for update in updates)


def _updates(workspace: Workspace, history: History, archives: Archives) -> tuple[RefUpdate, ...]:
    here = clone_history.view_here(workspace.ledger.git, workspace.ledger.common, history)
    held = list_devs_refs(workspace.ledger.git)
    archived = archives.archived_here(history, held)
    return wanted_refs.updates(here, held, workspace.objects.is_tag, archived)


class _Merge:
    """The merge of the remote's ledger with the one here at `tip`; `facts` are about both.

    The first parent is the remote's ledger; with `ours_first` it is the one here, because a person chose it.
    """

    def __init__(
        self, workspace: Workspace, other: RemoteLedger, facts: Facts, tip: Tip, *, ours_first: bool = False
    ) -> None:
        self.workspace, self.other, self.ledger, self.facts = workspace, other, workspace.ledger, facts
        self.tip, there = tip.oid, Tip(workspace.ledger, other.tip)
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
        rows = (*both, *merge_rules.collisions(changes))
        whole, settled = self._settle()
        event = self._event(rows, settled)
        history = fold([event], whole)
        updates = _updates(self.workspace, history, self.other.archives)
        files = tuple((path, self._data(path, blob)) for path, blob in merge_rules.union(changes, merge))

        def build(tip: Tip) -> Draft:
            if tip.oid != self.tip:
                raise _Stale
            first, second = (one.oid if one.oid != tip.oid else "" for one in (self.first, self.second))
            return Draft(event, files, updates, first_parent=first, second_parent=second)

        written = self.ledger.append(build, lock=False)
        changed = (*(update.ref for update in updates), LEDGER)
        return JoinResult(written.oid, changed, written.oid, rows, settled)

    def _data(self, path: str, blob: str) -> bytes | None:
        if blob == MARKER:
            return gate_files.marker(self.facts.judgement.gates[layout.gate_of(path)].gate_type)
        return self.ledger.file(blob) if blob else None

    def _changes(self) -> tuple[Change, ...]:
        pair = (self.first.tree, self.second.tree)
        # Both were judged, so this is no more than honest ledgers may have.
        return ledger_trees.read(self.ledger.git, {pair: sys.maxsize}, levels=sys.maxsize)[pair] or ()

    def _settle(self) -> tuple[History, merge_rules.Settlement]:
        """The history of both sides, in the order in which git lists a merge, and what the merge event has to change in it."""
        ours = self.second.history
        theirs = fold(self.ledger.events(self.first.oid, oldest_first=True))
        whole = fold(self.only_second, theirs)
        both = merge_rules.tasks_changed_by(self.only_first, whole) & merge_rules.tasks_changed_by(
            self.only_second, whole
        )
        taken: dict[str, int] = {}
        for ref in list_devs_refs(self.ledger.git):
            task, _, number = ref.removeprefix(wanted_refs.NUMBERED).partition("/")
            if number.isdigit():
                taken[task] = max(taken.get(task, 0), int(number))
        return whole, merge_rules.settle(theirs, ours, whole, both, taken)

    def _event(self, rows: tuple[merge_rules.Superseded, ...], settled: merge_rules.Settlement) -> Event:
        content = merge_rules.content_of_event(self.other.remote, rows, settled)
        there, here = self.only_first, self.only_second
        there, here = (here, there) if self.first.oid == self.tip else (there, here)
        text = merge_rules.subject(self.other.remote, len(there), len(here), rows)
        return self.workspace.event_of(content, text, verb_name="sync")
