"""The exchange format of traces and sessions: lines of JSON, for `trace export` and `trace import`.

A trace is one line with its fields, then a line for each part of its output: as text if it is UTF-8, else as base64. The
writer has one part in memory at a time, and the reader one trace. Sessions follow the traces (`sessions/export_lines.py`); an
export with sessions is of version 2.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol

from devs_git.domain.recall.traces import Trace
from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import bodies, traces
from devs_git.storage.catalog.bodies import Packed
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import export_lines
from devs_git.storage.documents import schemas
from devs_git.storage.git import bounded
from devs_git.values import fields, replace

FORMAT: Final = "devs-git traces 1"
WITH_SESSIONS: Final = "devs-git traces 2"
# An export of any version begins with this.
START: Final = b'{"format":"devs-git traces '
# The first line of a trace begins with this.
HEAD: Final = b'{"trace_id":'
_FIELDS: Final = tuple(name for name in fields(Trace) if name not in ("output", "raw"))
# An export has these only for an output that is not the whole: the client cut it, or what looks like a secret is masked.
# So an earlier devs-git refuses such a trace, instead of taking its output for the whole.
_NOT_WHOLE: Final = ("cut_by_client", "full_bytes", "masked")
# How we write the first key of each line that is no part of an output.
_HEADS: Final = {HEAD: "trace", b'{"session_id":': "session", b'{"message_id":': "message"}
# A key of each line that is no trace, and the name of its schema.
_OTHERS: Final = {"message_id": "message", "messages": "session"}
# The fields that can have any text.
_FREE: Final = ("input", "tool_name", "agent")
_TEXTS: Final = tuple(
    name for name in _FIELDS if name not in ("input", "is_error", "duration_ms", *_NOT_WHOLE)
)
# The most characters that a message quotes from a problem.
_SAID: Final = 300
_STORED: Final = tuple(name for name in _FIELDS if name != "input")
_COLUMNS: Final = ", ".join(f't."{name}"' for name in _STORED)


class Source(Protocol):
    """A stream that an export is read from, line by line."""

    def readline(self, size: int, /) -> bytes: ...


def lines(catalog: Catalog, task_id: str = "", *, whole: bool = False) -> Iterator[bytes]:
    """The lines of an export, oldest trace first; only those of `task_id` if it is given.

    Unless they are to be `whole`, what looks like a secret is masked; INVALID_ARGUMENTS if the detector is not installed.
    """
    sessions = export_lines.lines(catalog, task_id, whole=whole)
    first = next(sessions, None)
    yield _line({"format": WITH_SESSIONS if first else FORMAT})
    query = f"SELECT t.body_id, {_COLUMNS} FROM traces t WHERE ? IN ('', t.task_id) ORDER BY t.created_at, t.body_id"
    for body_id, *values in catalog.base.execute(query, (task_id,)):
        known = dict(zip(_STORED, values, strict=True))
        yield from _trace_lines(catalog, body_id, known, whole=whole)
    yield from map(_line, itertools.chain([first] if first else (), sessions))


def _trace_lines(catalog: Catalog, body_id: int, known: dict[str, Any], *, whole: bool) -> Iterator[bytes]:
    """The lines of one trace. None if the trace was stored again meanwhile: then it comes later, or in the next export."""
    found = catalog.rows("SELECT input FROM bodies WHERE body_id = ?", body_id)
    if not found:
        return
    numbers = [
        row[0] for row in catalog.rows("SELECT number FROM parts WHERE body_id = ? ORDER BY number", body_id)
    ]
    given = bodies.unpack(found[0][0]).decode("utf-8", "surrogatepass")
    told = {name: value for name, value in known.items() if value or name not in _NOT_WHOLE}
    told |= {name: bool(told[name]) for name in ("cut_by_client", "masked") if name in told}
    told |= {"is_error": traces.failure_of(known["is_error"]), "input": given}
    payload, count = traces.raw(catalog, known["trace_id"]), len(numbers)
    parts: Iterable[bytes] = _packed(catalog, body_id, numbers)
    if not whole and (hidden := _without_secrets(told, payload, _pieces(catalog, body_id, numbers))):
        from devs_git.storage.documents import secrets

        masked = bodies.pack_pieces(secrets.mask_pieces(_pieces(catalog, body_id, numbers)))
        # The payload has the same text once more, in a form that the detector may read otherwise.
        told, payload = {**told, **hidden, "masked": True}, b""
        count, parts = len(masked.parts), masked.parts
    yield _line({**told, **_bytes("raw", payload), "parts": count})
    yield from map(_part_line, itertools.count(), parts)


def _part_line(number: int, packed: bytes) -> bytes:
    # A part has some MiB, so nothing else holds it.
    return _line({"part": number, **_bytes("output", bodies.unpack(packed))})


def _packed(catalog: Catalog, body_id: int, numbers: list[int]) -> Iterator[bytes]:
    query = "SELECT output FROM parts WHERE body_id = ? AND number = ?"
    return (packed for number in numbers for (packed,) in catalog.rows(query, body_id, number))


def _pieces(catalog: Catalog, body_id: int, numbers: list[int]) -> Iterator[bytes]:
    return map(bodies.unpack, _packed(catalog, body_id, numbers))


def _without_secrets(told: dict[str, Any], payload: bytes, pieces: Iterable[bytes]) -> dict[str, str]:
    """The free texts of a trace, masked; empty if there is no secret in them, in its payload and in its output."""
    # Late: an export of whole traces does not need it.
    from devs_git.storage.documents import secrets

    hidden = {name: secrets.mask(told[name]) for name in _FREE}
    if any(hidden[name] != told[name] for name in _FREE):
        return hidden
    return hidden if secrets.pieces_hold_secret((payload,)) or secrets.pieces_hold_secret(pieces) else {}


def noun_of(line: bytes) -> str:
    """Whether a line of an export begins a `trace`, or is a `session` or a `message`; '' for any other."""
    return next((noun for head, noun in _HEADS.items() if line.startswith(head)), "")


def is_masked(line: bytes) -> bool:
    """Whether a line of an export begins a trace with a masked place."""
    # Most lines have no such text at all, so they are not parsed.
    return line.startswith(HEAD) and b'"masked":true' in line and bool(json.loads(line).get("masked"))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _bytes(name: str, data: bytes) -> dict[str, str]:
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}Base64": base64.b64encode(data).decode()}


def read(source: Source, other: Callable[[str, dict[str, Any]], None]) -> Iterator[tuple[Trace, Packed]]:
    """Read the traces of an export and check them. Each trace has an empty output; the packed output comes with it.

    `other` gets the noun (`session`, `message`) and the record of each other line, and raises ValueError for a bad one.
    INVALID_ARGUMENTS names the first bad line.
    """
    numbered = enumerate(_lines(source), 1)
    number, first = next(numbered, (1, b""))
    if _parse(first, number).get("format") not in (FORMAT, WITH_SESSIONS):
        raise invalid(
            "file", "This is not an export of traces.", hint="Make one: devs-git trace export > FILE"
        )
    for number, line in numbered:
        known = _parse(line, number)
        noun = next((noun for key, noun in _OTHERS.items() if key in known), "trace")
        _check(known, number, noun)
        try:
            if noun != "trace":
                other(noun, known)
                continue
            values = {name: known[name] for name in _FIELDS if name in known or name not in _NOT_WHOLE}
            # This fails for lone surrogates, which SQLite cannot store.
            "".join(values[name] for name in _TEXTS).encode()
            packed = bodies.pack_pieces(_output(numbered, known["parts"]))
            yield Trace(**values, output=b"", raw=_data(known, "raw")), packed
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise _invalid_line(number) from error


def differs(catalog: Catalog, trace: Trace, digest: str) -> bool | None:
    """Whether the stored trace with the same id differs in its fields or its output; None if there is none.

    A masked trace does not differ from the whole one: nobody can tell what it had in the masked places.
    """
    query = f"SELECT t.digest, {_COLUMNS} FROM traces t WHERE t.trace_id = ?"
    found = catalog.rows(query, trace.trace_id)
    if not found:
        return None
    if trace.masked and not found[0][1 + _STORED.index("masked")]:
        return False
    told = replace(trace, is_error=traces.known_or_not(trace.is_error))  # type: ignore[arg-type]
    known = (digest, *(getattr(told, name) for name in _STORED))
    if tuple(found[0]) != known:
        return True
    same = traces.input_of(catalog, trace.trace_id) == trace.input
    return not (same and traces.raw(catalog, trace.trace_id) == trace.raw)


def _lines(source: Source) -> Iterator[bytes]:
    """The lines. A line longer than any trace is refused: a small compressed file can have a line that fills the memory."""
    while line := source.readline(limits.EXPORTED.most):
        if len(line) == limits.EXPORTED.most:
            raise bounded.refusal(limits.EXPORTED, "file")
        yield line


def _output(numbered: Iterator[tuple[int, bytes]], count: int) -> Iterator[bytes]:
    """The parts of a trace's output, from the next `count` lines. ValueError if the export ends before them."""
    size = 0
    for expected in range(count):
        number, line = next(numbered, (0, b""))
        if not line:
            raise ValueError("the export ends within a trace")
        known = _parse(line, number, "trace-part")
        if known["part"] != expected:
            raise _invalid_line(number, f"has part {known['part']}, but part {expected} was expected")
        part = _data(known, "output")
        size += len(part)
        if len(part) > bodies.PART:
            raise _invalid_line(number, "has a part that is longer than an export writes")
        # A small compressed file can unpack to more bytes than there is memory.
        if size > limits.OUTPUT.most:
            raise bounded.refusal(limits.OUTPUT, "file")
        yield part


def _data(known: dict[str, Any], name: str) -> bytes:
    if f"{name}Base64" in known:
        return base64.b64decode(known[f"{name}Base64"], validate=True)
    data: bytes = known[name].encode()
    return data


def _parse(line: bytes, number: int, noun: str = "") -> dict[str, Any]:
    """The mapping in a line, checked against the schema of `noun`, if it is given."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _invalid_line(number) from error
    if not isinstance(found, dict):
        raise _invalid_line(number)
    if noun:
        _check(found, number, noun)
    return found


def _check(found: dict[str, Any], number: int, noun: str) -> None:
    for _where, what in schemas.problems(noun, found):
        raise _invalid_line(number, f"is damaged: {printable(what, '')[:_SAID]}")


def _invalid_line(number: int, what: str = "is damaged, or the file ends too early") -> DevsError:
    return invalid("file", f"Line {number} of the export {what}.")
