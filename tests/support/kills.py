"""Kill a verb at a chosen step or moment; `tests.support.repository_contents` tells what the repository holds afterwards.

Run as a program it is the driver: one interpreter that forks a child for each order it reads, so that every child is
a process of its own whose `kill -9` is a real one, without an interpreter's start each time.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.verbs import verb as row_of
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree import positions
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.hanging_git import runs
from tests.support.repository_contents import blob, differences, git, litter, state, stored_oids
from tests.support.scene import contents

ROOT = Path(__file__).parent.parent.parent
SLOW = 60.0
positions.PACKED_REFS_QUIET_SECONDS = 0.3  # ten seconds in the field: only patience differs


def _child(order: dict[str, Any], told: int) -> None:
    """Run the verb of an order; SIGKILL ourselves before its `at`-th step. Steps and outcome are written to `told`."""
    steps: list[str] = []
    said: list[str] = []

    def progress(what: str, _done: int, _total: int) -> None:
        os.write(told, json.dumps({"step": what}).encode() + b"\n")
        if len(steps) == order.get("at"):
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(what)

    os.environ.clear()
    os.environ.update(order["environment"])
    if "file_size" in order:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], order["file_size"]))
    outcome: dict[str, Any] = {"error": None}
    try:
        workspace = replace(Workspace.open(Path(order["top"])), progress=progress, say=said.append)
        module = importlib.import_module(row_of(order["verb"]).module)
        router.call(order["verb"], workspace, module.Request(**order["request"]))
    except DevsError as error:
        outcome = {"error": error.code, "message": error.message}
    except GitFailed as error:
        # A git that only read was killed before the verb had begun: our own bug is what is not told as killed.
        outcome = {"error": "GIT_KILLED" if error.status < 0 else "CRASH", "message": repr(error)}
    except BaseException as error:  # noqa: BLE001 - whatever it is, the test must hear of it
        outcome = {"error": "CRASH", "message": repr(error)}
    os.write(told, json.dumps({**outcome, "said": said}).encode() + b"\n")


def _offspring(pid: int) -> list[int]:
    """All living children of a process, theirs included, the git ones first."""
    found = _children(pid)
    for child in found:
        found.extend(_children(child))
    return found


def _children(pid: int) -> list[int]:
    """Those that a process has started, without the dead ones that it has not waited for yet."""
    try:
        files = [*Path(f"/proc/{pid}/task").glob("*/children")]
        started = [int(word) for file in files for word in file.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []  # it is gone
    return [child for child in started if runs(child)]


def _kill(pid: int, whom: str) -> list[int]:
    """SIGKILL `us`, the `git` children or `both`; returns who was meant."""
    meant = [] if whom == "us" else _offspring(pid)
    meant += [] if whom == "git" else [pid]
    for victim in meant:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    return meant


def _drive(order: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        _child(order, writing)
        os._exit(0)
    os.close(writing)
    begun, killed, text = time.monotonic(), False, b""
    while True:
        due = order.get("kill_after")
        left = max(0.0, due - (time.monotonic() - begun)) if due is not None and not killed else SLOW
        if not select.select([reading], [], [], left)[0]:
            if due is None or killed:
                _kill(pid, "both")
            killed = True
            _kill(pid, order.get("whom", "both"))
            continue
        data = os.read(reading, 65536)
        if not data:
            break
        text += data
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    lines = [json.loads(line) for line in text.splitlines()]
    found: dict[str, Any] = {"error": "", "said": [], "seconds": time.monotonic() - begun}
    found["killed"] = os.WIFSIGNALED(status)
    found["steps"] = [line["step"] for line in lines if "step" in line]
    for line in lines:
        found.update({} if "step" in line else line)
    return found


def main() -> None:
    for name in ("rewind", "undo", "checkout", "restore", "status", "doctor"):
        importlib.import_module(f"devs_git.commands.{name}")
    importlib.import_module("pygit2")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_drive(json.loads(line))) + "\n")
        sys.stdout.flush()


class Driver:
    """The driver as its tests see it."""

    def __init__(self, *prefix: str) -> None:
        self.child = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.support.kills"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, top: Path, verb: str, request: dict[str, Any], **order: Any) -> dict[str, Any]:
        """Run a verb there. `at`: die before that step; `kill_after` seconds kill `whom`; `env`: its environment."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        order["environment"] = {**os.environ, **order.pop("env", {})}  # each test has its own
        order |= {"top": str(top), "verb": verb, "request": request}
        self.child.stdin.write(json.dumps(order) + "\n")
        self.child.stdin.flush()
        found: dict[str, Any] = json.loads(self.child.stdout.readline())
        assert found["error"] != "CRASH", found
        return found

    def close(self) -> None:
        self.child.communicate()


@contextlib.contextmanager
def driver(*prefix: str) -> Iterator[Driver]:
    """A driver; `prefix` is a program that starts it with less than we may do."""
    opened = Driver(*prefix)
    try:
        yield opened
    finally:
        opened.close()


def with_thorough(kept: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """Parameters of a test: `make test` takes `kept` and leaves out `others`."""
    return [*kept, *(pytest.param(value, marks=pytest.mark.thorough) for value in others)]


@dataclass
class Stage:
    """A repository before a verb, the states that it may be in afterwards, and how often it was tried."""

    top: Path
    verb: str
    request: dict[str, Any]
    drive: Driver
    old: dict[str, Any] = field(init=False)
    new: dict[str, Any] = field(init=False)
    steps: list[str] = field(init=False)
    seconds: float = field(init=False)
    before: set[str] = field(init=False)
    runs: int = 0
    ends: dict[str, int] = field(default_factory=lambda: {"old": 0, "new": 0})

    def __post_init__(self) -> None:
        self.old, self.before = state(self.top), stored_oids(self.top)
        twin = self.twin()
        done = self.drive(twin, self.verb, self.request)
        assert done["error"] is None, done
        self.new, self.steps, self.seconds = state(twin), done["steps"], done["seconds"]
        assert self.old != self.new
        assert litter(twin) == []
        lost = self.before - stored_oids(twin)
        assert not lost, {
            oid: [name for name, (_kind, data) in contents(self.top).items() if blob(data) == oid]
            for oid in lost
        }

    def twin(self) -> Path:
        """A fresh copy to kill."""
        copy = self.top.with_name("twin")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.top, copy, symlinks=True)
        git(copy, "update-index", "-q", "--refresh", ok=(0, 1))
        return copy

    def run(self, top: Path, **order: Any) -> dict[str, Any]:
        self.runs += 1
        return self.drive(top, self.verb, self.request, **order)

    def settle(self, top: Path, note: object) -> str:
        """Run the next command, then check everything; 'old' or 'new', where the repository ended."""
        after = self.drive(top, "status", {})
        assert after["error"] is None, (note, after)
        return self.check(top, note)

    def check(self, top: Path, note: object) -> str:
        now = state(top)
        assert now in (self.old, self.new), (note, differences(now, self.old), differences(now, self.new))
        left = litter(top)
        assert not left, (note, left)
        assert git(top, "fsck", "--no-dangling", "--no-progress") == "", note
        lost = self.before - stored_oids(top)
        assert not lost, (note, lost)
        end = "old" if now == self.old else "new"
        self.ends[end] += 1
        return end


if __name__ == "__main__":
    main()
