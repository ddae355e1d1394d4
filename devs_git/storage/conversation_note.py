"""What a worktree's checkpoints say of the conversation: `<git dir>/devs/conversation`, a line for each of the last tasks.

A line is `<task> <time of the last message> <session> <count> <digest>`. It is written with what the catalog takes in, so
that the git hook that records a checkpoint reads a few bytes and needs no database: a broken one never stops it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from devs_git.domain.conversation import named, prefix_of
from devs_git.storage.active_task import replace_file
from devs_git.storage.places import Places

_TASKS = 8


def read(places: Places, task_id: str) -> str:
    """The prefix of the last session that the catalog saw here with a task, as the trailer has it; '' where it saw none."""
    kept = _lines(places).get(task_id, "").partition(" ")[2]
    return kept if prefix_of(kept) else ""


def write(places: Places, task_id: str, prefix: tuple[str, int, str], last: str) -> None:
    """Note a session's prefix for a task; one whose last message is older than the noted one's changes nothing."""
    lines = _lines(places)
    if not task_id or lines.get(task_id, "").partition(" ")[0] > last:
        return
    lines.pop(task_id, None)
    lines[task_id] = f"{last or '-'} {named(*prefix)}"
    text = "".join(f"{task} {rest}\n" for task, rest in list(lines.items())[-_TASKS:])
    with contextlib.suppress(OSError):  # a worktree that is gone, or a full disk: the catalog has it all
        replace_file(_path(places), text.encode("utf-8", "replace"))


def _path(places: Places) -> Path:
    return places.own / "conversation"


def _lines(places: Places) -> dict[str, str]:
    try:
        found = _path(places).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {task: rest for task, _, rest in (line.partition(" ") for line in found.splitlines())}
