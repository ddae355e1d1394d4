"""After a command: what is gone, said once to each session and shown by `status`, until it is back or a day is over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from shlex import quote

from devs_git.domain.moments.loss import Loss, sentence
from devs_git.domain.moments.moment import Occasion
from devs_git.domain.moments.names import short_name
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.git import locks
from devs_git.storage.git.places import worktrees
from devs_git.storage.moments import loss_back, loss_facts, loss_note, moment_store, read_moments
from devs_git.storage.moments.loss_facts import Kept
from devs_git.storage.moments.loss_note import NotedLoss, Watched
from devs_git.values import Final, replace
from devs_git.workspace import Workspace

_A_DAY: Final = timedelta(days=1)
# Digits of a commit's id in a command.
_DIGITS: Final = 12
# What is uncommitted when the work is brought back is saved on a branch.
_SAVING: Final = "--preserve branch"
# Seconds that a note waits for another one.
_WAIT: Final = 2.0
# Sessions that are remembered as told.
_TOLD: Final = 50


def compare(workspace: Workspace, occasion: Occasion, previous: str, current: str, *, ended: bool) -> None:
    """Note what is gone since the moments from before a command, or since the previous moment.

    `previous` and `current` are the ids of the worktree's newest moments before and after this one was made; '' for none.
    `ended`: a command just ended, or the session prompts or stops, so none of its commands runs any more.
    """
    folder = workspace.places.moments
    own = str(workspace.places.git_dir)
    watched: tuple[Watched, ...] = ()
    if ended:
        watched = loss_note.take_watched(folder, "" if occasion.kind == "after" else occasion.session)
        worktree = workspace.places.worktree_id
        loss_note.unwatch(workspace.places.shared / "moments", lambda one: one.of == worktree)
    if previous and previous != current and all(one.git_dir != own for one in watched):
        watched = (*watched, Watched(own, str(workspace.top), previous))
    found = [
        loss for one in watched if (loss := _compared(workspace, occasion, one, current, running=not ended))
    ]
    if found:
        # The tool runs meanwhile, and its end may be compared at the same time.
        with locks.hold(folder / "note.lock", wait=_WAIT):
            loss_note.write(folder, (*_open(workspace), *_without_doubles(found)))


def _without_doubles(found: Sequence[NotedLoss]) -> list[NotedLoss]:
    """A branch that went with its worktree comes back with it, so no other line needs to say it."""
    gone = {name for one in found if one.gone for name in one.branches}
    return [
        one for one in found if one.gone or not one.branches or not set(one.branches) <= gone or one.has_more
    ]


def lines(workspace: Workspace) -> tuple[str, ...]:
    """A line for each loss that is not brought back, oldest first. Nothing is written."""
    gone = (one for one in loss_note.read_watched(workspace.places.moments) if not _exists(one))
    found = filter(None, (_compared(workspace, None, one, "") for one in gone))
    return tuple(one.said for one in (*_open(workspace), *found))


def tell(workspace: Workspace, session: str) -> tuple[str, ...]:
    """The lines that this session was not told yet. From now on it counts as told."""
    folder = workspace.places.moments
    _settle(workspace)
    known = _open(workspace)
    new = [one for one in known if session not in one.told]
    told = [replace(one, told=(*one.told, session)[-_TOLD:]) if one in new else one for one in known]
    loss_note.write(folder, told)
    return tuple(one.said for one in new)


def brought_back(workspace: Workspace, moment_id: str) -> None:
    """Forget the losses of a moment to which the worktree was brought back."""
    folder = workspace.places.moments
    known = loss_note.read(folder)
    if known:
        loss_note.write(folder, [one for one in known if one.moment != moment_id])


def _settle(workspace: Workspace) -> None:
    """Note the worktrees that are gone, though no hook ran after the command that took them."""
    folder = workspace.places.moments
    gone = [one for one in loss_note.read_watched(folder) if not _exists(one)]
    if gone:
        loss_note.unwatch(folder, lambda one: one in gone)
        found = tuple(filter(None, (_compared(workspace, None, one, "") for one in gone)))
        loss_note.write(folder, (*loss_note.read(folder), *found))


def _open(workspace: Workspace) -> tuple[NotedLoss, ...]:
    """The noted losses of the last day that are not brought back."""
    since = stamp(workspace.clock() - _A_DAY)
    known = loss_note.read(workspace.places.moments)
    return tuple(
        one for one in known if one.created_at >= since and not loss_back.is_back(workspace.store_git, one)
    )


def _exists(watched: Watched) -> bool:
    return Path(watched.git_dir).is_dir() and os.path.lexists(Path(watched.top) / ".git")


def _compared(
    workspace: Workspace, occasion: Occasion | None, watched: Watched, current: str, *, running: bool = False
) -> NotedLoss | None:
    """What one worktree lost; None for nothing, or if the moment cannot be read any more. `running`: see `Kept`."""
    objects = workspace.objects
    git = moment_store.with_objects(workspace.store_git, workspace.places.common)
    own, born = str(workspace.places.git_dir) == watched.git_dir, True
    try:
        before = Kept(*read_moments.look_up(objects, watched.moment))
        if not _exists(watched):
            loss = loss_facts.all_of(git, before, watched.top, watched.left)
        else:
            moment = current if own else _moment_of(workspace, occasion, watched)
            after = Kept(*read_moments.look_up(objects, moment), running=running)
            born = bool(after.state.head)
            loss = loss_facts.compare(git, before, after, Path(watched.top), watched.left)
    except DevsError:
        return None
    if not loss.is_any and not loss.unkept:
        return None
    command = _command(watched, before, own=own, loss=loss, born=born)
    note = loss_back.note_of(git, before, loss, watched)
    return replace(note, created_at=stamp(workspace.clock()), said=sentence(loss, command))


def _moment_of(workspace: Workspace, occasion: Occasion | None, watched: Watched) -> str:
    """A new moment of another worktree."""
    from devs_git.operations.moments.moment_maker import maker_of
    from devs_git.storage.moments import make_moment

    found = worktrees(workspace.store_git, workspace.places.common)
    places = next((one for one in found if str(one.git_dir) == watched.git_dir), None)
    if places is None or occasion is None:
        return ""
    return make_moment.make(maker_of(Workspace(places)), occasion).moment_id


def _command(watched: Watched, before: Kept, *, own: bool, loss: Loss, born: bool) -> str:
    """The one command that brings all back. `born`: there is a commit now."""
    name = short_name(watched.moment)
    if loss.worktree:
        return f"devs-git restore {name} --worktree {quote(watched.top)}"
    if before.details.under_way or before.details.unmerged or born > bool(before.state.head):
        # A rewind goes to no such moment. The files alone can come back.
        return f"devs-git restore {name}" if own else f"git -C {quote(watched.top)} devs restore {name}"
    go = _to_the_branch(before, Path(watched.git_dir))
    if own:
        return f"{go and f'git {go} && '}devs-git rewind {name} {_SAVING}"
    at = f"git -C {quote(watched.top)}"
    return f"{go and f'{at} {go} && '}{at} devs rewind {name} {_SAVING}"


def _to_the_branch(before: Kept, git_dir: Path) -> str:
    """What git has to do first, if another branch is checked out now."""
    try:
        now = (git_dir / "HEAD").read_text("utf-8", "replace").strip().removeprefix("ref: refs/heads/")
    except OSError:
        return ""
    branch = before.state.branch.removeprefix("refs/heads/")
    if branch:
        return "" if branch == now else f"switch {quote(branch)}"
    return f"switch --detach {before.state.head[:_DIGITS]}" if len(now) != len(before.state.head) else ""
