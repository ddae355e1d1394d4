"""A small repository for one case of a rewind: two commits with a checkpoint each, a rewind to the first, and an undo.

Paths and contents are bytes, as in git and on the disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import rewind, undo
from devs_git.commands.rewind import Plan
from devs_git.commands.rewind import Result as Rewound
from devs_git.commands.undo import Result as Undone
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import ledgers

REFUSED = "GIT_RESET_FAILED"
Contents = dict[bytes, tuple[str, bytes]]


@dataclass(frozen=True)
class Link:
    """A symbolic link, in the place of the bytes of a file."""

    to: bytes


@dataclass(frozen=True)
class Executable:
    data: bytes


Files = Mapping[Any, bytes | Link | Executable | None]


@dataclass(frozen=True)
class Look:
    """The state of the repository that an undo must restore."""

    files: Contents
    index: bytes
    head: str
    branch: str
    tags: str
    active: str
    status: bytes

    @property
    def tracked(self) -> dict[bytes, bytes]:
        """Each path of the index with its oid."""
        lines = (line.split(b"\t", 1) for line in self.index.split(b"\0") if line)
        return {path: head.split(b" ")[2] for head, path in lines}

    def must_equal(self, other: Look) -> None:
        """Fail with a message that names only the differences."""
        for part in fields(self):
            one, two = getattr(self, part.name), getattr(other, part.name)
            if isinstance(one, dict):
                one, two = (
                    {k: v for k, v in a.items() if b.get(k) != v} for a, b in ((one, two), (two, one))
                )
            assert one == two, f"{part.name}: {one!r} is not {two!r}"


@dataclass(frozen=True)
class Case:
    top: Path

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.top)

    @cached_property
    def _opened(self) -> Workspace:
        """One workspace for the records that a test begins with."""
        return self.workspace

    def git_bytes(self, *args: str | bytes, ok: tuple[int, ...] = (0,), stdin: bytes | None = None) -> bytes:
        done = subprocess.run(
            ["git", *args], cwd=self.top, capture_output=True, check=False, input=stdin or b""
        )
        assert done.returncode in ok, os.fsdecode(done.stderr)
        return done.stdout

    def git(self, *args: str | bytes, ok: tuple[int, ...] = (0,)) -> str:
        return os.fsdecode(self.git_bytes(*args, ok=ok)).rstrip("\n")

    def path(self, name: str | bytes) -> str:
        return os.path.join(self.top, os.fsdecode(name))  # noqa: PTH118 - names that are no UTF-8

    def write(self, files: Files) -> None:
        """Write each file, make a link, or delete it (None). A folder at the path is deleted."""
        for name, content in files.items():
            path = Path(self.path(name))
            if path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir() and content is not None:
                shutil.rmtree(path)
            if content is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                path.symlink_to(os.fsdecode(content.to))
            else:
                path.write_bytes(content.data if isinstance(content, Executable) else content)
                path.chmod(0o755 if isinstance(content, Executable) else 0o644)

    def read(self, name: str | bytes) -> bytes:
        return Path(self.path(name)).read_bytes()

    def has(self, name: str | bytes) -> bool:
        return os.path.lexists(self.path(name))

    def commit(self, files: Files, message: str = "work") -> str:
        """Write files and commit everything; return the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def branch_off(self, name: str, at: str = "HEAD") -> None:
        """A branch with one commit of its own, without switching."""
        own = self.git("commit-tree", f"{at}^{{tree}}", "-p", f"{at}^{{commit}}", "-m", "work of its own")
        self.git("branch", name, own)

    def point(self, task: str, number: int = 1, *, completed: bool = True) -> str:
        """Record HEAD as a checkpoint of a task; the oid of its tag."""
        return point(self._opened, task, number, completed=completed)

    def stage(self, task: str, files: Files) -> str:
        """Commit files and complete a task there."""
        commit = self.commit(files, f"task {task}")
        self.point(task)
        return commit

    def look(self) -> Look:
        place = self.git("rev-parse", "--absolute-git-dir", "HEAD", "--symbolic-full-name", "HEAD").split(
            "\n"
        )
        # First: git's own status refreshes the index of a nested repository, whose bytes and mode are looked at, too.
        # It stops at a link where the index has a nested repository.
        words = ("status", "--porcelain=v2", "-z", "--untracked-files=all")
        status = self.git_bytes(*words, ok=(0, 128))
        return Look(
            files=contents(self.top),
            index=self.git_bytes("ls-files", "--stage", "-v", "-z"),
            head=place[1],
            branch=place[2],
            tags=self.git("for-each-ref", "refs/tags"),
            active=_text(Path(place[0]) / "devs" / "task"),
            status=status,  # intent to add shows here alone
        )

    def active(self) -> str:
        return _text(Path(self.git("rev-parse", "--absolute-git-dir")) / "devs" / "task")

    def rewind(self, target: str, preserve: str | None = None, untracked: str | None = None) -> Rewound:
        done = rewind.run(self.workspace, rewind.Request(target, preserve=preserve, untracked=untracked))
        assert isinstance(done, rewind.Result)
        return done

    def plan(self, target: str, preserve: str | None = None, untracked: str | None = None) -> Plan:
        request = rewind.Request(target, preserve=preserve, untracked=untracked, dry_run=True)
        done = rewind.run(self.workspace, request)
        assert isinstance(done, rewind.Plan)
        return done

    def undo(
        self, op_id: str | None = None, preserve: str | None = None, untracked: str | None = None
    ) -> Undone:
        return undo.run(self.workspace, undo.Request(op_id, preserve=preserve, untracked=untracked))

    def assert_refused(self, target: str, preserve: str | None = None, code: str = REFUSED) -> DevsError:
        """A rewind is refused, and nothing at all has changed."""
        before, refs = self.look(), self.git("for-each-ref")
        with pytest.raises(DevsError) as error:
            self.rewind(target, preserve)
        assert error.value.code == code
        self.look().must_equal(before)
        assert self.git("for-each-ref") == refs
        return error.value

    def refused_but_kept(self, target: str, preserve: str | None = None) -> DevsError:
        """A rewind fails on its way: all is as before, but for the backup and the ledger's one word of it."""
        before, refs = self.look(), self.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash")
        with pytest.raises(DevsError) as error:
            self.rewind(target, preserve)
        self.look().must_equal(before)
        assert self.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash") == refs
        return error.value

    def there_and_back(
        self, target: str, preserve: str | None = None, untracked: str | None = None
    ) -> Rewound:
        """A rewind to `target` is exact, and its undo brings everything back."""
        before = self.look()
        done = self.rewind(target, preserve, untracked)
        assert self.git("status", "--porcelain", "--untracked-files=no") == ""
        assert self.git("write-tree") == self.git("rev-parse", f"{done.reset_commit}^{{tree}}")
        self.undo()
        self.look().must_equal(before)
        return done


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def contents(top: Path, leave_out: tuple[bytes, ...] = (b".git", b".devs")) -> Contents:
    """Kind and bytes of everything below `top` but git's folder and ours; empty folders are nothing."""
    found: Contents = {}
    root = os.fsencode(top)
    for folder, folders, every in os.walk(root):
        skipped = leave_out if folder == root else ()
        folders[:] = [name for name in folders if name not in skipped]
        files = [name for name in every if name not in skipped]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
        for name in (*files, *links):
            path = os.path.join(folder, name)  # noqa: PTH118 - bytes
            found[os.path.relpath(path, root)] = _one(path)
    return found


def _one(path: bytes) -> tuple[str, bytes]:
    if os.path.islink(path):  # noqa: PTH114 - bytes
        return "link", os.readlink(path)  # noqa: PTH115
    if not os.path.isfile(path):  # noqa: PTH113
        return "special", b""
    with open(path, "rb") as stream:  # noqa: PTH123
        return oct(os.stat(path).st_mode & 0o777), stream.read()  # noqa: PTH116


def point(workspace: Workspace, task: str, number: int = 1, *, completed: bool = True) -> str:
    """Record HEAD of a worktree as `task@number`, as `task complete` does; the oid of its tag."""
    name = ids.task_id(task)
    out = workspace.git.run("rev-parse", "HEAD", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
    commit, tree, branch = os.fsdecode(out).split()
    words = f"{name}@{number}\n\nDevs-Task: {name}\nDevs-Checkpoint: {number}\n"
    head = f"object {commit}\ntype commit\ntag {name}@{number}\ntagger A <a@b.c> 978307200 +0000\n\n{words}"
    tag = workspace.objects.write("tag", head.encode())
    event = workspace.event(
        "task.completed" if completed else "checkpoint.created",
        f"checkpoint: {name}@{number}",
        ("Devs-Task", name),
        ("Devs-Number", str(number)),
        ("Devs-Tag", tag),
        ("Devs-Commit", commit),
        ("Devs-Tree", tree),
        ("Devs-Branch", branch),
        ("Devs-Message", "work"),
        ("Devs-Stat", "1 2 3"),
        verb_name="checkpoint",
    )
    updates = [RefUpdate(ids.checkpoint_ref(name, number), tag, NO_OID)]
    if completed:
        updates.append(RefUpdate(ids.completed_tag(name), tag, NO_OID))
    workspace.append(lambda _tip: Draft(event, updates=tuple(updates)))
    return tag


def untracked_work(case: Case) -> None:
    """Two tasks, and untracked files: one at a path of the first, others at no path of either."""
    case.stage("1", {"a": b"1\n", "way": b"w\n", ".gitignore": b"*.log\nbuild/\n"})
    case.stage("2", {"a": b"2\n", "way": None})
    case.write(
        {"way": b"mine\n", "new": b"n\n", "d/deep/new": b"\r\n\0", "run.log": b"l\n", "build/out": b"o"}
    )
    case.write({"link": Link(b"nowhere"), "d/tool": Executable(b"#!/bin/sh\n"), "empty": b""})
    Path(case.path("new")).chmod(0o600)
    Path(case.path("d/deep")).chmod(0o700)


def begin(top: Path) -> Case:
    """A repository with a ledger and one commit of `kept.txt`."""
    top.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=top, check=True)
    case = Case(top)
    case.commit({"kept.txt": b"kept\n"}, "begin")
    ledgers.begin(case.workspace)
    return case
