"""Moments of a worktree, made and photographed by the tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.storage.moments import make_moment, read_moments
from devs_git.storage.moments.make_moment import Made
from devs_git.storage.moments.maker import Maker
from devs_git.storage.worktree.raw_bytes import list_files
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
