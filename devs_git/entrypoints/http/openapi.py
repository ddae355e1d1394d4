"""The OpenAPI document of the REST routes, made from the tool table and the verbs' result types."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import devs_git
from devs_git.entrypoints.http.routes import PARTS, PREFIX, ROUTES, RestRoute
from devs_git.entrypoints.tools.results import envelope, output_schema

_REFUSALS: Final = {
    401: "The bearer token is missing or wrong.",
    403: "Host, Origin or Sec-Fetch-Site is not of this server, or only a person may do this.",
    404: "The task, checkpoint or other object does not exist.",
    408: "The request did not arrive completely in time.",
    409: "The state does not allow this: BUSY, PLAN_STALE, GATE_BLOCKED, GIT_RESET_FAILED and others.",
    413: "The body is too large.",
    422: "An argument is refused, or the body is not JSON. `field` names it.",
    500: "The ledger is damaged, or this is a bug of devs-git.",
    503: "The server is shutting down.",
}


@cache
def document() -> dict[str, Any]:
    """The document, in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(PREFIX + route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "devs-git",
            "version": devs_git.__version__,
            "description": "Checkpoints and rewind of one repository. No route decides a gate.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": envelope()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(route: RestRoute) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.operation or route.tool_name,
        "summary": route.tool.verb.summary,
        "description": route.tool.meaning,
        "parameters": [_in_path(name) for name in route.path_names],
        "responses": {
            str(route.status): {
                "description": "The result of the verb.",
                "content": {"application/json": {"schema": output_schema(route.tool.verb.module)}},
            },
            **{str(status): _refusal(text) for status, text in _REFUSALS.items()},
        },
    }
    params = route.params()
    if route.method == "GET":
        made["parameters"] += [
            {
                "name": one.name,
                "in": "query",
                "required": one.required,
                "description": one.text,
                "schema": route.schema(one),
            }
            for one in params
        ]
        return made
    body = {
        "type": "object",
        "properties": {one.name: {**route.schema(one), "description": one.text} for one in params},
        "required": [one.name for one in params if one.required],
        "additionalProperties": False,
    }
    return made | {
        "requestBody": {
            "required": bool(body["required"]),
            "description": "Names in snake_case or camelCase.",
            "content": {"application/json": {"schema": body}},
        }
    }


def _in_path(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": PARTS[name][0],
        "schema": {"type": "string", "pattern": f"^{PARTS[name][1]}$"},
    }


def _refusal(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
