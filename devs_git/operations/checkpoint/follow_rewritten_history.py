"""Move checkpoints to the commits of a rewritten history: first make a plan, then write one event and move all refs at once.

`git filter-repo` makes the numbered refs name commits, puts their tags below `refs/tags/refs/`, and rewrites visible tags
and the refs that `sync` keeps of a remote's ledger; without `--refs` also the ledger. The map repairs each of these.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.checkpoints import rewritten_history
from devs_git.domain.checkpoints.rewritten_history import NONE, Found, State
from devs_git.domain.ledger.clone_view import own_view
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.event_rewrites import HistoryRewritten, Move
from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import ARCHIVES, checkpoint_ref, completed_tag
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import events_before_rewrite
from devs_git.operations.checkpoint.follow_rewrite import write_moved_tag
from devs_git.operations.checkpoint.record_checkpoint import taken_numbers
from devs_git.operations.setup import adopt_ledger
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import policy_file, received, rewritten_commits
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.store import Ledger, Tip
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

NUMBERED: Final = "refs/devs/checkpoints"
_COPIES: Final = "refs/tags/"  # where filter-repo puts a tag object from below refs/devs
_SEEN: Final = "refs/devs/remotes"
_OURS: Final = ("--exclude=devs/*", "--exclude=snapshot/*", "--branches", "--exclude=*/devs/*", "--remotes")


@immutable
class Plan:
    """What to do: `found` are the moves, `lost` the checkpoints that this clone no longer has, `mended` the updates that
    repair refs of devs-git.
    """

    found: Found
    lost: tuple[Checkpoint, ...]
    mended: tuple[RefUpdate, ...]


def make_plan(workspace: Workspace, tip: Tip, new_of: Mapping[str, str] | None) -> Plan:
    """Find where the checkpoints are now, with the map, or by their trees without one; reads only."""
    found, state = _find(workspace.store_git, tip, new_of)
    mended = tuple(_repairs(workspace, tip, state, new_of or {}))
    return Plan(found, tuple(_lost_checkpoints(workspace, tip, found, state)), mended)


def _find(git: Git, tip: Tip, new_of: Mapping[str, str] | None) -> tuple[Found, State]:
    points = list(tip.history.checkpoints.values())
    held = refs.list_refs(git, NUMBERED)
    archived = _archived_tags(git, held)
    oids = [*(point.commit for point in points), *held.values()]
    if new_of is None:
        here = rewritten_commits.trees(git, oids)
        state = State(here, _with_archived(held, points, here, archived))
        return rewritten_history.by_trees(points, _commits_with_trees(git), state), state
    wanted = {point.commit: new_of[point.commit] for point in points if point.commit in new_of}
    here = rewritten_commits.trees(git, [*oids, *(new for new in wanted.values() if new != NONE)])
    for old, new in wanted.items():
        if new == NONE and old in here:
            wanted[old] = _ancestor(git, old, new_of)
    here |= rewritten_commits.trees(git, set(wanted.values()) - {NONE, *here})
    left = _with_archived(held, points, here, archived)
    for point in points:
        ref = checkpoint_ref(point.task_id, point.number)
        # The program moved the visible tag to the nearest ancestor, which nothing else tells if the old commit is gone.
        if left.get(ref) == NONE == wanted.get(point.commit) and point.completed:
            left[ref] = refs.read(git, f"{completed_tag(point.task_id)}^{{commit}}") or NONE
    here |= rewritten_commits.trees(git, {oid for oid in left.values() if oid != NONE and oid not in here})
    state = State(here, left)
    there = tip.ledger.objects.exists
    return rewritten_history.by_map(points, wanted, state, lambda tag: tag in archived or there(tag)), state


def _archived_tags(git: Git, held: Mapping[str, str]) -> frozenset[str]:
    """The tags that archives have, also those that the program rewrote: their files are as before."""
    found = [oid for ref, oid in held.items() if ref.startswith(ARCHIVES)]
    if not found:
        return frozenset()
    from devs_git.storage.ledger.archived import archives  # few repositories have one

    return frozenset(tag for _, tag in archives.entries(git, found))


def _with_archived(
    held: Mapping[str, str], points: Iterable[Checkpoint], trees: Mapping[str, str], archived: Container[str]
) -> dict[str, str]:
    """The numbered refs, and NONE for each archived checkpoint whose commit was rewritten: a rewrite changes its ref, too.

    Its commit is gone; or, if the texts of the ledger were rewritten, it is the new one with other files.
    """
    lost = [one for one in points if one.tag in archived and trees.get(one.commit) != one.tree]
    return {checkpoint_ref(one.task_id, one.number): NONE for one in lost} | dict(held)


def _commits_with_trees(git: Git) -> dict[str, str]:
    """The commits of people's branches and of tracking branches, with their trees."""
    out = git.run("rev-list", "--no-commit-header", "--format=%H %T", "HEAD", *_OURS, "--").decode()
    return dict(line.split(" ") for line in out.splitlines())


def _ancestor(git: Git, commit: str, new_of: Mapping[str, str]) -> str:
    """The new commit of the nearest ancestor that the new history has; NONE if it has none."""
    for old in git.text("rev-list", "--first-parent", commit, "--").split():
        if new_of.get(old, old) != NONE:
            return new_of.get(old, old)
    return NONE


@immutable
class Changes:
    """What the event says, the updates of all refs, and the new `names` of the moved checkpoints, in their order."""

    content: HistoryRewritten
    updates: tuple[RefUpdate, ...]
    names: tuple[str, ...]


def restore_archived_tags(git: Git) -> None:
    """Make the archived tags again, from which the moved checkpoints get their messages."""
    found = [oid for ref, oid in refs.list_refs(git, NUMBERED).items() if ref.startswith(ARCHIVES)]
    if found:
        from devs_git.storage.ledger.archived import archives  # few repositories have one

        archives.restore_tags(git, found, archives.entries(git, found))


def build_changes(workspace: Workspace, tip: Tip, looked: Plan, cause: str) -> Changes:
    """Write new tag objects for the moved checkpoints. Returns what the event has to say, and the updates of refs."""
    found = looked.found
    moves: list[Move] = []
    updates: list[RefUpdate] = []
    names: list[str] = []
    following: dict[str, int] = {}

    def first(task: str) -> int:
        return max([tip.history.next_number(task) - 1, *taken_numbers(workspace, task)]) + 1

    for (point, commit), number in zip(
        found.moves, rewritten_history.new_numbers(found.moves, first), strict=True
    ):
        new = replace(point, number=number, commit=commit)
        move = write_moved_tag(workspace, tip, point, new, _text(workspace, point))
        moves.append(move)
        updates.append(RefUpdate(checkpoint_ref(point.task_id, number), move.new, NO_OID))
        updates += _visible(workspace, tip, point, new, move.new)
        following[point.task_id] = number + 1
        names.append(new.name)
    content = HistoryRewritten(
        cause,
        tuple(moves),
        undone=tuple(point.tag for point in found.emptied),
        gone=tuple(point.tag for point in looked.lost),
        next_numbers=tuple(following.items()),
    )
    return Changes(content, (*updates, *looked.mended), tuple(names))


def _lost_checkpoints(workspace: Workspace, tip: Tip, found: Found, state: State) -> list[Checkpoint]:
    """The checkpoints that this clone no longer has, because the rewrite removed their tag or commit."""
    left = {point.tag for point, _ in found.moves} | {point.tag for point in found.emptied}
    return [
        point
        for point in tip.history.checkpoints.values()
        if not point.gone
        and (point.tag in left or point.replaced)
        and state.ref(point) != point.tag
        and not (workspace.objects.exists(point.tag) and state.trees.get(point.commit) == point.tree)
    ]


def _text(workspace: Workspace, point: Checkpoint) -> bytes:
    """The tag object of a checkpoint, old or rewritten. If there is none, it is made again from the ledger."""
    ref = checkpoint_ref(point.task_id, point.number)
    places = (_COPIES + ref, *((completed_tag(point.task_id),) if point.completed else ()))
    for oid in (point.tag, *(refs.read(workspace.store_git, place) for place in places)):
        if oid and workspace.objects.exists(oid):
            return workspace.objects.read(oid, "tag")
    name = point.task_id if point.completed else point.name
    done = f"{TrailerKey.COMPLETED}: true\n" if point.completed else ""
    lines = f"{TrailerKey.TASK}: {point.task_id}\n{TrailerKey.CHECKPOINT}: {point.number}\n{done}{TrailerKey.LEDGER}: {point.event}\n"
    return f"\n\n{name}: {point.message}\n\n{lines}".encode("utf-8", "replace")


def _visible(
    workspace: Workspace, tip: Tip, old: Checkpoint, new: Checkpoint, tag: str
) -> Iterator[RefUpdate]:
    """The move of a completion's visible tag. A tag of that name that devs-git did not make stays."""
    if own_view(tip.history, clone_of(workspace.places.common)).completion(old.task_id) != old:
        return
    ref = completed_tag(old.task_id)
    held = refs.read(workspace.store_git, ref)
    if held in ("", old.tag) or refs.read(workspace.store_git, f"{ref}^{{commit}}") in (
        old.commit,
        new.commit,
    ):
        yield RefUpdate(ref, tag, held or NO_OID)


def _repairs(workspace: Workspace, tip: Tip, state: State, new_of: Mapping[str, str]) -> Iterator[RefUpdate]:
    """Updates that repair our refs: numbered ones, copies of their tags, and ledgers that `sync` saw."""
    git = workspace.store_git
    real = refs.list_refs(git, NUMBERED)
    for point in tip.history.checkpoints.values():
        held = real.get(checkpoint_ref(point.task_id, point.number), point.tag)
        if held != point.tag and held in state.trees:
            kept = workspace.objects.exists(point.tag) and state.trees.get(point.commit) == point.tree
            yield RefUpdate(checkpoint_ref(point.task_id, point.number), point.tag if kept else NO_OID, held)
    for ref, oid in refs.list_refs(git, _COPIES + NUMBERED).items():
        yield RefUpdate(ref, NO_OID, oid)
    before = {new: old for old, new in new_of.items() if old != new}
    for ref, oid in refs.list_refs(git, _SEEN).items():
        old = before.get(oid, "")
        if old and workspace.objects.exists(old) and git.says("merge-base", "--is-ancestor", old, tip.oid):
            yield RefUpdate(ref, old, oid)


@immutable
class LedgerRewrite:
    """What to do with a ledger that was rewritten together with the code. Both are '' if it was not rewritten.

    `back`: the old tip, if that ledger is whole here or can be built again, and commits name its events, another clone may
    have it, or the new ledger is not sound. `believed`: the tip of the new ledger, if it is sound.
    """

    back: str = ""
    believed: str = ""


def find_ledger_rewrite(workspace: Workspace, new_of: Mapping[str, str] | None) -> LedgerRewrite:
    """Whether the map says that the ledger was rewritten, and what to do then. Changes no ref; may write old events again.

    HISTORY_REWRITTEN if another clone may have the old one, LEDGER_FORK if genesis or first policy differ, and what else
    is wrong with the new ledger.
    """
    ledger = workspace.ledger
    known, tip = ledger.checked_tip, ledger.require().oid
    here = ledger.objects.exists(known) if known else False
    now = (new_of or {}).get(known, "")
    if not known or known == tip or (here and now != tip):
        return LedgerRewrite()
    git, reason = ledger.git, rewritten_commits.ledger_rewritten(known)
    built = now == tip and events_before_rewrite.rebuild(ledger, known, tip, new_of or {})
    if built and events_before_rewrite.commits_name_it(ledger, known, tip):
        return LedgerRewrite(back=known)
    if now and not refs.list_refs(git, _SEEN) and git.says("merge-base", "--is-ancestor", now, tip):
        try:
            _judge(ledger, tip)
            return LedgerRewrite(believed=tip)
        except DevsError as error:
            reason = error
    if built or (here and events_before_rewrite.is_whole(ledger, known)):
        return LedgerRewrite(back=known)
    raise reason


def repair_ledger(workspace: Workspace, found: LedgerRewrite) -> None:
    """Move the ledger's branch back to its old tip, or note that the new one was checked."""
    ledger = workspace.ledger
    if found.back:
        now = ledger.tip().oid
        refs.transaction(ledger.git, [RefUpdate(LEDGER, found.back, now)], "devs: history-rewritten")
        # The reflog must not name the rewritten ledger as one that was here.
        ledger.git.run("reflog", "expire", "--expire=all", LEDGER)
    elif found.believed:
        ledger.note_checked(found.believed)


def _judge(ledger: Ledger, tip: str) -> None:
    """Check the ledger as one that this clone never saw. Raises if it is not sound."""
    named, roots = policy_file.named_ledger(ledger.git, "HEAD"), adopt_ledger.roots(ledger.git)
    if len(roots) != 1 or named.genesis not in ("", roots[0]):
        raise adopt_ledger.ledger_fork(roots, named.genesis)
    found = next(received.judge_ledger(ledger, "", tip, first=named.first_policy), None)
    if found:
        raise DevsError(
            found.code,
            f"The ledger was rewritten, and the new one is not sound: {found.message}",
            hint=rewritten_commits.RESTORE,
        )
