"""A ledger of thousands of checkpoints, copied from the events, files and tags of one real task.

Recording them one by one would take minutes; `git fast-import` writes the same objects in seconds. Only the newest events
are written by the commands themselves, for parts that ask for it.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import Bench
from bench.repositories import BEGIN
from bench.subjects import OURS
from devs_git.domain.ledger.ids import task_file

LEDGER = "refs/heads/devs/ledger"
PER_TASK = 4  # checkpoints of the real task, its completion among them
NAME = "Ada <ada@example.org>"
WHO = f"{NAME} {BEGIN} +0000"


# An event a minute: git stops a walk by the dates of commits, and `history` finds a day.
STEP = 60
DATES = ("env", f"GIT_AUTHOR_DATE={BEGIN} +0000", f"GIT_COMMITTER_DATE={BEGIN} +0000")


@dataclass(frozen=True)
class Written:
    """What the commands took for the newest events: how many, and for one its milliseconds and bytes of loose objects."""

    events: int
    wall: float
    size: float


def make(bench: Bench, name: str, checkpoints: int) -> Path:
    """A repository with `checkpoints` checkpoints, refs packed; its folder."""
    top = bench.folder / name
    top.mkdir()
    _real_task(bench, top)
    tasks = checkpoints // PER_TASK
    tags = _tags(bench, top, tasks)
    _events(bench, top, tags)
    moves = [
        f"update refs/devs/checkpoints/task-{task}/{number} {tag}"
        for (task, number), (tag, _, _) in tags.items()
    ]
    moves += [
        f"update refs/tags/devs/task-{task} {tag}" for (task, n), (tag, _, _) in tags.items() if n == PER_TASK
    ]
    moves += [f"delete refs/tags/bench/{task}/{number}" for task, number in tags]
    bench.run("git", "update-ref", "--stdin", where=top, stdin="\n".join(moves).encode() + b"\n")
    bench.run("git", "pack-refs", "--all", where=top)
    bench.run("git", "reset", "-q", "--hard", where=top)
    return top


def make_and_work(bench: Bench, name: str, checkpoints: int, events: int) -> tuple[Path, Written]:
    """The same, of which the last `events` events are written by the commands; and what these took."""
    tasks = events // (PER_TASK + 1)
    top = make(bench, name, checkpoints - tasks * PER_TASK)
    return top, _work(bench, top, tasks)


def commits_without_files(bench: Bench, top: Path, count: int) -> None:
    """A branch of `count` commits with the empty tree and no more than a subject."""
    parts = [
        f"commit refs/heads/events\ncommitter {NAME} {BEGIN + STEP * mark} +0000\n".encode()
        + _block(f"Event {mark}\n")
        for mark in range(count)
    ]
    bench.run("git", "fast-import", "--quiet", where=top, stdin=b"".join(parts))


def _work(bench: Bench, top: Path, tasks: int) -> Written:
    """Whole tasks by the commands, as an agent calls them. Their size is that of what lies in the ledger afterwards."""
    before = bench.run("git", "rev-parse", LEDGER, where=top)
    # The first command judges the ledger that was made here.
    bench.run(OURS, "status", where=top)
    begun = time.perf_counter()
    for task in range(1, tasks + 1):
        _one_task(bench, top, f"by-hand-{task}", "Parse the dates of the reports")
    wall = (time.perf_counter() - begun) * 1000
    new = bench.run("git", "rev-list", "--objects", f"{before}..{LEDGER}", where=top)
    oids = "".join(f"{line.split()[0]}\n" for line in new.splitlines()).encode()
    sizes = bench.run("git", "cat-file", "--batch-check=%(objectsize:disk)", where=top, stdin=oids)
    events = int(bench.run("git", "rev-list", "--count", f"{before}..{LEDGER}", where=top))
    return Written(events, wall / events, sum(map(int, sizes.split())) / events)


def _real_task(bench: Bench, top: Path) -> None:
    bench.run("git", "init", "-q", where=top)
    bench.run(*DATES, "git", "commit", "-q", "--allow-empty", "-m", "base", where=top)
    bench.run(OURS, "init", where=top)
    _one_task(bench, top, "1", "Parse the dates of the reports", *DATES)


def _one_task(bench: Bench, top: Path, task: str, title: str, *env: str) -> None:
    """PER_TASK + 1 events."""
    bench.run(OURS, "task", "start", task, "--title", title, where=top)
    for number in range(1, PER_TASK + 1):
        (top / "work.py").write_text(f"task = {task!r}, {number}\n")
        verb = ("task", "complete") if number == PER_TASK else ("checkpoint",)
        bench.run(*env, OURS, *verb, "--all", "-m", f"Parse the dates, part {number}", where=top)


def _block(text: str) -> bytes:
    data = text.encode()
    return b"data %d\n%s\n" % (len(data), data)


def _tags(bench: Bench, top: Path, tasks: int) -> dict[tuple[int, int], tuple[str, str, str]]:
    """Commits on main and a tag object on each; tag, commit and tree by task and number."""
    found = {
        n: bench.run("git", "cat-file", "tag", f"refs/devs/checkpoints/task-1/{n}", where=top)
        for n in range(1, 5)
    }
    parts = []
    for task in range(2, tasks + 2):
        for number in range(1, PER_TASK + 1):
            mark = task * PER_TASK + number
            parts.append(
                f"commit refs/heads/main\nmark :{mark}\ncommitter {NAME} {BEGIN + STEP * mark} +0000\n".encode()
                + _block(f"Work {mark}\n")
            )
            parts.append(b"" if len(parts) > 1 else b"from refs/heads/main^0\n")
            parts.append(b"M 100644 inline work.py\n" + _block(f"number = {mark}\n"))
            message = found[number].partition("\n\n")[2].replace("task-1", f"task-{task}")
            parts.append(
                f"tag bench/{task}/{number}\nfrom :{mark}\ntagger {WHO}\n".encode() + _block(message + "\n")
            )
    bench.run("git", "fast-import", "--quiet", "--force", where=top, stdin=b"".join(parts))
    form = "--format=%(refname) %(objectname) %(*objectname) %(*tree)"
    lines = bench.run("git", "for-each-ref", form, "refs/tags/bench", where=top).splitlines()
    tags = {}
    for ref, tag, commit, tree in (line.split() for line in lines):
        *_, of_task, at = ref.split("/")
        tags[int(of_task), int(at)] = (tag, commit, tree)
    return dict(sorted(tags.items()))


def _time(mark: int) -> str:
    """The time of an event as events write it."""
    return f"{datetime.fromtimestamp(BEGIN + STEP * mark, UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def _events(bench: Bench, top: Path, tags: dict[tuple[int, int], tuple[str, str, str]]) -> None:
    """The real task's events again for each task: its start with its file, then its checkpoints."""
    raw = bench.run(
        "git", "rev-list", "--reverse", "--format=%B%x00", "--no-commit-header", LEDGER, where=top
    )
    real = [text.strip("\n") + "\n" for text in raw.split("\0") if "\nDevs-Task: task-1\n" in text]
    start, points = real[0], real[-PER_TASK:]
    path = bench.run("git", "ls-tree", "-r", "--name-only", LEDGER, "work/", where=top)
    file = bench.run("git", "show", f"{LEDGER}:{path}", where=top) + "\n"
    parts: list[bytes] = []

    def event(message: str, task: int, mark: int) -> str:
        at = datetime.fromtimestamp(BEGIN + STEP * mark, UTC)
        # An operation writes one event, so a start has another id than the first checkpoint.
        op_id = f"{at:%Y%m%dT%H%M%S}-{mark:07x}{int(message is start)}"
        message = message.replace("task-1", f"task-{task}")
        for key, value in (("Op", op_id), ("Started", _time(mark)), ("Finished", _time(mark))):
            message = re.sub(rf"(?m)^Devs-{key}: .*$", f"Devs-{key}: {value}", message)
        head = f"commit {LEDGER}\ncommitter {NAME} {BEGIN + STEP * mark} +0000\n".encode() + _block(message)
        parts.append(head + (b"" if parts else f"from {LEDGER}^0\n".encode()))
        return op_id

    for (task, number), (tag, commit, tree) in tags.items():
        mark = task * PER_TASK + number
        if number == 1:
            op_id = event(start, task, mark)
            text = re.sub(
                "(?m)^created_at: .*$", f'created_at: "{_time(mark)}"', file.replace("task-1", f"task-{task}")
            )
            parts.append(f"M 100644 inline {task_file(f'task-{task}', op_id, 2)}\n".encode() + _block(text))
        message = points[number - 1]
        for key, oid in (("Tag", tag), ("Commit", commit), ("Tree", tree)):
            message = re.sub(rf"(?m)^Devs-{key}: .*$", f"Devs-{key}: {oid}", message)
        event(message, task, mark)
    bench.run("git", "fast-import", "--quiet", "--force", where=top, stdin=b"".join(parts))
