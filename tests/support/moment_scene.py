"""Moments of a worktree, made and photographed by the tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.moments import last_moment, make_moment, prune_moments, read_moments, seen_changes
from devs_git.storage.moments.make_moment import Made
from devs_git.storage.moments.maker import Maker
from devs_git.storage.moments.prune_moments import Day
from devs_git.storage.moments.seen_changes import BegunGit, Seen
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.scene import contents

_SECONDS = count()


def maker(workspace: Workspace) -> Maker:
    """A maker whose clock goes on by one second with each moment of this process."""
    return Maker(
        workspace.git,
        workspace.store_git,
        workspace.places,
        workspace.objects,
        lambda: 2 << 30,
        lambda: datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC) + timedelta(seconds=next(_SECONDS)),
    )


def prune(git: Git, days: Sequence[Day]) -> int:
    """Delete these days of moments, and return how many moments they had. RefMoved, RefLocked: then none was deleted."""
    updates = prune_moments.deletions(days)
    prune_moments.forget_last(git, updates)
    with prune_moments.apart(git, updates) as commits:
        if commits:
            refs.transaction(git, commits, "devs: prune moments")
    return sum(day.moments for day in days)


def moment(
    workspace: Workspace,
    kind: Kind = "prompt",
    *,
    session: str = "s1",
    words: str = "",
    call_id: str = "",
    keep_refs: bool = False,
) -> Made:
    """Make a moment of the worktree."""
    occasion = Occasion(kind, session, "claude", call_id, words)
    return make_moment.make(maker(workspace), occasion, keep_refs=keep_refs)


def files_of(workspace: Workspace, made: str) -> dict[str, bytes]:
    """Bytes of each file of a moment, as the worktree had them."""
    state, _ = read_moments.load(workspace.objects, made)
    entries = list_files(workspace.git, state.worktree) | list_files(workspace.git, state.raw)
    return {path: workspace.objects.read(entry.oid, "blob") for path, entry in entries.items()}


def on_disk(top: Path) -> dict[str, bytes]:
    """Bytes of each file of a worktree."""
    return {name: data for name, (_, data) in contents(top).items()}


def look_as_hook(workspace: Workspace) -> Seen:
    """What the shell hook sees."""
    own = workspace.places.moments / "index"
    git = workspace.git.with_env(GIT_INDEX_FILE=str(own))
    new = git.run("ls-files", "-z", "-o", "--exclude-standard")
    files = git.run("diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty")
    return Seen(new, files, last_moment.sum_of_index(workspace.git))


def begin(workspace: Workspace, seen: Seen) -> BegunGit | None:
    """Let git begin with what the hook saw."""
    places = workspace.places
    seen_changes.begin(seen, str(places.git_dir), str(places.common), str(places.top))
    return seen.begun


def moment_of_hook(workspace: Workspace) -> Made:
    """Make a moment as the hook does."""
    seen = look_as_hook(workspace)
    begin(workspace, seen)
    try:
        return make_moment.make(replace(maker(workspace), seen=seen), Occasion("prompt", "s1"))
    finally:
        if seen.begun:
            seen.begun.close()
