"""`devs-git mcp`: MCP over standard input and output. One thread reads; each call of a tool has a thread of its own.

The library `mcp` is not imported here, because that takes longer than all other work of a start:
docs/decisions/42-mcp-over-standard-input-and-output.md
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Final

from devs_git.domain.text import limits
from devs_git.entrypoints import console
from devs_git.entrypoints.bugs import as_devs_error
from devs_git.entrypoints.mcp import messages
from devs_git.entrypoints.mcp.messages import Message, Number, Refused
from devs_git.entrypoints.mcp.protocol import Call, Protocol
from devs_git.entrypoints.tools import calling

# As many as the library has for its HTTP server.
THREADS: Final = 40
# A client that reads nothing must not stop a move of the working tree.
PROGRESS_SECONDS: Final = 0.5
_LOG: Final = logging.getLogger("devs_git")


class Input:
    """Standard input, line by line. Descriptor 0 becomes the null device, so that no child process reads the client's messages."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(0), "rb")
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)

    def lines(self) -> Iterator[bytes]:
        """Each line; in the place of one that is longer than a message may be, a text that is no message."""
        most = limits.MESSAGE.most
        while line := self._stream.readline(most + 1):
            if len(line) <= most:
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(most)
            yield limits.MESSAGE.size_text.encode()


class Output:
    """Standard output, for whole lines. Descriptor 1 becomes standard error, so that nothing else gets among the messages."""

    def __init__(self) -> None:
        self._pipe = os.dup(1)
        os.dup2(2, 1)
        self._turn = threading.Lock()
        self.is_closed = False

    def send(self, line: bytes) -> None:
        """Write the line, however long the client takes to read it."""
        with self._turn:
            self._write(line)

    def offer(self, line: bytes, seconds: float) -> bool:
        """Write a short line if the client reads within this time; whether it did."""
        if not self._turn.acquire(timeout=seconds):
            return False
        try:
            ready = not self.is_closed and bool(select.select([], [self._pipe], [], seconds)[1])
            if ready:
                self._write(line)
            return ready
        finally:
            self._turn.release()

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest and not self.is_closed:
                rest = rest[os.write(self._pipe, rest) :]
        except OSError:
            self.is_closed = True
            _LOG.warning("nobody reads standard output any more")


class Running:
    """A call at work. `cancelled`: the client wants no answer any more; the call itself goes on to its end."""

    def __init__(self) -> None:
        self.cancelled = False
        self.work: Future[None] | None = None


class Connection:
    """One client, from its first message until standard input ends."""

    def __init__(self, where: Path, output: Output, threads: ThreadPoolExecutor) -> None:
        self._where, self._output, self._threads = where, output, threads
        self._protocol = Protocol()
        self._running: dict[str, Running] = {}

    def take(self, line: bytes) -> None:
        """Answer the message on this line, or begin to."""
        message = None
        try:
            message = messages.read(line)
            if message and message.number is None:
                self._cancel(self._protocol.notice(message))
            elif message:
                self._answer(message)
        except Refused as refused:
            if message is None:
                _LOG.warning("a line on standard input is not a message of MCP")
            self._output.send(messages.error(message.number if message else refused.number, refused))

    def _answer(self, message: Message) -> None:
        found = self._protocol.answer(message)
        if isinstance(found, Call):
            running = self._running[str(message.number)] = Running()
            running.work = self._threads.submit(self._call, message.number, found, running)
        else:
            self._output.send(messages.result(message.number, found))

    def _cancel(self, number: Number) -> None:
        # 7 and "7" are one id, as in the library: some clients write the one and some the other.
        running = self._running.get(str(number))
        if running:
            running.cancelled = True
            if running.work and running.work.cancel():
                del self._running[str(number)]

    def _call(self, number: Number, call: Call, running: Running) -> None:
        try:
            answer = calling.call(call.name, call.arguments, self._where, self._progress(call.token, running))
            line = messages.result(number, self._protocol.result_of(answer))
        except Exception as error:  # noqa: BLE001 - a client would wait for the answer for ever
            line = messages.error(number, Refused(messages.INTERNAL_ERROR, as_devs_error(error).message))
        if self._running.get(str(number)) is running:
            del self._running[str(number)]
        if not running.cancelled:
            self._output.send(line)

    def _progress(self, token: Number, running: Running) -> Callable[[str, int, int], None] | None:
        """A function that tells the client of long steps. None if the client gave no token."""
        if token is None:
            return None
        steps, listens = count(1), True

        def tell(what: str, _done: int, _total: int) -> None:
            nonlocal listens
            if listens and not running.cancelled:
                # Progress may only grow, and steps of several kinds follow each other, so count the steps.
                told = {"progressToken": token, "progress": next(steps), "message": what}
                line = messages.notification("notifications/progress", told)
                listens = self._output.offer(line, PROGRESS_SECONDS)

        return tell


def main(where: Path) -> int:
    """Serve until standard input ends. Only messages go to standard output. Calls that have begun end before this returns."""
    console.log(logging.WARNING, "devs-git: %(levelname)s: %(message)s")
    output = Output()
    with ThreadPoolExecutor(THREADS, "tool") as threads:
        connection = Connection(where, output, threads)
        for line in Input().lines():
            connection.take(line)
            if output.is_closed:
                break
    return 0
