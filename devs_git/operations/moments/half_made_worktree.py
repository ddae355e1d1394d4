"""A worktree that `restore --worktree` was making when its process was killed: the next command removes it again.

A journal of the kind `worktree` says which folder it is. What is in the folder is in a moment first, because a person may
have worked there meanwhile. If the ledger has the event, the worktree is complete, and stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.event_branches import WorktreeRestored
from devs_git.domain.moments.moment import Occasion
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git import places as git_places
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import REPOSITORY_VARIABLES, GitFailed
from devs_git.storage.worktree import journal
from devs_git.values import as_mapping
from devs_git.workspace import Workspace

KIND: Final = "worktree"


def real_place(place: Path) -> Path:
    """The folder without links, as git notes it. A link to nothing stays: git makes no worktree there."""
    return place.resolve() if place.exists() else place.parent.resolve() / place.name


def note(workspace: Workspace, place: Path, content: WorktreeRestored, made: str) -> Path:
    """Write the journal before git makes the worktree `place`; returns its file. `made`: the new branch, '' for none."""
    op_id = workspace.new_id("restore", os.fspath(place))
    record = {
        "op_id": op_id,
        "worktree": workspace.places.worktree_id,
        "kind": KIND,
        "ledger": workspace.ledger.tip().oid,
        "place": os.fspath(real_place(place)),
        "there": place.exists(),
        "made": made,
        "event": as_mapping(content),
    }
    file = workspace.places.journals / f"{op_id}.json"
    # If the process is killed while it writes, this folder names the operation of which something is left.
    journal.make_folder(workspace.places, op_id)
    replace_file(file, json.dumps(record).encode(), durable=True)
    return file


def take_back(workspace: Workspace, entry: Mapping[str, Any], *, save: bool = True) -> None:
    """Remove the worktree of a journal, unless its event is in the ledger. The command that made it runs no more.

    `save`: see `remove_at`.
    """
    file = workspace.places.journals / f"{entry['op_id']}.json"
    with contextlib.suppress(FileNotFoundError):
        if not _is_recorded(workspace, entry):
            remove_at(workspace, entry, file.stat().st_mtime_ns, "restore", save=save)
        close(workspace, file)


def take_back_now(workspace: Workspace, file: Path) -> None:
    """The same after Ctrl-C, which ended git in the middle of its work: nobody has worked there yet."""
    take_back(workspace, json.loads(bounded.read_file(file, limits.DOCUMENT, "journal")), save=False)


def close(workspace: Workspace, file: Path) -> None:
    """The worktree is complete, or gone: remove its journal."""
    file.unlink(missing_ok=True)
    journal.drop_folder(workspace.places, file.stem)


def remove_at(
    workspace: Workspace, entry: Mapping[str, Any], since: int, interrupted: str, *, save: bool
) -> None:
    """Remove the worktree that git began to make at the place of `entry` after a time (in nanoseconds), and say so.

    With `save`, what is in it is in a moment first: a person may have worked there since.
    """
    if admin := _git_folder(workspace.places.common, Path(entry["place"]), since):
        workspace.say(_remove(workspace, entry, admin, interrupted, save=save))
    else:
        # The branch is made before the worktree.
        _remove_branch(workspace, entry)


def _is_recorded(workspace: Workspace, entry: Mapping[str, Any]) -> bool:
    events = workspace.ledger.events(since=entry["ledger"])
    return any(
        as_mapping(WorktreeRestored.of(event)) == entry["event"]
        for event in events
        if event.type == WorktreeRestored.type
    )


def _git_folder(common: Path, place: Path, since: int) -> Path | None:
    """git's folder of a worktree that was made at `place` after a time; None if git had not begun."""
    for folder in (common / "worktrees").glob("*"):
        with contextlib.suppress(OSError, DevsError):
            named = bounded.read_file(folder / "gitdir", limits.DOCUMENT, "gitdir")
            if (folder / os.fsdecode(named).removesuffix("\n")).parent.resolve() == real_place(place) and (
                folder / "gitdir"
            ).stat().st_mtime_ns >= since:
                return folder
    return None


def _remove(
    workspace: Workspace, entry: Mapping[str, Any], admin: Path, interrupted: str, *, save: bool
) -> str:
    """Remove the worktree and its new branch; returns what was done."""
    saved, place = "", Path(entry["place"])
    if save and place.is_dir() and any(one.name != ".git" for one in place.iterdir()):
        try:
            saved = _save(place)
        except (DevsError, GitFailed, OSError):
            return f"An interrupted {interrupted} left a half-made worktree in {place}. Its files could not be saved, so it stays."
    git = workspace.git.with_config("core.hooksPath=/dev/null")
    with contextlib.suppress(GitFailed):
        git.run("worktree", "remove", "--force", "--force", "--", os.fspath(place))
    if admin.is_dir():
        _remove_what_git_began(place, admin)
    if entry["there"]:
        place.mkdir(exist_ok=True)
    _remove_branch(workspace, entry)
    kept = f" What was in it is in moment:{saved[:10]}." if saved else ""
    return f"An interrupted {interrupted} of the worktree {place.name} was taken back.{kept}"


def _remove_branch(workspace: Workspace, entry: Mapping[str, Any]) -> None:
    """Remove the new branch, unless it has moved."""
    if entry["made"]:
        with contextlib.suppress(GitFailed):
            workspace.git.run("update-ref", "-d", entry["made"], entry["event"]["commit"])


def _save(place: Path) -> str:
    """Make a moment of the worktree; returns its id."""
    from devs_git.operations.moments.moment_maker import maker_of
    from devs_git.storage.moments import make_moment

    there = Workspace(git_places.locate(place, unset=REPOSITORY_VARIABLES))
    return make_moment.make(maker_of(there), Occasion("worktree", words="interrupted restore")).moment_id


def _remove_what_git_began(place: Path, admin: Path) -> None:
    """git was killed before it had made the worktree, and does not know it: there is at most a file `.git`."""
    with contextlib.suppress(OSError):
        (place / ".git").unlink(missing_ok=True)
        place.rmdir()
    shutil.rmtree(admin, ignore_errors=True)
