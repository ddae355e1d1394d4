"""Archive all checkpoints of completed tasks, and let git delete what only luck would keep."""

from __future__ import annotations

from pathlib import Path

from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.operations.archive import archive_checkpoints
from devs_git.storage.git import refs
from devs_git.storage.ledger.archived import archives
from devs_git.workspace import Workspace
from tests.support.git_calls import git


def collect(top: Path) -> None:
    """Delete each object that no ref reaches."""
    git("reflog", "expire", "--expire=now", "--all", where=top)
    git("gc", "-q", "--prune=now", where=top)


def archive_all(top: Path, *, with_tags: bool = True) -> str:
    """Archive what was completed until now, whatever the clock says; the oid of the archive."""
    opened = Workspace.open(top)
    plan = archive_checkpoints.make_plan(opened, "9999", with_tags=with_tags)
    made, _ = archive_checkpoints.carry_out(opened, plan)
    collect(top)
    return made


def entries(top: Path) -> dict[str, str]:
    """The refs that the archives of a repository stand for, each with its tag."""
    found = archives.here(Workspace.open(top).store_git).values()
    return {entry.ref: entry.tag for entry in found}


def numbered(top: Path) -> list[str]:
    """The refs of checkpoints, without those of archives."""
    found = refs.list_refs(Workspace.open(top).store_git, "refs/devs/checkpoints", "refs/tags/devs")
    return [ref for ref in found if not ref.startswith(ARCHIVES)]
