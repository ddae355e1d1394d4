"""Traces as compressed lines of JSON (`trace export`), one after the other, however many there are.

A trace is a line with what is known of it, then a line for each part of its output: UTF-8 as text, anything else as
base64. Whoever writes or reads holds one part at a time, and one trace where it is put into a catalog.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, Final, Protocol

from devs_git.domain.recall.traces import Trace
from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import bodies, traces
from devs_git.storage.catalog.bodies import Packed
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.documents import schemas
from devs_git.storage.git import bounded
from devs_git.values import fields

FORMAT: Final = "devs-git traces 1"
START: Final = b'{"format":"devs-git traces '  # how an export begins, of any version
HEAD: Final = b'{"trace_id":'  # how a trace's first line begins
_FIELDS: Final = tuple(name for name in fields(Trace) if name not in ("output", "raw"))
_TEXTS: Final = tuple(name for name in _FIELDS if name not in ("input", "is_error", "duration_ms"))
_SAID: Final = 300  # characters that a message says of a line
_COLUMNS: Final = ", ".join(f't."{name}"' for name in _FIELDS if name != "input")


class Source(Protocol):
    """What an export is read from, a line at a time and no longer than asked."""

    def readline(self, size: int, /) -> bytes: ...


def lines(catalog: Catalog, task_id: str = "") -> Iterator[bytes]:
    """The whole export, line by line, oldest first; of one task where one is named."""
    yield _line({"format": FORMAT})
    query = f"SELECT t.body_id, {_COLUMNS} FROM traces t WHERE ? IN ('', t.task_id) ORDER BY t.created_at, t.body_id"
    names = [name for name in _FIELDS if name != "input"]
    for body_id, *values in catalog.base.execute(query, (task_id,)):
        known = dict(zip(names, values, strict=True))
        yield from _trace_lines(catalog, body_id, known)


def _trace_lines(catalog: Catalog, body_id: int, known: dict[str, Any]) -> Iterator[bytes]:
    """Nothing where the trace was put again since: it comes under its new number, or in the next export."""
    found = catalog.rows("SELECT input FROM bodies WHERE body_id = ?", body_id)
    if not found:
        return
    numbers = [
        row[0] for row in catalog.rows("SELECT number FROM parts WHERE body_id = ? ORDER BY number", body_id)
    ]
    given = bodies.unpack(found[0][0]).decode("utf-8", "surrogatepass")
    raw = _bytes("raw", traces.raw(catalog, known["trace_id"]))
    yield _line({**known, "is_error": bool(known["is_error"]), "input": given, **raw, "parts": len(numbers)})
    for number in numbers:
        query = "SELECT output FROM parts WHERE body_id = ? AND number = ?"
        for (packed,) in catalog.rows(query, body_id, number):
            yield _line({"part": number, **_bytes("output", bodies.unpack(packed))})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _bytes(name: str, data: bytes) -> dict[str, str]:
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}Base64": base64.b64encode(data).decode()}


def read(source: Source) -> Iterator[tuple[Trace, Packed]]:
    """The traces of an export, each without its output and beside it, checked before it is given.

    INVALID_ARGUMENTS names the line that is none.
    """
    numbered = enumerate(_lines(source), 1)
    number, first = next(numbered, (1, b""))
    if _parse(first, number).get("format") != FORMAT:
        raise invalid(
            "file", "This is not an export of traces.", hint="Make one: devs-git trace export > FILE"
        )
    for number, line in numbered:
        known = _parse(line, number, "trace")
        try:
            values = {name: known[name] for name in _FIELDS}
            "".join(values[name] for name in _TEXTS).encode()  # SQLite keeps no lone surrogate
            packed = bodies.pack_pieces(_output(numbered, known["parts"]))
            yield Trace(**values, output=b"", raw=_data(known, "raw")), packed
        except (KeyError, ValueError) as error:
            raise _invalid_line(number) from error


def differs(catalog: Catalog, trace: Trace, digest: str) -> bool | None:
    """Whether what is stored under a trace's id is another trace, or has another output; None where nothing is."""
    query = f"SELECT t.digest, {_COLUMNS} FROM traces t WHERE t.trace_id = ?"
    found = catalog.rows(query, trace.trace_id)
    if not found:
        return None
    known = (digest, *(getattr(trace, name) for name in _FIELDS if name != "input"))
    if tuple(found[0]) != known:
        return True
    same = traces.input_of(catalog, trace.trace_id) == trace.input
    return not (same and traces.raw(catalog, trace.trace_id) == trace.raw)


def _lines(source: Source) -> Iterator[bytes]:
    """The lines, none longer than a trace can be: a small file can unpack to one that fills the memory."""
    while line := source.readline(limits.EXPORTED.most):
        if len(line) == limits.EXPORTED.most:
            raise bounded.refusal(limits.EXPORTED, "file")
        yield line


def _output(numbered: Iterator[tuple[int, bytes]], count: int) -> Iterator[bytes]:
    """The parts of a trace's output, from the `count` lines that follow. ValueError where the export ends within it."""
    size = 0
    for expected in range(count):
        number, line = next(numbered, (0, b""))
        if not line:
            raise ValueError("the export ends within a trace")
        known = _parse(line, number, "trace-part")
        if known["part"] != expected:
            raise _invalid_line(number, f"is part {known['part']} where part {expected} belongs")
        part = _data(known, "output")
        size += len(part)
        if len(part) > bodies.PART:
            raise _invalid_line(number, "has a longer part than an export makes")
        if size > limits.OUTPUT.most:  # a small file can unpack to more than there is memory
            raise bounded.refusal(limits.OUTPUT, "file")
        yield part


def _data(known: dict[str, Any], name: str) -> bytes:
    if f"{name}Base64" in known:
        return base64.b64decode(known[f"{name}Base64"], validate=True)
    data: bytes = known[name].encode()
    return data


def _parse(line: bytes, number: int, noun: str = "") -> dict[str, Any]:
    """A line's mapping, which is as the schema of `noun` has it."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _invalid_line(number) from error
    if not isinstance(found, dict):
        raise _invalid_line(number)
    for _where, what in schemas.problems(noun, found) if noun else ():
        raise _invalid_line(number, f"is damaged: {printable(what, '')[:_SAID]}")
    return found


def _invalid_line(number: int, what: str = "is damaged, or the file ends too early") -> DevsError:
    return invalid("file", f"Line {number} of the export {what}.")
