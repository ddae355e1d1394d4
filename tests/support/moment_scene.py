"""Moments of a worktree, made and photographed by the tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.storage.moments import make_moment
from devs_git.storage.moments.make_moment import Made
from devs_git.storage.moments.maker import Maker
from devs_git.workspace import Workspace

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
