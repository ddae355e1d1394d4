"""JSON Schema of a verb's result, made from its classes, so that the two cannot differ."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from devs_git.entrypoints.tools.tool import Tool
from devs_git.errors import CODES, REASONS
from devs_git.values import fields, is_value

_PLAIN: Final[dict[Any, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    NoneType: "null",
}

_ANY: Final = "any"


@cache
def output_schema(module: str) -> dict[str, Any]:
    """The schema of the result of the verb in `module`: an object, or one of several if `run` returns different classes."""
    run = importlib.import_module(module).run
    found = _schema_of(get_type_hints(run)["return"])
    return found if found.get("type") == "object" else {"type": "object", **found}


def envelope() -> dict[str, Any]:
    """The schema of an error. Its details are further members of the same object."""
    code = {"type": "string", "enum": sorted(CODES)}
    text = {"type": "string"}
    known = {"error": code, "code": code, "message": text, "hint": text, "retryable": {"type": "boolean"}}
    some = {"reason": {"type": "string", "enum": list(REASONS)}}  # of GIT_RESET_FAILED and CHECKOUT_FAILED
    return {"type": "object", "properties": {**known, **some}, "required": list(known)}


def result_forms(tool: Tool) -> list[dict[str, Any]]:
    """The schemas of the objects that a tool may return; of a dry run only the plan, which has `blocked_by`."""
    whole = output_schema(tool.verb.module)
    forms: list[dict[str, Any]] = whole.get("anyOf", [whole])
    return [form for form in forms if "blocked_by" in form["properties"] or not tool.is_dry_run]


def announced_schema(tool: Tool) -> dict[str, Any]:
    """The output schema that clients are shown: names and types of the top level.

    No member is required, because many clients check errors by this schema, too, and an error has other members.
    """
    known: dict[str, set[str]] = {}
    for form in result_forms(tool):
        for name, schema in form["properties"].items():
            known.setdefault(name, set()).update(_types(schema))
    return {"type": "object", "properties": {name: _typed(types) for name, types in known.items()}}


def _typed(types: set[str]) -> dict[str, Any]:
    """A schema of these JSON types; `{}` if any is possible."""
    if _ANY in types:
        return {}
    return {"type": sorted(types) if len(types) > 1 else next(iter(types))}


def _types(schema: dict[str, Any]) -> set[str]:
    """The JSON types that a value of the schema can have."""
    if "anyOf" in schema:
        return {kind for form in schema["anyOf"] for kind in _types(form)}
    if "enum" in schema:
        return {_PLAIN[type(value)] for value in schema["enum"]}
    return {schema.get("type", _ANY)}


def _schema_of(kind: Any) -> dict[str, Any]:
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if is_value(kind):
        return _object(kind)
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [_schema_of(one) for one in args]}
    if origin is Literal:
        return {"enum": list(args)}
    if origin is tuple:
        return _list(args)
    if origin is list:
        return {"type": "array", "items": _schema_of(args[0])}
    if origin in (dict, Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {"type": "object", "additionalProperties": _schema_of(args[1])}
    return {}


def _list(args: tuple[Any, ...]) -> dict[str, Any]:
    """`tuple[X, ...]` is any number of X; `tuple[X, Y]` is one X and one Y."""
    if args[1:] == (Ellipsis,):
        return {"type": "array", "items": _schema_of(args[0])}
    return {
        "type": "array",
        "prefixItems": [_schema_of(one) for one in args],
        "minItems": len(args),
        "maxItems": len(args),
    }


def _object(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    known = fields(kind)
    return {
        "type": "object",
        "properties": {name.removesuffix("_"): _schema_of(hints[name]) for name in known},
        "required": [
            name.removesuffix("_") for name, one in known.items() if not one.metadata.get("optional")
        ],
    }
