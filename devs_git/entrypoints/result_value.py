"""A result as JSON-ready values, the same for all entry points."""

from __future__ import annotations

from typing import Any

from devs_git.values import fields, is_value


def plain(value: Any) -> Any:
    """The value with dicts and lists in place of our classes. Fields keep their order; `from_` becomes `from`.

    An optional field that is None is left out.
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
