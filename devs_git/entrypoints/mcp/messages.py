"""Messages of JSON-RPC 2.0, one on a line: read from bytes, and written as bytes."""

from __future__ import annotations

import json
from typing import Any, Final

from devs_git.values import immutable

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
Number = str | int | None


class Refused(Exception):
    """An error of the protocol: the code and message of JSON-RPC. `number`: the id of the message, as far as it was read."""

    def __init__(self, code: int, message: str, data: Any = None, number: Number = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.number = code, message, data, number


@immutable
class Message:
    """A request of the client, or a notification, which has no `number` (the id of JSON-RPC) and gets no answer."""

    method: str
    params: dict[str, Any]
    number: Number = None


def read(line: bytes) -> Message | None:
    """The message on a line; None for an empty line, and for an answer, because our server asks nothing.

    Raises Refused for any other line. The client would wait without an error.
    """
    if not line.strip():
        return None
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise _unreadable(PARSE_ERROR, None) from None
    number = value.get("id") if isinstance(value, dict) else None
    known = number if isinstance(number, str) or type(number) is int else None
    if not isinstance(value, dict) or not _is_message(value) or not _is_unicode(line, value):
        raise _unreadable(INVALID_REQUEST, known)
    if "method" not in value:
        return None
    if known is None and "id" in value:
        raise _unreadable(INVALID_REQUEST, None)
    return Message(value["method"], value.get("params") or {}, known)


def _is_message(value: dict[str, Any]) -> bool:
    if value.get("jsonrpc") != "2.0":
        return False
    if "method" in value:
        return isinstance(value["method"], str) and isinstance(value.get("params"), dict | None)
    return "id" in value and isinstance(value.get("result", value.get("error")), dict)


def _is_unicode(line: bytes, value: Any) -> bool:
    r"""Whether the texts have no lone surrogate. Only an escape (`\ud800`) can make one."""
    if b"\\u" not in line:
        return True
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _unreadable(code: int, number: Number) -> Refused:
    return Refused(code, "This is not a readable message of JSON-RPC 2.0.", number=number)


def result(number: Number, value: dict[str, Any]) -> bytes:
    """The line that answers the request `number`."""
    return _line({"id": number, "result": value})


def error(number: Number, refused: Refused) -> bytes:
    """The line that refuses the request `number`."""
    told = {"code": refused.code, "message": refused.message}
    return _line({"id": number, "error": told if refused.data is None else {**told, "data": refused.data}})


def notification(method: str, params: dict[str, Any]) -> bytes:
    return _line({"method": method, "params": params})


def _line(members: dict[str, Any]) -> bytes:
    text = json.dumps({"jsonrpc": "2.0", **members}, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"
