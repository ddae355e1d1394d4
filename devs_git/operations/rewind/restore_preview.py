"""What a restore would change, and why it is refused. It writes nothing into the repository."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError
from devs_git.operations.gates import check_tas_lock
from devs_git.operations.rewind import drop_plan, restored_tree, rewind_plan
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import journal, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import immutable, replace


@immutable
class RestorePreview:
    """`changes` has the files that are added, modified and deleted: their counts, and at most 1000 names of each kind."""

    found: Survey
    changes: dict[str, Any]
    refusals: tuple[DevsError, ...]


def of_commit(
    site: Site, tip: Tip, source: str, paths: Sequence[str], *, over: bool = False
) -> RestorePreview:
    """The preview of a restore from a commit. `over`: local changes in the way are saved, and do not refuse it."""
    over_files: dict[str, tuple[str, ...]] = {}
    found = survey.take(site.git, site.top)
    survey.require_commit(found)

    def write(git: Git) -> str:
        objects = replace(site.objects, folder=Path(git.env["GIT_OBJECT_DIRECTORY"]))
        _, tree = restored_tree.write(replace(site, git=git, objects=objects), found.head, source, paths)
        check_tas_lock.check_tree(git, tip, found.head, tree)
        if over:
            over_files.update(_overwritten(site, git, found, tree, paths))
        return tree

    seen = drop_plan.preview_commit(site, found, write)
    return _preview(site, found, over_files or seen.files, seen.refusals)


def _overwritten(
    site: Site, git: Git, found: Survey, tree: str, paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    from devs_git.operations.rewind import restore_over  # few overwrite local changes

    touched = restore_over.find_touched(git, found, tree, paths)
    new = tuple(sorted(path for path in touched.wanted if not os.path.lexists(f"{site.top}/{path}")))
    changed = tuple(sorted(touched.wanted.keys() - set(new)))
    return {"added": new, "modified": changed, "deleted": touched.gone}


def of_moment(site: Site, moment: Moment, paths: Sequence[str]) -> RestorePreview:
    """The preview of a restore from a moment."""
    from devs_git.operations.moments import restore_files

    found, files, against = restore_files.preview(site, moment, paths)
    return _preview(site, found, files, against)


def _preview(
    site: Site, found: Survey, files: Mapping[str, Sequence[str]], against: Sequence[DevsError]
) -> RestorePreview:
    return RestorePreview(
        found, rewind_plan.counts_of(files), (*against, *journal.interruption_errors(site.places))
    )
