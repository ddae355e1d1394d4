"""The trailers of commits and checkpoint tags, and messages with trailers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from devs_git.domain.ledger.event_keys import KEY_PREFIX, TrailerKey
from devs_git.domain.ledger.events import one_line
from devs_git.errors import invalid
from devs_git.values import immutable

_OURS: Final = re.compile(rf"{KEY_PREFIX}(Task|Agent|Client|Phase|Ledger): ")
# Characters of a title, contract or client.
MAX_VALUE: Final = 200
# One line, with whatever space around it, in words that every reader of patterns knows.
_SPACE: Final = r"[\u0009-\u000d ]*"
VALUE_FORM: Final = rf"{_SPACE}[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*{_SPACE}"
# Characters of a message, plan or result.
MAX_TEXT: Final = 100_000
AGENTS: Final = ("researcher", "architect", "developer", "reviewer")
PHASES: Final = ("research", "specify", "plan", "execute", "review")


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


def check_value(field: str, value: str, *, among: tuple[str, ...] = ()) -> str:
    """`value`, if it can be a trailer's value and is one of `among`; else INVALID_ARGUMENTS for `field`."""
    if len(value) > MAX_VALUE:
        raise invalid(field, f"The {field} has at most {MAX_VALUE} characters; this one has {len(value)}.")
    if not re.fullmatch(VALUE_FORM, value):
        raise invalid(field, f"The {field} must be one line without control characters.")
    if among and value not in among:
        raise invalid(field, f"{value!r} is not a valid {field}.", hint="Use one of: " + ", ".join(among))
    return check_body(field, value.strip())


def check_body(field: str, value: str, *, longest: int = MAX_TEXT) -> str:
    """`value`, if it is text that can be stored; else INVALID_ARGUMENTS for `field`."""
    if len(value) > longest:
        raise invalid(field, f"The {field} has at most {longest} characters; this one has {len(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise invalid(field, f"The {field} is not UTF-8 text.") from error
    if "\0" in value:
        raise invalid(field, f"The {field} cannot hold NUL characters.")
    return value
