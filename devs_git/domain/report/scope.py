"""What a report is about: all tasks, one task, those of a contract, or those of a range of commits."""

from __future__ import annotations

from collections.abc import Collection

from devs_git.domain.ledger import contracts
from devs_git.domain.ledger.history import History
from devs_git.errors import DevsError
from devs_git.values import immutable


@immutable
class Scope:
    """At most one of them has a value. `range` is `base..head`."""

    task: str = ""
    contract: str = ""
    range: str = ""

    @property
    def is_all(self) -> bool:
        return not (self.task or self.contract or self.range)

    @property
    def words(self) -> str:
        if self.task:
            return self.task
        if self.contract:
            return f"contract {self.contract}"
        return f"commits {self.range}" if self.range else "all tasks"

    @property
    def file_name(self) -> str:
        """The beginning of a name for the page's file. A name of a branch may have characters that no file name should have."""
        kept = "".join(
            char if char.isalnum() or char in "-_" else "-" for char in self.task or self.contract
        ).strip("-")
        return f"devs-git-report-{kept[:80]}" if kept else "devs-git-report"


def tasks(
    scope: Scope, history: History, commits: Collection[str], named: Collection[str]
) -> tuple[str, ...]:
    """The ids of the chosen tasks, in the order in which they began. `commits` are those of the range, which name the tasks `named`.

    TASK_NOT_FOUND, CONTRACT_NOT_FOUND.
    """
    if scope.task:
        if scope.task not in history.tasks:
            text = f"There is no {scope.task}."
            raise DevsError("TASK_NOT_FOUND", text, hint="List tasks: devs-git log --all", task_id=scope.task)
        return (scope.task,)
    if scope.contract:
        contracts.require(history, scope.contract)
        return tuple(name for name, task in history.tasks.items() if task.contract == scope.contract)
    if not scope.range:
        return tuple(history.tasks)
    found = {point.task_id for point in history.checkpoints.values() if point.commit in commits} | set(named)
    return tuple(name for name in history.tasks if name in found)
