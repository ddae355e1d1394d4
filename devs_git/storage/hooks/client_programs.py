"""Start a client's own program to ask it something: never one that the repository brought, and never for long."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from devs_git.storage.git.aliases import CALLED
from devs_git.storage.git.children import end_group
from devs_git.storage.git.git_settings import REPOSITORY_VARIABLES
from devs_git.storage.git.places import Places
from devs_git.storage.hooks.program_folders import Foreign

# A first start of Codex took 2.4 seconds, later ones 0.5.
SECONDS: Final = 8.0
# The answer for our five hooks has about 5 kB; a person may have many more.
_MOST: Final = 4 << 20
_PIECE: Final = 1 << 16
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9.-]*")


class NoAnswerError(Exception):
    """The client could not be asked; the message says why, in words for a person."""


def ask(
    words: tuple[str, ...], places: Places, method: str, params: Mapping[str, Any], most: int = _MOST
) -> Any:
    """The answer of a client's program to one request of JSON-RPC, a line each, after `initialize`. NoAnswerError.

    `most`: bytes that it may print. It runs in the folder `/`, so that it takes no folder of the repository for its own.
    """
    child = _start(words, places, stdin=subprocess.PIPE)
    try:
        return _conversation(child, " ".join(words), (method, params), most)
    finally:
        end_group(child, 0.5)


def installed_version(program: str, places: Places) -> str:
    """The version that a client's program tells (`2.1.330`); '' if it is not installed, or tells none in time."""
    try:
        child = _start((program, "--version"), places, stdin=subprocess.DEVNULL)
    except NoAnswerError:
        return ""
    try:
        told = child.communicate(timeout=SECONDS)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return ""
    finally:
        end_group(child, 0.5)
    found = _VERSION.search(told)
    return found[0] if found else ""


def find(name: str, places: Places) -> tuple[str, str]:
    """The path of a client's program, and the PATH for what it starts. NoAnswerError if there is none, or only the repository's."""
    foreign = Foreign(places)
    path = os.pathsep.join(foreign.folders())
    program = shutil.which(name, path=path)
    if program is None or not foreign.has(Path(program)):
        around = f" and in the repository around it, {foreign.around}," if foreign.around else ""
        passed_over = f"programs in this repository{around} do not count"
        raise NoAnswerError(f"there is no program `{name}` on the PATH ({passed_over})")
    return program, path


def run_at_terminal(words: tuple[str, ...], places: Places, folder: Path) -> int:
    """Run a client's program in a folder, with our terminal, until it ends. Its exit status, 128 and the number for a signal.

    NoAnswerError if it cannot be started.
    """
    program, _path = find(words[0], places)
    # The repository of an alias of git's is not that of the folder.
    ours = {*REPOSITORY_VARIABLES, CALLED}
    env = {name: value for name, value in os.environ.items() if name not in ours}
    try:
        child = subprocess.Popen([program, *words[1:]], cwd=folder, env=env)
    except OSError as error:
        raise NoAnswerError(f"{words[0]} cannot be started: {error.strerror}") from error
    # Ctrl-C at the terminal reaches the client, too, and is for it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status


def _start(words: tuple[str, ...], places: Places, *, stdin: int) -> subprocess.Popen[bytes]:
    program, path = find(words[0], places)
    try:
        return subprocess.Popen(
            [program, *words[1:]],
            cwd="/",
            # Its own `#!/usr/bin/env node` looks there, too.
            env={**os.environ, "PATH": path},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise NoAnswerError(f"{words[0]} cannot be started: {error.strerror}") from error


def _conversation(
    child: subprocess.Popen[bytes], name: str, request: tuple[str, Mapping[str, Any]], most: int
) -> Any:
    client = {"clientInfo": {"name": "devs-git", "version": "1"}}
    messages = (
        {"id": 0, "method": "initialize", "params": client},
        {"method": "initialized"},
        {"id": 1, "method": request[0], "params": request[1]},
    )
    assert child.stdin is not None
    lines = _lines(child, name, time.monotonic() + SECONDS, most)
    try:
        for message in messages:
            child.stdin.write(json.dumps(message).encode() + b"\n")
            child.stdin.flush()
            if "id" in message:
                answer = next((line for line in lines if line.get("id") == message["id"]), None)
                if answer is None or "result" not in answer:
                    raise NoAnswerError(f"{name} does not answer {message['method']}; it may be too old")
    except BrokenPipeError:
        raise NoAnswerError(f"{name} ended before it answered") from None
    return answer


def _lines(child: subprocess.Popen[bytes], name: str, until: float, most: int) -> Iterator[Mapping[str, Any]]:
    """The objects that the program prints, a line each; other lines are passed over. NoAnswerError at the limits."""
    assert child.stdout is not None
    read, rest = 0, b""
    while True:
        ready, _, _ = select.select([child.stdout], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise NoAnswerError(f"{name} gave no answer within {SECONDS:g} seconds")
        piece = os.read(child.stdout.fileno(), _PIECE)
        read += len(piece)
        if not piece:
            return
        if read > most:
            raise NoAnswerError(f"{name} answers more than {most >> 20} MiB")
        *whole, rest = (rest + piece).split(b"\n")
        yield from (found for found in map(_object, whole) if found)


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
