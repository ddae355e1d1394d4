"""The journal entry of a verb that commits and then records. With it the next command can finish the verb."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.values import as_mapping, fields, immutable

KIND: Final = "commit"


@immutable
class Job:
    """`head` and `ledger` are the tips at the beginning ('' for an unborn branch). `message` is that of -m, `title` the
    commit's subject without one.
    """

    op_id: str
    verb: str
    worktree: str
    head: str
    ledger: str
    work: Work
    message: str = ""
    title: str = ""
    completed: bool = False
    kind: str = KIND

    @property
    def reflog(self) -> str:
        """The text that identifies our commit in HEAD's reflog, even if hooks changed its message and tree."""
        return f"devs-git {self.verb} {self.op_id}"

    def entry(self) -> dict[str, Any]:
        return as_mapping(self)


def job_of(entry: Mapping[str, Any]) -> Job:
    """The job of a journal entry; KeyError or TypeError if it is not one."""
    values = {key: entry[key] for key in fields(Job) if key != "work"}
    return Job(work=Work(**entry["work"]), **values)
