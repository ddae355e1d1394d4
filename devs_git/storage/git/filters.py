"""Filters that a repository's own configuration names: programs that git starts to find out whether a file changed.

A command that only reads starts none of them (`without`), and lists the files that only a filter could judge
(`find_undecided`). Filters of the user's own configuration, such as git-lfs, are started. Commands that write start all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git, join_z, split_z
from devs_git.values import Final, immutable, replace

_PROGRAMS: Final = r"^filter\..*\.(clean|smudge|process)$"
# The scopes of the repository's own configuration, as `git config --show-scope` names them.
_OWN: Final = ("local", "worktree")
# A configuration file without these words names no filter.
_MAY_NAME: Final = (b"filter", b"include")
_ARGUMENT_BYTES: Final = 1 << 15
_FACTS: Final = (
    rb"([^\0]*)\0  ctime: \d+:\d+\n  mtime: \d+:\d+\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n"
    rb"  size: (\d+)\tflags: [0-9a-f]+\n"
)


@immutable
class UndecidedFile:
    """A file that only `filter` could judge. A command that only reads does not start it."""

    path: str
    filter: str


@immutable
class Undecided:
    """Files that may have changed, by their times, and that a filter of the repository would have to judge.

    Both members map a path to the filter's name. `changed` files have another size or mode than git recorded, which is
    enough for git. Only the filter can judge the `unsure` ones.
    """

    changed: dict[str, str]
    unsure: dict[str, str]


NONE: Final = Undecided({}, {})


def sort_files(files: Mapping[str, str]) -> tuple[UndecidedFile, ...]:
    """The files with their filters, sorted by path."""
    return tuple(UndecidedFile(path, files[path]) for path in sorted(files))


def configured_filters(git: Git) -> tuple[str, ...]:
    """The filters for which the repository's configuration names a program. Most repositories have none; then git is not started."""
    if git.skipped_filters:
        return git.skipped_filters
    files = (common_of(git) / "config", Path(git.env["GIT_DIR"]) / "config.worktree")
    if not any(_may_name(file) for file in files):
        return ()
    asked = replace(git, unset=(*git.unset, "GIT_CONFIG"))
    out = split_z(asked.run("config", "--show-scope", "-z", "--get-regexp", _PROGRAMS, ok=(0, 1)))
    # The last value of a key counts.
    last = {}
    for scope, entry in zip(out[::2], out[1::2], strict=True):
        key, _, program = entry.partition("\n")
        last[key] = scope in _OWN and bool(program)
    keys = (key for key, ours in last.items() if ours)
    return tuple(dict.fromkeys(key.removeprefix("filter.").rpartition(".")[0] for key in keys))


def _may_name(file: Path) -> bool:
    try:
        data = file.read_bytes().lower()
    except OSError:
        return False
    return any(word in data for word in _MAY_NAME)


def without(git: Git) -> Git:
    """The same git. If it is offline, for a command that only reads, it starts no filter of the repository."""
    return replace(git, skipped_filters=configured_filters(git)) if git.offline else git


def find_undecided(git: Git, names: Sequence[str]) -> Undecided:
    """The files of this worktree that the filters `names` would have to judge. No filter is started."""
    if not names:
        return NONE
    quiet = replace(git, skipped_filters=tuple(names))
    out = split_z(quiet.run("diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules", "--"))
    modes = {
        path: facts[1:].split(" ")[:2]
        for facts, path in zip(out[::2], out[1::2], strict=True)
        if facts[-1] == "M"
    }
    files = [path for path, (old, new) in modes.items() if old.startswith("100") and new.startswith("100")]
    found = _filters(quiet, files, frozenset(names))
    sizes = dict(_sizes(quiet, list(found)))
    changed: dict[str, str] = {}
    unsure: dict[str, str] = {}
    for path, name in found.items():
        old, new = modes[path]
        resized = sizes.get(path) and sizes[path] != _size(f"{git.where}/{path}")
        (changed if resized or old != new else unsure)[path] = name
    return Undecided(changed, unsure)


def _filters(git: Git, paths: Sequence[str], names: frozenset[str]) -> dict[str, str]:
    """Those of `paths` that have one of the filters `names`, with the filter."""
    if not paths:
        return {}
    out = split_z(git.run("check-attr", "-z", "--stdin", "filter", stdin=join_z(paths)))
    return {path: name for path, name in zip(out[::3], out[2::3], strict=True) if name in names}


def _sizes(git: Git, paths: list[str]) -> Iterator[tuple[str, int]]:
    """Each file's size in bytes, as git recorded it, modulo 2^32; 0 if git has no record."""
    while paths:
        some: list[str] = []
        room = _ARGUMENT_BYTES
        while paths and room > 0:
            some.append(paths.pop())
            room -= len(os.fsencode(some[-1])) + 1
        out = git.run("ls-files", "--debug", "-z", "--", *some)
        yield from ((os.fsdecode(path), int(size)) for path, size in re.findall(_FACTS, out))


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size % (1 << 32)
    except OSError:
        return 0
