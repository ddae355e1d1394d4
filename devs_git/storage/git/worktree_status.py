"""The output of `git status` as values. It takes no lock and refreshes no index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from devs_git.storage.git import filters
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.git.private_index import index_path
from devs_git.storage.git.program import Git, split_z
from devs_git.values import Final, field, immutable, mutable

_ACTIONS: Final = {
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "C": "added",
    "T": "modified",
    "M": "modified",
}


@immutable
class Changed:
    """One changed path of the index or the working tree. `old_path` is '' unless it was renamed."""

    path: str
    action: str
    old_path: str = ""


@mutable
class TreeState:
    """`branch` is '' on a detached HEAD, `head` is '' before the first commit.

    `not_told` has the files that only a filter could judge, which is not started. They are in no other list.
    """

    branch: str = ""
    head: str = ""
    upstream: str = ""
    staged: list[Changed] = field(default_factory=list)
    unstaged: list[Changed] = field(default_factory=list)
    untracked: list[str] = field(default_factory=list)
    unmerged: list[str] = field(default_factory=list)
    not_told: tuple[UndecidedFile, ...] = ()


# Changes inside a submodule are ignored: git would run the programs of that repository.
_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--no-ahead-behind",
    "--ignore-submodules=dirty",
)
_UNTRACKED: Final = (
    "ls-files",
    "-z",
    "--others",
    "--directory",
    "--no-empty-directory",
    "--exclude-standard",
)


def list_untracked(git: Git) -> list[str]:
    """The untracked files that git does not ignore. A folder with only such files is one entry that ends in a slash."""
    return split_z(git.run(*_UNTRACKED))


@contextmanager
def read_alongside(git: Git) -> Iterator[Callable[[], TreeState]]:
    """Read the state of a worktree while the body does something else. Yields a function that waits for the state.

    A folder with only untracked files is one entry that ends in a slash. One git compares tracked files while another
    finds untracked ones; `git status` does this one after the other.
    """
    index = index_path(git)
    before = _mark(index)
    with (
        git.alongside(*_STATUS, "--untracked-files=no") as tracked,
        git.alongside(*_UNTRACKED) as untracked,
    ):

        def state() -> TreeState:
            found = _read(tracked())
            found.untracked = split_z(untracked())
            # The two gits may have seen different indexes.
            if _mark(index) != before:
                found = _read(git.run(*_STATUS, "--untracked-files=normal"))
            _leave_open(found, git)
            return found

        yield state


def _leave_open(state: TreeState, git: Git) -> None:
    """Move the files that only a filter could judge to `not_told`."""
    unsure = filters.find_undecided(git, git.skipped_filters).unsure
    if unsure:
        state.unstaged = [one for one in state.unstaged if one.path not in unsure or one.action == "deleted"]
        state.not_told = filters.sort_files(unsure)


def _mark(index: Path) -> tuple[int, ...]:
    try:
        found = index.stat()
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read(out: bytes) -> TreeState:
    state = TreeState()
    lines = iter(os.fsdecode(part) for part in out.split(b"\0") if part)
    for line in lines:
        _take(state, line, lines)
    return state


def _take(state: TreeState, line: str, rest: Iterator[str]) -> None:
    kind, _, text = line.partition(" ")
    if kind == "#":
        _header(state, text)
    elif kind == "?":
        state.untracked.append(text)
    elif kind == "u":
        state.unmerged.append(text.split(" ", 9)[9])
    elif kind in "12":
        parts = text.split(" ", 7 if kind == "1" else 8)
        old = next(rest) if kind == "2" else ""
        letters = parts[0]
        for letter, group in ((letters[0], state.staged), (letters[1], state.unstaged)):
            if letter != ".":
                group.append(
                    Changed(parts[-1], _ACTIONS.get(letter, "modified"), old if letter == "R" else "")
                )


def _header(state: TreeState, text: str) -> None:
    key, _, value = text.partition(" ")
    if key == "branch.oid" and value != "(initial)":
        state.head = value
    elif key == "branch.head" and value != "(detached)":
        state.branch = value
    elif key == "branch.upstream":
        state.upstream = value
