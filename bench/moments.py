"""What a moment costs: the whole hook of a prompt, and of a shell's call, beside `git status` and the checkpoint of two other tools.

The hook is the command that `agent install claude` wrote, with a payload as Claude Code 2.1 sends it. Where files changed, the
time of a call is that from the start of the hook until it ends and the moment is made; a prompt waits until all files are
read, and a row of its own has the time until its moment is made.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bench import repositories
from bench.checkpoints import Checkpoints, names
from bench.measure import Arm, Bench, Command, Sample, median
from bench.report import Row
from bench.subjects import OURS
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.moments import moment_store, read_moments
from devs_git.workspace import Workspace

CHANGED: Final = 10
UNTRACKED: Final = 5
STATUS: Final = "git status"
PROMPT: Final = "prompt"
MADE: Final = "prompt, until it is made"
CALL: Final = "call of a shell"
STATUS_WORDS: Final = ("git", "status", "--porcelain")
# Text files are then converted, so that git's sizes say nothing about the bytes of a file.
CONVERTED: Final = "* text=auto\n"
CLIENT: Final = CLIENTS["claude"]


def unchanged(bench: Bench, rounds: int) -> list[Row]:
    """Nothing has changed since the last moment: at most `git status` + 10 ms, without Python."""
    rows = []
    for files in (2_000, 20_000):
        for attributes in ("", CONVERTED):
            top, _ = _project(bench, f"unchanged {files}{' text' * bool(attributes)}", files, attributes)
            hook = _prompt(bench, top)
            _check_no_python(bench, top)
            ours, status, more = bench.over(hook, Arm(STATUS, (STATUS_WORDS,), top), rounds=rounds * 5)
            name = f"prompt, nothing changed, {files:,} files{', text=auto' * bool(attributes)}"
            rows.append(Row(name, ours, STATUS, status, more, bound=10, note="more"))
    return rows


def changed(bench: Bench, rounds: int, peers: Path | None) -> list[Row]:
    """Ten files changed: a moment is made in at most 60 ms in 2,000 files, and 150 ms in 20,000; the other tools take longer.

    The same before a call of a shell: the command runs after the moment is made.
    """
    rows = []
    for files, bound in ((2_000, 60), (20_000, 150)):
        for attributes in ("", CONVERTED):
            text = ", text=auto" * bool(attributes)
            top, paths = _project(bench, f"changed {files}{text}", files, attributes)
            found = _side_by_side(bench, rounds * 2, peers if not attributes else None, top, paths)
            for kind in (PROMPT, CALL):
                ours, name = found[kind], f"{kind}, {CHANGED} files changed, {files:,} files{text}"
                rows.append(Row(name, ours, STATUS, found[STATUS], ours, bound=bound))
                if kind == PROMPT:
                    made = found[MADE]
                    rows.append(Row(f"{name}, until it is made", made, STATUS, found[STATUS], made))
                rows += [
                    Row(name, ours, label, found[label], ours / found[label], "x", 1.0)
                    for label in names(found)
                ]
    return rows


def _side_by_side(
    bench: Bench, rounds: int, peers: Path | None, top: Path, paths: list[str]
) -> dict[str, float]:
    """The medians of our hooks, of `git status` after them, and of the other tools, each with ten files changed before."""
    turns, before = itertools.count(), _count(top)
    hooks = {PROMPT: _prompt(bench, top), CALL: _call(bench, top)}
    with Checkpoints(bench, peers, top) as others:
        ways: dict[str, Callable[[], float]] = {
            PROMPT: lambda: bench.sample(hooks[PROMPT].commands[0], top).wall,
            MADE: lambda: _until_made_in(bench, hooks[PROMPT], top),
            CALL: lambda: _until_made_in(bench, hooks[CALL], top),
            STATUS: lambda: bench.sample(STATUS_WORDS, top).wall,
            **others.ways,
        }
        took: dict[str, list[float]] = {label: [] for label in ways}
        for turn in range(rounds + 1):
            for label, work in ways.items():
                if label != STATUS:
                    _change(others.places.get(label, top), paths, next(turns))
                milliseconds = work()
                if turn:
                    took[label].append(milliseconds)
                _until_made(top)
    if _count(top) - before != 3 * (rounds + 1):
        raise SystemExit(f"The hook made {_count(top) - before} moments in {rounds + 1} prompts and calls.")
    return {label: statistics.median(values) for label, values in took.items()}


def first(bench: Bench, rounds: int) -> list[Row]:
    """The first moment of a repository of 20,000 files: the client waits at most 200 ms for the end of our output."""
    top, _ = _project(bench, "first", 20_000, CONVERTED)
    command = _prompt(bench, top).commands[0]
    hook, status = [], []
    for turn in range(rounds + 1):
        shutil.rmtree(top / ".git/devs/moments")
        shutil.rmtree(moment_store.folder(top / ".git"))
        waited = _wait(bench, command, top)
        _until_made(top)
        beside = bench.sample(STATUS_WORDS, top)
        if turn:
            hook.append(waited)
            status.append(beside)
    ours, theirs = median(hook).wall, median(status).wall
    worst = max(sample.wall for sample in hook)
    name = "prompt, first moment, 20,000 files"
    return [
        Row(name, ours, STATUS, theirs, ours, bound=200),
        Row(f"{name}, slowest", worst, STATUS, theirs, worst),
    ]


def _project(bench: Bench, name: str, files: int, attributes: str) -> tuple[Path, list[str]]:
    """A repository with our hooks in it, some untracked files and one moment."""
    top, names = repositories.make(bench, name, files)
    if attributes:
        (top / ".gitattributes").write_text(attributes)
    bench.run(OURS, "init", where=top)
    bench.run(OURS, "agent", "install", CLIENT.name, where=top)
    bench.run("git", "add", "--all", where=top)
    bench.run("git", "commit", "-q", "-m", "Set up", where=top)
    for number in range(UNTRACKED):
        path = top / "notes" / f"note_{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Note {number}\n" * 50)
    bench.run(*STATUS_WORDS, where=top)
    # git reads files again that were written in the second of its index. A repository has seldom 2,000 of them.
    time.sleep(1.1)
    bench.run(*_prompt(bench, top).commands[0], where=top)
    _until_made(top)
    # What this repository and those before it wrote must not be written to the disk while hooks and neighbours are measured.
    os.sync()
    return top, names


def _prompt(bench: Bench, top: Path) -> Arm:
    """The hook of a prompt, as the client starts it. The payload is a file, not a pipe."""
    return _arm(bench, top, CLIENT.prompt, {"prompt": "Please make the parser faster, and run the tests."})


def _call(bench: Bench, top: Path) -> Arm:
    """The hook before a call of the client's shell."""
    words = {"command": "npm run lint", "description": "Look for mistakes"}
    said = {"tool_name": "Bash", "tool_use_id": "toolu_01A09q90qw90lq917835lq9", "tool_input": words}
    return _arm(bench, top, CLIENT.before, said)


def _arm(bench: Bench, top: Path, event: str, said: dict[str, Any]) -> Arm:
    payload = bench.folder / f"{event} of {top.name}.json"
    common = {
        "session_id": "5f1d3d8e-0b0c-4a3e-9a55-b0c7a1f0a7d1",
        "transcript_path": str(bench.folder / "transcript.jsonl"),
        "cwd": str(top),
        "permission_mode": "default",
        "hook_event_name": event,
    }
    payload.write_text(json.dumps({**common, **said}))
    hooks = json.loads((top / CLIENT.hooks_file).read_text())["hooks"]
    line = hooks[event][0]["hooks"][0]["command"]
    return Arm(event, (("sh", "-c", f"{{ {line}\n}} <'{payload}'"),), top)


def _until_made_in(bench: Bench, hook: Arm, top: Path) -> float:
    """Milliseconds until the hook ends and the moment is made."""
    before, begun = _last(top), time.perf_counter()
    bench.sample(hook.commands[0], top)
    while _last(top) == before:
        time.sleep(0.001)
    return (time.perf_counter() - begun) * 1000


def _last(top: Path) -> bytes:
    """The file that names the newest moment; while one is made, its name is another one."""
    for name in ("last", "last.doubted"):
        with contextlib.suppress(OSError):
            return (top / ".git/devs/moments" / name).read_bytes()
    return b""


def _change(top: Path, names: list[str], turn: int) -> None:
    for name in names[turn % 50 :: len(names) // CHANGED][:CHANGED]:
        with (top / name).open("a") as stream:
            stream.write(f"# changed in turn {turn}\n")


def _wait(bench: Bench, command: Command, top: Path) -> Sample:
    """From the start of the hook until nothing holds its standard output and error any more, as clients wait."""
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=top, env=bench.env, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert done.returncode == 0
    return Sample((time.perf_counter() - begun) * 1000, 0, 0)


def _check_no_python(bench: Bench, top: Path) -> None:
    """Run the hook once with a script whose Python is a program that leaves a file."""
    mark, spy = bench.folder / "python-started", bench.folder / "spy"
    hook = top / ".git/devs/agent-hook"
    text = hook.read_text()
    python = re.findall(r"(\S+) -P -m devs_git hook moment", text)[0]
    spy.write_text(f"#!/bin/sh\n: >'{mark}'\nexec {python} \"$@\"\n")
    spy.chmod(0o755)
    hook.write_text(text.replace(python, shlex.quote(str(spy))))
    try:
        bench.run(*_prompt(bench, top).commands[0], where=top)
        if mark.exists():
            raise SystemExit("Python started although nothing had changed.")
        (top / "README.new").touch()
        bench.run(*_prompt(bench, top).commands[0], where=top)
        if not mark.exists():
            raise SystemExit("The look for a start of Python found none.")
    finally:
        hook.write_text(text)
    mark.unlink()
    _until_made(top)


def _count(top: Path) -> int:
    workspace = Workspace.open(top)
    return len(read_moments.list_moments(workspace.store_git, workspace.objects))


def _until_made(top: Path) -> None:
    """Wait until the moment that is made behind a prompt is there."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if (top / ".git/devs/moments/last").exists():
            with (top / ".git/devs/moments/lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
            return
        time.sleep(0.01)
    raise SystemExit("The hook made no moment.")
