"""git that writes its objects into another folder, and reads those of the repository, too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from devs_git.storage.git.program import OTHER_OBJECTS, OWN_OBJECTS, Git


def with_folders(git: Git, own: Path, *others: Path) -> Git:
    """The same git, which writes objects into `own`, and reads those of `own`, `others` and the caller's alternates."""
    given = git.environment().get(OTHER_OBJECTS, "")
    paths = [*map(_quoted, map(os.fspath, others)), *([given] if given else [])]
    return git.with_env(**{OWN_OBJECTS: os.fspath(own), OTHER_OBJECTS: os.pathsep.join(paths)})


@contextlib.contextmanager
def temporary(git: Git, objects: Path) -> Iterator[Git]:
    """The same git, which writes objects into a temporary folder. `objects` is the repository's folder of objects.

    A dry run computes a tree with it, and leaves no object behind.
    """
    # Late: it loads `random`, which no quick command needs.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devs-git-objects-") as folder:
        yield with_folders(git, Path(folder), objects)


def _quoted(path: str) -> str:
    """The path as git reads it from a list of paths."""
    if not any(letter in path for letter in f'{os.pathsep}"\n'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
