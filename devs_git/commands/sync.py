"""`sync`: join the ledger and the checkpoints of this clone with those of a remote.

It reads the remote's refs, fetches, joins the ledgers and pushes; if another clone pushed meanwhile, it starts again.
A ref is overwritten only if an event explains it. `sync` writes an event only if it merges two ledgers.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError
from devs_git.operations.sync import consent, known_remote, so_far, unchanged
from devs_git.storage.git.remotes import remote_repository, remote_urls
from devs_git.storage.git.remotes.remote_repository import Remote, RemoteMoved
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import Checkpoint
    from devs_git.domain.ledger.merge_rules import Superseded
    from devs_git.operations.sync.attempt import Log, NewNumber

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
        command = f"devs-git sync {self.remote}".rstrip()
        return consent.Consent(self.accept_policy, self.at_terminal, self.let_stand, command)

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{accept_policy, let_stand}."""
        _ = self.person

    @property
    def decides(self) -> bool:
        """Whether a person decides something with it."""
        return bool(self.accept_policy or self.let_stand)


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
    tasks that are live again. With `dry_run` all this would be so; `merged` and `ledger` are then of a merge that was not written,
    and `commits` is the number of commits of work that would be pushed, too.
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
    commits: int = 0

    @property
    def needs_question(self) -> bool:
        """Whether a person has to agree to what this dry run shows: it would push something."""
        return bool(self.pushed)


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, INVALID_ARGUMENTS{remote, accept_policy, let_stand}, LEDGER_FORK, LEDGER_ROLLBACK, BUSY, CONFLICT,
    and what is wrong with the remote's ledger, such as LEDGER_MUTATED, POLICY_INVALID or BAD_SIGNATURE.
    """
    tip = workspace.ledger.require()
    other = _remote(replace(workspace, offline=False), request, request.remote)
    try:
        start = unchanged.look(workspace, other)
    except KeyboardInterrupt as stop:
        if not request.dry_run:
            stop.add_note(so_far.tell_nothing(other.remote))
        raise
    if not request.decides and unchanged.is_noted(workspace, other, start):
        return replace(_nothing(other, start, tip.oid), dry_run=request.dry_run)
    if not request.dry_run:
        return _sync(workspace, request, other, start)
    from devs_git.operations.sync import trial

    with trial.of(workspace) as there:
        return _sync(there, request, _remote(there, request, other.remote), start)


def _remote(workspace: Workspace, request: Request, name: str) -> Remote:
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    remote = remote_repository.choose(git, name)
    return Remote(git, remote, workspace.progress, only_reads=request.dry_run)


def _sync(workspace: Workspace, request: Request, other: Remote, start: unchanged.Start) -> Result:
    # Most runs find nothing new, and need none of these.
    from devs_git.domain.ledger import clone_view
    from devs_git.operations.sync import attempt
    from devs_git.storage.ledger.clone_history import clone_of

    before = workspace.ledger.require().here
    refs_before = so_far.shared_refs(workspace)
    tags = frozenset(refs_before.values())
    url_before = known_remote.changed_url(workspace, other.remote)
    log = attempt.Log()
    try:
        for number in range(ATTEMPTS):
            try:
                seen = other.look() if number else start.remote
                tip = attempt.run(workspace, other, seen, log, request.person)
            except RemoteMoved:
                log.sending = ()
                time.sleep(random.uniform(0.01, 0.1 * (number + 1)))  # noqa: S311 - jitter, not a secret
                continue
            here = workspace.ledger.tip().here
            log.rewound, log.revived = clone_view.changed_tasks(
                before, here, tags, clone_of(workspace.places.common)
            )
            shared, url = workspace.places.shared, remote_urls.current(other.git, other.remote)
            remote_urls.note(shared, other.remote, url)
            nothing = _nothing(other, start, tip)
            found = replace(_all_done(workspace, nothing, log, refs_before), url_before=url_before)
            if not (request.dry_run or number or log.lacking) and found == nothing:
                unchanged.note(workspace, other, start)
            return replace(found, dry_run=request.dry_run, commits=log.commits)
    except KeyboardInterrupt as stop:
        if not request.dry_run:
            stop.add_note(so_far.tell(workspace, other.remote, refs_before, log.pushed, log.sending))
        raise
    raise DevsError(
        "BUSY",
        f"Other clones push to {other.remote} at the same time.",
        hint=f"This clone lost nothing. Run the command again: devs-git sync {other.remote}",
        remote=other.remote,
    )


def _nothing(other: Remote, start: unchanged.Start, tip: str) -> Result:
    """The result if there is nothing to do, and nothing to tell."""
    return Result(other.remote, start.url, "", tip, (), (), None, (), (), (), (), (), (), (), (), (), ())


def _all_done(workspace: Workspace, nothing: Result, log: Log, before: Mapping[str, str]) -> Result:
    """The result of all attempts. `before`: the refs that `sync` shares, as they were."""
    held = remote_repository.list_devs_refs(workspace.ledger.git)
    points = workspace.ledger.history_at(nothing.ledger).checkpoints
    return replace(
        nothing,
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
