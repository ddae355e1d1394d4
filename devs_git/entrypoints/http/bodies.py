"""Read what a client sent, strictly: UTF-8, JSON, one object, of bearable depth. Raises INVALID_ARGUMENTS, never more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from devs_git.errors import invalid

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}\Z")
_WORDS: Final = {"true": True, "1": True, "false": False, "0": False}


def read(body: bytes) -> dict[str, Any]:
    """The object that the body is; none is an empty one."""
    if not body.strip():
        return {}
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise invalid("body", "The body is no JSON in UTF-8.") from error
    if not isinstance(value, dict):
        raise invalid("body", "The body is no JSON object.")
    return value


def _no_number(word: str) -> None:
    raise ValueError(word)


def arguments_by_name(pairs: Iterable[tuple[str, Any]], known: Iterable[str]) -> dict[str, Any]:
    """Arguments by the names that the tool knows: `branchName` is `branch_name`, unless it is known as it stands."""
    names, found = frozenset(known), dict[str, Any]()
    for key, value in pairs:
        snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
        name = snake if key not in names and snake in names else key
        if name in found:
            raise invalid(name, f"{name} is given twice.")
        found[name] = value
    return found


def typed_value(text: str, schema: dict[str, Any]) -> Any:
    """A value of a query string as its schema wants it; what does not fit stays text, which the schema then refuses."""
    kind = schema.get("type")
    if kind == "integer" and _WHOLE.match(text):
        return int(text)
    return _WORDS.get(text, text) if kind == "boolean" else text
