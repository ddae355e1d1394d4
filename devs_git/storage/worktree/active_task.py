"""The active task of one worktree: `<git dir>/devs/task` has trailer lines that the sh hooks add without a change."""

from __future__ import annotations

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places


def read(places: Places) -> str:
    """The trailer lines; '' if no task is active. Bytes that are not UTF-8 are replaced, so that the next task can start."""
    try:
        return places.active_task.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def task_of(lines: str) -> str:
    """The task id in trailer lines; '' if there is none."""
    # Imported late: a caller that only reads the file does not need it.
    from devs_git.domain.ledger.event_keys import TrailerKey

    return _value(lines, TrailerKey.TASK)


def agent_of(lines: str) -> str:
    """The agent in trailer lines; '' if there is none."""
    from devs_git.domain.ledger.event_keys import TrailerKey

    return _value(lines, TrailerKey.AGENT)


def _value(lines: str, key: str) -> str:
    """The value of the first line with this key."""
    start = f"{key}: "
    return next(
        (line.removeprefix(start).strip() for line in lines.splitlines() if line.startswith(start)), ""
    )


def everywhere(places: Places) -> dict[str, str]:
    """The trailer lines of each worktree that has an active task. A worktree that was removed has none."""
    folders = {".": places.common} | {path.name: path for path in places.common.glob("worktrees/*")}
    found = {name: folder / "devs" / "task" for name, folder in folders.items()}
    return {
        name: path.read_text(encoding="utf-8", errors="replace")
        for name, path in found.items()
        if path.is_file()
    }


def write(places: Places, lines: str) -> None:
    """Set the trailer lines of the active task, in one step; '' clears them."""
    if not lines:
        places.active_task.unlink(missing_ok=True)
        return
    replace_file(places.active_task, lines.encode())
