"""Find tracked files whose bytes are not those of their blobs, even if git's index calls them unchanged.

git decides by a file's times, so it calls a file unchanged even if the file was written with attributes that no longer
exist. We keep a second index of the worktree, in which nothing is converted. It has the oid of each file's bytes, so we
do not read a file again that has not changed. Most repositories have no attributes. They never get this index: once in
each worktree we compare the sizes of files and blobs.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.storage.git import filters
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.worktree import attributes, file_state
from devs_git.storage.worktree.raw_bytes import list_files, raw_git
from devs_git.storage.worktree.survey import paths_of
from devs_git.values import TYPE_CHECKING, Final, field, immutable

if TYPE_CHECKING:
    from devs_git.storage.git.places import Places
    from devs_git.storage.worktree.backups import State

# The bytes of files that do not move are saved, too, but at most so many files and bytes, the smallest files first.
KEPT_FILES: Final = 2000
KEPT_BYTES: Final = 64 << 20
# The most bytes of paths that we pass as arguments.
_ARGUMENT_BYTES: Final = 1 << 15
_SIZES: Final = (
    rf"(?:^|\n)1[02]0\d{{3}} ({OID_FORM}) 0\t[^\0]*\0  ctime: [\d:]+\n  mtime: [\d:]+\n  dev: [^\n]*\n"
    r"  uid: [^\n]*\n  size: ([1-9]\d*)\t"
).encode()
# The folders in a list of paths, each of which is after a letter.
_FOLDERS: Final = rb"(?:^|\0)[^\0] ([^\0]*/)"
# In this index git always compares all times, whatever the user's configuration says, and starts no helper program.
# We do not sync it to disk: if a power failure damages it, it is built again.
_OWN: Final = ("core.trustctime=true", "core.checkStat=default", "core.fsmonitor=false", "core.fsync=none")


@immutable
class UnconvertedFiles:
    """Files whose bytes are not those of their blobs.

    The bytes of the `kept` files are to be saved. Of the `unkept` files only the oid of their bytes is recorded. If
    `exact`, all other files have the bytes of their blobs.
    """

    exact: bool
    kept: tuple[str, ...] = ()
    unkept: Mapping[str, str] = field(default_factory=dict)


@immutable
class Listing:
    """An index, and where else attributes may be. `listed`: `ls-files -v -z` of it. `paths`: files that are not in it.

    `left_out`: files that the caller looks at anyway, or that git is told not to look at. `index`: where the index with the
    oids of the files' bytes stays from one call to the next. The caller holds the lock for it.
    """

    listed: bytes
    paths: tuple[str, ...]
    left_out: tuple[str, ...]
    index: Path


def own_index(places: Places) -> Path:
    """The index with the oids of the files' bytes, for commands that hold the worktree's lock."""
    return places.own / "raw" / "index"


def find(git: Git, places: Places, listing: Listing) -> UnconvertedFiles:
    """Find such files. `git` uses the index of which `listing` is the list."""
    index = listing.index
    if (
        not index.exists()
        and not _may_convert(git, listing)
        and not _has_other_size(git, places, listing.listed)
    ):
        return UnconvertedFiles(exact=not _is_partial(git))
    left_out = {os.fsencode(path) for path in listing.left_out}
    blobs = _entries(git)
    # We hold the lock, so the process that left this lock file no longer runs.
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
    own = raw_git(git, places, index).with_config(*_OWN)
    try:
        return _kept(git, _find_differing(own, blobs, left_out))
    except GitFailed:
        index.unlink(missing_ok=True)
        return _kept(git, _one_by_one(os.fspath(git.where), blobs, left_out))


def _may_convert(git: Git, listing: Listing) -> bool:
    """Whether attributes or filters may apply in this worktree, or in one of the two states of a move.

    We see an untracked attributes file only at the root and above the files that move. `_has_other_size` looks in all
    other folders, once in a worktree.
    """
    if filters.configured_filters(git):
        return True
    return attributes.may_convert(git, git.where, listing.paths, lambda: paths_of(listing.listed))


def _is_partial(git: Git) -> bool:
    """Whether git may lack objects, and would fetch each of them to get its size."""
    return any(name.endswith(".promisor") for name in attributes.settings(git))


def _has_other_size(git: Git, places: Places, listed: bytes) -> bool:
    """Whether a file is not as large as its blob. This is the only trace of attributes and settings that no longer exist.

    We look once in a worktree: while nothing converts, git writes each file with the size of its blob.
    """
    done = places.own / "raw" / "looked"
    if _is_partial(git) or done.exists():
        return False
    folders = [os.fsdecode(folder) for folder in set(re.findall(_FOLDERS, listed))]
    if attributes.may_convert(git, git.where, folders, lambda: paths_of(listed)):
        return True
    sizes = re.findall(_SIZES, git.run("ls-files", "-s", "--debug", "-z"))
    asked = b"".join(oid + b"\n" for oid, _ in sizes)
    blob_sizes = git.run("cat-file", "--batch-check=%(objectsize)", stdin=asked).split(b"\n") if sizes else ()
    if any(size != blob and blob.isdigit() for (_, size), blob in zip(sizes, blob_sizes, strict=False)):
        return True
    done.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    done.touch()
    return False


def _entries(git: Git, *paths: bytes) -> set[bytes]:
    """Each regular file of an index, or of `paths` in it, as one line: its blob, a space, the stage, a tab and its path."""
    lines = git.run("ls-files", "-s", "-z", "--", *map(os.fsdecode, paths)).split(b"\0")
    return {line[7:] for line in lines if line.startswith(b"100")}


def _find_differing(own: Git, blobs: set[bytes], left_out: Collection[bytes]) -> dict[str, str]:
    """The files whose bytes are not among `blobs`, with the oids of their bytes.

    `own` is the git that converts nothing. Its index is updated first.
    """
    seen = _entries(own)
    differing, other = ({_path(line) for line in lines} for lines in (blobs - seen, seen - blobs))
    changed = {path for path in own.run("diff-files", "-z", "--name-only", "--").split(b"\0") if path}
    wanted = (differing - other | changed - (other - differing)).difference(left_out)
    known = {line for line in seen - blobs if _path(line) in differing and _path(line) not in wanted}
    if wanted:
        words = ("update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin")
        own.run(*words, stdin=b"".join(path + b"\0" for path in wanted))
        few = wanted if sum(map(len, wanted)) < _ARGUMENT_BYTES else ()
        known |= {line for line in _entries(own, *few) if _path(line) in wanted} - blobs
    return {os.fsdecode(_path(line)): _oid(line) for line in known if _path(line) not in left_out}


def _path(line: bytes) -> bytes:
    return line.partition(b"\t")[2]


def _oid(line: bytes) -> str:
    return line.partition(b" ")[0].decode()


def _one_by_one(top: str, blobs: Collection[bytes], left_out: Collection[bytes]) -> dict[str, str]:
    """The same without git, as far as the files can be read."""
    found = {}
    for line in blobs:
        path = os.fsdecode(_path(line))
        with contextlib.suppress(OSError):
            one = None if _path(line) in left_out else file_state.look(top, (path,)).files.get(path)
            found.update({path: one.oid} if one and one.oid != _oid(line) else {})
    return found


def _kept(git: Git, off: Mapping[str, str]) -> UnconvertedFiles:
    """The smallest files are kept first."""
    sizes = sorted((_size(f"{git.where}/{path}"), path) for path in off)
    kept, room = [], KEPT_BYTES
    for size, path in sizes[:KEPT_FILES]:
        room -= size
        if room < 0:
            break
        kept.append(path)
    return UnconvertedFiles(True, tuple(kept), {path: off[path] for _, path in sizes[len(kept) :]})


def _size(place: str) -> int:
    try:
        return os.lstat(place).st_size
    except OSError:
        return 0


def find_not_restored(git: Git, old: State, new: State, touched: Sequence[str]) -> tuple[str, ...]:
    """After a move from `old` to `new`: find the files that had other bytes in `new`, and whose bytes were not saved."""
    if not (new.exact and (old.unkept or new.unkept)):
        return ()
    moved, raw = set(touched), list_files(git, new.raw)
    blobs = list_files(git, new.worktree)
    asked = {path: oid for path, oid in new.unkept.items() if path in moved or old.unkept.get(path) != oid}
    seen = file_state.look(os.fspath(git.where), asked).files
    other = {path for path, oid in asked.items() if path in seen and seen[path].oid != oid}
    for path in old.unkept.keys() - moved - new.unkept.keys():
        if path in blobs and raw.get(path, blobs[path]).oid != old.unkept[path]:
            other.add(path)
    return tuple(sorted(other))
