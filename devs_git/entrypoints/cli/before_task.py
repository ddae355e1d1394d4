"""The option `--before TASK`: another way to name the state in which a task began, in place of a target."""

from __future__ import annotations

import click

from devs_git.errors import invalid


def target_of(target: str, before: str) -> str:
    """The target that the person means; a usage error if there is none, INVALID_ARGUMENTS if there are two."""
    if before and target:
        raise invalid("before", f"{target!r} and --before name two targets.", hint="Give only one of them.")
    if before:
        from devs_git.domain.ledger import ids

        return f"{ids.task_id(before, field='before')}{ids.BEFORE}"
    if not target:
        raise click.UsageError("Missing argument 'TARGET'.")
    return target
