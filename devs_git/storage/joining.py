"""Make the ledger here hold what a remote's holds: by fast-forward, or by a merge where both went on (DESIGN 3).

The ledger and the refs that it speaks of move in one transaction. The objects are here already; nothing talks to a
remote. What a crash left half done is simply done again: what is in step already is skipped.
"""

from __future__ import annotations

import random
import time

from devs_git.domain import following, joining
from devs_git.domain.events import LEDGER, Draft, Event, RefUpdate
from devs_git.domain.history import History, fold
from devs_git.domain.policy import IN_FORCE
from devs_git.errors import DevsError
from devs_git.storage import auditing, locks, refs
from devs_git.storage.context import Context
from devs_git.storage.far import held
from devs_git.storage.git_program import Git
from devs_git.storage.ledger import ATTEMPTS, LOCK_SECONDS, REF_LOCK_SECONDS, Tip, locked_out
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


def join(context: Context, remote: str, theirs: str) -> Joined:
    """Take over `theirs`, the remote's tip ('' for none). BUSY where the ledger is being written all the time."""
    ledger = context.ledger
    with locks.held(ledger.common / "devs" / "ledger.lock", wait=LOCK_SECONDS):
        until = time.monotonic() + REF_LOCK_SECONDS
        for attempt in range(ATTEMPTS):
            try:
                return _once(context, remote, theirs)
            except (_Stale, refs.RefMoved, refs.RefLocked) as error:
                if isinstance(error, refs.RefLocked) and time.monotonic() > until:
                    raise locked_out(error) from error
                time.sleep(random.uniform(0.001, 0.01 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
    raise DevsError("BUSY", "The ledger is being written by others.", hint="Run the command again.")


def _once(context: Context, remote: str, theirs: str) -> Joined:
    ledger, tip = context.ledger, context.ledger.require()
    if not theirs or descends(ledger.git, tip.oid, theirs):
        return Joined(tip.oid, _follow(context, tip.history))
    if descends(ledger.git, theirs, tip.oid):
        updates = _updates(context, ledger.history_at(theirs))
        move = RefUpdate(LEDGER, theirs, tip.oid)
        refs.transaction(ledger.git, (*updates, move), f"devs: sync: events of {remote}")
        return Joined(theirs, tuple(update.ref for update in (*updates, move)))
    return _Merge(context, remote, theirs, tip).write()


def _follow(context: Context, history: History) -> tuple[str, ...]:
    updates = _updates(context, history)
    if updates:
        refs.transaction(context.ledger.git, updates, "devs: sync: refs follow the ledger")
    return tuple(update.ref for update in updates)


def _updates(context: Context, history: History) -> tuple[RefUpdate, ...]:
    return following.updates(history, held(context.ledger.git), context.objects.exists)


class _Merge:
    """The merge of the remote's ledger at `theirs` and ours at `tip`."""

    def __init__(self, context: Context, remote: str, theirs: str, tip: Tip) -> None:
        self.context, self.remote, self.ledger = context, remote, context.ledger
        self.theirs, self.ours = Tip(context.ledger, theirs), tip
        self.only_theirs = list(self.ledger.events(theirs, since=tip.oid, oldest_first=True))
        self.only_ours = list(self.ledger.events(tip.oid, since=theirs, oldest_first=True))

    def write(self) -> Joined:
        union = self._union()
        rows = joining.superseded(union.kept, self.only_theirs, self.only_ours)
        whole, settled = self._settled()
        event = self._event(union, rows, settled)
        history = fold([event], whole)
        updates = _updates(self.context, history)
        objects = self.context.objects
        files = tuple((path, objects.read(blob, "blob") if blob else None) for path, blob in union.files)

        def build(tip: Tip) -> Draft:
            if tip.oid != self.ours.oid:
                raise _Stale
            return Draft(event, files, updates, onto=self.theirs.oid)

        written = self.ledger.append(build, locked=False)
        changed = (*(update.ref for update in updates), LEDGER)
        return Joined(written.oid, changed, written.oid, rows, settled)

    def _union(self) -> joining.Union:
        pair = (self.theirs.tree, self.ours.tree)
        changes = auditing.changed(self.ledger.git, [pair] if pair[0] != pair[1] else []).get(pair, ())
        base = self.ledger.git.text("merge-base", self.theirs.oid, self.ours.oid)
        entry = self.ledger.list_path(self.ledger.tree_of(base), "").get(IN_FORCE)
        return joining.union(changes, entry.oid if entry else "", joining.policy_gates(self.only_ours))

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

    def _event(
        self, union: joining.Union, rows: tuple[joining.Superseded, ...], settled: joining.Settled
    ) -> Event:
        fields = [("Devs-Remote", self.remote)]
        fields += [("Devs-Superseded", f"{path} {place}") for path, place in union.kept]
        fields += [("Devs-Gate", row.gate_id) for row in rows if row.gate_id]
        fields += settled.trailers()
        text = joining.subject(self.remote, len(self.only_theirs), len(self.only_ours), rows)
        make = self.context.event
        if any(row.gate_id for row in rows):
            return make("superseded", text, *fields, verb_name="sync")
        return make("ledger.merged", text, *fields, verb_name="sync")
