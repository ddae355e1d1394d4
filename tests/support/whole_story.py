"""A repository in which three agents and a person work for a while, and a record of what they did that devs-git did not make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.agent_server import AgentServer
from tests.support.git_calls import git
from tests.support.terminal_person import at_terminal
from tests.support.two_agents import Agent

FILES, COMMITS = 2000, 300
TAS = "# TAS\n\n## 1 Names\nold names\n\n## 2 Dates\nold dates\n"
# A row of the history: type, subtype, task, and the path if it is the row of a file.
Row = tuple[str, str, str, str]


def make_repository(top: Path) -> None:
    """A repository with FILES files and COMMITS commits on `main`, and the TAS."""
    git("init", "-q", os.fspath(top), where=top.parent)
    stream = ["feature done\n"]
    for number in range(COMMITS):
        stream.append(
            f"commit refs/heads/main\ncommitter Ada <ada@example.org> {978307200 + number} +0000\n"
            f"data <<E\nWork {number}\nE\n"
        )
        # The first commit makes all files, and each later one changes three of them.
        stream.extend(
            f"M 100644 inline src/{file % 40}/{file}.py\ndata <<E\n{file} {number}\nE\n\n"
            for file in (range(FILES) if number == 0 else range(number, FILES, FILES // 3))
        )
    stream.append(f"M 100644 inline TAS.md\ndata {len(TAS)}\n{TAS}\ndone\n")
    git("fast-import", "--quiet", "--done", where=top, stdin="".join(stream))
    git("reset", "-q", "--hard", "main", where=top)


def run(where: Path, *words: str, ok: Iterable[int] = (0,)) -> dict[str, Any]:
    """What `devs-git words --json` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *words, "--json"],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in tuple(ok), (words, done.stdout, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@dataclass
class Worker:
    """An agent in its own worktree: its client calls the hooks, and its MCP server has the tools."""

    agent: Agent
    server: AgentServer
    story: Story

    @property
    def top(self) -> Path:
        return self.agent.top

    def start(self, task: str, title: str) -> None:
        self.hears(title)
        self.server.call("start_task", task_id=task, title=title)
        self.story.note("task", "created", task)

    def hears(self, words: str) -> None:
        self.agent.prompt(words)
        # A prompt of Codex is in no transcript here.
        self.story.said += [f"user: {words}"] if self.agent.client == "claude" else []

    def edit(self, **files: str) -> None:
        """Write files with the client's own tool; `a_py` is a.py."""
        for name, text in files.items():
            self.agent.edit(name.replace("_", "."), text)

    def complete(self, task: str, *paths: str, change: str = "added") -> None:
        self.server.call("commit_task", task_id=task, message=f"Work of task {task}")
        self.story.files(task, change, *paths)
        self.story.note("task", "completed", task)

    def checkpoint(self, task: str, *paths: str, change: str = "added") -> None:
        self.server.call("create_checkpoint", message=f"A part of task {task}")
        self.story.files(task, change, *paths)
        self.story.note("checkpoint", "created", task)


@dataclass
class Story:
    """The clone `top` with its worktrees, and the record `rows` in the order in which it was done."""

    top: Path
    rows: list[Row] = field(default_factory=list)
    rows_of_bob: list[Row] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def note(self, kind: str, subtype: str, task: str = "") -> None:
        self.rows.append((kind, subtype, f"task-{task}" if task else "", ""))

    def by_bob(self, kind: str, subtype: str, task: str = "", path: str = "") -> None:
        """Note what Bob did in another clone."""
        self.rows_of_bob.append((kind, subtype, f"task-{task}" if task else "", path))

    def files(self, task: str, change: str, *paths: str) -> None:
        self.rows.extend(("file", change, f"task-{task}", path) for path in sorted(paths, reverse=True))

    def worktree(self, name: str) -> Path:
        git("worktree", "add", "-q", "-b", name, f"../{name}", where=self.top)
        return self.top.parent / name

    def person(self, *words: str, typed: str = "y\n") -> str:
        """A person at a terminal in the first worktree."""
        status, shown = at_terminal(self.top, *words, typed=typed)
        assert status == 0, shown
        return shown

    def history(self) -> list[dict[str, Any]]:
        """All rows of `history`, page by page, oldest first."""
        rows: list[dict[str, Any]] = []
        cursor: tuple[str, ...] = ()
        while True:
            page = run(self.top, "history", "--limit", "7", *cursor)
            rows.extend(page["events"])
            if not page["next_cursor"]:
                return rows[::-1]
            cursor = ("--cursor", page["next_cursor"])
