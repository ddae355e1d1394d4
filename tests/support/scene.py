"""A repository with tasks for tests that move its tree, and how to look at it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devs_git.commands import task_complete, task_start
from devs_git.workspace import Workspace
from tests.support.git_calls import git


@dataclass(frozen=True)
class Scene:
    """One worktree at work."""

    workspace: Workspace

    @property
    def top(self) -> Path:
        return self.workspace.top

    def git(self, *args: str) -> str:
        return git(*args, where=self.top)

    def write(self, files: Mapping[str, str | None]) -> None:
        for name, text in files.items():
            path = self.top / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def task(self, task: str, files: Mapping[str, str | None]) -> str:
        """Start a task, write files, complete it; returns the commit."""
        opened = Workspace.open(self.top)
        task_start.run(opened, task_start.Request(task, title=f"task {task}"))
        self.write(files)
        return task_complete.run(
            opened, task_complete.Request(task, message=f"done {task}", everything=True)
        ).commit


def contents(top: Path) -> dict[str, tuple[str, bytes]]:
    """Kind and bytes of every file below `top`, git's and our folders left out."""
    found = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not (folder == str(top) and name in (".git", ".devs"))]
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in (*files, *links):
            path = Path(folder) / name
            key = os.fsencode(path.relative_to(top)).decode("utf-8", "surrogateescape")
            if path.is_symlink():
                found[key] = ("link", os.fsencode(path.readlink()))
            else:
                found[key] = (
                    "x" if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else "-",
                    path.read_bytes(),
                )
    return found
