"""Responses of the HTTP server: results and errors as JSON. The status of a code stands in errors.py."""

from __future__ import annotations

import json
from typing import Any, Final

from starlette.responses import Response

from devs_git.entrypoints.tools.calling import Answer
from devs_git.errors import CODES, DevsError, invalid

TRACE_HEADER: Final = "Devs-Trace-Id"


def json_response(
    value: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """A JSON response in ASCII, which can express file names of any bytes."""
    body = json.dumps(value).encode("ascii")
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def tool_response(answer: Answer, status: int = 200) -> Response:
    """The response for a tool's answer; `status` is for success."""
    if answer.is_error:
        status = CODES[answer.value["code"]].http_status
    return json_response(answer.value, status, {TRACE_HEADER: answer.trace_id} if answer.trace_id else None)


def refusal_response(error: DevsError) -> Response:
    return json_response(error.envelope(), CODES[error.code].http_status)


def rejection(
    status: int, field: str, message: str, *, hint: str = "", headers: dict[str, str] | None = None
) -> Response:
    """The response for a request that is refused before any tool sees it, in the form of all errors."""
    return json_response(invalid(field, message, hint=hint).envelope(), status, headers)


def busy_response(message: str) -> Response:
    """503: the server cannot answer now; the client may try again."""
    return json_response(
        DevsError("BUSY", message, hint="Try again in a moment.").envelope(), 503, {"Connection": "close"}
    )
