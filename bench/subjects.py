"""What is measured: devs-git set up in a repository with two finished tasks, between which the rows move."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench import repositories
from bench.measure import Arm, Bench, Command

OURS = "devs-git"
START_UP = "start-up"


@dataclass(frozen=True)
class Subject:
    """A repository whose task-1 is `base` and whose task-2, some files later, is `tip`."""

    bench: Bench
    top: Path
    names: list[str]
    base: str
    tip: str

    def run(self, *command: str) -> str:
        return self.bench.run(*command, where=self.top)

    def refresh(self) -> None:
        """Let git look at every file once, so that no arm pays for what the one before it wrote."""
        self.run("git", "status", "--porcelain")

    def back_to_tip(self) -> None:
        """The state before the arm ran, after checking that the arm really restored task-1."""
        self.run("git", "add", "--all")
        if self.run("git", "diff", "--cached", "--name-only", self.base):
            raise SystemExit("An arm did not restore the files of task-1.")
        self.run("git", "reset", "-q", "--hard", self.tip)

    def arm(self, label: str, *commands: Command) -> Arm:
        """An arm that restores task-1's files with someone else's program."""
        return Arm(label, commands, self.top, self.refresh, self.back_to_tip)

    def ours(self, label: str = "devs-git") -> Arm:
        def undo() -> None:
            if self.run("git", "rev-parse", "HEAD") != self.base or self.run("git", "status", "--porcelain"):
                raise SystemExit("rewind did not restore task-1.")
            self.run(OURS, "undo", "--yes")

        return Arm(label, ((OURS, "rewind", "task-1", "--yes"),), self.top, self.refresh, undo)


def two_tasks(bench: Bench, name: str, files: int, changed: int) -> Subject:
    """A repository of `files` files, `changed` of which differ between its two tasks."""
    top, names = repositories.make(bench, name, files)

    def run(*command: str) -> str:
        return bench.run(*command, where=top)

    def task(number: str) -> str:
        run(OURS, "task", "start", number, "--title", f"Task {number}")
        run(OURS, "task", "complete", "--all", "-m", f"Finish {number}")
        return run("git", "rev-parse", "HEAD")

    run(OURS, "init")
    base = task("1")
    repositories.change(top, names, changed)
    return Subject(bench, top, names, base, task("2"))


def start_up(where: Path) -> Arm:
    return Arm(START_UP, ((OURS, "--version"),), where)


def empty_hooks(folder: Path, *names: str) -> Path:
    """A hooks folder whose hooks do nothing: what git itself takes for having them."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder
