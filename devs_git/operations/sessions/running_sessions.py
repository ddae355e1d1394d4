"""Whether a session is at work where somebody wants to move files or a conversation. The caller's own session does not count."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage.git.places import Places
from devs_git.storage.hooks import turns
from devs_git.storage.hooks.turns import Turn
from devs_git.workspace import Workspace

# So many bytes at the end of a transcript have the client's last messages. The message that says a person's stop is short.
_END: Final = 1 << 16


def in_worktree(workspace: Workspace, places: Places) -> list[DevsError]:
    """TASK_RUNNING if a turn of another session runs in this worktree."""
    return _refusals(workspace, turns.open_turns(places))


def of_session(workspace: Workspace, session_id: str) -> list[DevsError]:
    """TASK_RUNNING if a turn of this session runs, in any worktree, and it is not the caller's own."""
    common = workspace.places.common
    folders = (common, *sorted(common.glob("worktrees/*"))) if session_id else ()
    found = (turn for folder in folders for turn in turns.open_turns(Places(folder, common, None)))
    return _refusals(workspace, (one for one in found if one.session_id == session_id))


def _refusals(workspace: Workspace, found: Iterable[Turn]) -> list[DevsError]:
    """The refusal for the first turn that goes on."""
    running = (one for one in found if not _is_own(workspace, one) and not _was_stopped(one))
    return [_refusal(one) for one in islice(running, 1)]


def _is_own(workspace: Workspace, turn: Turn) -> bool:
    return turn.session_id in workspace.agent_sessions or turns.is_ours(turn)


def _was_stopped(turn: Turn) -> bool:
    """Whether a person stopped the turn, as the end of its transcript says: Claude Code runs no hook then."""
    if not turn.transcript:
        return False
    from devs_git.domain.clients.known_clients import CLIENTS
    from devs_git.domain.clients.transcript_reader import Reader
    from devs_git.domain.recall.conversation import is_stop
    from devs_git.domain.text.times import stamp_of
    from devs_git.storage.catalog import transcript_file

    try:
        lines = transcript_file.last_lines(Path(turn.transcript), _END)
    except (DevsError, ValueError):
        return False
    reader = Reader(CLIENTS["claude"], turn.session_id)
    said = [one.message for line in lines for one in reader.read(line) if one.message.role != "system"]
    # A prompt after the stop begins a new turn. The hook notes it at once; the transcript may not have it yet.
    return (
        bool(said)
        and is_stop(said[-1])
        and (said[-1].timestamp or "") >= stamp_of(int(turn.seen), int(turn.seen % 1 * 1e9))
    )


def _refusal(turn: Turn) -> DevsError:
    return DevsError(
        "TASK_RUNNING",
        f"The session {turn.session_id} is at work there.",
        hint="Wait until it has ended its turn, or do it all the same: --force",
        session_id=turn.session_id,
    )
