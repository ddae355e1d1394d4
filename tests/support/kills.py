"""Kill a verb at a chosen step or moment, and check the repository afterwards (`tests.support.repository_contents`).

Run as a program, this module is the driver: it reads orders from standard input and forks a child for each. A child is a
real process that a real `kill -9` ends, and no interpreter has to start for it.
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
from devs_git.storage.worktree.interrupted import positions
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.hanging_git import runs
from tests.support.repository_contents import blob, differences, litter, state, stored_oids
from tests.support.scene import contents

ROOT = Path(__file__).parent.parent.parent
# Seconds after which a verb that still runs is killed, and the test fails.
LONGEST = 60.0
# devs-git waits so long for the lock of a dead git; the program has ten seconds.
positions.PACKED_REFS_QUIET_SECONDS = 0.3


def _run_order(order: dict[str, Any], output: int) -> None:
    """Run the verb of an order. Before step number `at`, SIGKILL this process. Each step, and the outcome, is one line of `output`."""
    steps: list[str] = []
    said: list[str] = []

    def progress(what: str, _done: int, _total: int) -> None:
        os.write(output, json.dumps({"step": what}).encode() + b"\n")
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
        # A git that only reads was killed. Any other failure of git is a bug of ours.
        outcome = {"error": "GIT_KILLED" if error.status < 0 else "CRASH", "message": repr(error)}
    except BaseException as error:  # noqa: BLE001 - the test must get each error
        outcome = {"error": "CRASH", "message": repr(error)}
    os.write(output, json.dumps({**outcome, "said": said}).encode() + b"\n")


def _descendants(pid: int) -> list[int]:
    """The running children of a process, and then the children of these."""
    found = _children(pid)
    for child in found:
        found.extend(_children(child))
    return found


def _children(pid: int) -> list[int]:
    """The running children of a process, without those that have ended."""
    try:
        files = [*Path(f"/proc/{pid}/task").glob("*/children")]
        started = [int(word) for file in files for word in file.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []  # it is gone
    return [child for child in started if runs(child)]


def _kill(pid: int, whom: str) -> list[int]:
    """SIGKILL the process (`us`), its descendants (`git`), or `both`; return the processes."""
    victims = [] if whom == "us" else _descendants(pid)
    victims += [] if whom == "git" else [pid]
    for victim in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    return victims


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    """Fork a child for the order, kill it as the order says, and return its steps and its outcome."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        _run_order(order, writing)
        os._exit(0)
    os.close(writing)
    started, killed, text = time.monotonic(), False, b""
    while True:
        due = order.get("kill_after")
        left = max(0.0, due - (time.monotonic() - started)) if due is not None and not killed else LONGEST
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
    found: dict[str, Any] = {"error": "", "said": [], "seconds": time.monotonic() - started}
    found["killed"] = os.WIFSIGNALED(status)
    found["steps"] = [line["step"] for line in lines if "step" in line]
    for line in lines:
        found.update({} if "step" in line else line)
    return found


def main() -> None:
    for name in ("rewind", "undo", "drop", "checkout", "restore", "conversation_rewind", "status", "doctor"):
        importlib.import_module(f"devs_git.commands.{name}")
    importlib.import_module("pygit2")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


class Driver:
    """A running driver. A call of it runs one verb."""

    def __init__(self, *prefix: str) -> None:
        self.child = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.support.kills"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, top: Path, verb: str, request: dict[str, Any], **order: Any) -> dict[str, Any]:
        """Run a verb in the repository `top`. `at`: it dies before that step. `kill_after`, `whom`: after so many seconds these
        processes are killed. `env` is added to the environment.
        """
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        # Each test has its own environment, and the driver runs for all of them.
        order["environment"] = {**os.environ, **order.pop("env", {})}
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
    """A driver. `prefix` is a program that starts it, for example without a right."""
    opened = Driver(*prefix)
    try:
        yield opened
    finally:
        opened.close()


def with_thorough(quick: Iterable[Any], thorough: Iterable[Any]) -> list[Any]:
    """Parameters of a test. `make test` runs only those of `quick`."""
    return [*quick, *(pytest.param(value, marks=pytest.mark.thorough) for value in thorough)]


@dataclass
class KilledVerb:
    """A verb to kill: the repository before it, its two allowed states afterwards (`old` and `new`), and how often each came."""

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
        copy = self.fresh_copy()
        done = self.drive(copy, self.verb, self.request)
        assert done["error"] is None, done
        self.new, self.steps, self.seconds = state(copy), done["steps"], done["seconds"]
        assert self.old != self.new
        assert litter(copy) == []
        lost = self.before - stored_oids(copy)
        assert not lost, {
            oid: [name for name, (_kind, data) in contents(self.top).items() if blob(data) == oid]
            for oid in lost
        }

    def fresh_copy(self) -> Path:
        """A copy of the repository in which the verb has not run yet."""
        copy = self.top.with_name("copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.top, copy, symlinks=True)
        git("update-index", "-q", "--refresh", ok=(0, 1), where=copy)
        return copy

    def run(self, top: Path, **order: Any) -> dict[str, Any]:
        self.runs += 1
        return self.drive(top, self.verb, self.request, **order)

    def recover_and_check(self, top: Path, note: object) -> str:
        """Run `status`, which recovers, and check the repository. Return the state that it has now: 'old' or 'new'."""
        after = self.drive(top, "status", {})
        assert after["error"] is None, (note, after)
        return self.check(top, note)

    def kill_recovery_at_each_step(self, name: str) -> Path:
        """Kill the verb before a step, then each recovery one step later than the one before; the repository, checked."""
        copy, at = self.fresh_copy(), 0
        self.run(copy, at=self.steps.index(name))
        while self.drive(copy, "status", {}, at=at)["killed"]:
            at += 1
            self.runs += 1
        self.recover_and_check(copy, (name, at))
        return copy

    def check(self, top: Path, note: object) -> str:
        now = state(top)
        assert now in (self.old, self.new), (note, differences(now, self.old), differences(now, self.new))
        left = litter(top)
        assert not left, (note, left)
        assert git("fsck", "--no-dangling", "--no-progress", where=top) == "", note
        lost = self.before - stored_oids(top)
        assert not lost, (note, lost)
        end = "old" if now == self.old else "new"
        self.ends[end] += 1
        return end


if __name__ == "__main__":
    main()
