"""`trace import`: put the traces and sessions of an export into this catalog. What is already here stays as it is."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from devs_git.domain.recall.traces import Trace
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import exchange, fulltext, traces
from devs_git.storage.catalog.bodies import Packed
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session
from devs_git.storage.catalog.sessions import export_lines
from devs_git.values import immutable, mutable
from devs_git.workspace import Workspace

_BATCH: Final = 32 << 20  # bytes of output that one transaction holds


@immutable
class Request(VerbRequest):
    """`source` gives the bytes of an export."""

    source: BinaryIO


@immutable
class Result:
    """`traces`: how many were read. Of these, `new` were stored; for `kept` the catalog had a trace with that id, which stays.

    `others`: the sorted ids of stored traces that differ from those of the export. `sessions` and `messages`: how many were
    read; of the messages `new_messages` were stored.
    """

    traces: int
    new: int
    kept: int
    others: tuple[str, ...]
    sessions: int = 0
    messages: int = 0
    new_messages: int = 0


@mutable
class _Sessions:
    """Stores the sessions of an export, a line after the other, inside the transactions of the traces."""

    catalog: Catalog
    now: str
    known: Session | None = None
    sessions: int = 0
    messages: int = 0
    new: int = 0

    def take(self, noun: str, record: dict[str, Any]) -> None:
        """ValueError for a message before the first session, and for a bad line."""
        if noun == "session":
            self.known = export_lines.begin(self.catalog, record, self.now)
            self.sessions += 1
            return
        if self.known is None:
            raise ValueError("a message of no session")
        grown = export_lines.add(self.catalog, self.known, record, self.now)
        self.new += grown.message_count - self.known.message_count
        self.messages += 1
        self.known = grown


def run(workspace: Workspace, request: Request) -> Result:
    """Store them in several transactions. INVALID_ARGUMENTS names a damaged line; transactions before it stay."""
    done = new = 0
    others: set[str] = set()
    with open_catalog.open_catalog(workspace) as catalog:
        sessions = _Sessions(catalog, workspace.now())
        found = _read(request.source, sessions)
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
    said = (sessions.sessions, sessions.messages, sessions.new)
    return Result(done, new, done - new, tuple(sorted(others)), *said)


def _read(source: BinaryIO, sessions: _Sessions) -> Iterator[tuple[Trace, Packed]]:
    try:
        with gzip.GzipFile(fileobj=source, mode="rb") as unpacked:
            yield from exchange.read(unpacked, sessions.take)
    except (OSError, EOFError, zlib.error) as error:
        raise invalid("file", "The file is not an export, or it ends too early.") from error
