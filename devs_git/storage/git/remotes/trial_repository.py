"""A temporary repository with the refs of this one: a dry run of `sync` does there what `sync` would do here.

It reads the objects of this repository, and writes into its own folder, which is deleted at the end. It runs no hook.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.git import object_folders
from devs_git.storage.git.program import Git, of_store
from devs_git.storage.git.remotes.clone_state import FILES
from devs_git.values import immutable

_OF_WORKTREE: Final = ("HEAD", "gitdir", "commondir")


@immutable
class TrialRepository:
    """`common` is its git directory. `store` reads and writes there. `online` is git in the real repository, for remotes: it
    has the person's settings and credentials, and writes objects into the trial repository.
    """

    common: Path
    store: Git
    online: Git


@contextlib.contextmanager
def make(git: Git, common: Path) -> Iterator[TrialRepository]:
    """A trial repository of the one with the common git directory `common`, in which `git` runs. GitFailed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devs-git-trial-") as name:
        folder, objects = Path(name), common / "objects"
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects) + b"\n")
        (folder / "refs").mkdir()
        rows = git.run("for-each-ref", "--format=%(objectname) %(refname)")
        (folder / "packed-refs").write_bytes(b"# pack-refs with: sorted \n" + rows)
        worktrees = (f"{path.relative_to(common)}/{file}"
                     for path in common.glob("worktrees/*") for file in _OF_WORKTREE)  # fmt: skip
        for file in (*FILES, f"logs/{LEDGER}", *worktrees):
            _copy(common / file, folder / file)
        yield TrialRepository(
            folder,
            of_store(folder).with_config(f"core.hooksPath={os.devnull}"),
            # git would ask the repository's program for the refs of the other folder of objects. `true` names none.
            object_folders.with_folders(git, folder / "objects", objects).with_config(
                "core.alternateRefsCommand=true"
            ),
        )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(source, target)
