"""How bytes are kept in the catalog: zlib, the output in parts, so that a reader of one page need not unpack the rest.

zlib needs no import of its own weight; at level 6 it packs ordinary logs as small as zstandard does.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

from devs_git.errors import DevsError

PART: Final = 4 << 20  # bytes of output in one part
_LEVEL: Final = 6


def pack(data: bytes) -> bytes:
    return zlib.compress(data, _LEVEL)


def unpack(data: bytes) -> bytes:
    """CONFLICT where a bit has changed on the disk, which SQLite does not see inside of a value."""
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        hint = "Is the disk sound? All other traces can be read."
        raise DevsError("CONFLICT", "What is stored there is damaged.", hint=hint) from error


def parts(output: bytes) -> Iterator[bytes]:
    """The output as packed parts, one at least."""
    for start in range(0, max(len(output), 1), PART):
        yield pack(output[start : start + PART])


def readable(data: bytes) -> str:
    """Bytes as text for the index and for snippets: what is no UTF-8 becomes U+FFFD, NUL a space."""
    return data.decode("utf-8", "replace").replace("\0", " ")


def text(given: bytes, output: str | None) -> str:
    """What is searched of one trace: its input, then its output. SQL knows it as devs_text."""
    return readable(unpack(given)) + "\n" + (output or "")


def message(packed: bytes) -> str:
    """What is searched of one message: what was said, which tools were called with what, and what they answered.

    SQL knows it as devs_message.
    """
    import json  # who reads a trace needs none of it

    record = json.loads(unpack(packed))
    calls = [
        f"{call['name']} {json.dumps(call['input'], ensure_ascii=False)}"
        for call in record.get("tool_calls", ())
    ]
    found = [record.get("content", ""), *calls, record.get("tool_name", ""), record.get("tool_result", "")]
    return "\n".join(filter(None, found)).encode("utf-8", "replace").decode().replace("\0", " ")


class Join:
    """The SQL aggregate devs_join: the readable text of a trace's parts, in their order."""

    def __init__(self) -> None:
        self.found: list[bytes] = []

    def step(self, part: Any, /) -> None:
        self.found.append(unpack(part))

    def finalize(self) -> Any:
        return readable(b"".join(self.found))
