"""What a shell offers for an argument: tasks and checkpoints from the ledger, local branches. It only reads.

The key to `TYPES` is the parameter's name, so that a command gets them by calling its argument what it is.
"""

from __future__ import annotations

from collections.abc import Callable
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

NEWEST: Final = 200  # checkpoints looked at; more would make the shell wait


class _Candidates(StringParamType):
    """A string for which `offers` names candidates and what to say of each; none where there is no repository."""

    def __init__(self, offers: Callable[[Workspace], dict[str, str]]) -> None:
        self.offers = offers

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from devs_git.domain.text.plain_text import COMMANDING, printable
        from devs_git.workspace import Workspace

        del ctx, param
        try:
            found = self.offers(replace(Workspace.open(), offline=True))
        except DevsError:
            return []
        # A shell shows names as they are, so one that would command the terminal is not offered.
        return [
            CompletionItem(name, help=printable(said, ""))
            for name, said in found.items()
            if name.startswith(incomplete) and not COMMANDING.search(name)
        ]


def _tasks(workspace: Workspace) -> dict[str, str]:
    """The newest first, each with what its newest checkpoint says."""
    found: dict[str, str] = {}
    for row in _rows(workspace):
        found.setdefault(row.task_id, row.message)
    return found


def _checkpoints(workspace: Workspace) -> dict[str, str]:
    return _tasks(workspace) | {f"{row.task_id}@{row.number}": row.message for row in _rows(workspace)}


def _branches(workspace: Workspace) -> dict[str, str]:
    """Local ones but the ledger, the last used first."""
    words = ("for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)%00%(subject)")
    found = dict(line.split("\0", 1) for line in split_lines(workspace.git.text(*words, "refs/heads/")))
    found.pop("devs/ledger", None)
    return found


def _remotes(workspace: Workspace) -> dict[str, str]:
    return dict.fromkeys(split_lines(workspace.git.text("remote")), "")


def _gates(workspace: Workspace) -> dict[str, str]:
    """Those that wait, each with what stands in the way."""
    from devs_git.commands import gate_list
    from devs_git.domain.gates.gate_model import cut

    rows = gate_list.run(workspace, gate_list.Request()).gates
    return {row.gate_id: cut(row.blocker_description) for row in rows}


def _rows(workspace: Workspace) -> tuple[Row, ...]:
    from devs_git.commands import log

    return log.run(workspace, log.Request(NEWEST)).checkpoints


TYPES: Final = {
    "target": _Candidates(_checkpoints),
    "against": _Candidates(_checkpoints),
    "task_id": _Candidates(_tasks),
    "task": _Candidates(_tasks),
    "branch_name": _Candidates(_branches),
    "gate_id": _Candidates(_gates),
    "remote": _Candidates(_remotes),
}
