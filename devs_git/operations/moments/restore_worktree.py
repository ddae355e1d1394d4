"""Make a linked worktree in the state of a moment: branch, index, uncommitted changes and untracked files.

The folder is new and the worktree too, so there is nothing to save, and no other program knows them yet. If a step fails,
the worktree is removed again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from devs_git.domain.ledger.event_branches import WorktreeRestored
from devs_git.domain.ledger.events import NO_OID, Draft
from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError, immovable
from devs_git.operations.moments import half_made_worktree
from devs_git.storage.git import places as git_places
from devs_git.storage.git import refs
from devs_git.storage.git.objects import GITLINK, Entry
from devs_git.storage.git.private_index import add_entries, index_path, private
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed
from devs_git.storage.ledger.lines_of_work import HEADS
from devs_git.storage.moments import read_moments
from devs_git.storage.worktree import (
    active_task,
    attributes,
    journal,
    modes,
    move_tree,
    place_files,
    tree_difference,
)
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import git_words
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class WorktreeMade:
    """The new worktree. `branch` is the short name of its branch; if HEAD is detached, `detached` says why.

    `under_way`: git's operation that was in progress then, of which git knows nothing now; '' for none.
    """

    path: str
    commit: str
    branch: str
    detached: str
    files: int
    left_out: tuple[str, ...]
    under_way: str


@immutable
class Position:
    """Where HEAD of the new worktree is. `made`: the branch does not exist yet. `forced`: a worktree that is gone has it.

    `files`: git writes the files of the commit, too.
    """

    branch: str
    detached: str = ""
    made: bool = False
    forced: bool = False
    files: bool = False


def restore_worktree(workspace: Workspace, moment: Moment, place: Path) -> WorktreeMade:
    """Make the worktree in the folder `place`; GIT_RESET_FAILED if the moment's commit is gone, CONFLICT if git refuses."""
    state, details = read_moments.load(workspace.objects, moment.id)
    require_commit(workspace, state, moment)
    position = _position(workspace, state)
    content = WorktreeRestored(f"{names.PREFIX}{moment.id}", state.head, position.branch)
    with (
        move_tree.worktree_lock(workspace.site) as here,
        _noted(workspace, place, content, position),
        new_worktree(workspace, here.git, place, state.head, position) as site,
    ):
        files = fill(site, state, details.ignored)
        active_task.write(site.places, _active(workspace, state))
        subject = f"restore: worktree of {names.short_name(moment.id)}"
        workspace.append(lambda _tip: Draft(workspace.event_of(content, subject, verb_name="restore")))
    under_way = details.under_way or ("a merge or rebase" if details.unmerged else "")
    return WorktreeMade(
        os.fspath(place), state.head, position.branch, position.detached, files, details.left_out, under_way
    )


def require_commit(workspace: Workspace, state: State, moment: Moment) -> None:
    if state.head and workspace.objects.exists(state.head):
        return
    text = f"The moment's commit {state.head[:12]} no longer exists." if state.head else "It has no commit."
    hint = f"Bring its files into this worktree: devs-git restore {names.short_name(moment.id)}"
    raise immovable("missing_objects" if state.head else "no_commit", text, hint=hint)


def _position(workspace: Workspace, state: State) -> Position:
    """The moment's branch, if it can be checked out and still is at the moment's commit."""
    name = state.branch.removeprefix(HEADS)
    if not name:
        return Position("")
    tip = refs.read(workspace.store_git, state.branch)
    holder = refs.holder_of(workspace.store_git, state.branch)
    gone = bool(holder) and not Path(holder).is_dir()
    if holder and not gone:
        return Position("", f"{name} is checked out in {holder}")
    if tip and tip != state.head:
        return Position("", f"{name} is at {tip[:12]} now")
    return Position(name, made=not tip, forced=gone)


@contextlib.contextmanager
def _noted(
    workspace: Workspace, place: Path, content: WorktreeRestored, position: Position
) -> Iterator[None]:
    """Note the worktree that is made by the body, so that the next command removes it if this one is killed."""
    made = f"{HEADS}{position.branch}" if position.made else ""
    file = half_made_worktree.note(workspace, place, content, made)
    try:
        yield
    except KeyboardInterrupt:
        half_made_worktree.take_back_now(workspace, file)
        raise
    except BaseException:
        half_made_worktree.close(workspace, file)
        raise
    half_made_worktree.close(workspace, file)


@contextlib.contextmanager
def new_worktree(
    workspace: Workspace, git: Git, place: Path, commit: str, position: Position
) -> Iterator[Site]:
    """Let git make the worktree at a commit. If the body fails, it is removed with its new branch.

    CONFLICT if git cannot make it there. After Ctrl-C the caller removes it by its note, unless the event is written.
    """
    git, place = git.with_config("core.hooksPath=/dev/null"), half_made_worktree.real_place(place)
    there = place.exists()
    _add(workspace, git, place, commit, position)
    try:
        places = git_places.locate(place, unset=REPOSITORY_VARIABLES)
        site = workspace.site_of(places)
        # A git that outlives us holds the lock, so that nobody removes the worktree while it still writes there.
        yield replace(site, git=site.git.with_descriptors(*git.keep_open))
    except Exception:
        with contextlib.suppress(GitFailed):
            git.run("worktree", "remove", "--force", "--", os.fspath(place))
            if there:
                place.mkdir()
            if position.made:
                git.run("update-ref", "-d", f"{HEADS}{position.branch}", commit)
        raise


def _add(workspace: Workspace, git: Git, place: Path, commit: str, position: Position) -> None:
    """Let git make the branch, if it is new, and the worktree: both or neither. CONFLICT."""
    if place.is_relative_to(workspace.places.common.resolve()):
        raise _no_worktree("it would be inside git's own folder")
    branch = f"{HEADS}{position.branch}" if position.made else ""
    words = [*["--force"] * position.forced, *["--no-checkout"] * (not position.files)]
    words += ["--detach"] * (not position.branch)
    try:
        if branch:
            # Not by `worktree add -b`: then nobody could say whose the branch is that is there after a failure.
            git.run("update-ref", "-m", f"branch: Created from {commit}", branch, commit, NO_OID)
        try:
            git.run("worktree", "add", "-q", *words, "--", os.fspath(place), position.branch or commit)
        except Exception:
            if branch:
                git.run("update-ref", "-d", branch, commit)
            raise
    except GitFailed as error:
        raise _no_worktree(git_words(error).replace(os.fspath(place), "the folder")) from error


def _no_worktree(why: str) -> DevsError:
    text = f"git cannot make a worktree there: {why}"
    return DevsError("CONFLICT", text, hint="Choose another folder: --worktree DIR")


def fill(site: Site, state: State, ignored: str) -> int:
    """Write files, permissions and index of the state; returns the number of files."""
    folder = journal.make_folder(site.places, "restoring")
    index, top = folder / "index", os.fspath(site.top)
    own = private(site.git, index)
    own.run("read-tree", state.worktree)
    more = list_files(site.git, ignored)
    add_entries(own, more)
    files = {
        p: one for p, one in (list_files(site.git, state.worktree) | more).items() if one.mode != GITLINK
    }
    ours = _ours(site, state, files)
    fallbacks = tree_difference.attributes_fallbacks(site.git, state)
    place_files.write_by_git(site.git, index, [path for path in files if path not in ours], fallbacks)
    place_files.write_captured(top, site.objects, ours, folder)
    modes.apply(top, state.modes)
    tree_difference.settle_index(site.git, site.objects, index, replace(state, worktree=""), written=True)
    index.replace(index_path(site.git))
    journal.drop_folder(site.places, "restoring")
    return len(files)


def _ours(site: Site, state: State, files: dict[str, Entry]) -> dict[str, Entry]:
    """The files that we write ourselves: captured bytes, and where something converts all files whose bytes are known."""
    raw = list_files(site.git, state.raw)
    ours = {path: raw[path] for path in files if path in raw}
    paths = ("", *files)
    if state.exact and attributes.may_convert(site.git, site.top, paths, lambda: b""):
        ours |= {p: one for p, one in files.items() if p not in raw and p not in state.unkept}
    return ours


def _active(workspace: Workspace, state: State) -> str:
    """The moment's active task, if it still is active and no other worktree works on it; else ''."""
    task = active_task.task_of(state.active)
    known = workspace.ledger.tip().here.tasks.get(task)
    held = {active_task.task_of(lines) for lines in active_task.everywhere(workspace.places).values()}
    return state.active if known and known.status == "active" and task not in held else ""
