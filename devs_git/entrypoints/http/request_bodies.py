"""Read bodies and query strings strictly: UTF-8, JSON, one object. All errors are INVALID_ARGUMENTS."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from devs_git.errors import invalid

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}\Z")
_WORDS: Final = {"true": True, "1": True, "false": False, "0": False}


def read(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; an empty body is an empty object."""
    if not body.strip():
        return {}
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise invalid("body", "The body is not JSON in UTF-8.") from error
    if not isinstance(value, dict):
        raise invalid("body", "The body is not a JSON object.")
    return value


def _no_number(word: str) -> None:
    raise ValueError(word)


def arguments_by_name(pairs: Iterable[tuple[str, Any]], known: Iterable[str]) -> dict[str, Any]:
    """Arguments by the names in `known`. `branchName` becomes `branch_name` if `known` has only the latter."""
    names, found = frozenset(known), dict[str, Any]()
    for key, value in pairs:
        snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
        name = snake if key not in names and snake in names else key
        if name in found:
            raise invalid(name, f"{name} is given twice.")
        found[name] = value
    return found


def join_lists(
    pairs: Iterable[tuple[str, str]], known: Mapping[str, dict[str, Any]]
) -> list[tuple[str, Any]]:
    """A query with each list as one pair: `a[]=1&a[]=2`, `a=1&a=2` and `a=1,2` are the same list."""
    lists: dict[str, list[str]] = {}
    found: list[tuple[str, Any]] = []
    for key, text in pairs:
        name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key.removesuffix("[]")).lower()
        if known.get(name, {}).get("type") == "array":
            lists.setdefault(name, []).extend(text.split(",") if text else ())
        else:
            found.append((key, text))
    return [*found, *lists.items()]


def typed_value(text: Any, schema: dict[str, Any]) -> Any:
    """A value of a query string with the type of its schema. If it does not fit it stays text, which the schema refuses."""
    kind = schema.get("type")
    if kind == "array":
        return text
    if kind == "integer" and _WHOLE.match(text):
        return int(text)
    return _WORDS.get(text, text) if kind == "boolean" else text
