"""Traces as compressed lines of JSON (`trace export`), one after the other, however many there are.

A trace is a line with what is known of it, then a line for each part of its output: UTF-8 as text, anything else as
base64. Whoever writes or reads holds one part at a time, and one trace where it is put into a catalog.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, Final

from devs_git.domain.traces import Trace
from devs_git.errors import DevsError, invalid
from devs_git.storage.catalog import bodies, traces
from devs_git.storage.catalog.database import Catalog

FORMAT: Final = "devs-git traces 1"
HEAD: Final = b'{"trace_id":'  # how a trace's first line begins
_FIELDS: Final = tuple(one.name for one in fields(Trace) if one.name not in ("output", "raw"))
_COLUMNS: Final = ", ".join(f't."{name}"' for name in _FIELDS if name != "input")


def lines(catalog: Catalog, task_id: str = "") -> Iterator[bytes]:
    """The whole export, line by line, oldest first; of one task where one is named."""
    yield _line({"format": FORMAT})
    query = f"SELECT t.body_id, {_COLUMNS} FROM traces t WHERE ? IN ('', t.task_id) ORDER BY t.created_at, t.body_id"
    names = [name for name in _FIELDS if name != "input"]
    for body_id, *values in catalog.base.execute(query, (task_id,)):
        known = dict(zip(names, values, strict=True))
        yield from _of_one(catalog, body_id, known)


def _of_one(catalog: Catalog, body_id: int, known: dict[str, Any]) -> Iterator[bytes]:
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


def read(source: Iterable[bytes]) -> Iterator[Trace]:
    """The traces of an export; INVALID_ARGUMENTS names the line that is none."""
    numbered = enumerate(source, 1)
    number, first = next(numbered, (1, b""))
    if _parsed(first, number).get("format") != FORMAT:
        raise invalid("file", "This is no export of traces.", hint="Make one: devs-git trace export > FILE")
    for number, line in numbered:
        known = _parsed(line, number)
        try:
            parts = [_output(numbered) for _part in range(known["parts"])]
            values = {name: known[name] for name in _FIELDS}
            yield Trace(**values, output=b"".join(parts), raw=_data(known, "raw"))
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise _bad(number) from error


def _output(numbered: Iterator[tuple[int, bytes]]) -> bytes:
    number, line = next(numbered)  # StopIteration where the export ends within a trace
    return _data(_parsed(line, number), "output")


def _data(known: dict[str, Any], name: str) -> bytes:
    if f"{name}Base64" in known:
        return base64.b64decode(known[f"{name}Base64"], validate=True)
    text = known[name]
    if not isinstance(text, str):
        raise TypeError(name)
    return text.encode()


def _parsed(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _bad(number) from error
    if not isinstance(found, dict):
        raise _bad(number)
    return found


def _bad(number: int) -> DevsError:
    return invalid("file", f"Line {number} of the export is damaged, or the file ends too early.")
