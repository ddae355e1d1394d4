"""A network namespace that has nothing but the loopback, where the machine allows one.

`python -m tests.clients.network COMMAND…` runs the command in it. The command finds in `DEVS_TEST_NETWORK` which network
it has; `description()` reads it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from typing import Final, NoReturn

# For a client in the machine's own network: a proxy that is not there stands before everything but the loopback.
CLOSED_PROXY: Final = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
}
_VARIABLE: Final = "DEVS_TEST_NETWORK"
_INSIDE: Final = "--inside"
# As root; else as a user who keeps his id, with the right to raise the loopback, in a namespace of users.
_WAYS: Final = (("unshare", "--net"), ("unshare", "--user", "--map-current-user", "--keep-caps", "--net"))
# linux/sockios.h, linux/if.h
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
# linux/prctl.h
_AMBIENT, _CLEAR_ALL = 47, 4


def main(arguments: list[str]) -> NoReturn:
    """Run the command in this process's place."""
    if arguments[0] == _INSIDE:
        _raise_loopback()
        # The sandbox of Codex refuses to start for a user who has rights that are not his.
        ctypes.CDLL(None).prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
        os.environ[_VARIABLE] = arguments[1]
        _become(arguments[2:])
    way = next(filter(_works, _WAYS), None)
    if way is None:
        os.environ[_VARIABLE] = "the machine's own, because it allows no network namespace"
        _become(arguments)
    said = f"a namespace of its own with nothing but the loopback ({' '.join(way)})"
    _become([*way, sys.executable, "-m", "tests.clients.network", _INSIDE, said, *arguments])


def description() -> str:
    """Which network this process has, in words."""
    return os.environ.get(_VARIABLE, "the machine's own: make test-clients would ask for a namespace")


def is_closed() -> bool:
    """Whether this process sees no interface but the loopback."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def _become(command: list[str]) -> NoReturn:
    os.execvp(command[0], command)  # noqa: S606 - a list, never a shell


def _works(way: tuple[str, ...]) -> bool:
    """Whether this machine lets us have the namespace, and raise the loopback in it."""
    if shutil.which(way[0]) is None:
        return False
    command = [*way, sys.executable, "-m", "tests.clients.network", _INSIDE, "", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, _GET_FLAGS, asked))[1]
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


if __name__ == "__main__":
    main(sys.argv[1:])
