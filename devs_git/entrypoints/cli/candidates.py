"""Candidates that a shell candidates_of for an argument: tasks, checkpoints, branches, remotes, gates. It only reads.

`TYPES` has them by the name of the parameter, so a command gets the candidates that fit the names of its arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from click.types import StringParamType

from devs_git.errors import DevsError
from devs_git.storage.git.program import split_lines
from devs_git.values import replace

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from devs_git.domain.checkpoints.rows import Row
    from devs_git.workspace import Workspace

MOMENTS: Final = 20
OFFERED: Final = 9
NEWEST: Final = 200  # checkpoints that are read; more would make the shell wait


class _Candidates(StringParamType):
    """A string. `candidates_of` returns its candidates with a description each. Outside a repository there are none."""

    def __init__(self, candidates_of: Callable[[Workspace], dict[str, str]]) -> None:
        self.candidates_of = candidates_of

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from devs_git.domain.text.plain_text import COMMANDING, printable
        from devs_git.workspace import Workspace

        del ctx, param
        try:
            found = self.candidates_of(replace(Workspace.open(), offline=True))
        except DevsError:
            return []
        # A shell prints names unchanged, so a name that would command the terminal is not offered.
        return [
            CompletionItem(name, help=printable(description, ""))
            for name, description in found.items()
            if name.startswith(incomplete) and not COMMANDING.search(name)
        ]


def _tasks(workspace: Workspace) -> dict[str, str]:
    """Tasks, the newest first, each with the message of its newest checkpoint."""
    found: dict[str, str] = {}
    for row in _rows(workspace):
        found.setdefault(row.task_id, row.message)
    return found


def _checkpoints(workspace: Workspace) -> dict[str, str]:
    return _tasks(workspace) | {f"{row.task_id}@{row.number}": row.message for row in _rows(workspace)}


def _states(workspace: Workspace) -> dict[str, str]:
    """Checkpoints, then the newest moments of this worktree with their words."""
    from devs_git.domain.moments.names import short_name
    from devs_git.operations.moments import moment_rows

    found = moment_rows.newest_first(
        workspace, moment_rows.MomentFilter(), worktree=workspace.places.worktree_id
    )
    moments = {
        short_name(one.moment.id): f"{one.moment.kind} {one.details.occasion.words}".strip()
        for one in itertools.islice(found, MOMENTS)
    }
    return _checkpoints(workspace) | moments


def _branches(workspace: Workspace) -> dict[str, str]:
    """Local branches without the ledger, the last used first."""
    words = ("for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)%00%(subject)")
    found = dict(line.split("\0", 1) for line in split_lines(workspace.git.text(*words, "refs/heads/")))
    found.pop("devs/ledger", None)
    return found


def _remotes(workspace: Workspace) -> dict[str, str]:
    return dict.fromkeys(split_lines(workspace.git.text("remote")), "")


def _gates(workspace: Workspace) -> dict[str, str]:
    """The gates that wait, each with its blocker."""
    from devs_git.commands import gate_list
    from devs_git.domain.text.plain_text import cut

    rows = gate_list.run(workspace, gate_list.Request()).gates
    return {row.gate_id: cut(row.blocker_description) for row in rows}


def _rows(workspace: Workspace) -> tuple[Row, ...]:
    from devs_git.commands import log

    return log.run(workspace, log.Request(NEWEST)).checkpoints


def choose_checkpoint(repo: str | None) -> str:
    """The name of the checkpoint that the person chose. Those that HEAD has, without the one where HEAD is.

    INVALID_ARGUMENTS {target} if there is none; Declined if the person chose none.
    """
    from devs_git.commands import log
    from devs_git.domain.text.plain_text import cut
    from devs_git.entrypoints import console, router
    from devs_git.entrypoints.cli import terminal
    from devs_git.entrypoints.cli.texts.render import short, table, when
    from devs_git.errors import invalid
    from devs_git.workspace import Workspace

    workspace = Workspace.open(Path(repo) if repo else None)
    found = router.call("log", workspace, log.Request(NEWEST)).checkpoints
    rows = [row for row in found if row.on_head and row.commit != workspace.head][:OFFERED]
    if not rows:
        raise invalid(
            "target",
            "HEAD has no checkpoint before it, to which you could go back.",
            hint="To undo a task from its beginning: devs-git rewind --before TASK. List all: devs-git log",
        )
    lines = [
        (
            str(number),
            f"{row.task_id}@{row.number}",
            short(row.commit),
            when(row.created_at),
            cut(row.message),
        )
        for number, row in enumerate(rows, 1)
    ]
    console.write(f"Go back to which checkpoint?\n{table(lines)}")
    row = rows[terminal.choose(len(rows)) - 1]
    return f"{row.task_id}@{row.number}"


TYPES: Final = {
    "target": _Candidates(_states),
    "until": _Candidates(_states),
    "against": _Candidates(_states),
    "task_id": _Candidates(_tasks),
    "task": _Candidates(_tasks),
    "branch_name": _Candidates(_branches),
    "gate_id": _Candidates(_gates),
    "remote": _Candidates(_remotes),
}
