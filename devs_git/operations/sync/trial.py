"""A dry run of `sync`: it runs on a copy of the refs, and pushes nothing. So it tells what `sync` itself would do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from devs_git.storage.git.places import Places
from devs_git.storage.git.remotes import trial_repository
from devs_git.values import replace
from devs_git.workspace import Workspace


@contextlib.contextmanager
def of(workspace: Workspace) -> Iterator[Workspace]:
    """A workspace whose refs and objects are those of a trial repository. Its `git` may ask the remotes of the real one."""
    online = replace(workspace, offline=False)
    with trial_repository.make(online.git, workspace.places.common) as made:
        places = Places(made.common, made.common, None)
        there = replace(online, places=places)
        vars(there).update(git=made.online, store_git=made.store)
        yield there
