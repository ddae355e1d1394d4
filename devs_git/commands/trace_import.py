"""`trace import`: put the traces of an export into this catalog; one that is here already is put again, the same."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from devs_git.domain.traces import Trace
from devs_git.errors import invalid
from devs_git.storage.catalog import exchange, traces
from devs_git.values import immutable
from devs_git.workspace import Workspace

_BATCH: Final = 32 << 20  # bytes of output that one transaction holds


@immutable
class Request:
    """`source` gives the bytes of an export."""

    source: BinaryIO


@immutable
class Result:
    """`traces` were read; `new` of them were not here before."""

    traces: int
    new: int


def run(workspace: Workspace, request: Request) -> Result:
    """Put them, some in each transaction; INVALID_ARGUMENTS names a damaged line, and whole transactions before it stay."""
    done = 0
    with workspace.catalog() as catalog:
        before = traces.count(catalog)
        found = _read(request.source)
        while True:
            held = 0
            with catalog.writing():
                for trace in found:
                    traces.put(catalog, trace)
                    done, held = done + 1, held + len(trace.output)
                    workspace.progress("importing traces", done, 0)
                    if held >= _BATCH:
                        break
                else:
                    break
        return Result(done, traces.count(catalog) - before)


def _read(source: BinaryIO) -> Iterator[Trace]:
    try:
        with gzip.GzipFile(fileobj=source, mode="rb") as unpacked:
            yield from exchange.read(unpacked)
    except (OSError, EOFError, zlib.error) as error:
        raise invalid("file", "The file is no export, or it ends too early.") from error
