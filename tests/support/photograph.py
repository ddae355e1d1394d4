"""A photograph of a worktree: everything that a person can see of it. It uses none of our code.

Bytes, kind and permissions of each file, permissions of each folder that is not empty, the index with its flags, HEAD, the
branches and tags of people, and the stash. Folders without a file are in a list of their own.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

_OURS = ("refs/heads/devs/", "refs/heads/snapshot/", "refs/tags/devs/")
# What `ls-files --debug` prints of an entry after its NUL.
_DEBUG = re.compile(rb"  ctime: .*?flags: ([0-9a-f]+)\n", re.DOTALL)
# Assume unchanged, intent to add, skip the worktree. The others are about git's own memory.
_FLAGS = 0x8000 | 0x2000_0000 | 0x4000_0000


@dataclass(frozen=True)
class Photograph:
    """What was seen. `empty` folders are not compared by `must_equal`."""

    files: dict[bytes, tuple[str, int, bytes]]
    folders: dict[bytes, int]
    index: dict[bytes, bytes]
    head: str
    refs: str
    stash: str
    status: bytes
    empty: frozenset[bytes]

    def must_equal(self, other: Photograph, note: str = "") -> None:
        """Fail with a message that names only the differences."""
        for one in fields(self):
            if one.name != "empty":
                now, then = getattr(self, one.name), getattr(other, one.name)
                assert now == then, f"{note} {one.name}: {_difference(now, then)}"


def _difference(now: Any, then: Any) -> str:
    if not isinstance(now, dict):
        return f"{now!r} is not {then!r}"
    names = [name for name in now.keys() | then.keys() if now.get(name) != then.get(name)]
    return ", ".join(
        f"{name!r}: {_short(now.get(name))} is not {_short(then.get(name))}" for name in sorted(names)
    )


def _short(value: Any) -> str:
    return repr(value)[:200]


def take(top: Path) -> Photograph:
    """Photograph the worktree at `top`, but for `.git` and the view `.devs/`."""
    files, folders, empty = _walk(os.fsencode(top))
    status = _git(top, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching")
    return Photograph(
        files=files,
        folders=folders,
        index=_index(top),
        head=_text(top, "rev-parse", "-q", "HEAD") + _text(top, "symbolic-ref", "-q", "HEAD"),
        refs="\n".join(
            line
            for line in _text(top, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
            if line.startswith(("refs/heads/", "refs/tags/", "refs/remotes/")) and not line.startswith(_OURS)
        ),
        stash=_text(top, "stash", "list", "--format=%H %s"),
        status=b"\0".join(sorted(line for line in status.split(b"\0") if not _is_same(top, line))),
        empty=frozenset(empty),
    )


def _is_same(top: Path, line: bytes) -> bool:
    """Whether git calls a file changed only because its size is not the recorded one: it would store the blob of the index."""
    if not line.startswith(b"1 .M N... "):
        return False
    modes, oid, path = line.split(b" ", 8)[3:6], line.split(b" ", 8)[7], line.split(b" ", 8)[8]
    there = os.path.join(os.fsencode(top), path)  # noqa: PTH118 - bytes
    if len(set(modes)) > 1 or os.path.islink(there):  # noqa: PTH114 - bytes
        return False
    name = os.fsdecode(path)
    return _git(top, "hash-object", f"--path={name}", "--", name).strip() == oid


def _walk(root: bytes) -> tuple[dict[bytes, tuple[str, int, bytes]], dict[bytes, int], set[bytes]]:
    files: dict[bytes, tuple[str, int, bytes]] = {}
    folders: dict[bytes, int] = {}
    empty: set[bytes] = set()

    def look(folder: bytes, name: bytes) -> bool:
        """Whether there is a file below."""
        found = False
        for entry in os.scandir(folder):
            path = name + b"/" + entry.name if name else entry.name
            if path in (b".git", b".devs"):
                continue
            if entry.is_dir(follow_symlinks=False):
                below = look(entry.path, path)
                mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
                folders.update({path: mode} if below else {})
                empty.update(() if below else {path})
                found = found or below
            else:
                files[path] = _one(entry)
                found = True
        return found

    look(root, b"")
    return files, folders, empty


def _one(entry: os.DirEntry[bytes]) -> tuple[str, int, bytes]:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        return "link", 0, os.readlink(entry.path)  # noqa: PTH115 - bytes
    if not stat.S_ISREG(mode):
        return "special", stat.S_IMODE(mode), b""
    with open(entry.path, "rb") as stream:  # noqa: PTH123 - bytes
        return "file", stat.S_IMODE(mode), stream.read()


def _index(top: Path) -> dict[bytes, bytes]:
    """Each entry with its letter, mode, oid and stage, and with the flags that `--debug` prints."""
    found, entry = {}, b""
    for part in _git(top, "ls-files", "--stage", "-v", "--debug", "-z").split(b"\0"):
        told = _DEBUG.match(part)
        if told:
            head, _, path = entry.partition(b"\t")
            found[path + b" " + head[-1:]] = head + b" %x" % (int(told[1], 16) & _FLAGS)
        entry = part[told.end() :] if told else part
    return found


def _git(top: Path, *words: str) -> bytes:
    # Without optional locks `git status` does not refresh the index.
    done = subprocess.run(["git", "--no-optional-locks", *words], cwd=top, capture_output=True, check=False)
    return done.stdout


def _text(top: Path, *words: str) -> str:
    return os.fsdecode(_git(top, *words))
