"""Which requests are let in. The head of the request decides, before its body is read.

A web page can send requests to any port of its reader's machine. So Host must be a name of this server (DNS rebinding
uses another name), Origin must be absent or this server, and Sec-Fetch-Site must not be another site. The token protects
against other machines and other accounts of this machine.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import os
import re
import socket
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from devs_git.domain.text import limits
from devs_git.entrypoints.http.answers import busy_response, rejection
from devs_git.values import immutable

MOST_BYTES: Final = limits.BODY.most
BODY_SECONDS: Final = 30.0
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST: Final = re.compile(r"(\[[^\]]+\]|[^:\[\]]+)(?::[0-9]+)?")
_LOG: Final = logging.getLogger("devs_git.http")


def is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@immutable
class Rules:
    """The rules of one server. `host`: the address that it listens on. `token`: required from clients, unless ''."""

    host: str
    token: str = ""

    def is_ours(self, name: str) -> bool:
        """Whether a Host header (without its port) names this server. A name can be rebound, an address cannot."""
        name = name.lower()
        if name in LOOPBACK or name.strip("[]") == self.host.lower():
            return True
        if is_loopback(self.host):
            return False
        return _is_address(name.strip("[]")) or name == socket.gethostname().lower()

    def objection(self, headers: Headers) -> Response | None:
        """The refusal of a request by its headers; None if it is let in."""
        hosts = headers.getlist("host")
        host = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self.is_ours(host[1]):
            return rejection(403, "Host", "Host is not a name of this server.")
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in headers.getlist("origin")):
            return rejection(403, "Origin", "Requests from pages of another origin are refused.")
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
            return rejection(403, "Sec-Fetch-Site", "Requests from pages of another site are refused.")
        if self.token and not self._knows_token(headers):
            return rejection(
                401,
                "Authorization",
                "This server requires a bearer token.",
                hint="Send: Authorization: Bearer $DEVS_GIT_TOKEN",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return None

    def _knows_token(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        # Compare bytes: headers are decoded as Latin-1, and the environment may have bytes that are not UTF-8.
        same = hmac.compare_digest(token.strip(" \t").encode("latin-1"), os.fsencode(self.token))
        return scheme.lower() == "bearer" and same


@immutable
class Border:
    """An ASGI application behind the rules. It gets only complete bodies within the limit of size."""

    app: ASGIApp
    rules: Rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._let_in(scope, receive, send_and_note)
        except asyncio.CancelledError:
            # At its end uvicorn cancels open requests. Without this handler it would log that as a bug.
            _LOG.warning("cancelled a request, because the server is shutting down")
            if started:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await busy_response("The server is shutting down.")(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.rules.objection(Headers(scope=scope))
        if refusal is not None:
            _LOG.warning("refused a request (%s)", refusal.status_code)
            await refusal(scope, receive, send)
            return
        body = await _body(scope, receive)
        if isinstance(body, Response):
            await body(scope, receive, send)
        elif body is not None:
            await self.app(scope, _replay(body, receive), send)


async def _body(scope: Scope, receive: Receive) -> bytes | Response | None:
    """The whole body; a refusal if it is too large or too slow; None if the client disconnected."""
    declared = Headers(scope=scope).get("content-length", "0")
    too_large = rejection(
        413, "body", f"A request has at most {MOST_BYTES} bytes.", headers={"Connection": "close"}
    )
    if not declared.isdecimal() or int(declared[:20]) > MOST_BYTES:
        return too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MOST_BYTES:
                    return too_large
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return rejection(408, "body", "The request did not arrive completely in time.")


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
