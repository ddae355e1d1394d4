"""Listen, tell where, and end well: what runs the web application. Standard error is the log."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn

from devs_git.entrypoints.cli.texts import console
from devs_git.entrypoints.http.app import application
from devs_git.entrypoints.http.border import Rules
from devs_git.entrypoints.http.feed import Feed
from devs_git.errors import invalid

GRACE_SECONDS: Final = 2
LAST_SECONDS: Final = 3.5
_LOG: Final = logging.getLogger("devs_git.http")


class Server(uvicorn.Server):
    """uvicorn that ends streams when it is told to end, and itself in any case."""

    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self.feed = feed

    def end(self) -> None:
        """End from another thread: streams at once, other requests when they are answered."""
        self.should_exit = True
        self.feed.end()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.feed.end()
        # A tool that still writes is cut off as by a power cut, which every next command mends.
        end = threading.Timer(LAST_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()


def main(where: Path, rules: Rules, port: int) -> int:
    """Serve until SIGTERM or an interrupt; INVALID_ARGUMENTS where nobody can listen there."""
    console.log(logging.INFO, "%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("mcp", "uvicorn.error"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    with listen(rules.host, port) as ear:
        signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again once all is over
        return asyncio.run(_serve(where, rules, ear))


async def _serve(where: Path, rules: Rules, ear: socket.socket) -> int:
    feed = Feed(where)
    config = uvicorn.Config(
        application(where, rules, feed),
        log_config=None,
        lifespan="on",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    _LOG.info("serving %s at http://%s/mcp", where.name, _address(rules.host, ear))
    await Server(config, feed).serve(sockets=[ear])
    return 0


def _address(host: str, ear: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{ear.getsockname()[1]}"


def listen(host: str, port: int) -> socket.socket:
    """The socket, bound here, so that a port in use is our own refusal and not uvicorn's exit.

    What it accepts sends at once: asyncio sees to that only for sockets that name their protocol, and without it each
    answer on a kept connection waits 40 ms for the client's acknowledgement.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        ear = socket.create_server(place[:2], family=family)
        ear.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except socket.gaierror as error:
        raise invalid("host", f"{host} is no address of this machine.") from error
    except OSError as error:
        raise invalid(
            "port", f"Nobody can listen on {host}, port {port}: {os.strerror(error.errno or 0)}."
        ) from error
    return ear
