"""The web application: behind the border, /mcp (MCP or the plain form), /events, and the REST routes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from devs_git.entrypoints.bugs import as_devs_error
from devs_git.entrypoints.http import request_bodies
from devs_git.entrypoints.http.answers import refusal_response, rejection, tool_response
from devs_git.entrypoints.http.border import MOST_BYTES, Border, Rules
from devs_git.entrypoints.http.feed import Feed
from devs_git.entrypoints.http.rest import web_routes
from devs_git.entrypoints.mcp import server
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError

_PLAIN: Final = frozenset({"tool", "params"})


def application(where: Path, rules: Rules, feed: Feed) -> ASGIApp:
    """The whole application of `serve`, for the repository at `where`."""
    # The border has checked Host, Origin and size already. There are no sessions, so a restart of the server breaks no client.
    mcp_app = server.server(where).streamable_http_app(
        stateless_http=True, max_request_body_size=MOST_BYTES, host=""
    )

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(feed.watch())
        try:
            async with mcp_app.router.lifespan_context(mcp_app):
                yield
        finally:
            watching.cancel()

    routes = [
        Route("/mcp", McpRoute(mcp_app, where)),
        Route("/events", feed.endpoint, methods=["GET"]),
        *web_routes(where),
    ]
    handlers: dict[Any, Any] = {HTTPException: _no_route, Exception: _bug}
    return Border(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), rules)


class McpRoute:
    """/mcp: this class answers the plain form `{"tool": …, "params": {…}}`; the SDK answers everything else."""

    def __init__(self, mcp_app: ASGIApp, where: Path) -> None:
        self.mcp_app, self.where = mcp_app, where

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST" or _speaks_mcp(request):
            await self.mcp_app(scope, receive, send)
            return
        try:
            body = request_bodies.read(await request.body())
            if "jsonrpc" in body:
                await self.mcp_app(scope, _again(await request.body()), send)
                return
            answer = await self._plain(body)
        except DevsError as error:
            answer = rejection(400, error.details["field"], error.message)
        await answer(scope, receive, send)

    async def _plain(self, body: dict[str, Any]) -> Response:
        unknown = sorted(body.keys() - _PLAIN)
        name, params = body.get("tool"), body.get("params", {})
        if not isinstance(name, str) or not isinstance(params, dict) or unknown:
            return rejection(
                400,
                unknown[0] if unknown else "params" if isinstance(name, str) else "tool",
                "Send a JSON-RPC message of MCP, or the name of a tool and its arguments.",
                hint='Send: {"tool": "git_status", "params": {}}',
            )
        return tool_response(await run_in_threadpool(partial(calling.call, name, params, self.where)))


def _speaks_mcp(request: Request) -> bool:
    """Whether an MCP client sent the request: the protocol requires that all of them accept streams."""
    return (
        "text/event-stream" in request.headers.get("accept", "") or "mcp-protocol-version" in request.headers
    )


def _again(body: bytes) -> Receive:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _no_route(_request: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    methods = headers.get("Allow")
    return rejection(
        error.status_code,
        "method" if methods else "path",
        f"This route answers {methods} only." if methods else "There is no such route.",
        hint="See: /api/v1/openapi.json",
        headers=headers,
    )


async def _bug(_request: Request, error: Exception) -> Response:
    return refusal_response(as_devs_error(error))
