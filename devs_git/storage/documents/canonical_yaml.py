"""Our own form of YAML: a writer, and a reader for exactly that form, without a library.

Most documents that we read are our own. The reader's value counts only if writing it again gives the same text: then no
other reader of YAML could understand it differently. `yaml_documents.parse` reads everything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.text.plain_text import COMMANDING
from devs_git.storage.documents import schemas
from devs_git.values import Any, Final

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+-]+)*", re.ASCII)
_MISREAD: Final = {"", "~", "null", "true", "false", "y", "n", "yes", "no", "on", "off", "inf", "nan"}
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
# Not compiled here: few texts need them, and compiling takes longer than reading a usual document.
_NOT_IN_BLOCK: Final = (
    r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_ESCAPE: Final = r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
# Some readers skip a byte order mark in the middle of a file. No reader accepts the last two.
_MISPLACED = re.compile("[\ufeff\ufffe\uffff]")
_INT = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_WORDS: Final = {"null": None, "true": True, "false": False}


def dump(value: Mapping[str, Any], schema: str, *, comment: str = "") -> bytes:
    """The document as YAML, with its keys in the given order, after a line that names its schema for editors."""
    head = f"# yaml-language-server: $schema={schemas.url(schema)}\n"
    head += "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    return (head + "".join(line + "\n" for line in _mapping(value, ""))).encode()


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, part in value.items():
        name = key if _KEY.fullmatch(key) and key.lower() not in _MISREAD else _quote(key)
        yield from _part(f"{indent}{name}:", part, indent + "  ")


def _part(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield head
        yield from _mapping(value, indent)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        yield head
        for part in value:
            yield from _part(f"{indent}-", part, indent + "  ")
    elif isinstance(value, str) and _fits_block(value):
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (indent + line if line else "" for line in value.removesuffix("\n").split("\n"))
    else:
        yield f"{head} {_scalar(value)}"


def _fits_block(text: str) -> bool:
    """Whether a text of several lines reads back unchanged from a literal block."""
    lines = text.split("\n")
    return (
        "\n" in text.removesuffix("\n")
        and not text.startswith((" ", "\n"))
        and not text.endswith("\n\n")
        and not any(line.isspace() for line in lines)
        and not re.search(_NOT_IN_BLOCK, text)
    )


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        # An oid is always quoted: one in some thousands could be read as a number.
        plain = _PLAIN.fullmatch(value) and value.lower() not in _MISREAD and not is_oid(value)
        return value if plain else _quote(value)
    if isinstance(value, Mapping):
        return "{}"
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    return "[]"


def _quote(text: str) -> str:
    made = json.dumps(text, ensure_ascii=False)
    if made.isprintable():
        return made
    return re.sub(_ESCAPE, lambda match: f"\\u{ord(match[0]):04x}", made)


def find_odd_character(text: str) -> re.Match[str] | None:
    """The first character that two readers could understand differently, or that makes the text look different.

    Some readers end a line, and so a comment, at a lone carriage return, at U+0085, U+2028 or U+2029; others do not.
    """
    for found in COMMANDING.finditer(text):
        if found[0] not in "\n\t" and not text.startswith("\r\n", found.start()):
            return found
    return _MISPLACED.search(text)


def read(data: bytes) -> dict[str, Any] | None:
    """The mapping in `data` if it has our own form, else None. Never raises."""
    try:
        text = data.decode("utf-8")
        lines = text.split("\n")
        start = next(at for at, line in enumerate(lines) if not line.startswith("#"))
        value = _Lines(lines[start:]).mapping("")
        body = "".join(line + "\n" for line in _mapping(value, ""))
    except (ValueError, StopIteration, RecursionError):
        return None
    if not value or body != "\n".join(lines[start:]) or find_odd_character("\n".join(lines[:start])):
        return None
    return value


class _Lines:
    """A reader of lines in our own form. ValueError if they have another form."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    def head(self, indent: str) -> str | None:
        """The rest of the next line if it has exactly this indent, else None."""
        if self.at >= len(self.lines) - 1 or not self.lines[self.at].startswith(indent):
            return None
        rest = self.lines[self.at][len(indent) :]
        return rest if rest and rest[0] != " " else None

    def mapping(self, indent: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self.head(indent)) is not None and not line.startswith("-"):
            if line.startswith('"'):
                key, end = json.JSONDecoder().raw_decode(line)
                rest = line[end + 1 :]
            else:
                key, _, rest = line.partition(":")
            self.at += 1
            found[key] = self.value(rest, indent + "  ")
        return found

    def value(self, rest: str, indent: str) -> Any:
        if rest in (" |", " |-"):
            return self.block(indent) + ("\n" if rest == " |" else "")
        if rest:
            return _value(rest.removeprefix(" "))
        following = self.head(indent)
        return (
            self.items(indent)
            if following is not None and following.startswith("-")
            else self.mapping(indent)
        )

    def items(self, indent: str) -> list[Any]:
        found = []
        while (line := self.head(indent)) is not None and line.startswith("-"):
            self.at += 1
            found.append(self.value(line[1:], indent + "  "))
        return found

    def block(self, indent: str) -> str:
        begun = self.at
        while self.at < len(self.lines) - 1 and (
            not (line := self.lines[self.at]) or line.startswith(indent)
        ):
            self.at += 1
        return "\n".join(line.removeprefix(indent) for line in self.lines[begun : self.at])


def _value(text: str) -> Any:
    if text.startswith('"'):
        return json.loads(text)
    if text in _WORDS:
        return _WORDS[text]
    if text in ("{}", "[]"):
        return json.loads(text)
    return int(text) if _INT.fullmatch(text) else text
