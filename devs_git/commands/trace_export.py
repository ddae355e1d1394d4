"""`trace export`: write all traces and sessions as compressed lines of JSON, one trace at a time."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from devs_git.domain.ledger import ids
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import exchange, export_file, traces
from devs_git.storage.documents import written_file
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`write` gets the bytes, unless `output` names a file for them. `task`: only the traces of this task, and the sessions
    in which something was said for it.

    `raw`: also what looks like a secret, which is masked otherwise.
    """

    write: Callable[[bytes], object]
    task: str = ""
    output: Path | None = None
    raw: bool = False

    def __post_init__(self) -> None:
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))

    @property
    def frozen_option(self) -> str:
        """A file is written, perhaps among those of the work: so this waits while a gate is open."""
        return "--output" if self.output else ""


@immutable
class Result:
    """`masked`: how many of the traces have a masked place."""

    traces: int
    masked: int
    sessions: int = 0
    messages: int = 0


class _Sink:
    """What gzip writes to."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write

    def flush(self) -> None:
        """Nothing: whoever gets the bytes flushes them."""


def run(workspace: Workspace, request: Request) -> Result:
    """INVALID_ARGUMENTS{output, extra}. GATE_BLOCKED if a file is named and a gate is open."""
    done = masked = 0
    counts = Counter[str]()
    places = workspace.places
    place = (
        written_file.open_new(request.output, (places.common, places.git_dir), export_file.KIND)
        if request.output
        else nullcontext(request.write)
    )
    with open_catalog.open_catalog(workspace) as catalog:
        total = traces.count(catalog, request.task)
        with place as write, gzip.GzipFile(fileobj=_Sink(write), mode="wb", mtime=0) as packed:
            for line in exchange.lines(catalog, request.task, whole=request.raw):
                packed.write(line)
                counts[exchange.noun_of(line)] += 1
                if line.startswith(exchange.HEAD):
                    done += 1
                    masked += exchange.is_masked(line)
                    workspace.progress("exporting traces", done, total)
    return Result(done, masked, counts["session"], counts["message"])
