"""What a request of MCP means: both eras of the protocol, with a handshake and without, and the few methods that we serve.

The first request of a client decides the era. The library `mcp` does the same over HTTP; a test compares the two.
"""

from __future__ import annotations

from typing import Any, Final

import devs_git
from devs_git.entrypoints.mcp import announcement
from devs_git.entrypoints.mcp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    Number,
    Refused,
)
from devs_git.entrypoints.tools.calling import Answer
from devs_git.values import immutable

# Versions with a handshake, the newest last, and the version without one.
HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = "2026-07-28"
UNSUPPORTED_VERSION: Final = -32022
_KEY: Final = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CAPABILITIES = (
    _KEY + name for name in ("protocolVersion", "clientInfo", "clientCapabilities")
)
_SERVER: Final = {"name": announcement.NAME, "version": devs_git.__version__}
_CAPABLE: Final = {"tools": {"listChanged": False}}
# Of the stateless version: a client may keep no answer, because another version of devs-git may serve it next.
_UNCACHED: Final = {"ttlMs": 0, "cacheScope": "private"}


@immutable
class Call:
    """A call of a tool. `token`: how the client names its progress; None if it wants to hear nothing."""

    name: str
    arguments: dict[str, Any]
    token: Number = None


class Protocol:
    """What one client has said so far: the era that it chose, and whether its handshake is done."""

    def __init__(self) -> None:
        self._stateless: bool | None = None
        self._greeted = False

    def notice(self, message: Message) -> Number:
        """Take a notification. Returns the id of the request that it cancels, or None."""
        if message.method == "notifications/initialized":
            self._greeted = True
        number = message.params.get("requestId") if message.method == "notifications/cancelled" else None
        return number if isinstance(number, str) or type(number) is int else None

    def answer(self, message: Message) -> dict[str, Any] | Call:
        """The result of a request, or the call of a tool that makes it; Refused with an error of the protocol."""
        meta = message.params.get("_meta")
        enveloped = isinstance(meta, dict) and _VERSION in meta and message.method != "initialize"
        if self._stateless is None:
            self._stateless = enveloped
        if self._stateless:
            return self._without_handshake(message)
        if enveloped:
            text = "This connection began with a handshake, so a request may not name its version."
            raise Refused(INVALID_REQUEST, text)
        return self._with_handshake(message)

    def _with_handshake(self, message: Message) -> dict[str, Any] | Call:
        if message.method == "initialize":
            return self._greet(message.params)
        if message.method == "ping":
            return {}
        if message.method not in ("tools/list", "tools/call"):
            raise _unknown(message)
        if not self._greeted:
            raise _wrong_params()
        return self._serve(message)

    def _without_handshake(self, message: Message) -> dict[str, Any] | Call:
        if message.method == "initialize":
            raise _unsupported(message.params.get("protocolVersion"), "This connection has no handshake.")
        _check_envelope(message.params.get("_meta"))
        if message.method == "server/discover":
            return self.shape(
                {
                    "supportedVersions": [STATELESS],
                    "capabilities": _CAPABLE,
                    "instructions": announcement.INSTRUCTIONS,
                    **_UNCACHED,
                }
            )
        if message.method not in ("tools/list", "tools/call"):
            raise _unknown(message)
        return self._serve(message)

    def _greet(self, params: dict[str, Any]) -> dict[str, Any]:
        client, wanted = params.get("clientInfo"), params.get("protocolVersion")
        if not (_is_implementation(client) and isinstance(params.get("capabilities"), dict)):
            raise _wrong_params()
        if not isinstance(wanted, str):
            raise _wrong_params()
        self._greeted = True
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE else HANDSHAKE[-1],
            "capabilities": _CAPABLE,
            "serverInfo": _SERVER,
            "instructions": announcement.INSTRUCTIONS,
        }

    def _serve(self, message: Message) -> dict[str, Any] | Call:
        params, token = message.params, _token(message.params)
        if message.method == "tools/list":
            if not isinstance(params.get("cursor"), str | None):
                raise _wrong_params()
            listed = {"tools": announcement.listed_tools()}
            return self.shape({**listed, **_UNCACHED} if self._stateless else listed)
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            raise _wrong_params()
        return Call(name, arguments or {}, token)

    def result_of(self, answer: Answer) -> dict[str, Any]:
        """The answer of a tool as a result."""
        found: dict[str, Any] = {
            "content": [{"type": "text", "text": answer.text}],
            "structuredContent": answer.value,
            "isError": answer.is_error,
        }
        return self.shape({**found, "_meta": {"traceId": answer.trace_id}} if answer.trace_id else found)

    def shape(self, result: dict[str, Any]) -> dict[str, Any]:
        """A result with what each result of the era has: without a handshake, the name of the server."""
        if not self._stateless:
            return result
        meta = {**result.get("_meta", {}), _KEY + "serverInfo": _SERVER}
        return {**result, "resultType": "complete", "_meta": meta}


def _token(params: dict[str, Any]) -> Number:
    meta = params.get("_meta")
    if not isinstance(meta, dict | None):
        raise _wrong_params()
    token = (meta or {}).get("progressToken")
    if not isinstance(token, str | int | None) or isinstance(token, bool):
        raise _wrong_params()
    return token


def _check_envelope(meta: Any) -> None:
    """Refused unless the request names a version that we speak, and what its client can do."""
    known = meta if isinstance(meta, dict) else {}
    missing = [key for key in (_VERSION, _CAPABILITIES) if key not in known]
    if missing:
        raise Refused(INVALID_PARAMS, f"params._meta has no {' and no '.join(missing)}.")
    wanted = known[_VERSION]
    if not isinstance(wanted, str):
        raise Refused(INVALID_PARAMS, f"{_VERSION} is not a text.")
    if wanted != STATELESS:
        raise _unsupported(wanted, "Unsupported protocol version")
    client = known.get(_CLIENT)
    if not isinstance(known[_CAPABILITIES], dict) or not (client is None or _is_implementation(client)):
        raise _wrong_params()


def _is_implementation(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("name", "version"))


def _unsupported(wanted: Any, text: str) -> Refused:
    named = {"requested": wanted} if isinstance(wanted, str) else {}
    return Refused(UNSUPPORTED_VERSION, text, {"supported": [STATELESS], **named})


def _unknown(message: Message) -> Refused:
    return Refused(METHOD_NOT_FOUND, "Method not found", message.method)


def _wrong_params() -> Refused:
    return Refused(INVALID_PARAMS, "Invalid request parameters", "")
