"""The trailers that a commit of a task has, and messages with trailers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from devs_git.domain.ledger.event_keys import KEY_PREFIX, TrailerKey
from devs_git.domain.ledger.events import one_line
from devs_git.values import Final, immutable

_OURS: Final = re.compile(rf"{KEY_PREFIX}(Task|Agent|Client|Phase|Ledger): ")
AGENTS: Final = ("researcher", "architect", "developer", "reviewer")
# The role of an agent that names none.
DEFAULT_ROLE: Final = "developer"


@immutable
class Work:
    """Who works on which task: the content of `<git dir>/devs/task` while the task is active."""

    task: str
    agent: str = ""
    client: str = ""
    phase: str = ""

    def lines(self) -> str:
        """The trailer lines as the sh hooks add them."""
        return "".join(f"{key}: {value}\n" for key, value in self.pairs())

    def pairs(self) -> tuple[tuple[str, str], ...]:
        named = (
            (TrailerKey.TASK, self.task),
            (TrailerKey.AGENT, self.agent),
            (TrailerKey.CLIENT, self.client),
            (TrailerKey.PHASE, self.phase),
        )
        return tuple((key, one_line(value)) for key, value in named if one_line(value))


def work_of(lines: str) -> Work | None:
    """The work in trailer lines; None if they name no task."""
    found = dict(line.split(": ", 1) for line in lines.splitlines() if ": " in line)
    task = found.get(TrailerKey.TASK, "")
    if not task:
        return None
    return Work(
        task,
        found.get(TrailerKey.AGENT, ""),
        found.get(TrailerKey.CLIENT, ""),
        found.get(TrailerKey.PHASE, ""),
    )


def with_trailers(text: str, pairs: Iterable[tuple[str, str]], *, others: bool) -> str:
    """A message with our trailers at its end, and without those that it had. `others`: it ends in trailers of other programs."""
    kept = [line for line in text.rstrip().split("\n") if not _OURS.match(line)]
    body = "\n".join(kept).rstrip()
    beside = others or body.rpartition("\n")[2].startswith("(cherry picked from commit ")
    return body + ("\n" if beside else "\n\n") + "".join(f"{key}: {value}\n" for key, value in pairs)
