"""How bytes are kept in the catalog: zlib, the output in parts, so that a reader of one page need not unpack the rest.

zlib needs no import of its own weight; at level 6 it packs ordinary logs as small as zstandard does.
"""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from devs_git.errors import DevsError
from devs_git.values import immutable

PART: Final = 4 << 20  # bytes of output in one part
_LEVEL: Final = 6


def pack(data: bytes | bytearray) -> bytes:
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


@immutable
class Packed:
    """An output as it is kept: its packed parts, one at least, how many bytes it has, and its SHA-256 in hexadecimal."""

    parts: tuple[bytes, ...]
    size: int
    digest: str


def pack_pieces(pieces: Iterable[bytes]) -> Packed:
    """An output that comes in pieces. Each part is packed as soon as it is whole, so that no output stands in memory."""
    import hashlib  # a reader needs none

    found, digest, size, held = list[bytes](), hashlib.sha256(), 0, bytearray()
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        held += piece
        while len(held) >= PART:
            found.append(pack(held[:PART]))
            del held[:PART]
    if held or not found:
        found.append(pack(held))
    return Packed(tuple(found), size, digest.hexdigest())


def pack_output(output: bytes) -> Packed:
    """An output that stands in memory."""
    import hashlib

    return Packed(tuple(parts(output)), len(output), hashlib.sha256(output).hexdigest())


class Readable:
    """Bytes that come in pieces, as `readable` text. It is held as UTF-8, which SQLite asks for: `size` is in bytes."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = io.BytesIO()

    @property
    def size(self) -> int:
        return self._held.tell()

    def add(self, data: bytes, *, last: bool = False) -> None:
        """One more piece; a character may be in two of them."""
        self._held.write(self._decoder.decode(data, last).replace("\0", " ").encode())

    def take_encoded(self) -> bytes:
        """All of it, once, as UTF-8."""
        self.add(b"", last=True)  # half a character may be the end
        held, self._held = self._held, io.BytesIO()
        return held.getvalue()  # no copy


def readable(data: bytes) -> str:
    """Bytes as text for the index and for snippets: what is no UTF-8 becomes U+FFFD, NUL a space."""
    return data.decode("utf-8", "replace").replace("\0", " ")


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


class Texts:
    """The texts for the index, on their way into SQLite: functions of one connection, which hand over what they were told to.

    An argument of a function and a bound value stand in memory several times, a function's result only as Python has it
    and as SQLite has it. So large texts go by here.
    """

    def __init__(self) -> None:
        self._held: Readable | None = None
        self._joined = 0

    def hold(self, text: Readable) -> None:
        """What `devs_held` is to give."""
        self._held = text

    def take_held(self) -> bytes:
        """What was held last, once, as UTF-8; SQL knows it as devs_held. ValueError where nothing is held: an index must not lack a text."""
        found, self._held = self._held, None
        if found is None:
            raise ValueError("no text is held")
        return found.take_encoded()

    def hold_joined(self, found: Readable) -> int:
        """The number by which `text` knows what was joined last."""
        self._held, self._joined = found, self._joined + 1
        return self._joined

    def text(self, given: bytes, number: int | None) -> str:
        """What is searched of one trace: its input, then its output, which devs_join joined as `number`. SQL knows it as devs_text."""
        if number not in (None, self._joined):
            raise ValueError("another text is held")
        output = "" if number is None else self.take_held().decode()
        start = readable(unpack(given))
        # Without an input no copy is made of the output, which may be large; a line end is no word.
        return f"{start}\n{output}" if start else output


class Join:
    """The SQL aggregate devs_join: a trace's parts, in their order, as readable text; of no parts SQL says NULL."""

    def __init__(self, texts: Texts) -> None:
        self._texts, self._found = texts, Readable()

    def step(self, part: Any, /) -> None:
        self._found.add(unpack(part))

    def finalize(self) -> Any:
        return self._texts.hold_joined(self._found)
