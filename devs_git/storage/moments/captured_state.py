"""Captures the whole state of a worktree for a moment: index, files, their raw bytes and unusual permissions."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.storage.git.objects import EMPTY_BLOB, FILE, GITLINK, Entry
from devs_git.storage.git.private_index import index_path, private
from devs_git.storage.git.program import Git, join_z, split_z
from devs_git.storage.moments import file_tree, moment_store
from devs_git.storage.moments.file_tree import Shot
from devs_git.storage.moments.maker import KnownMoment, Maker
from devs_git.storage.worktree import active_task, attributes, file_state
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.modes import Modes, default_mode, umask
from devs_git.storage.worktree.survey import Head
from devs_git.values import TYPE_CHECKING, Final, immutable

if TYPE_CHECKING:
    from devs_git.storage.worktree.unconverted_bytes import UnconvertedFiles

# An entry of the index that is in conflict, in `ls-files -v -s -z`: stage 1, 2 or 3.
_UNMERGED: Final = rb"(?:^|\0)[^?] \d{6} (%b) ([123])\t([^\0]*)" % OID_FORM.encode()
_EMPTY: Final = rb"(?:^|\0)[^?] \d{6} %b 0\t([^\0]*)" % EMPTY_BLOB.encode()
_EXECUTABLE: Final = "100755"
# Entries whose flags tell git not to look at the file.
_FLAGGED: Final = rb"(?:^|\0)[a-zS] "


@immutable
class Captured:
    """The state, and what it lacks. `stages`: the blobs of entries in conflict, which no tree of the state has.

    `stored`: only files changed since the last moment, and the store of moments has all of them.
    """

    state: State
    left_out: tuple[str, ...]
    unmerged: bool
    stages: tuple[str, ...]
    stored: bool = False


@immutable
class _Index:
    """The index as a tree, and whole as a blob if a tree cannot represent it."""

    tree: str
    whole: str
    stages: tuple[str, ...]


def take(maker: Maker, head: Head, known: KnownMoment | None) -> Captured:
    """Capture the state. The caller holds the lock for moments of this worktree. CONFLICT if git cannot read a file."""
    ours = private(maker.git, maker.folder / "index")
    choose = partial(_choose, Path(maker.git.where), maker.limit)
    same = known.state if known and known.same_index else None
    shot = file_tree.read_changes(ours, choose, maker.seen) if same and not same.index_raw else None
    few, begun = shot is not None, maker.seen and maker.seen.begun
    shot = shot or file_tree.read_files(maker.git, ours, head.commit, choose)
    index = _index(maker, shot.listed, same)
    new = moment_store.own_entries(maker.objects, shot.tree, shot.changed) if few else None
    if same and _is_as_before(maker, same, new):
        exact, kept, unkept = same.exact, "", same.unkept
    else:
        others = _unconverted(maker, ours, shot, few=few)
        exact, kept, unkept = others.exact, _raw(maker, others.kept), others.unkept
    state = State(
        head.commit,
        head.branch,
        index.tree,
        shot.tree,
        kept,
        index.whole,
        active_task.read(maker.places),
        _modes(ours, shot, _last_modes(known) if few or not begun else None),
        exact,
        unkept,
    )
    return Captured(state, shot.left_out, bool(index.stages), index.stages, new is not None)


def _is_as_before(maker: Maker, same: State, new: Mapping[str, Entry] | None) -> bool:
    """Whether at the last moment all files had the bytes of their blobs, and the new ones have them, too. Then nobody asks
    `unconverted_bytes`: the blobs and the bytes of all other files are those of the last moment, whatever attributes say now.
    """
    if new is None or same.raw or same.unkept:
        return False
    for path, entry in new.items():
        if entry.mode == GITLINK:
            continue
        now = file_state.look_at(f"{maker.git.where}/{path}")
        if now is None or now.oid != entry.oid:
            return False
    return True


def _unconverted(maker: Maker, ours: Git, shot: Shot, *, few: bool) -> UnconvertedFiles:
    """The files whose bytes are not those of their blobs. `few`: the other files are those of the last moment."""
    from devs_git.storage.worktree import unconverted_bytes
    from devs_git.storage.worktree.unconverted_bytes import Listing

    index = maker.folder / "index.bytes"
    # Without that index, no attributes applied at the last moment; only the configuration and the files that changed can
    # have brought some.
    listed = b"" if few and not index.exists() else ours.run("ls-files", "-v", "-z")
    return unconverted_bytes.find(ours, maker.places, Listing(listed, shot.changed, (), index))


def _choose(top: Path, limit: Callable[[], int], paths: list[str]) -> Collection[str]:
    """The files to leave out: those that cannot be read, and the largest ones if all together are over the limit."""
    sizes: dict[str, int] = {}
    out: set[str] = set()
    for path in paths:
        place = f"{top}/{path}"
        try:
            facts = os.lstat(place)
        except OSError:
            continue
        if stat.S_ISREG(facts.st_mode):
            sizes[path] = facts.st_size
            if not os.access(place, os.R_OK):
                out.add(path)
    total = sum(sizes.values())
    if total > file_tree.ROOM_UNASKED and total > (most := limit()):
        for path in sorted(sizes, key=lambda name: sizes[name], reverse=True):
            if total <= most:
                break
            out.add(path)
            total -= sizes[path]
    return out


def _index(maker: Maker, listed: bytes, same: State | None) -> _Index:
    """Capture the user's index with a copy of it, because `write-tree` writes to the index that it reads."""
    conflicts = re.findall(_UNMERGED, listed) if listed else []
    stages = tuple(dict.fromkeys(oid.decode() for oid, _, _ in conflicts))
    if same:
        return _Index(same.index, same.index_raw, stages)
    import shutil

    source, copy = index_path(maker.git), maker.folder / "index.user"
    own = private(maker.git, copy)
    copy.unlink(missing_ok=True)
    if source.exists():
        shutil.copy2(source, copy)
    if conflicts:
        paths = sorted({path for _, _, path in conflicts})
        own.run("update-index", "--force-remove", "-z", "--stdin", stdin=b"".join(p + b"\0" for p in paths))
    tree = own.text("write-tree", "--missing-ok")
    if not (conflicts or re.search(_FLAGGED, listed) or _has_intended(own, tree, listed)):
        return _Index(tree, "", ())
    shutil.copy2(source, copy)
    own.run("update-index", "--no-split-index", "--force-write-index")
    return _Index(tree, maker.objects.write("blob", copy.read_bytes()), stages)


def _has_intended(git: Git, tree: str, listed: bytes) -> bool:
    """Whether the index has an entry that was added with `git add -N`. Such an entry names the empty blob, and no tree has it."""
    empty = {os.fsdecode(path) for path in re.findall(_EMPTY, listed)}
    return bool(empty) and not empty.issubset(
        split_z(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree))
    )


def _raw(maker: Maker, paths: Collection[str]) -> str:
    """The tree of the raw bytes of these files; '' for no files."""
    if not paths:
        return ""
    from devs_git.storage.worktree.raw_bytes import raw_git

    index = maker.folder / "index.raw"
    index.unlink(missing_ok=True)
    own = raw_git(maker.git, maker.places, index)
    own.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_z(sorted(paths)))
    return own.text("write-tree")


def _last_modes(known: KnownMoment | None) -> Modes | None:
    """The unusual permissions at the last moment; None if it does not tell those of the files that did not change since."""
    return known.state.modes if known and not known.doubted and known.details.umask == umask() else None


def _modes(ours: Git, shot: Shot, before: Modes | None) -> Modes:
    """The permissions that git would not give by itself, of files and of folders (with a slash at the end). `before` are those
    of the last moment, if it was made under this umask.

    Only files that were read anew can have new permissions: a change of permissions changes the time that git compares.
    """
    top = os.fspath(ours.where)
    if not attributes.sees_modes(ours):
        # The tree does not say which files are executable on the disk.
        entries = (line.partition("\t") for line in split_z(ours.run("ls-files", "-s", "-z")))
        return _unusual(top, {path: head.startswith(_EXECUTABLE) for head, _, path in entries})
    if before is None:
        return _unusual(top, split_z(ours.run("ls-files", "-z")))
    again = {*shot.seen, *shot.changed}
    kept = {path: mode for path, mode in before.items() if path not in again and not path.endswith("/")}
    return _unusual(top, (*kept, *again, *(path for path in before if path.endswith("/"))))


def _unusual(top: str, paths: Iterable[str] | Mapping[str, bool]) -> dict[str, int]:
    """The unusual permissions of files and of the folders above them. A mapping says which files git makes executable."""
    both = {default_mode(executable=True), default_mode(executable=False)}
    folder_mode = default_mode(executable=True)
    found: dict[str, int] = {}
    folders: set[str] = set()
    for path in paths:
        folder = path.rstrip("/") if path.endswith("/") else path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
        if path.endswith("/"):
            continue
        mode = _lstat_mode(f"{top}/{path}")
        common = {default_mode(executable=paths[path])} if isinstance(paths, Mapping) else both
        if stat.S_ISREG(mode) and stat.S_IMODE(mode) not in common:
            found[path] = stat.S_IMODE(mode)
    for folder in folders:
        mode = _lstat_mode(f"{top}/{folder}")
        if stat.S_ISDIR(mode) and stat.S_IMODE(mode) != folder_mode:
            found[f"{folder}/"] = stat.S_IMODE(mode)
    return dict(sorted(found.items()))


def _lstat_mode(place: str) -> int:
    try:
        return os.lstat(place).st_mode
    except OSError:
        return 0


def stage_entries(stages: Iterable[str]) -> dict[str, Entry]:
    """Entries of a tree that keeps these blobs."""
    return {oid: Entry(FILE, oid) for oid in stages}
