"""An index in which untracked files stand, too, so that git compares them with a moment. It is temporary, and writes no object."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from devs_git.storage.git.objects import EMPTY_BLOB
from devs_git.storage.git.private_index import index_path, private
from devs_git.storage.git.program import Git, join_z, split_z

_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")


@contextlib.contextmanager
def with_untracked(git: Git, left_out: Collection[str]) -> Iterator[Git]:
    """`git` with such an index. `left_out`: untracked files that are not compared, because the moment does not have them.

    Nested repositories are left out, too. The entries name the empty blob: git reads the file itself, because an entry
    without times may have changed.
    """
    import tempfile

    found = split_z(git.run(*_UNTRACKED))
    kept = [path for path in found if not path.endswith("/") and path not in left_out]
    if not kept:
        yield git
        return
    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        index = Path(folder) / "index"
        with contextlib.suppress(FileNotFoundError):
            # With its time: git needs it for files that changed in the same second.
            shutil.copy2(index_path(git), index)
        ours = private(git, index)
        lines = [f"100644 {EMPTY_BLOB}\t{path}" for path in kept]
        ours.run("update-index", "-z", "--add", "--replace", "--index-info", stdin=join_z(lines))
        yield git.with_env(GIT_INDEX_FILE=os.fspath(index))
