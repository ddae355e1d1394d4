"""Bring files of a moment into the working tree. HEAD and index stay, and what is overwritten is in a backup first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_operations import Restored
from devs_git.domain.ledger.events import Draft
from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError, invalid
from devs_git.operations.rewind import refusals
from devs_git.operations.rewind.preserve import Preserved
from devs_git.operations.rewind.return_to_state import ChangeResult, StateChange, carry_out, movement
from devs_git.storage.git.objects import EXECUTABLE, GITLINK, Entry
from devs_git.storage.git.private_index import DURABLE, add_entries, private
from devs_git.storage.git.program import split_z
from devs_git.storage.ledger.store import Tip
from devs_git.storage.moments import moment_store, read_moments
from devs_git.storage.worktree import (
    active_task,
    attributes,
    file_state,
    footprint,
    journal,
    obstacles,
    survey,
)
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import CapturedState, copy_index
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileState
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.modes import default_mode
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.tree_difference import mode_of, parents
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class FilesRestored:
    """What was brought back. `op_id` is '' if every file was as in the moment already."""

    op_id: str
    found: Survey
    left_out: tuple[str, ...]
    moved: ChangeResult = ChangeResult()


@immutable
class _Files:
    """Files of a moment that differ from the disk, and the moment's raw bytes of them."""

    state: State
    differing: Mapping[str, Entry]
    raw: Mapping[str, Entry]


def restore_files(
    workspace: Workspace,
    site: Site,
    moment: Moment,
    paths: Sequence[str],
    saving: tuple[str, str | None] = ("", None),
) -> FilesRestored:
    """Bring the files at or below `paths`, or all; GIT_RESET_FAILED, INVALID_ARGUMENTS, MOMENT_NOT_FOUND.

    `saving`: a way to preserve the state before, besides the backup, and the name of its branch.
    """
    state, details = read_moments.load(site.objects, moment.id)
    found = survey.take(site.git, site.top)
    survey.require_quiet(site.places, found)
    files = list_files(site.git, details.ignored) | list_files(site.git, state.worktree)
    wanted = {path: one for path, one in _select(files, paths, moment) if one.mode != GITLINK}
    raw = list_files(site.git, state.raw)
    chosen = _Files(state, _differing(found, state, wanted, raw), raw)
    if not chosen.differing:
        return FilesRestored("", found, details.left_out)
    op_id = workspace.new_id("restore", moment.id)
    with journal.remove_leftovers_on_failure(site.places, op_id):
        moved = _bring(workspace, site, (op_id, moment, *saving), found, chosen)
    return FilesRestored(op_id, found, details.left_out, moved)


def preview(
    site: Site, moment: Moment, paths: Sequence[str]
) -> tuple[Survey, dict[str, tuple[str, ...]], list[DevsError]]:
    """What a restore would change, and what refuses it. It writes nothing."""
    state, details = read_moments.look_up(site.objects, moment.id)
    git = moment_store.with_objects(site.git, site.places.common)
    found = survey.take(git, site.top)
    files = list_files(git, details.ignored) | list_files(git, state.worktree)
    wanted = {path: one for path, one in _select(files, paths, moment) if one.mode != GITLINK}
    differing = _differing(found, state, wanted, list_files(git, state.raw))
    blocked = obstacles.find(site.top, differing, lambda path: path in found.entries)
    against = [
        *survey.reasons_against_moving(site.places, found),
        *refusals.of_obstacles(Footprint((), (), (), blocked, (), (), {}, {}), blocked.files, "save"),
    ]
    new = tuple(path for path in differing if not os.path.lexists(f"{site.top}/{path}"))
    return (
        found,
        {"added": new, "modified": tuple(sorted(differing.keys() - set(new))), "deleted": ()},
        against,
    )


def _select(files: Mapping[str, Entry], paths: Sequence[str], moment: Moment) -> Iterable[tuple[str, Entry]]:
    """The files at or below the paths; all for no paths. INVALID_ARGUMENTS for a path that the moment does not have."""
    if not paths:
        return files.items()
    wanted = set(paths)
    chosen = {path: one for path, one in files.items() if not wanted.isdisjoint((path, *parents(path)))}
    known = {name for path in chosen for name in (path, *parents(path))}
    for path in paths:
        if path not in known:
            hint = f"See what differs from the working tree: devs-git diff {names.short_name(moment.id)}"
            raise invalid("paths", f"The moment does not have {path!r}.", hint=hint)
    return chosen.items()


def _differing(
    found: Survey, state: State, wanted: Mapping[str, Entry], raw: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Those of the wanted files that are not on the disk as the moment has them. git names the few that may differ."""
    git = found.git
    words = ("diff-index", "--name-only", "-z", "--no-renames", "--ignore-submodules=all")
    asked = {*split_z(git.run(*words, state.worktree, "--")), *raw, *state.modes, *found.flagged}
    asked |= {path for path in wanted if path not in found.entries}
    if attributes.may_convert(git, git.where, wanted, lambda: survey.paths_of(found.listed)):
        # git compares what it would store, not the bytes on the disk.
        asked |= wanted.keys()
    seen = file_state.look(os.fspath(git.where), asked.intersection(wanted)).files
    # Of the other files the moment has the bytes, which are those of the blob or in its raw tree.
    guessed = state.unkept.keys() if state.exact else seen.keys()
    unsure = [path for path, one in seen.items() if not one.is_link and path not in raw and path in guessed]
    clean = attributes.clean_oids(git, unsure)
    same = {
        path
        for path, one in seen.items()
        if _is_same(one, wanted[path], raw.get(path), clean.get(path, ""))
        and one.has_permissions(state.modes.get(path))
    }
    return {path: wanted[path] for path in asked.intersection(wanted) - same}


def _is_same(one: FileState, entry: Entry, raw: Entry | None, clean: str) -> bool:
    oid = raw.oid if raw else entry.oid
    return (one.oid == oid or (raw is None and clean == oid)) and mode_of(one.mode) == entry.mode


def _bring(
    workspace: Workspace,
    site: Site,
    job: tuple[str, Moment, str, str | None],
    found: Survey,
    files: _Files,
) -> ChangeResult:
    op_id, moment, mode, name = job
    folder, active = journal.make_folder(site.places, op_id), active_task.read(site.places)
    plan = _footprint(site, folder, found, files)
    for error in refusals.of_obstacles(plan, plan.obstacles.files, "save"):
        raise error
    change = StateChange(
        op_id=op_id,
        verb="restore",
        subject=f"restore: files of {names.short_name(moment.id)}",
        found=found,
        footprint=plan,
        new=State(found.head, found.branch, "", "", active=active),
        effect=Effect(),
        saved=plan.obstacles.files,
        mode=mode,
        name=name,
        limit=lambda: workspace.policy.backup_limit,
        exact=frozenset(files.differing) - files.state.unkept.keys(),
        complete=lambda captured: _complete(site, folder, captured, files),
    )

    def build(_tip: Tip, old: State, kept: Preserved, backup: str) -> Draft:
        content = Restored(f"{names.PREFIX}{moment.id}", movement(change, old, kept, backup))
        return Draft(workspace.event_of(content, change.subject, verb_name="restore"))

    return carry_out(site, change, active, build)


def _footprint(site: Site, folder: Path, found: Survey, files: _Files) -> Footprint:
    """The footprint of the files alone: of a move to the index with them in it."""
    copy_index(site.git, folder / "index.wanted")
    own = private(site.git, folder / "index.wanted")
    add_entries(own, files.differing)
    plan = footprint.compute(found, site.top, own.text("write-tree", "--missing-ok"))
    plan = footprint.with_hidden_edits(found, site.top, plan)
    blocked = obstacles.find(site.top, files.differing, lambda path: path in found.entries)
    every = tuple(sorted({*plan.obstacles.files, *blocked.files}))
    return replace(plan, obstacles=replace(blocked, files=every), bytes_only=tuple(files.differing))


def _complete(site: Site, folder: Path, captured: CapturedState, files: _Files) -> State:
    """The captured state with the files of the moment."""
    old, state = captured.state, files.state
    own = private(site.git, folder / "index.restored").with_config(*DURABLE)
    own.run("read-tree", old.worktree)
    add_entries(own, files.differing)
    raw = {path: one for path, one in list_files(site.git, old.raw).items() if path not in files.differing}
    raw |= {path: files.raw[path] for path in files.differing if path in files.raw}
    apart = private(site.git, folder / "index.restored-raw").with_config(*DURABLE)
    add_entries(apart, raw)
    unkept = {path: oid for path, oid in old.unkept.items() if path not in files.differing}
    return replace(
        old,
        worktree=own.text("write-tree", "--missing-ok"),
        raw=apart.text("write-tree") if raw else "",
        modes={**old.modes, **dict(_modes(files, captured))},
        unkept=unkept | {path: oid for path, oid in state.unkept.items() if path in files.differing},
    )


def _modes(files: _Files, captured: CapturedState) -> Iterator[tuple[str, int]]:
    """The moment's permissions of the files and of the folders above them; the usual ones where it lists none."""
    for path, entry in files.differing.items():
        for folder in parents(path):
            if f"{folder}/" in files.state.modes:
                yield f"{folder}/", files.state.modes[f"{folder}/"]
        if path in files.state.modes:
            yield path, files.state.modes[path]
        elif path in captured.state.modes:
            yield path, default_mode(executable=entry.mode == EXECUTABLE)
