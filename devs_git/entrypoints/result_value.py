"""A result as every door hands it on: one value, in snake_case."""

from __future__ import annotations

from typing import Any

from devs_git.values import fields, is_value


def plain(value: Any) -> Any:
    """A result as JSON-ready values: of a value, its fields in order; `from_` is the key `from`.

    A field that says it is optional, and has nothing, is left out.
    """
    if is_value(value):
        found = ((name, one, getattr(value, name)) for name, one in fields(value).items())
        return {
            name.removesuffix("_"): plain(inner)
            for name, one, inner in found
            if inner is not None or not one.metadata.get("optional")
        }
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, (tuple, list)) else value
