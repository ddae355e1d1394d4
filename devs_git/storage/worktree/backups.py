"""Keep a backup, so that nothing takes it away: its ref, and second names of its objects, where no `git prune` looks.

Until the ref is there only git's own grace (two weeks by default) keeps its objects from a `git gc` that runs now; and one
that had listed before what can be reached deletes them after that, too (see `newest`).
"""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.errors import DevsError, immovable
from devs_git.storage.git import newest_objects, refs
from devs_git.storage.git.objects import TREE
from devs_git.storage.git.private_index import DURABLE
from devs_git.storage.git.program import Git, GitFailed, split_lines
from devs_git.storage.worktree import capture
from devs_git.storage.worktree.engine_site import Site

FOLDER: Final = "devs/saved"  # in the common git directory
KEPT: Final = 4096  # objects of earlier backups


def keep(site: Site, op_id: str, backup: str) -> None:
    """Give the backup its ref, on disk for good, before anything is moved. GIT_RESET_FAILED where it is not whole then."""
    update = RefUpdate(f"{refs.BACKUPS}{op_id}", backup, NO_OID)
    git = site.ledger.git.with_config(*DURABLE).holding(*site.git.keep_open)
    try:
        refs.transaction(git, (update,), "devs: backup")
    except GitFailed as error:
        raise (pruned() if refs.missing_object(error) else error) from error
    try:
        oids = _own(site, backup) or _listed(git, backup)
        if not newest_objects.keep(site.places.common, oids, FOLDER, KEPT):
            _listed(git, backup)
    except GitFailed as error:
        gone = RefUpdate(update.ref, NO_OID, backup)
        refs.transaction(git, (gone,), "devs: backup is not whole")
        raise pruned() from error


def _listed(git: Git, backup: str) -> set[str]:
    """What the backup adds to branches and tags; GitFailed where some of it is gone."""
    said = git.run("rev-list", "--objects", backup, "--not", "--branches", "--tags", "--")
    return {line[:40] for line in split_lines(said.decode("utf-8", "replace"))}


def _own(site: Site, backup: str) -> set[str]:
    """The objects of a backup that holds no tree but HEAD's own; none of any other, and where it cannot be read."""
    try:
        if not capture.is_head_alone(site.objects, backup):
            return set()
        tree = site.objects.read(backup, "commit")[5:45].decode()
        entries = site.objects.read_tree(tree).values()
    except DevsError:
        return set()
    return {backup, tree, *(entry.oid for entry in entries if entry.mode != TREE)}


def restore(site: Site) -> None:
    """Give the objects of the newest backups their first names again that a prune took."""
    newest_objects.restore(site.git, site.places.common, FOLDER)


def pruned(code: str = "GIT_RESET_FAILED") -> DevsError:
    return immovable(
        "missing_objects",
        "Some of what was just saved is gone from the object store; does git gc --prune=now run?",
        code=code,
        hint="Wait for it and run the command again; nothing was changed.",
    )
