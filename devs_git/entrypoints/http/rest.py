"""The REST routes for starlette: path, query and body become arguments of a tool, its answer becomes the response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from devs_git.entrypoints.http import request_bodies
from devs_git.entrypoints.http.answers import json_response, refusal_response, tool_response
from devs_git.entrypoints.http.openapi import document
from devs_git.entrypoints.http.routes import PREFIX, ROUTES, RestRoute
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError, invalid
from devs_git.storage.documents import schemas


def web_routes(where: Path) -> list[Route]:
    """The routes for the repository at `where`, and the route of the OpenAPI document."""
    by_path: dict[str, dict[str, RestRoute]] = {}
    for one in ROUTES:
        # The server has decoded the path, so a name with slashes takes several of its parts.
        path = PREFIX + one.path.replace("{contract}", "{contract:path}")
        by_path.setdefault(path, {})[one.method] = one
    # One route for a path, so that a refused method is told all that the path answers.
    found = [Route(path, _endpoint(ways, where), methods=list(ways)) for path, ways in by_path.items()]
    return [*found, Route(f"{PREFIX}/openapi.json", _openapi, methods=["GET"])]


async def _openapi(_request: Request) -> Response:
    return json_response(document())


def _endpoint(ways: Mapping[str, RestRoute], where: Path) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        route = ways["GET" if request.method == "HEAD" else request.method]
        try:
            given = await _given(route, request)
            arguments = route.arguments({**request.path_params}, given)
        except DevsError as error:
            return refusal_response(error)
        call = partial(calling.call, route.tool_name, arguments, where)
        return tool_response(await run_in_threadpool(call), route.status)

    return answer


async def _given(route: RestRoute, request: Request) -> dict[str, Any]:
    """The arguments in query or body. INVALID_ARGUMENTS names one that is unknown or does not fit its schema."""
    known = {one.name: route.schema(one) for one in route.params()}
    if route.method == "GET":
        pairs = request_bodies.arguments_by_name(
            request_bodies.join_lists(request.query_params.multi_items(), known), known
        )
        given = {name: request_bodies.typed_value(text, known.get(name, {})) for name, text in pairs.items()}
    else:
        if request.query_params:
            raise invalid("query", "This route takes arguments in its body only, not in the query.")
        given = request_bodies.arguments_by_name(request_bodies.read(await request.body()).items(), known)
    rule = schemas.shape({"type": "object", "properties": known, "additionalProperties": False})
    for path, text in schemas.departures(rule, given):
        raise invalid(".".join(map(str, path)) or "body", f"{text}.")
    return given
