"""The files of a moment beside those that are on the disk now. Only `complete` writes something.

A moment has all untracked files, too. Those that are on the disk with the same bytes stay untouched; all others at the
moment's paths are saved in the backup first.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from devs_git.domain.moments.moment import Details
from devs_git.operations.moments import usual_permissions
from devs_git.storage.git.objects import Entry
from devs_git.storage.git.private_index import DURABLE, add_entries, private
from devs_git.storage.git.program import join_z, split_z
from devs_git.storage.worktree import file_state, footprint, left_state, obstacles, untracked_files
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.obstacles import Obstacles
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.tree_difference import mode_of
from devs_git.storage.worktree.untracked_files import Untracked
from devs_git.values import immutable, replace


@immutable
class MomentFiles:
    """A moment's state, the `ignored` files that it has besides, and what a move to it does.

    `same`: untracked and ignored files of the moment that are on the disk already, to the byte. Those that the moment's
    index does not have, either, are `untouched`: the move does not know them. `clears_flags`: entries of the index have
    flags now, and had none then.
    """

    state: State
    ignored: Mapping[str, Entry]
    footprint: Footprint
    untracked: Untracked
    same: frozenset[str]
    untouched: frozenset[str]
    left_out: tuple[str, ...]
    clears_flags: bool

    @property
    def exact(self) -> frozenset[str]:
        """Paths whose bytes in the moment are known: those of the raw tree, or else of the blob."""
        return frozenset(self.state.modes) - self.state.unkept.keys()


def compare(site: Site, found: Survey, state: State, details: Details, mode: str | None) -> MomentFiles:
    """Compare the moment with the worktree. `mode`: `remove` also takes away the untracked files that came later."""
    top, raw = site.top, list_files(site.git, state.raw)
    files = list_files(site.git, state.worktree)
    ignored = {
        path: entry for path, entry in list_files(site.git, details.ignored).items() if path not in files
    }
    plan = _with_ignored(found, top, footprint.compute(found, top, state.worktree), ignored)
    wanted = files | ignored
    usual, looked_at = usual_permissions.find(top, wanted, state, details.umask)
    modes = dict(state.modes) | usual
    only = tuple(dict.fromkeys(path for path in (*raw, *modes, *looked_at) if not path.endswith("/")))
    plan = replace(footprint.with_hidden_edits(found, top, plan), bytes_only=only)
    same = _same(top, plan.obstacles.files, (wanted, raw, modes))
    untouched = same - _tracked(site, state) if same else same
    plan = _without(plan, untouched)
    known = untracked_files.Known(there=details.left_out)
    chosen = untracked_files.choose(found, state.worktree, plan, mode, known)
    chosen = replace(
        chosen,
        in_the_way=plan.obstacles.files,
        removed=tuple(path for path in chosen.removed if path not in ignored and path not in untouched),
        marks={path: mark for path, mark in chosen.marks.items() if path not in untouched},
    )
    clears = bool(found.flagged) and not state.index_raw
    new = replace(state, modes=modes)
    return MomentFiles(new, ignored, plan, chosen, same, untouched, details.left_out, clears)


def complete(site: Site, folder: Path, files: MomentFiles) -> State:
    """The state to move to: that of the moment with the ignored files, without what is untouched. `folder`: the operation's."""
    state = files.state
    if files.ignored or files.untouched:
        own = private(site.git, folder / "index.moment").with_config(*DURABLE)
        own.run("read-tree", state.worktree)
        add_entries(own, {path: one for path, one in files.ignored.items() if path not in files.untouched})
        own.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(sorted(files.untouched)))
        state = replace(state, worktree=own.text("write-tree", "--missing-ok"))
    state = left_state.without_flags(site, folder, state) if files.clears_flags else state
    return left_state.with_all_files(site, folder, state)


def _with_ignored(found: Survey, top: Path, plan: Footprint, ignored: Mapping[str, Entry]) -> Footprint:
    """The footprint with the ignored files that come back, too."""
    if not ignored:
        return plan
    blocked = obstacles.find(top, ignored, lambda path: path in found.entries)
    tracked = {path for path in ignored if path in found.entries}
    return replace(
        plan,
        adds=(*plan.adds, *(path for path in ignored if path not in tracked)),
        removes=tuple(path for path in plan.removes if path not in tracked),
        rewrites=(*plan.rewrites, *sorted(tracked)),
        obstacles=_together(plan.obstacles, blocked),
        wanted={**plan.wanted, **{path: entry.oid for path, entry in ignored.items()}},
    )


def _together(one: Obstacles, other: Obstacles) -> Obstacles:
    return Obstacles(
        tuple(sorted({*one.files, *other.files})),
        tuple(sorted({*one.repositories, *other.repositories})),
        tuple(sorted({*one.special, *other.special})),
    )


def _same(
    top: Path,
    paths: Collection[str],
    then: tuple[Mapping[str, Entry], Mapping[str, Entry], Mapping[str, int]],
) -> frozenset[str]:
    """Those of `paths` that have the bytes and the permissions of the moment: `then` are its files, raw bytes and modes."""
    wanted, raw, modes = then
    seen = file_state.look(os.fspath(top), (path for path in paths if path in wanted)).files
    return frozenset(
        path
        for path, one in seen.items()
        if one.oid == (raw.get(path) or wanted[path]).oid
        and mode_of(one.mode) == wanted[path].mode
        and one.has_permissions(modes.get(path))
    )


def _tracked(site: Site, state: State) -> set[str]:
    """The paths of the moment's index."""
    if not state.index_raw:
        return set(list_files(site.git, state.index))
    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        index = Path(folder) / "index"
        index.write_bytes(site.objects.read(state.index_raw, "blob"))
        return set(split_z(private(site.git, index).run("ls-files", "-z")))


def _without(plan: Footprint, paths: Collection[str]) -> Footprint:
    """The footprint of a move that does not know these untracked files."""
    if not paths:
        return plan
    left = tuple(path for path in plan.obstacles.files if path not in paths)
    return replace(
        plan,
        adds=tuple(path for path in plan.adds if path not in paths),
        obstacles=replace(plan.obstacles, files=left),
        bytes_only=tuple(path for path in plan.bytes_only if path not in paths),
    )
