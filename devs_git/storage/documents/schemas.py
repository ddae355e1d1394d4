"""Check a value against one of our JSON Schemas, with the few keywords that they use.

Only the schema file defines what a record contains. A full validator would add 60 ms of imports to every command that
reads the policy. An unknown keyword is a bug and raises KeyError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

from devs_git.storage.documents import package_files
from devs_git.values import Any, Final

BASE: Final = "https://devs-git.github.io/schemas/"
_TYPES: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "object": ((dict,), "a set of fields"),
    "array": ((list, tuple), "a list"),
    "string": ((str,), "text"),
    "boolean": ((bool,), "true or false"),
    "integer": ((int,), "a whole number"),
    "null": ((type(None),), "null"),
}
_ABOUT: Final = {"$schema", "$id", "title", "description", "default", "examples"}
Path = tuple[str | int, ...]


def file_name(noun: str) -> str:
    return f"{noun}.v1.schema.json"


def url(noun: str) -> str:
    """The address of the schema for editors, which is also its `$id`."""
    return BASE + file_name(noun)


@cache
def schema(noun: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(package_files.read("schemas", file_name(noun)))
    return loaded


def problems(noun: str, value: Any) -> Iterator[tuple[Path, str]]:
    """Path and message for each place where `value` does not fit the schema of `noun`."""
    yield from _check(schema(noun), value, ())


def departures(rule: dict[str, Any], value: Any) -> Iterator[tuple[Path, str]]:
    """Path and message for each place where `value` does not fit `rule`, a schema without a file, such as a tool's."""
    yield from _check(rule, value, ())


def shape(rule: dict[str, Any]) -> dict[str, Any]:
    """The part of a schema that defines the fields and the type of each."""
    words = ("type", "additionalProperties", "minimum", "maximum")
    kept: dict[str, Any] = {key: rule[key] for key in words if key in rule}
    if "properties" in rule:
        kept["properties"] = {name: shape(below) for name, below in rule["properties"].items()}
    return {**kept, "items": shape(rule["items"])} if "items" in rule else kept


def _check(rule: dict[str, Any], value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    name = _name(where)
    types = rule.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_is(value, kind) for kind in types):
        yield (
            where,
            f"{name} is {_word(value)}; it must be {' or '.join(_TYPES[kind][1] for kind in types)}",
        )
        return
    for keyword, bound in rule.items():
        if keyword not in _ABOUT and keyword != "type":
            yield from _KEYWORDS[keyword](rule, bound, value, where)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind][0]) and not (kind == "integer" and isinstance(value, bool))


def _word(value: Any) -> str:
    return next((text for kind, (_, text) in _TYPES.items() if _is(value, kind)), "a number")


def _name(where: Path) -> str:
    """A place in words: `approval.minimum`, or `key in entry 1 of approvers`."""
    at = next((at for at in range(len(where) - 1, -1, -1) if isinstance(where[at], int)), None)
    fields = ".".join(map(str, where if at is None else where[at + 1 :]))
    if at is None:
        return fields or "the document"
    entry = f"entry {int(where[at]) + 1} of {_name(where[:at])}"
    return f"{fields} in {entry}" if fields else entry


def example(noun: str, where: Path) -> str:
    """An example of the entry of a list around a place, as the schema of `noun` has it; '' for none."""
    rule: dict[str, Any] = schema(noun)
    found: list[Any] = []
    for part in where:
        rule = rule.get("items", {}) if isinstance(part, int) else rule.get("properties", {}).get(part, {})
        found = rule.get("examples", []) or rule.get("items", {}).get("examples", []) or found
    return "{" + ", ".join(f"{key}: {value}" for key, value in found[0].items()) + "}" if found else ""


def _properties(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    for key, below in bound.items():
        if isinstance(value, dict) and key in value:
            yield from _check(below, value[key], (*where, key))


def _required(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    for key in bound:
        if isinstance(value, dict) and key not in value:
            yield (*where, key), f"{_name((*where, key))} is missing"


def _additional(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    known = rule.get("properties", {})
    for key in value if isinstance(value, dict) else ():
        if key in known:
            continue
        if bound is False:
            others = f"the known fields are: {', '.join(known)}" if known else "no fields are allowed"
            yield (*where, key), f"{_name((*where, key))} is not known; {others}"
        else:
            yield from _check(bound, value[key], (*where, key))


def _items(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    for at, part in enumerate(value if isinstance(value, list | tuple) else ()):
        yield from _check(bound, part, (*where, at))


def _enum(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    if value not in bound:
        yield where, f"{_name(where)} is {value!r}; the allowed values are: {', '.join(map(str, bound))}"


def _pattern(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    # In a schema `$` matches only at the end. In Python it also matches before a final line end.
    # `\s` is every space of Unicode in both.
    exact = bound[:-1] + r"\Z" if bound.endswith("$") else bound
    if value == "" and not re.search(exact, value):
        yield where, f"{_name(where)} is empty"
    elif isinstance(value, str) and not re.search(exact, value):
        yield (
            where,
            f"{_name(where)} is {value!r}, not {rule.get('description', bound).rstrip('.')}",
        )


def _length(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str) and not rule.get("minLength", 0) <= len(value) <= rule.get(
        "maxLength", len(value)
    ):
        yield where, f"{_name(where)} has {len(value)} characters; the limit is {bound}"


def _minimum(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    if isinstance(value, int) and value < bound:
        yield where, f"{_name(where)} is {value}; the minimum is {bound}"


def _maximum(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    if isinstance(value, int) and value > bound:
        yield where, f"{_name(where)} is {value}; the maximum is {bound}"


def _least_items(rule: dict[str, Any], bound: Any, value: Any, where: Path) -> Iterator[tuple[Path, str]]:
    del rule
    if isinstance(value, list | tuple) and len(value) < bound:
        yield where, f"{_name(where)} has {len(value)} entries; the minimum is {bound}"


_KEYWORDS: Final = {
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "enum": _enum,
    "pattern": _pattern,
    "minLength": _length,
    "maxLength": _length,
    "minimum": _minimum,
    "maximum": _maximum,
    "minItems": _least_items,
}
KEYWORDS: Final = frozenset({*_KEYWORDS, *_ABOUT, "type"})
