"""A ledger of thousands of checkpoints, copied from the events and tags of one real task.

Recording them one by one would take minutes; `git fast-import` writes the same objects in seconds.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench.measure import Bench
from bench.repositories import BEGIN
from bench.subjects import OURS
from devs_git.domain.ledger.ids import task_folders

LEDGER = "refs/heads/devs/ledger"
PER_TASK = 4  # checkpoints of the real task, its completion among them
NAME = "Ada <ada@example.org>"
WHO = f"{NAME} {BEGIN} +0000"


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
    return top


def _real_task(bench: Bench, top: Path) -> None:
    bench.run("git", "init", "-q", where=top)
    bench.run("git", "commit", "-q", "--allow-empty", "-m", "base", where=top)
    bench.run(OURS, "init", where=top)
    bench.run(OURS, "task", "start", "1", "--title", "Parse the dates of the reports", where=top)
    for number in range(1, PER_TASK + 1):
        (top / "work.py").write_text(f"number = {number}\n")
        verb = ("task", "complete") if number == PER_TASK else ("checkpoint",)
        bench.run(OURS, *verb, "--all", "-m", f"Parse the dates, part {number}", where=top)


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
                # Each a minute after the one before: git stops a walk by the dates of commits.
                f"commit refs/heads/main\nmark :{mark}\ncommitter {NAME} {BEGIN + 60 * mark} +0000\n".encode()
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


def _events(bench: Bench, top: Path, tags: dict[tuple[int, int], tuple[str, str, str]]) -> None:
    """The real task's events again for each task: its start, then its checkpoints."""
    raw = bench.run(
        "git", "rev-list", "--reverse", "--format=%B%x00", "--no-commit-header", LEDGER, where=top
    )
    real = [text.strip("\n") + "\n" for text in raw.split("\0") if "\nDevs-Task: task-1\n" in text]
    start, points = real[0], real[-PER_TASK:]
    names = bench.run("git", "ls-tree", "-r", "--name-only", LEDGER, "work/", where=top).splitlines()
    # As devs-git writes it, with its last line end.
    file = bench.run("git", "cat-file", "blob", f"{LEDGER}:{names[0]}", where=top) + "\n"
    parts: list[bytes] = []

    def event(message: str, task: int) -> None:
        head = f"commit {LEDGER}\ncommitter {WHO}\n".encode() + _block(message)
        parts.append(head + (b"" if parts else f"from {LEDGER}^0\n".encode()))
        if message.startswith(start[:8]):
            parts.append(
                f"M 100644 inline {task_folders(f'task-{task}')[-1]}/1.yaml\n".encode()
                + _block(file.replace("task-1", f"task-{task}"))
            )

    for (task, number), (tag, commit, tree) in tags.items():
        if number == 1:
            event(start.replace("task-1", f"task-{task}"), task)
        message = points[number - 1].replace("task-1", f"task-{task}")
        for key, oid in (("Tag", tag), ("Commit", commit), ("Tree", tree)):
            message = re.sub(rf"(?m)^Devs-{key}: .*$", f"Devs-{key}: {oid}", message)
        event(message, task)
    bench.run("git", "fast-import", "--quiet", "--force", where=top, stdin=b"".join(parts))
