"""`trace get`: the whole output of one tool call, or a part of it, byte for byte."""

from __future__ import annotations

from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import traces
from devs_git.values import TYPE_CHECKING, Final, field, immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.recall.traces import TraceRow
    from devs_git.storage.catalog.database import Catalog

INVALID: Final = "INVALID_INPUT"
LONGEST_LETTER: Final = 4  # bytes of one character in UTF-8


@immutable
class Request(VerbRequest):
    """`offset` and `limit`: in bytes; no limit is None. `payload`: what the client sent, instead of the output."""

    trace_id: str = ""
    offset: int = 0
    limit: int | None = None
    payload: bool = False

    def __post_init__(self) -> None:
        if not self.trace_id:
            raise _invalid("traceId", "traceId is required", hint="List all: devs-git trace list")
        if self.offset < 0:
            raise _invalid("offset", "The offset must be a number of bytes, at least 0.")
        if self.limit is not None and self.limit < LONGEST_LETTER:
            raise _invalid("limit", f"The limit must be a number of bytes, at least {LONGEST_LETTER}.")


def _invalid(name: str, message: str, *, hint: str = "") -> DevsError:
    """The contract has its own code for a wrong argument of this verb."""
    return DevsError(INVALID, message, hint=hint, field=name)


@immutable
class Result:
    """`fullOutput` is text. If the bytes are not UTF-8, it has U+FFFD in it, and `fullOutputBase64` has the bytes.

    `size`: of the stored output, in bytes. `next_offset`: where the rest begins; absent at the end. `cut_by_client`: the
    client had cut the output before we got it; `full_bytes` is the size of the whole, None if it is unknown or nothing was
    cut. `masked`: it was imported without what looked like a secret. All three are about the output, also if the answer is the payload.
    """

    traceId: str  # noqa: N815 - the contract's own spelling, like the next two
    fullOutput: str  # noqa: N815
    size: int
    cut_by_client: bool
    full_bytes: int | None
    masked: bool
    next_offset: int | None = field(default=None, metadata={"optional": True})
    encoding: str | None = field(default=None, metadata={"optional": True})
    fullOutputBase64: str | None = field(default=None, metadata={"optional": True})  # noqa: N815


def run(workspace: Workspace, request: Request) -> Result:
    """The trace; TRACE_NOT_FOUND."""
    data, size, row = read(workspace, request)
    end = request.offset + len(data)
    following = end if end < size else None
    known = (size, row.cut_by_client, row.full_bytes, row.masked, following)
    try:
        return Result(row.trace_id, data.decode(), *known)
    except UnicodeDecodeError:
        import base64

        packed = base64.b64encode(data).decode()
        return Result(row.trace_id, data.decode("utf-8", "replace"), *known, "base64", packed)


def read(workspace: Workspace, request: Request) -> tuple[bytes, int, TraceRow]:
    """The bytes of the request, how many there are in all, and what is known of the trace. TRACE_NOT_FOUND."""
    with open_catalog.open_catalog(workspace) as catalog:
        row = traces.row(catalog, request.trace_id)
        if row is None:
            request = _complete(catalog, request)
            row = traces.row(catalog, request.trace_id)
        if row is None:
            raise DevsError(
                "TRACE_NOT_FOUND",
                "There is no such trace.",
                hint="List all: devs-git trace list. To find a word in outputs: devs-git trace search WORD",
                traceId=request.trace_id,
            )
        return *_part(catalog, request, row.size), row


def _complete(catalog: Catalog, request: Request) -> Request:
    """The request with the whole id of the trace that it names by the beginning; INVALID_ARGUMENTS if several begin so."""
    from devs_git.domain.text import beginnings  # most give the whole id

    known = traces.ids_beginning_with(catalog, request.trace_id)
    found = beginnings.complete(request.trace_id, known, field="traceId", what="traces")
    return replace(request, trace_id=found) if found else request


def _part(catalog: Catalog, request: Request, size: int) -> tuple[bytes, int]:
    """The bytes of the request, and how many there are in all. They end between two characters."""
    if request.payload:
        data = traces.raw(catalog, request.trace_id)
        return _cut(data[request.offset :], request.limit), len(data)
    if request.limit is None and not request.offset:
        return traces.output(catalog, request.trace_id), size
    rest = max(0, size - request.offset)
    if not rest:  # SQLite is not asked: the offset may be too large a number for it
        return b"", size
    limit = rest if request.limit is None else min(rest, request.limit)
    return _cut(traces.window(catalog, request.trace_id, request.offset, limit), limit), size


def _cut(data: bytes, limit: int | None) -> bytes:
    """At most `limit` bytes, without an incomplete character at the end."""
    if limit is None or len(data) < limit:
        return data
    data = data[:limit]
    for back in range(1, LONGEST_LETTER):
        if back < len(data) and data[-back] & 0xC0 == 0xC0:
            needed = 2 + (data[-back] >= 0xE0) + (data[-back] >= 0xF0)
            return data[:-back] if needed > back else data
    return data
