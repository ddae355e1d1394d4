"""`sync`: join the ledger and the checkpoints of this clone with those of a remote.

It reads the remote's refs, fetches, joins the ledgers and pushes; if another clone pushed meanwhile, it starts again.
A ref is overwritten only if an event explains it. `sync` writes an event only if it merges two ledgers.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.merge_rules import Superseded
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError
from devs_git.operations.sync import consent, known_remote, merge_ledgers, push_parts, so_far, trial
from devs_git.operations.sync.remote_branches import RemoteBranches, look
from devs_git.storage.git import refs
from devs_git.storage.git.remotes import remote_repository, remote_urls
from devs_git.storage.git.remotes.remote_repository import Remote, RemoteMoved, RemoteRefs
from devs_git.storage.ledger import unknown_ledger
from devs_git.storage.ledger.clone_history import Standpoint, clone_of
from devs_git.values import field, immutable, mutable, replace
from devs_git.workspace import Workspace

ATTEMPTS: Final = 8  # other clones may push at the same time


@immutable
class Request(VerbRequest):
    """`remote` is the name of a configured remote. '' means origin, the only remote, or that of the branch's upstream.

    `accept_policy`: the blob of the policy that a person accepts from a remote that this clone never saw, if it is not
    the one in devs-policy.yaml of the remote's default branch. `let_stand`: the tip of the ledger that a person keeps,
    of two that exclude each other. `at_terminal`: a person may be there.
    """

    remote: str = ""
    accept_policy: str = ""
    at_terminal: bool = False
    let_stand: str = ""
    dry_run: bool = False

    @property
    def person(self) -> consent.Consent:
        return consent.Consent(self.accept_policy, self.at_terminal, self.let_stand)

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{accept_policy, let_stand}."""
        _ = self.person


@immutable
class NewNumber:
    """A checkpoint of this clone that gets a new number, because the remote has another one with its number."""

    task_id: str
    number: int
    before: int
    tag: str


@immutable
class MovedTag:
    """A visible tag here that `sync` moved from one checkpoint to another, because of `event`, or deleted (then `now` and
    `event` are ''). The checkpoints stay.
    """

    tag: str
    before: str
    now: str
    event: str


@immutable
class RemovedElsewhere:
    """Checkpoints that this clone still has, although `event`, which `actor` wrote in another clone, removed them there."""

    event: str
    actor: str
    checkpoints: tuple[str, ...]


@immutable
class Result(VerbResult):
    """`url`: where it pushes to, without credentials. `url_before`: the URL at the last `sync`, if it was another one.
    `fetched`: refs that changed here. `pushed`: refs that changed in the remote; of these, `moved` and `deleted` are visible tags.

    `merged`: the event that merged two ledgers, else None. `outdone`: checkpoints that completed a task here after
    another clone had completed it. `left`: refs here or there with a value that no event explains. `rewound`: tasks that
    are no longer live here, because another clone rewound them and no branch that this clone knows has them. `revived`:
    tasks that are live again. With `dry_run` all this would be so; `merged` and `ledger` are then of a merge that was not written.
    """

    remote: str
    url: str
    url_before: str
    ledger: str
    fetched: tuple[str, ...]
    pushed: tuple[str, ...]
    merged: str | None
    moved: tuple[str, ...]
    deleted: tuple[str, ...]
    superseded: tuple[Superseded, ...]
    renumbered: tuple[NewNumber, ...]
    outdone: tuple[str, ...]
    left: tuple[str, ...]
    rewound: tuple[str, ...]
    revived: tuple[str, ...]
    named: tuple[MovedTag, ...]
    kept: tuple[RemovedElsewhere, ...]
    dry_run: bool = False

    @property
    def needs_question(self) -> bool:
        """Whether a person has to agree to what this dry run shows: it would push something."""
        return bool(self.pushed)


@mutable
class _Log:
    """What all attempts so far have done."""

    fetched: dict[str, None] = field(default_factory=dict)
    pushed: dict[str, None] = field(default_factory=dict)
    sending: tuple[str, ...] = ()  # refs of the push that runs
    moved: dict[str, None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    superseded: list[Superseded] = field(default_factory=list)
    renumbered: dict[str, NewNumber] = field(default_factory=dict)
    outdone: list[Checkpoint] = field(default_factory=list)
    left: dict[str, None] = field(default_factory=dict)
    merged: str | None = None
    rewound: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, INVALID_ARGUMENTS{remote, accept_policy, let_stand}, LEDGER_FORK, LEDGER_ROLLBACK, BUSY, CONFLICT,
    and what is wrong with the remote's ledger, such as LEDGER_MUTATED, POLICY_INVALID or BAD_SIGNATURE.
    """
    if not request.dry_run:
        return _sync(workspace, request)
    with trial.of(workspace) as there:
        return _sync(there, request)


def _sync(workspace: Workspace, request: Request) -> Result:
    before = workspace.ledger.require().here
    refs_before = so_far.shared_refs(workspace)
    tags = frozenset(refs_before.values())
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    remote = remote_repository.choose(git, request.remote)
    other = Remote(git, remote, workspace.progress, only_reads=request.dry_run)
    url_before = known_remote.changed_url(workspace, remote)
    log = _Log()
    try:
        for attempt in range(ATTEMPTS):
            try:
                tip = _attempt(workspace, other, log, request.person)
            except RemoteMoved:
                time.sleep(random.uniform(0.01, 0.1 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
                continue
            log.rewound, log.revived = clone_view.changed_tasks(
                before, workspace.ledger.tip().here, tags, clone_of(workspace.places.common)
            )
            found = _result(workspace, other, log, tip, refs_before)
            return replace(found, url_before=url_before, dry_run=request.dry_run)
    except KeyboardInterrupt as stop:
        if not request.dry_run:
            stop.add_note(so_far.tell(workspace, remote, refs_before, log.pushed, log.sending))
        raise
    raise DevsError(
        "BUSY",
        f"Other clones push to {other.remote} at the same time.",
        hint=f"This clone lost nothing. Run the command again: devs-git sync {other.remote}",
        remote=other.remote,
    )


def _attempt(workspace: Workspace, other: Remote, log: _Log, person: consent.Consent) -> str:
    """Fetch, join and push once. Returns the tip that both ledgers have then. RemoteMoved if another clone pushed meanwhile."""
    git = workspace.ledger.git
    remote_refs = look(workspace, other)
    remote_tip, there = remote_refs.ledger, remote_refs.devs
    points = workspace.ledger.tip().history.checkpoints
    gone = {tag for tag, point in points.items() if point.gone}
    mine = {workspace.ledger.tip().oid, *remote_repository.list_devs_refs(git).values(), *gone}
    missing = dict.fromkeys(oid for oid in (remote_tip, *there.values()) if oid and oid not in mine)
    if missing:
        other.fetch(missing)
    seen = refs.read(git, other.known_ledger_ref)
    known_remote.require_same_ledger(workspace, other, remote_refs, seen)
    workspace.progress("joining the ledgers", 0, 0)
    accept = consent.policy_check(workspace, other.remote, person) if not seen else unknown_ledger.accept_any
    is_chosen = consent.ledger_choice(workspace, person)
    remote_ledger = merge_ledgers.RemoteLedger(other.remote, remote_tip, seen, accept, is_chosen)
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
    log.fetched |= dict.fromkeys(merge_ledgers.update_refs(workspace))
    _publish(workspace, other, remote_refs, clone_view.view_with(branches.history, has), log)
    known_remote.remember(workspace, other, joined.tip, seen)
    return joined.tip


def _publish(
    workspace: Workspace, other: Remote, remote_refs: RemoteRefs, history: History, log: _Log
) -> None:
    """Push what the remote does not have: the ledger, checkpoints, and the visible tags that its own branches ask for.

    `remote_refs` has the remote's refs as they were read; `history` is the ledger's history as the remote sees it.
    """
    remote_tip, there, tip = remote_refs.ledger, remote_refs.devs, history.tip
    wanted = wanted_refs.updates(history, there, workspace.objects.is_tag)
    # A numbered ref never moves, and is deleted only with its checkpoint. A visible tag moves to where its event says.
    gone = {tag for tag, point in history.checkpoints.items() if point.gone}
    steps = [u for u in wanted if u.old == NO_OID or u.ref.startswith(wanted_refs.VISIBLE) or u.old in gone]
    steps.sort(key=lambda update: update.old == NO_OID)
    done = {update.ref for update in steps}
    log.left |= dict.fromkeys(update.ref for update in wanted if update.ref not in done)
    for held in (there, remote_repository.list_devs_refs(workspace.ledger.git)):
        log.left |= dict.fromkeys(wanted_refs.strangers(history, held))
    ledger = tip if tip != remote_tip else ""
    for part in push_parts.split(steps, there, remote_repository.list_devs_refs(workspace.ledger.git)) or (
        [push_parts.Part()] if ledger else []
    ):
        log.sending = (*((LEDGER,) if ledger else ()), *(u.ref for u in part.updates))
        other.push(ledger, () if part.folders else part.updates, part.folders)
        ledger = ""
        log.pushed |= dict.fromkeys(log.sending)
        log.sending = ()
        log.moved |= dict.fromkeys(u.ref for u in part.updates if NO_OID not in (u.old, u.new))
        log.deleted |= dict.fromkeys(u.ref for u in part.updates if u.new == NO_OID)


def _result(workspace: Workspace, other: Remote, log: _Log, tip: str, before: Mapping[str, str]) -> Result:
    held = remote_repository.list_devs_refs(workspace.ledger.git)
    points = workspace.ledger.history_at(tip).checkpoints
    remote_urls.note(workspace.places.shared, other.remote, remote_urls.current(other.git, other.remote))
    return Result(
        remote=other.remote,
        url=remote_urls.current(other.git, other.remote, push=True),
        url_before="",
        ledger=tip,
        fetched=tuple(log.fetched),
        pushed=tuple(log.pushed),
        merged=log.merged,
        moved=tuple(log.moved),
        deleted=tuple(log.deleted),
        superseded=tuple(log.superseded),
        renumbered=tuple(replace(row, number=points[tag].number) for tag, row in log.renumbered.items()),
        outdone=tuple(points[point.tag].name for point in log.outdone),
        left=tuple(log.left),
        rewound=log.rewound,
        revived=log.revived,
        named=tuple(_moved_tags(points, before, held)),
        kept=tuple(_removed_elsewhere(workspace, [points[tag] for tag in held.values() if tag in points])),
    )


def _moved_tags(
    points: Mapping[str, Checkpoint], before: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[MovedTag]:
    for ref, tag in before.items():
        held = now.get(ref, "")
        if ref.startswith(wanted_refs.VISIBLE) and tag in points and held != tag:
            point = points.get(held)
            yield MovedTag(ref, points[tag].name, point.name if point else "", point.event if point else "")


def _removed_elsewhere(workspace: Workspace, held: Iterable[Checkpoint]) -> Iterator[RemovedElsewhere]:
    """The checkpoints here that other clones removed, for each event that says so."""
    gone = [point for point in dict.fromkeys(held) if point.gone]
    for oid in dict.fromkeys(point.gone for point in gone):
        said = next(workspace.ledger.events(oid))
        yield RemovedElsewhere(oid, said.actor, tuple(point.name for point in gone if point.gone == oid))
