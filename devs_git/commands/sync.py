"""`sync`: this clone's ledger and checkpoints and a remote's become the same; nothing is forced but what an event explains.

Look, fetch, join, push; when another clone was quicker, once more. `sync` is no event; where both went on, the merge is.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import LEDGER, NO_OID, Key, RefUpdate
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ledger_merge import Superseded
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.setup import adopt_ledger
from devs_git.operations.sync import consent, merge_ledgers, remote_branches
from devs_git.storage.git import refs, remote_repository
from devs_git.storage.git.remote_repository import Remote, RemoteMoved, RemoteRefs
from devs_git.storage.ledger import first_sight
from devs_git.storage.ledger.clone_history import Standpoint, clone_of
from devs_git.values import field, immutable, mutable, replace
from devs_git.workspace import Workspace

ATTEMPTS: Final = 8  # behind clones that are quicker each time
AT_ONCE: Final = 500  # refs of one push: their names are arguments


@immutable
class Request(VerbRequest):
    """`remote`: a configured one; '' for origin, the only one, or that of the branch's upstream.

    `accept_policy` is the blob of the policy that a person accepts from a remote which was never seen, where it is not the
    one in devs-policy.yaml of its default branch; `let_stand` the tip of the ledger that a person chooses, of two that
    exclude each other. `at_terminal` says that a person may be there.
    """

    remote: str = ""
    accept_policy: str = ""
    at_terminal: bool = False
    let_stand: str = ""

    @property
    def person(self) -> consent.Consent:
        return consent.Consent(self.accept_policy, self.at_terminal, self.let_stand)

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{accept_policy, let_stand}."""
        _ = self.person


@immutable
class Renumbered:
    """A checkpoint of this clone whose number the remote had given too."""

    task_id: str
    number: int
    before: int
    tag: str


@immutable
class Named:
    """A visible tag that named one checkpoint here, and names another `now`, as `event` says, or is gone (both ''); the checkpoints stay."""

    tag: str
    before: str
    now: str
    event: str


@immutable
class Kept:
    """Checkpoints that this clone keeps though `event`, which `actor` wrote elsewhere, says that they are kept no more."""

    event: str
    actor: str
    checkpoints: tuple[str, ...]


@immutable
class Result:
    """`fetched` are refs here and `pushed` refs there that changed; of the remote's visible tags `moved` and `deleted`.

    `merged` is the event that joined two lines of events, None where none had to. `outdone` are completions of ours
    that the remote's stands before, as checkpoints; `left` refs that hold what no event explains, here or there.
    `rewound` are tasks that were live here and are no more, because another clone rewound them and no branch that this
    one knows has them any more; `revived` those that are live again. `named` are visible tags here that name another
    checkpoint than before, `kept` is what only a person takes away here.
    """

    remote: str
    ledger: str
    fetched: tuple[str, ...]
    pushed: tuple[str, ...]
    merged: str | None
    moved: tuple[str, ...]
    deleted: tuple[str, ...]
    superseded: tuple[Superseded, ...]
    renumbered: tuple[Renumbered, ...]
    outdone: tuple[str, ...]
    left: tuple[str, ...]
    rewound: tuple[str, ...]
    revived: tuple[str, ...]
    named: tuple[Named, ...]
    kept: tuple[Kept, ...]


@mutable
class _Log:
    """What was done so far, over all attempts."""

    fetched: dict[str, None] = field(default_factory=dict)
    pushed: dict[str, None] = field(default_factory=dict)
    moved: dict[str, None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    superseded: list[Superseded] = field(default_factory=list)
    renumbered: dict[str, Renumbered] = field(default_factory=dict)
    outdone: list[Checkpoint] = field(default_factory=list)
    left: dict[str, None] = field(default_factory=dict)
    merged: str | None = None
    rewound: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """Sync. NOT_INITIALIZED, INVALID_ARGUMENTS{remote, accept_policy, let_stand}, LEDGER_FORK, LEDGER_ROLLBACK, BUSY, CONFLICT, and what makes
    the remote's ledger unsound: LEDGER_MUTATED, POLICY_INVALID, BAD_SIGNATURE and their kin.
    """
    before = workspace.ledger.require().here
    refs_before = remote_repository.list_devs_refs(workspace.ledger.git)
    tags = frozenset(refs_before.values())
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    other = Remote(git, remote_repository.choose(git, request.remote), workspace.progress)
    log = _Log()
    for attempt in range(ATTEMPTS):
        try:
            tip = _attempt(workspace, other, log, request.person)
        except RemoteMoved:
            time.sleep(random.uniform(0.01, 0.1 * (attempt + 1)))  # noqa: S311 - jitter, not a secret
            continue
        log.rewound, log.revived = clone_view.changes(
            before, workspace.ledger.tip().here, tags, clone_of(workspace.places.common)
        )
        return _result(workspace, other, log, tip, refs_before)
    raise DevsError(
        "BUSY",
        f"{other.remote} is being written by others.",
        hint=f"What is here is safe. Run it again: devs-git sync {other.remote}",
        remote=other.remote,
    )


def _attempt(workspace: Workspace, other: Remote, log: _Log, person: consent.Consent) -> str:
    """Look, fetch, join and push once; the ledger's tip, here and there. RemoteMoved where another clone was quicker."""
    git = workspace.ledger.git
    looked = other.look()
    theirs, there = looked.ledger, looked.devs
    points = workspace.ledger.tip().history.checkpoints
    gone = {tag for tag, point in points.items() if point.gone}
    mine = {workspace.ledger.tip().oid, *remote_repository.list_devs_refs(git).values(), *gone}
    missing = dict.fromkeys(oid for oid in (theirs, *there.values()) if oid and oid not in mine)
    if missing:
        other.fetch(missing)
    seen = refs.read(git, other.known_ledger_ref)
    _require_same_ledger(workspace, other, theirs, seen)
    workspace.progress("joining the ledgers", 0, 0)
    accept = consent.policy_check(workspace, other.remote, person) if not seen else first_sight.accept_any
    lets_stand = consent.ledger_choice(workspace, person)
    joined = merge_ledgers.join(
        workspace, merge_ledgers.RemoteLedger(other.remote, theirs, seen, accept, lets_stand)
    )
    log.fetched |= dict.fromkeys(joined.changed)
    log.merged = joined.merge or log.merged
    log.superseded += joined.superseded
    log.outdone += joined.settled.undone
    for point, number in joined.settled.renumbered:
        before = log.renumbered.get(point.tag)
        row = Renumbered(point.task_id, number, before.before if before else point.number, point.tag)
        log.renumbered[point.tag] = row
    seen = _remember(workspace, other, theirs, seen)
    branches = remote_branches.RemoteBranches.of(
        other, looked.branches, workspace.ledger.history_at(joined.tip)
    )
    has = branches.has(workspace.objects.exists)
    branches.remember(git, Standpoint.here(git, workspace.places.common), has)
    log.fetched |= dict.fromkeys(merge_ledgers.update_refs(workspace))
    _publish(workspace, other, looked, clone_view.view_with(branches.history, has), log)
    _remember(workspace, other, joined.tip, seen)
    return joined.tip


def _require_same_ledger(workspace: Workspace, other: Remote, theirs: str, seen: str) -> None:
    """LEDGER_FORK for a second root, LEDGER_ROLLBACK where the remote's ledger is not what came after `seen`."""
    git = workspace.ledger.git
    if theirs:
        if not seen:
            first_sight.require_named(workspace.ledger, other.remote, theirs, workspace.git)
        ours, roots = adopt_ledger.roots(git), adopt_ledger.roots(git, theirs)
        if len(roots) != 1 or roots != ours:
            raise DevsError(
                "LEDGER_FORK",
                f"The ledger of {other.remote} begins with {', '.join(roots)}, the one here with {', '.join(ours)}.",
                hint="Call a person: two ledgers were begun, and only one is this repository's. Nothing was changed.",
                genesis=ours[0],
                remote=other.remote,
            )
    if seen and not (theirs and merge_ledgers.is_descendant(git, theirs, seen)):
        now = f"is at {theirs[:12]}" if theirs else "is gone"
        raise DevsError(
            "LEDGER_ROLLBACK",
            f"The ledger of {other.remote} {now}; it was seen at {seen[:12]}, which is not before that.",
            hint="Call a person; nothing was changed. If it is right as it is: "
            f"git update-ref -d {other.known_ledger_ref} && devs-git sync {other.remote}",
            remote=other.remote,
            seen=seen,
        )


def _remember(workspace: Workspace, other: Remote, tip: str, seen: str) -> str:
    """Note the remote's ledger as it was seen; another sync at the same time may have noted more."""
    if not tip or tip == seen:
        return seen
    try:
        refs.transaction(
            workspace.ledger.git,
            [RefUpdate(other.known_ledger_ref, tip, seen or NO_OID)],
            "devs: seen by sync",
        )
    except (refs.RefMoved, refs.RefLocked):
        return refs.read(workspace.ledger.git, other.known_ledger_ref)
    return tip


def _publish(workspace: Workspace, other: Remote, looked: RemoteRefs, history: History, log: _Log) -> None:
    """Push what the remote does not have: the ledger, checkpoints, and visible tags, as its own branches ask for them.

    `looked` is how the remote was seen, `history` the ledger's as it stands for that remote.
    """
    theirs, there, tip = looked.ledger, looked.devs, history.tip
    wanted = wanted_refs.updates(history, there, workspace.objects.is_tag)
    # A numbered ref is never moved; a visible tag is, to where its event says. One that is gone on purpose goes there, too.
    gone = {tag for tag, point in history.checkpoints.items() if point.gone}
    steps = [u for u in wanted if u.old == NO_OID or u.ref.startswith(wanted_refs.VISIBLE) or u.old in gone]
    steps.sort(key=lambda update: update.old == NO_OID)
    log.left |= dict.fromkeys(update.ref for update in wanted if update not in steps)
    log.left |= dict.fromkeys(wanted_refs.strangers(history, there))
    log.left |= dict.fromkeys(
        wanted_refs.strangers(history, remote_repository.list_devs_refs(workspace.ledger.git))
    )
    ledger = tip if tip != theirs else ""
    for at in range(0, len(steps), AT_ONCE) or (range(1) if ledger else ()):
        part = steps[at : at + AT_ONCE]
        other.push(ledger if at == 0 else "", part)
        log.pushed |= dict.fromkeys([*((LEDGER,) if ledger and at == 0 else ()), *(u.ref for u in part)])
        log.moved |= dict.fromkeys(u.ref for u in part if NO_OID not in (u.old, u.new))
        log.deleted |= dict.fromkeys(u.ref for u in part if u.new == NO_OID)


def _result(workspace: Workspace, other: Remote, log: _Log, tip: str, before: Mapping[str, str]) -> Result:
    held = remote_repository.list_devs_refs(workspace.ledger.git)
    points = workspace.ledger.history_at(tip).checkpoints
    return Result(
        remote=other.remote,
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
        named=tuple(_named(points, before, held)),
        kept=tuple(_kept(workspace, [points[tag] for tag in held.values() if tag in points])),
    )


def _named(
    points: Mapping[str, Checkpoint], before: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[Named]:
    for ref, tag in before.items():
        held = now.get(ref, "")
        if ref.startswith(wanted_refs.VISIBLE) and tag in points and held != tag:
            point = points.get(held)
            yield Named(ref, points[tag].name, point.name if point else "", point.event if point else "")


def _kept(workspace: Workspace, held: Iterable[Checkpoint]) -> Iterator[Kept]:
    """What other clones keep no more, and this one still does, by the event that says so."""
    gone = [point for point in dict.fromkeys(held) if point.gone]
    for oid in dict.fromkeys(point.gone for point in gone):
        said = next(workspace.ledger.events(oid))
        yield Kept(oid, said.get(Key.ACTOR), tuple(point.name for point in gone if point.gone == oid))
