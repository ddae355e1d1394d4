"""A model on the loopback that follows a script. It records each request, so that a test sees what the model was told."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, Self

from tests.clients.script import END, Reply, Turn


@dataclass(frozen=True)
class Request:
    """One request of the client. `body` is empty if it was not a JSON object."""

    path: str
    body: Mapping[str, Any]


class Api(Protocol):
    """How one API takes a request and streams an answer."""

    path: str
    """The end of the path on which a model is asked."""

    def is_turn(self, body: Mapping[str, Any]) -> bool:
        """Whether this request continues the conversation; the client also asks for titles and the like."""

    def answer(self, turn: Turn, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The events, with their names (some APIs have none: ''), that tell the client this turn. `number` makes the ids of
        its calls.
        """

    def results(self, body: Mapping[str, Any]) -> Sequence[str]:
        """What this request tells the model of its calls, in their order."""


class ModelServer:
    """The server, in a thread of its own. `asked` has the requests that the script answered, `others` all others."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.asked: list[Request] = []
        self.others: list[Request] = []
        self._script: Sequence[Turn | Reply] = ()
        self._answers = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def remaining(self) -> Sequence[Turn | Reply]:
        """The turns that nobody asked for yet."""
        return self._script[len(self.asked) :]

    def play(self, script: Sequence[Turn | Reply]) -> None:
        """Answer from now on with these turns, and forget what was asked before."""
        with self._lock:
            self._script = tuple(script)
            self.asked, self.others = [], []

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, request: Request) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The events that answer this request. After the script's end the model only says that it is done."""
        with self._lock:
            self._answers += 1
            if not self.api.is_turn(request.body):
                self.others.append(request)
                return self.api.answer(END, self._answers)
            self.asked.append(request)
            turn = self._script[len(self.asked) - 1] if len(self.asked) <= len(self._script) else END
            if callable(turn):
                turn = turn(self.api.results(request.body))
            return self.api.answer(turn, self._answers)


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(self.path, _object(data))
            if self.path.partition("?")[0].endswith(model.api.path):
                self._stream(model.take(request))
            else:
                self._refuse(request)

        def do_GET(self) -> None:
            self._refuse(Request(self.path, {}))

        def do_HEAD(self) -> None:
            self._refuse(Request(self.path, {}))

        def _stream(self, events: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for name, event in events:
                named = f"event: {name}\n" if name else ""
                self.wfile.write(f"{named}data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
            self.close_connection = True

        def _refuse(self, request: Request) -> None:
            model.others.append(request)
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing: the requests are recorded."""

    return Handler


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
