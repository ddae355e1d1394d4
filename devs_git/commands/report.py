"""`report`: one HTML page of tasks, gates, the timeline and the findings of `verify`, for people who have no devs-git."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final, Protocol

from devs_git.domain.ledger import ids
from devs_git.domain.report.facts import Report
from devs_git.domain.report.scope import Scope
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.audit import check_repository
from devs_git.operations.report import gather
from devs_git.storage.documents import written_file
from devs_git.values import immutable
from devs_git.workspace import Workspace


class Rendered(Protocol):
    """The bytes of a page, and the tasks whose patches are cut."""

    @property
    def data(self) -> bytes: ...

    @property
    def cut(self) -> tuple[str, ...]: ...


@immutable
class Request(VerbRequest):
    """`render` makes the page, which begins with `start`. `write` gets its bytes, unless `output` names a file for them.

    At most one of `task`, `contract` and `range` (`base..head`) has a value. `raw`: also what looks like a secret, which is
    masked otherwise.
    """

    write: Callable[[bytes], object]
    render: Callable[[Report], Rendered]
    start: str
    output: Path | None = None
    task: str = ""
    contract: str = ""
    range: str = ""
    raw: bool = False

    def __post_init__(self) -> None:
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))
        check_repository.require_range(self.range)
        if sum(map(bool, (self.task, self.contract, self.range))) > 1:
            raise invalid("range", "Give only one of --task, --contract and --range.")

    @property
    def scope(self) -> Scope:
        return Scope(self.task, self.contract, self.range)

    @property
    def frozen_option(self) -> str:
        """A file is written, perhaps among those of the work: so this waits while a gate is open."""
        return "--output" if self.output else ""


@immutable
class Result:
    """`output`: the file as it was named, '' for standard output. `bytes`: the size of the page. `errors` and `warnings` of
    `verify`; `ok`: there is no error. `cut`: the tasks whose patches are not whole on the page.
    `would_be_committed`: the file lies in the worktree, and git does not ignore it.
    """

    output: str
    bytes: int
    ok: bool
    tasks: int
    gates: int
    errors: int
    warnings: int
    cut: tuple[str, ...]
    would_be_committed: bool = False


_PREFIX: Final = ".devs-report-"


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND, CONTRACT_NOT_FOUND; INVALID_ARGUMENTS{output, range, extra}; CONFLICT in a shallow clone.

    GATE_BLOCKED if a file is named and a gate is open.
    """
    places = workspace.places
    kind = written_file.Kind("a report", _starts_with(request.start.encode()), _PREFIX)
    place = (
        written_file.open_new(request.output, (places.common, places.git_dir), kind)
        if request.output
        else nullcontext(request.write)
    )
    # The file is opened first: who named a wrong one is told at once.
    with place as write:
        report = gather.gather(workspace, request.scope, raw=request.raw)
        page = request.render(report)
        write(page.data)
    errors = sum(one.severity == "error" for _, one in report.findings)
    return Result(
        output=str(request.output or ""),
        bytes=len(page.data),
        ok=report.ok,
        tasks=len(report.tasks),
        gates=len(report.gates),
        errors=errors,
        warnings=len(report.findings) - errors,
        cut=page.cut,
        would_be_committed=_is_unignored(workspace, request.output),
    )


def _is_unignored(workspace: Workspace, output: Path | None) -> bool:
    """Whether `git add -A` would take the file. git ends with 128 for a path outside the worktree."""
    if not output or not workspace.places.top:
        return False
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--", os.path.realpath(output))
    return bool(workspace.git.attempt(*words, ok=(0, 128))[1])


def _starts_with(start: bytes) -> Callable[[Path], bool]:
    def is_ours(path: Path) -> bool:
        try:
            with path.open("rb") as stream:
                return stream.read(len(start)) == start
        except OSError:
            return False

    return is_ours
