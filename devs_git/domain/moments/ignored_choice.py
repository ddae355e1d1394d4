"""Which ignored files go into a moment before a command that may take them, and what is said of the others.

Small files first: settings and keys, which nobody can make again, are small; outputs of builds, which a build makes
again, are large. So a moment that has no room for all has many.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from devs_git.values import immutable

# Bytes of ignored files in one moment.
ROOM: Final = 64 << 20
# Files of one moment. More are a folder of packages that can be fetched again, and take long to read.
MOST: Final = 10_000
_NAMED: Final = 5


@immutable
class Choice:
    """`kept` goes into the moment. `left` is what does not, with sizes in bytes."""

    kept: tuple[str, ...]
    left: Mapping[str, int]


def choose(sizes: Mapping[str, int], *, room: int = ROOM, most: int = MOST) -> Choice:
    """Choose of the ignored files (path and bytes), the smallest first."""
    kept: list[str] = []
    left: dict[str, int] = {}
    free = room
    for path in sorted(sizes, key=lambda name: (sizes[name], name)):
        if sizes[path] <= free and len(kept) < most:
            free -= sizes[path]
            kept.append(path)
        else:
            left[path] = sizes[path]
    return Choice(tuple(sorted(kept)), left)


def summary(left: Mapping[str, int], others: Sequence[str]) -> str:
    """What is not in the moment, in few words: the largest first, files of one folder together.

    `others` are nested repositories (with a slash at the end) and files that are larger than the policy allows.
    """
    parts = [f"{name} (a repository of its own)" if name.endswith("/") else name for name in others]
    folders: dict[str, tuple[int, int]] = {}
    for path, size in left.items():
        top = path if len(left) <= _NAMED else _top(path)
        count, total = folders.get(top, (0, 0))
        folders[top] = (count + 1, total + size)
    ordered = sorted(folders.items(), key=lambda one: -one[1][1])
    parts += [_words(name, count, size) for name, (count, size) in ordered]
    more = len(parts) - _NAMED
    return ", ".join(parts[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _top(path: str) -> str:
    first, slash, _ = path.partition("/")
    return first + slash


def _words(name: str, count: int, size: int) -> str:
    from devs_git.domain.text.quantities import in_words

    return f"{name} ({count} files, {in_words(size)})" if name.endswith("/") else f"{name} ({in_words(size)})"


def below(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """Those of the paths that are a folder, or in it; all of them for `.`."""
    at = posixpath.normpath(folder)
    if at == ".":
        return tuple(paths)
    return tuple(path for path in paths if path.rstrip("/") == at or path.startswith(f"{at}/"))
