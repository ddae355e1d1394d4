"""Read YAML documents strictly. No other module imports ruamel.yaml.

A document that two readers could understand differently is refused, with file and line. Refused are duplicate keys, merge
keys, anchors and aliases, tags, directives, a second document, keys that are not text, more than 256 KiB, deep nesting,
more than 10,000 values (unless the document has our own form), text that is not UTF-8, control and bidirectional
characters, and line breaks that only some readers know. Plain scalars follow YAML 1.2 (`no` is text, `0x1f` is a number).
The schema decides which value belongs where. `canonical_yaml` writes documents.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import offence
from devs_git.errors import DevsError
from devs_git.storage.documents import canonical_yaml, schemas
from devs_git.storage.documents.canonical_yaml import dump
from devs_git.values import Any, Final, immutable

__all__ = ["Document", "dump", "load", "load_any", "parse"]
MAX_BYTES: Final = limits.DOCUMENT.most
MAX_DEPTH: Final = 32
# In a document that does not have our own form: 256 KiB of values would take seconds.
MAX_VALUES: Final = 10_000
# Characters; our numbers have fewer than 20.
_LONG_NUMBER: Final = 40
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", re.ASCII
)
_WORDS: Final[dict[str, Any]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
Path = tuple[str | int, ...]


@immutable
class Document:
    """A document's value and the line (from 1) on which each part of it begins."""

    value: dict[str, Any]
    lines: Mapping[Path, int]


def load(data: bytes, name: str, schema: str = "", *, code: str = "INVALID_ARGUMENTS") -> dict[str, Any]:
    """The mapping in `data`, checked against `schema` (such as `policy`). `name` is the name of the file in an error.

    Raises the error `code` with `file`, `line` and `field` (with dots) of the first problem.
    """
    plain = canonical_yaml.read(data) if len(data) <= MAX_BYTES else None
    if plain is not None and _is_text(plain, data) and not (schema and any(schemas.problems(schema, plain))):
        return plain
    document = parse(data, name, code=code)
    if not _is_text(document.value, data):
        raise _refusal(code, name, 1, "an escape (\\u) is half of a character")
    for where, message in schemas.problems(schema, document.value) if schema else ():
        line = next(
            document.lines[where[:end]] for end in range(len(where), -1, -1) if where[:end] in document.lines
        )
        refusal = _refusal(code, name, line, message, field=".".join(map(str, where)))
        if example := schemas.example(schema, where):
            refusal.hint += f" An entry looks like this: {example}"
        raise refusal
    return document.value


def parse(data: bytes, name: str, *, code: str = "INVALID_ARGUMENTS") -> Document:
    """The document in `data`, without a check against a schema. Raises the error `code`."""
    if len(data) > MAX_BYTES:
        raise _refusal(code, name, 1, f"the file is larger than {MAX_BYTES // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refusal(code, name, data.count(b"\n", 0, error.start) + 1, "the text is not UTF-8") from error
    if found := canonical_yaml.find_odd_character(text):
        what = f"a {offence(found[0]) or 'misplaced'} character (U+{ord(found[0]):04X}) is not allowed"
        raise _refusal(code, name, text.count("\n", 0, found.start()) + 1, what)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = _Reader(iter(()))
    try:
        reader.events = YAML(typ="safe", pure=True).parse(text)
        return reader.document()
    except _Refused as refused:
        raise _refusal(code, name, refused.line, refused.args[0]) from refused
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "this is not YAML"
        raise _refusal(code, name, mark.line + 1 if mark else 1, what) from error
    except YAMLError as error:
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        raise _refusal(code, name, line, "a character is not allowed in YAML") from error


def _refusal(code: str, name: str, line: int, what: str, *, field: str = "") -> DevsError:
    return DevsError(
        code,
        f"{name}:{line}: {what}.",
        hint=f"Correct line {line} of {name}.",
        file=name,
        line=line,
        field=field or name,
    )


def load_any(data: bytes, name: str) -> dict[str, Any]:
    """The mapping in `data`, which is JSON or YAML. A duplicate key is an error in both. INVALID_ARGUMENTS."""
    if data.lstrip()[:1] == b"{" and len(data) <= MAX_BYTES:
        try:
            found = json.loads(data, object_pairs_hook=lambda pairs: _once(pairs, name))
        except (ValueError, RecursionError):
            # The reader of YAML names the line of the error.
            return load(data, name)
        if isinstance(found, dict) and _is_text(found, data):
            return found
    return load(data, name)


def _is_text(value: Any, data: bytes) -> bool:
    """Whether all texts of a value can be written as UTF-8. An escape may be half of a surrogate pair."""
    try:
        return b"\\" not in data or bool(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def _once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _refusal("INVALID_ARGUMENTS", name, 1, f"the key {twice!r} occurs twice", field=twice)
    return found


class _Refused(Exception):
    def __init__(self, event: Any, what: str) -> None:
        super().__init__(what)
        self.line: int = event.start_mark.line + 1


class _Reader:
    """Builds values from parser events, so that the library resolves, merges and constructs nothing itself."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.lines: dict[Path, int] = {}

    def next(self) -> tuple[str, Any]:
        event = next(self.events)
        kind = type(event).__name__.removesuffix("Event")
        if kind == "Alias":
            raise _Refused(event, f"an alias (*{event.anchor}) is not allowed; write the value out")
        if getattr(event, "anchor", None):
            raise _Refused(
                event, f"an anchor (&{event.anchor}) is not allowed; write the value out where it is needed"
            )
        if getattr(event, "tag", None):
            raise _Refused(
                event, f"a tag ({event.tag}) is not allowed; values are text, numbers, true, false and null"
            )
        return kind, event

    def document(self) -> Document:
        self.next()
        kind, event = self.next()
        if kind == "DocumentStart" and (event.version or event.tags):
            raise _Refused(event, "a directive (%) is not allowed; remove it")
        if kind == "DocumentStart":
            kind, event = self.next()
        if kind != "MappingStart":
            raise _Refused(event, "the document must be a set of fields (key: value)")
        value = self.mapping(event, ())
        self.next()
        kind, event = self.next()
        if kind != "StreamEnd":
            raise _Refused(event, "a second document is not allowed in one file")
        return Document(value, self.lines)

    def value(self, kind: str, event: Any, where: Path) -> Any:
        self.lines.setdefault(where, event.start_mark.line + 1)
        if len(where) > MAX_DEPTH:
            raise _Refused(event, f"the nesting is deeper than {MAX_DEPTH} levels")
        if len(self.lines) > MAX_VALUES:
            raise _Refused(event, f"the document has more than {MAX_VALUES:,} values")
        if kind == "MappingStart":
            return self.mapping(event, where)
        if kind == "SequenceStart":
            return list(self.items(where))
        return scalar(event.value) if event.style is None else event.value

    def items(self, where: Path) -> Iterator[Any]:
        at = 0
        while (found := self.next())[0] != "SequenceEnd":
            yield self.value(*found, (*where, at))
            at += 1

    def mapping(self, event: Any, where: Path) -> dict[str, Any]:
        self.lines.setdefault(where, event.start_mark.line + 1)
        found: dict[str, Any] = {}
        while (pair := self.next())[0] != "MappingEnd":
            kind, key = pair
            if kind != "Scalar":
                raise _Refused(key, "a key is not text")
            if key.style is None and key.value == "<<":
                raise _Refused(key, "a merge key (<<) is not allowed; write the keys out")
            if key.style is None and not isinstance(scalar(key.value), str):
                raise _Refused(key, f"the key {key.value or 'null'} is not text; quote it")
            if key.value in found:
                raise _Refused(key, f"the key {key.value!r} occurs twice")
            self.lines[(*where, key.value)] = key.start_mark.line + 1
            found[key.value] = self.value(*self.next(), (*where, key.value))
        return found


def scalar(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2.

    Our records have whole numbers only. A number that is not finite or has too many digits becomes `inf`, which every
    schema refuses.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if len(text) >= _LONG_NUMBER:
            return math.inf if text[:2] in {"0o", "0x"} else float(text)
        return int(text, 0 if text[:2] in {"0o", "0x"} else 10)
    if not _FLOAT.fullmatch(text):
        return text
    return math.inf if text.lstrip("+-")[:2] in {".i", ".I", ".n", ".N"} else float(text)
