"""Which task a caller means whose id is nearly right: `task10` and `Task-10` are task-10.

An id that the ledger has is never another one: this is only asked after it was not found.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from devs_git.domain.ledger.ids import PREFIX, bare
from devs_git.domain.text import similar
from devs_git.errors import DevsError

_OTHER_PREFIX = re.compile(r"task[._-]?(?=.)", re.ASCII)


def require(known: Collection[str], task_id: str) -> str:
    """The id that is meant: `task_id` itself, or the one that differs from it only in its prefix or in case. TASK_NOT_FOUND."""
    if task_id in known:
        return task_id
    meant = [one for one in known if _plain(one) == _plain(task_id)]
    if len(meant) != 1:
        raise not_found(known, task_id)
    return meant[0]


def not_found(known: Collection[str], task_id: str, *, then: str = "List all: devs-git log") -> DevsError:
    """TASK_NOT_FOUND, with a hint that names the tasks with similar ids, and `then` says what else to type."""
    meant = [one for one in known if _plain(one) == _plain(task_id)] or _similar(known, task_id)
    question = f"Did you mean {' or '.join(meant)}? " if meant else ""
    return DevsError(
        "TASK_NOT_FOUND",
        f"There is no {task_id}.",
        hint=question + then,
        task_id=task_id,
    )


def other_spelling(task_id: str) -> str:
    """`task-10` of `task-task10`: what a caller means who wrote the prefix without its hyphen; "" if it is no such id."""
    rest = _OTHER_PREFIX.sub("", bare(task_id), count=1)
    return PREFIX + rest if rest != bare(task_id) else ""


def _plain(task_id: str) -> str:
    return _OTHER_PREFIX.sub("", bare(task_id).lower(), count=1)


def _similar(known: Collection[str], task_id: str) -> list[str]:
    """Tasks whose ids look like this one. A number looks like each other number, so none is proposed for it."""
    wanted = _plain(task_id)
    return [] if wanted.isdigit() else similar.to(task_id, known)
