"""The journal entry of a verb that commits and then records: what the next command needs to finish it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.text.trailers import Work
from devs_git.values import as_mapping, fields, immutable

KIND: Final = "commit"


@immutable
class Job:
    """`head` and `ledger` are where both stood when it began ('' for an unborn branch); `message` is what -m said,
    `title` what the commit says without it.
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
        """The words by which our commit is known in HEAD's reflog, whatever hooks did to its message and tree."""
        return f"devs-git {self.verb} {self.op_id}"

    def entry(self) -> dict[str, Any]:
        return as_mapping(self)


def job_of(entry: Mapping[str, Any]) -> Job:
    """The job that `entry` was made of; KeyError or TypeError where it is none."""
    values = {key: entry[key] for key in fields(Job) if key != "work"}
    return Job(work=Work(**entry["work"]), **values)
