"""Run the web application: listen, log the address, and end cleanly. The log goes to standard error."""

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

from devs_git.entrypoints import console
from devs_git.entrypoints.http.app import application
from devs_git.entrypoints.http.border import Rules
from devs_git.entrypoints.http.feed import Feed
from devs_git.errors import invalid

GRACE_SECONDS: Final = 2
LAST_SECONDS: Final = 3.5
_LOG: Final = logging.getLogger("devs_git.http")


class Server(uvicorn.Server):
    """A uvicorn server that ends streams when it has to end, and exits in any case after LAST_SECONDS."""

    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self.feed = feed

    def end(self) -> None:
        """End the server from another thread: streams at once, other requests after their answers."""
        self.should_exit = True
        self.feed.end()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.feed.end()
        # A tool that still writes is killed, as by a loss of power. The next command recovers.
        end = threading.Timer(LAST_SECONDS, os._exit, (0,))
        end.daemon = True
        end.start()


def main(where: Path, rules: Rules, port: int) -> int:
    """Serve until SIGTERM or an interrupt. INVALID_ARGUMENTS if the port cannot be opened."""
    console.log(logging.INFO, "%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("mcp", "uvicorn.error"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    with listen(rules.host, port) as listening_socket:
        signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises the signal again at its end
        return asyncio.run(_serve(where, rules, listening_socket))


async def _serve(where: Path, rules: Rules, listening_socket: socket.socket) -> int:
    feed = Feed(where)
    config = uvicorn.Config(
        application(where, rules, feed),
        log_config=None,
        lifespan="on",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    _LOG.info("serving %s at http://%s/mcp", where.name, _address(rules.host, listening_socket))
    await Server(config, feed).serve(sockets=[listening_socket])
    return 0


def _address(host: str, listening_socket: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{listening_socket.getsockname()[1]}"


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket; INVALID_ARGUMENTS if that fails (uvicorn would exit without our error).

    TCP_NODELAY is set here, because asyncio sets it only for sockets that name their protocol. Without it, each answer on
    a kept connection waits 40 ms for the client's acknowledgement.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.create_server(place[:2], family=family)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except socket.gaierror as error:
        raise invalid("host", f"{host} is not an address of this machine.") from error
    except OSError as error:
        raise invalid(
            "port", f"The server cannot listen on {host}, port {port}: {os.strerror(error.errno or 0)}."
        ) from error
    return opened
