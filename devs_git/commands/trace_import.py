"""`trace import`: put the traces of an export into this catalog. A trace whose id is already here stays as it is."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from devs_git.domain.recall.traces import Trace
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import exchange, fulltext, traces
from devs_git.storage.catalog.bodies import Packed
from devs_git.values import immutable
from devs_git.workspace import Workspace

_BATCH: Final = 32 << 20  # bytes of output that one transaction holds


@immutable
class Request(VerbRequest):
    """`source` gives the bytes of an export."""

    source: BinaryIO


@immutable
class Result:
    """`traces`: how many were read. Of these, `new` were stored; for `kept` the catalog had a trace with that id, which stays.

    `others`: the sorted ids of stored traces that differ from those of the export.
    """

    traces: int
    new: int
    kept: int
    others: tuple[str, ...]


def run(workspace: Workspace, request: Request) -> Result:
    """Store them in several transactions. INVALID_ARGUMENTS names a damaged line; transactions before it stay."""
    done = new = 0
    others: set[str] = set()
    with open_catalog.open_catalog(workspace) as catalog:
        found = _read(request.source)
        while True:
            held = 0
            with fulltext.write_transaction(catalog):
                for trace, packed in found:
                    differs = exchange.differs(catalog, trace, packed.digest)
                    if differs is None:
                        traces.put(catalog, trace, packed=packed)
                        new, held = new + 1, held + packed.size
                    elif differs:
                        others.add(trace.trace_id)
                    done += 1
                    workspace.progress("importing traces", done, 0)
                    if held >= _BATCH:
                        break
                else:
                    break
    return Result(done, new, done - new, tuple(sorted(others)))


def _read(source: BinaryIO) -> Iterator[tuple[Trace, Packed]]:
    try:
        with gzip.GzipFile(fileobj=source, mode="rb") as unpacked:
            yield from exchange.read(unpacked)
    except (OSError, EOFError, zlib.error) as error:
        raise invalid("file", "The file is not an export, or it ends too early.") from error
