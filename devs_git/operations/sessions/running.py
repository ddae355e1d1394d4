"""Whether a session is at work where somebody wants to move files or a conversation. The caller's own session does not count."""

from __future__ import annotations

from devs_git.errors import DevsError
from devs_git.storage.git.places import Places
from devs_git.storage.hooks import turns
from devs_git.storage.hooks.turns import Turn
from devs_git.workspace import Workspace


def in_worktree(workspace: Workspace, places: Places) -> list[DevsError]:
    """TASK_RUNNING if a turn of another session runs in this worktree."""
    return [_refusal(turn) for turn in turns.open_turns(places) if not _is_own(workspace, turn)][:1]


def of_session(workspace: Workspace, session_id: str) -> list[DevsError]:
    """TASK_RUNNING if a turn of this session runs, in any worktree, and it is not the caller's own."""
    common = workspace.places.common
    folders = (common, *sorted(common.glob("worktrees/*"))) if session_id else ()
    found = (turn for folder in folders for turn in turns.open_turns(Places(folder, common, None)))
    return [_refusal(one) for one in found if one.session_id == session_id and not _is_own(workspace, one)][
        :1
    ]


def _is_own(workspace: Workspace, turn: Turn) -> bool:
    return turn.session_id in workspace.agent_sessions or turns.is_ours(turn)


def _refusal(turn: Turn) -> DevsError:
    return DevsError(
        "TASK_RUNNING",
        f"The session {turn.session_id} is at work there.",
        hint="Wait until it has ended its turn, or do it all the same: --force",
        session_id=turn.session_id,
    )
