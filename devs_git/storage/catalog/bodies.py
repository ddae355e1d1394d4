"""How the catalog stores bytes: compressed by zlib. An output is in parts, so that a reader of one page unpacks few bytes.

zlib costs almost no time to import, and at level 6 it packs ordinary logs as small as zstandard does.
"""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator

from devs_git.errors import DevsError
from devs_git.values import Any, Final, immutable

# The most bytes of output in one part.
PART: Final = 4 << 20
_LEVEL: Final = 6


def pack(data: bytes | bytearray) -> bytes:
    return zlib.compress(data, _LEVEL)


def unpack(data: bytes) -> bytes:
    """The unpacked bytes. CONFLICT if they were damaged on the disk, which SQLite does not detect inside a value."""
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        hint = "Check the disk. All other traces can still be read."
        raise DevsError("CONFLICT", "These stored bytes are damaged.", hint=hint) from error


def parts(output: bytes) -> Iterator[bytes]:
    """The output as packed parts; at least one."""
    for start in range(0, max(len(output), 1), PART):
        yield pack(output[start : start + PART])


@immutable
class Packed:
    """A packed output: at least one part, its size in bytes before packing, and its SHA-256 in hexadecimal."""

    parts: tuple[bytes, ...]
    size: int
    digest: str


def pack_pieces(pieces: Iterable[bytes]) -> Packed:
    """Pack an output that comes in pieces. Each part is packed when it is complete, so memory never has the whole output."""
    # Imported late: who only reads traces does not need it.
    import hashlib

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
    """Pack an output that is in memory."""
    import hashlib

    return Packed(tuple(parts(output)), len(output), hashlib.sha256(output).hexdigest())


def characters(packed: Packed) -> int:
    """The number of UTF-16 units of an output, which is how a program in JavaScript counts its characters."""
    decoder, found = codecs.getincrementaldecoder("utf-8")("replace"), 0
    for part in packed.parts:
        found += len(decoder.decode(unpack(part)).encode("utf-16-le"))
    return (found + len(decoder.decode(b"", final=True).encode("utf-16-le"))) // 2


class Readable:
    """Text for the index, from bytes that come in pieces; see `readable`. It is stored as UTF-8, and `size` is in bytes."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = io.BytesIO()

    @property
    def size(self) -> int:
        return self._held.tell()

    def add(self, data: bytes, *, last: bool = False) -> None:
        """Add a piece. A character may be split between two pieces."""
        self._held.write(self._decoder.decode(data, last).replace("\0", " ").encode())

    def take_encoded(self) -> bytes:
        """Return the whole text as UTF-8, and forget it."""
        # The bytes may end within a character.
        self.add(b"", last=True)
        held, self._held = self._held, io.BytesIO()
        # BytesIO makes no copy here.
        return held.getvalue()


def readable(data: bytes) -> str:
    """Bytes as text for the index and for snippets. Bytes that are not UTF-8 become U+FFFD, and NUL becomes a space."""
    return data.decode("utf-8", "replace").replace("\0", " ")


def message(packed: bytes) -> str:
    """The text for the index of one message. In SQL it is the function devs_message."""
    # Imported late: who reads a trace does not need it.
    import json

    from devs_git.domain.recall.message_text import text_of

    return text_of(json.loads(unpack(packed)))


class Texts:
    """Passes large texts for the index to SQLite, as results of SQL functions of one connection.

    A bound value and an argument of a function are several times in memory. The result of a function is there only twice,
    once in Python and once in SQLite.
    """

    def __init__(self) -> None:
        self._held: Readable | None = None
        self._joined = 0

    def hold(self, text: Readable) -> None:
        """Set the text that devs_held returns next."""
        self._held = text

    def take_held(self) -> bytes:
        """Return the held text as UTF-8, and forget it. In SQL it is the function devs_held.

        ValueError if there is no text, because the index must not lack one.
        """
        found, self._held = self._held, None
        if found is None:
            raise ValueError("no text is held")
        return found.take_encoded()

    def hold_joined(self, found: Readable) -> int:
        """Hold a text that devs_join made, and return its number, by which `text` recognizes it."""
        self._held, self._joined = found, self._joined + 1
        return self._joined

    def text(self, given: bytes, number: int | None) -> str:
        """The text for the index of one trace: its input, then its output, which devs_join joined as `number`.

        In SQL it is the function devs_text.
        """
        if number not in (None, self._joined):
            raise ValueError("another text is held")
        output = "" if number is None else self.take_held().decode()
        start = readable(unpack(given))
        # Without an input we do not copy the output, which may be large. The missing line end changes no word.
        return f"{start}\n{output}" if start else output


class Join:
    """The SQL aggregate devs_join: the parts of a trace in their order, as text. Without parts its result is NULL."""

    def __init__(self, texts: Texts) -> None:
        self._texts, self._found = texts, Readable()

    def step(self, part: Any, /) -> None:
        self._found.add(unpack(part))

    def finalize(self) -> Any:
        return self._texts.hold_joined(self._found)
