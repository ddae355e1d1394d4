"""The row of a moment in the results of `log` and `show`."""

from __future__ import annotations

from devs_git.values import immutable


@immutable
class MomentRow:
    """One moment. `name`: for commands, with the beginning of its id. `kind`: when it was made, as docs/moments.md lists.

    `words`: the beginning of the prompt or of the command; at the end of a turn, of its prompt. `next_prompt`: that of the
    session's next prompt, if it found this state unchanged, so that no moment was made for it. `turn`: the number of the session's prompt before which or after
    which it was made, 0 if that is unknown. `task_id`: the task that was active. `files_changed`: files that differ from
    the moment before of the same worktree, or from HEAD if it is the first; None if git pruned one of them. `previous`: the
    id of the moment before, '' for none.
    """

    id: str
    name: str
    created_at: str
    kind: str
    worktree: str
    session_id: str
    turn: int
    client: str
    words: str
    next_prompt: str
    task_id: str
    files_changed: int | None
    previous: str
