"""The trailers of commits and checkpoint tags (DESIGN 6), and messages that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from devs_git.domain.events import one_line
from devs_git.errors import invalid

MAX_VALUE: Final = 200  # characters of an agent, client, phase, contract or title


@dataclass(frozen=True)
class Work:
    """Who works on which task: what stands in `<git dir>/devs/task` while the task is active."""

    task: str
    agent: str = ""
    client: str = ""
    phase: str = ""

    def lines(self) -> str:
        """The trailer lines as the sh hooks add them."""
        return "".join(f"{key}: {value}\n" for key, value in self.pairs())

    def pairs(self) -> tuple[tuple[str, str], ...]:
        named = (
            ("Devs-Task", self.task),
            ("Devs-Agent", self.agent),
            ("Devs-Client", self.client),
            ("Devs-Phase", self.phase),
        )
        return tuple((key, one_line(value)) for key, value in named if one_line(value))


def work_of(lines: str) -> Work | None:
    """The work that trailer lines tell of; None where they name no task."""
    found = dict(line.split(": ", 1) for line in lines.splitlines() if ": " in line)
    task = found.get("Devs-Task", "")
    if not task:
        return None
    return Work(task, found.get("Devs-Agent", ""), found.get("Devs-Client", ""), found.get("Devs-Phase", ""))


def checked(field: str, value: str) -> str:
    """`value` if it can stand in a trailer; INVALID_ARGUMENTS names `field` otherwise."""
    if len(value) > MAX_VALUE:
        raise invalid(field, f"The {field} has at most {MAX_VALUE} characters; this one has {len(value)}.")
    if one_line(value) != value.strip():
        raise invalid(field, f"The {field} must be one line without control characters.")
    return value.strip()
