"""One attempt of `sync`: fetch what the remote has, join the ledgers, push what it does not have.

If another clone pushed meanwhile, nothing is lost, and the caller tries again.
"""

from __future__ import annotations

from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.merge_rules import Superseded
from devs_git.operations.sync import consent, known_remote, merge_ledgers, push_parts, unpushed
from devs_git.operations.sync.archive_refs import Archives
from devs_git.operations.sync.remote_branches import RemoteBranches
from devs_git.storage.git import refs
from devs_git.storage.git.remotes import remote_repository
from devs_git.storage.git.remotes.remote_repository import Remote, RemoteRefs
from devs_git.storage.ledger import unknown_ledger
from devs_git.storage.ledger.clone_history import Standpoint
from devs_git.storage.moments import remote_copies
from devs_git.values import field, immutable, mutable
from devs_git.workspace import Workspace


@immutable
class NewNumber:
    """A checkpoint of this clone that gets a new number, because the remote has another one with its number."""

    task_id: str
    number: int
    before: int
    tag: str


@mutable
class Log:
    """What all attempts so far have done."""

    fetched: dict[str, None] = field(default_factory=dict)
    pushed: dict[str, None] = field(default_factory=dict)
    sending: tuple[str, ...] = ()  # refs of the push that runs
    commits: int = 0  # commits of work that go along; only a dry run counts them
    moved: dict[str, None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    superseded: list[Superseded] = field(default_factory=list)
    renumbered: dict[str, NewNumber] = field(default_factory=dict)
    outdone: list[Checkpoint] = field(default_factory=list)
    left: dict[str, None] = field(default_factory=dict)
    merged: str | None = None
    lacking: bool = (
        False  # whether the remote lacks a ref that the ledger wants, because its object is not here
    )
    rewound: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()


def run(
    workspace: Workspace, other: Remote, remote_refs: RemoteRefs, log: Log, person: consent.Consent
) -> str:
    """Fetch, join and push once. Returns the tip that both ledgers have then. RemoteMoved if another clone pushed meanwhile.

    `remote_refs`: the refs of the remote as they were just read. It notes for `doctor` whether moments or backups are there.
    """
    git = workspace.ledger.git
    remote_copies.note(workspace.places.shared, other.remote, has_some=remote_refs.has_private)
    remote_tip, there = remote_refs.ledger, remote_refs.devs
    points = workspace.ledger.tip().history.checkpoints
    gone = {tag for tag, point in points.items() if point.gone}
    archives = Archives(workspace, there)
    held = remote_repository.list_devs_refs(git)
    mine = {workspace.ledger.tip().oid, *held.values(), *gone, *archives.tags_here(held)}
    missing = dict.fromkeys(oid for oid in (remote_tip, *there.values()) if oid and oid not in mine)
    if missing:
        other.fetch(missing)
    seen = refs.read(git, other.known_ledger_ref)
    known_remote.require_same_ledger(workspace, other, remote_refs, seen)
    workspace.progress("joining the ledgers", 0, 0)
    accept = consent.policy_check(workspace, other.remote, person) if not seen else unknown_ledger.accept_any
    is_chosen = consent.ledger_choice(workspace, person)
    remote_ledger = merge_ledgers.RemoteLedger(other.remote, remote_tip, seen, accept, is_chosen, archives)
    joined = merge_ledgers.join(workspace, remote_ledger)
    log.fetched |= dict.fromkeys(joined.changed)
    log.merged = joined.merge or log.merged
    log.superseded += joined.superseded
    log.outdone += joined.settled.undone
    for point, number in joined.settled.renumbered:
        before = log.renumbered.get(point.tag)
        row = NewNumber(point.task_id, number, before.before if before else point.number, point.tag)
        log.renumbered[point.tag] = row
    seen = known_remote.remember(workspace, other, remote_tip, seen)
    history = workspace.ledger.history_at(joined.tip)
    branches = RemoteBranches.of(other, remote_refs.branches, history)
    has = branches.find_tags(workspace.objects.exists)
    branches.remember(git, Standpoint.here(git, workspace.places.common), has)
    log.fetched |= dict.fromkeys(merge_ledgers.update_refs(workspace, archives))
    view = clone_view.view_with(branches.history, has)
    _publish(_Push(workspace, other, remote_refs, archives, log), view)
    known_remote.remember(workspace, other, joined.tip, seen)
    return joined.tip


@immutable
class _Push:
    """What `sync` pushes from and to. `there` has the remote's refs as they were read."""

    workspace: Workspace
    other: Remote
    there: RemoteRefs
    archives: Archives
    log: Log

    def send(self, ledger: str, part: push_parts.Part, step: str = "") -> None:
        """One push of the ledger ('' for none) and the refs of `part`."""
        log = self.log
        log.sending = (*((LEDGER,) if ledger else ()), *(u.ref for u in part.updates))
        self.other.push(ledger, () if part.folders else part.updates, part.folders, step)
        log.pushed |= dict.fromkeys(log.sending)
        log.sending = ()
        log.moved |= dict.fromkeys(u.ref for u in part.updates if NO_OID not in (u.old, u.new))
        log.deleted |= dict.fromkeys(u.ref for u in part.updates if u.new == NO_OID)


def _publish(push: _Push, history: History) -> None:
    """Push what the remote does not have: the ledger, checkpoints, and the visible tags that its own branches ask for.

    At the end, refs are deleted for which the remote has an archive now. `history` is as the remote sees it.
    """
    workspace, log, there = push.workspace, push.log, push.there.devs
    held = remote_repository.list_devs_refs(workspace.ledger.git)
    new_archives, archived = push.archives.to_push(history, held)
    wanted = wanted_refs.updates(history, there, workspace.objects.is_tag, archived)
    # A numbered ref never moves, and is deleted only with its checkpoint. A visible tag moves to where its event says.
    gone = {tag for tag, point in history.checkpoints.items() if point.gone}
    known = there.keys() | {u.ref for u in wanted} | {ref for ref, _ in archived}
    log.lacking = not wanted_refs.ledger_refs(history).keys() <= known
    steps = [u for u in wanted if u.old == NO_OID or u.ref.startswith(wanted_refs.VISIBLE) or u.old in gone]
    steps.sort(key=lambda update: update.old == NO_OID)
    done = {update.ref for update in steps}
    log.left |= dict.fromkeys(update.ref for update in wanted if update.ref not in done)
    for refs_of in (there, held):
        log.left |= dict.fromkeys(wanted_refs.strangers(history, refs_of))
    log.left |= dict.fromkeys(push.archives.refs_left(history, held))
    steps += new_archives
    if push.other.only_reads:
        log.commits = unpushed.count(workspace.ledger.git, steps, push.there)
    ledger = history.tip if history.tip != push.there.ledger else ""
    for part in push_parts.split(steps, there, held) or ([push_parts.Part()] if ledger else []):
        push.send(ledger, part)
        ledger = ""
    ended = list(push.archives.to_delete(history, tuple(steps), archived))
    for number, part in enumerate(push_parts.deletions(ended)):
        count = number * push_parts.DELETED_AT_ONCE
        step = f"deleting refs at {push.other.remote}, {count} of {len(ended)}"
        workspace.progress(step, 0, 0)
        push.send("", part, step)
