"""The ledger's events as a stream of server-sent events, whichever process wrote them.

Each listener has its own position in the ledger and reads from there at its own pace, on a thread that no tool uses. So a
slow listener delays nobody, and no memory is used for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_names import as_json, name_of
from devs_git.domain.ledger.events import Event
from devs_git.entrypoints.http.answers import busy_response, refusal_response
from devs_git.errors import DevsError, invalid
from devs_git.storage.ledger import watch
from devs_git.workspace import Workspace

KEEP_ALIVE_SECONDS: Final = 15.0
MOST_LISTENERS: Final = 100
_AT_ONCE: Final = 200
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
T = TypeVar("T")


class Feed:
    """The events of the repository at `where`. `closing` is set when the server has to end."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self.closing = asyncio.Event()
        self.listeners = 0
        self._moved = asyncio.Event()
        self._reader = ThreadPoolExecutor(1, "events")
        self._loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """End all streams; called by a signal handler or by another thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.closing.set)

    async def watch(self) -> None:
        """Check ten times a second whether the ledger has moved, while the server runs."""
        self._loop = asyncio.get_running_loop()
        common = Workspace.open(self.where).places.common
        last_marks: tuple[object, ...] = ()
        while True:
            with contextlib.suppress(OSError):
                found = watch.marks(common)
                if found != last_marks:
                    last_marks = found
                    self._moved.set()
                    self._moved = asyncio.Event()
            await asyncio.sleep(watch.POLL_SECONDS)

    async def endpoint(self, request: Request) -> Response:
        """`GET /events`: new events, or all events after the one that `Last-Event-ID` names."""
        if self.listeners >= MOST_LISTENERS:
            return busy_response(f"There are already {MOST_LISTENERS} listeners.")
        try:
            start = await self._read(lambda: self._start(request.headers.get("last-event-id", "")))
        except DevsError as error:
            return refusal_response(error)
        return Stream(self, start)

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    def _start(self, last: str) -> str:
        workspace = Workspace.open(self.where)
        tip = workspace.ledger.tip().oid
        if not last:
            return tip
        known = ids.is_oid(last) and bool(tip)
        words = ("merge-base", "--is-ancestor", last, tip)
        if not known or workspace.store_git.attempt(*words, ok=(0, 1, 128))[0]:
            raise invalid("Last-Event-ID", "The ledger has no such event.", hint="Connect again without it.")
        return last

    def _events(self, since: str) -> Iterator[Event]:
        ledger = Workspace.open(self.where).ledger
        tip = ledger.tip().oid
        return ledger.events(tip, since=since, oldest_first=True) if tip and tip != since else iter(())

    async def frames(self, since: str) -> AsyncGenerator[bytes]:
        """One frame for each event after `since`, and a comment after each 15 seconds without an event."""
        yield b"retry: 1000\n\n"
        while True:
            moved = self._moved  # read before the events, so that no move is missed
            events = await self._read(lambda at=since: self._events(at))  # type: ignore[misc]
            try:
                while part := await self._read(lambda on=events: list(islice(on, _AT_ONCE))):  # type: ignore[misc]
                    for event in part:
                        yield _frame(event)
                        since = event.oid
            finally:
                getattr(events, "close", lambda: None)()
            while not moved.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(moved.wait(), KEEP_ALIVE_SECONDS)
                if not moved.is_set():
                    yield b": still here\n\n"


def _frame(event: Event) -> bytes:
    return f"id: {event.oid}\nevent: {name_of(event)}\ndata: {json.dumps(as_json(event))}\n\n".encode("ascii")


class Stream(Response):
    """The response for one listener. It ends when the client disconnects or the server ends."""

    def __init__(self, feed: Feed, since: str) -> None:
        super().__init__(headers=_HEADERS, media_type="text/event-stream")
        del self.headers["content-length"]
        self.feed, self.since = feed, since

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        ends = (self._tell(send), _gone(receive), self.feed.closing.wait())
        tasks = [asyncio.ensure_future(end) for end in ends]
        self.feed.listeners += 1
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.feed.listeners -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(OSError):
            await _within(send({"type": "http.response.body", "body": b"", "more_body": False}))

    async def _tell(self, send: Send) -> None:
        start: Message = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async with contextlib.aclosing(self.feed.frames(self.since)) as frames:
            async for frame in frames:
                await send({"type": "http.response.body", "body": frame, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _within(end: Awaitable[None]) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(end, 1)
