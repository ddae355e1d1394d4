"""A result as every door hands it on (DESIGN 5): one value, in snake_case."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A result as JSON-ready values: a frozen dataclass, its fields in order; `from_` is the key `from`.

    A field that says it is optional, and has nothing, is left out.
    """
    if is_dataclass(value):
        found = ((one, getattr(value, one.name)) for one in fields(value))
        return {
            one.name.removesuffix("_"): plain(inner)
            for one, inner in found
            if inner is not None or not one.metadata.get("optional")
        }
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, (tuple, list)) else value
