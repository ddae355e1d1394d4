"""What a person can name as the state to go to, to take files from, to compare with, or to begin a branch at.

A checkpoint (`task-10`, `task-10@3`, an oid), where a task began (`task-10@0`, `task-10^`), a moment or a snapshot.
"""

from __future__ import annotations

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger import ids
from devs_git.domain.moments import names
from devs_git.errors import invalid


def parse(text: str) -> str:
    """The canonical form of a target; INVALID_ARGUMENTS if it has none of the forms."""
    if not names.is_name(text):
        return str(ids.parse_target(text))
    if isinstance(names.parse(text), names.OfSnapshot):
        branch_names.check(text)
    return text


def choose(target: str, before: str) -> str:
    """The target, or that of the option `--before TASK`; INVALID_ARGUMENTS if there are two."""
    if not before:
        return target
    if target:
        raise invalid("before", f"{target!r} and --before name two targets.", hint="Give only one of them.")
    return f"{ids.task_id(before, field='before')}{ids.BEFORE}"


def may_agree(typed: str, planned: str) -> bool:
    """Whether both may name the same. The plan for a moment has its id, whichever of its names was typed."""
    return typed == planned or (names.is_name(typed) and names.is_name(planned))
