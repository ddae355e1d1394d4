"""Move a worktree from one captured state to another: git writes the files, we write the bytes it would convert."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage.engine import attributes
from devs_git.storage.engine.capture import State, listed, usual_mode
from devs_git.storage.git_program import Git, GitFailed, join_z, split_z
from devs_git.storage.objects import EXECUTABLE, GITLINK, LINK, Objects
from devs_git.storage.private_index import index_path, private
from devs_git.values import immutable

ARGUMENT_BYTES = 1 << 15  # of paths that are handed over as arguments; above it git looks at every file
SUBMODULE = "160000"
_DIFF: Final = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")


@immutable
class Change:
    """One path between two trees; '' oids and 0 modes where a side does not have it."""

    path: str
    old_mode: int
    new_mode: int
    old: str
    new: str


def changes(git: Git, old: str, new: str) -> list[Change]:
    """Paths whose file differs between two trees; a submodule counts as no file."""
    with changes_alongside(git, old, new) as found:
        return found()


@contextlib.contextmanager
def changes_alongside(git: Git, old: str, new: str) -> Iterator[Callable[[], list[Change]]]:
    """The same, asked while the body does something else; what is yielded waits for the answer."""
    with git.alongside(*_DIFF, old, new, "--") as output:
        yield lambda: _changes(output())


def _changes(out: bytes) -> list[Change]:
    found = []
    for path, (old_mode, new_mode), (old_oid, new_oid) in _differences(out):
        before, after = _file(old_mode, old_oid), _file(new_mode, new_oid)
        if before[1] or after[1]:
            found.append(Change(path, before[0], after[0], before[1], after[1]))
    return found


def submodules_made(git: Git, old: str, new: str) -> list[str]:
    """Paths at which git makes a submodule's folder, on the way from one tree to another."""
    differing = _differences(git.run(*_DIFF, old, new, "--"))
    return [path for path, (before, after), _ in differing if after == SUBMODULE != before]


def _differences(out: bytes) -> Iterator[tuple[str, tuple[str, str], tuple[str, str]]]:
    parts = split_z(out)
    for head, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_oid, new_oid, _status = head[1:].split(" ")
        yield path, (old_mode, new_mode), (old_oid, new_oid)


def _file(mode: str, oid: str) -> tuple[int, str]:
    number = int(mode, 8)
    return (number, oid) if number not in (0, GITLINK) else (0, "")


def write_raw(
    git: Git, objects: Objects, tree: str, folder: Path, *, skip: Callable[[str], bool]
) -> list[str]:
    """Write the bytes of a raw tree over the files that differ from them; returns the paths written."""
    top, files = Path(git.where), listed(git, tree)
    wanted = {path: entry for path, entry in files.items() if not skip(path)}
    same = _same(git, objects, top, wanted)
    for path in wanted.keys() - same:
        _write_one(top / path, *wanted[path], objects, folder)
    return sorted(wanted.keys() - same)


def _same(git: Git, objects: Objects, top: Path, wanted: dict[str, tuple[int, str]]) -> set[str]:
    """Paths whose file is already what the raw tree says."""
    regular = [
        p
        for p, (mode, _) in wanted.items()
        if mode != LINK and (top / p).is_file() and not (top / p).is_symlink()
    ]
    oids = dict(zip(regular, attributes.raw_oids(git, regular), strict=True))
    same = {
        p
        for p in regular
        if oids[p] == wanted[p][1] and is_executable(top / p) == (wanted[p][0] == EXECUTABLE)
    }
    return same | {p for p, (mode, oid) in wanted.items() if mode == LINK and _links(top / p, oid, objects)}


def _links(path: Path, oid: str, objects: Objects) -> bool:
    return path.is_symlink() and os.fsencode(path.readlink()) == objects.read(oid, "blob")


def set_modes(git: Git, objects: Objects, state: State, *, skip: Callable[[str], bool]) -> None:
    """Give files the permissions that were captured of them."""
    if not state.modes:
        return
    for path, mode in json.loads(objects.read(state.modes, "blob")).items():
        file = Path(git.where) / path
        if not skip(path) and file.is_file() and not file.is_symlink():
            file.chmod(mode)


def is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def _write_one(path: Path, mode: int, oid: str, objects: Objects, folder: Path) -> None:
    """One file by way of a temporary one of ours, so that it is never seen half written."""
    data = objects.read(oid, "blob")
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == LINK:
        path.unlink(missing_ok=True)
        path.symlink_to(os.fsdecode(data))
        return
    temporary = folder / "raw.tmp"
    temporary.write_bytes(data)
    temporary.chmod(usual_mode(executable=mode == EXECUTABLE))
    try:
        temporary.replace(path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copyfile(
            temporary, path
        )  # another file system: a torn write is a prefix, which recovery knows


def _is_there(top: Path, path: str) -> bool:
    """Whether something other than a folder is at `path`; behind a link or a file nothing of it is."""
    at = path.rfind("/")
    whole = top / path
    if not os.path.lexists(whole) or (whole.is_dir() and not whole.is_symlink()):
        return False
    return at == -1 or os.path.realpath(whole.parent) == os.path.join(os.path.realpath(top), path[:at])  # noqa: PTH118


def read_tree(
    git: Git, index: Path, trees: tuple[str, str], *, dry: bool = False, timeout: float | None = None
) -> None:
    """`git read-tree -m -u OLD NEW` on a private index: git itself refuses whatever is not as `index` says.

    It goes by times and sizes; where these alone differ (a copied repository, a touched file) the index learns them.
    """
    own = private(git, index)
    words = ("read-tree", "-m", "-u", *(("-n",) if dry else ()), "--no-recurse-submodules", *trees)
    try:
        own.run(*words, timeout=timeout)
    except GitFailed as error:
        if "not uptodate" not in error.stderr:
            raise
        refresh(git, index)
        own.run(*words, timeout=timeout)


def settle_index(git: Git, objects: Objects, index: Path, state: State) -> None:
    """Make the private index, which now holds the state's worktree tree, the state's own index.

    What git wrote it has looked at; what we wrote over it, or an index of an earlier time, it has to look at again.
    """
    own = private(git, index)
    if state.index_raw:
        index.unlink(missing_ok=True)  # for taking back it has other names, and these keep what they have
        index.write_bytes(objects.read(state.index_raw, "blob"))
    elif state.index != state.worktree:
        own.run("read-tree", "-i", "-m", "--no-recurse-submodules", state.index)
    if state.raw or state.index_raw or state.modes:
        refresh(git, index)
    if state.raw:  # of another size than git would write: git takes them for changed until it is shown them
        same = _cleaned(own, _off(own, ()))
        own.run("update-index", "-z", "--stdin", stdin=join_z(sorted(same)))


def refresh(git: Git, index: Path) -> None:
    """Let git compare every file with its entry, so that `git status` need not."""
    private(git, index).run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))


def verify(git: Git, objects: Objects, index: Path, move: tuple[State, Sequence[Change]]) -> tuple[str, ...]:
    """Check that the private index is the state's worktree tree and each touched file is what it says.

    `move` is the state moved to and the paths touched.
    Returns `not_exact`: paths that do not round-trip through their own filters. Raises GIT_RESET_FAILED.
    """
    own = private(git, index)
    with own.alongside("write-tree", "--missing-ok") as written:
        not_exact = _not_exact(git, objects, own, move)
        if written().decode().strip() != move[0].worktree:
            raise DevsError("GIT_RESET_FAILED", "The index does not match the checkpoint after the move.")
    return not_exact


def _not_exact(git: Git, objects: Objects, own: Git, move: tuple[State, Sequence[Change]]) -> tuple[str, ...]:
    top, (state, touched) = Path(git.where), move
    left = [change.path for change in touched if not change.new and _is_there(top, change.path)]
    if left:  # git only warns of a file that it could not remove
        raise DevsError(
            "GIT_RESET_FAILED", f"Files could not be removed, such as {left[0]!r} ({len(left)} in all)."
        )
    ours = {change.path for change in touched}
    not_exact: set[str] = set()
    if ours and attributes.in_play(git, top, ours):
        blobs = {
            change.path: change.new for change in touched if change.new and (top / change.path).is_file()
        }
        paths = attributes.converting(own, list(blobs))
        not_exact = set(paths) - _cleaned(own, {path: blobs[path] for path in paths})
    off = {path: oid for path, oid in _off(own, ours).items() if path in ours} if ours else {}
    wrong = off.keys() - _cleaned(own, off)
    if wrong:
        wrong = (
            wrong
            - attributes.inexact(own, top, {path: off[path] for path in sorted(wrong)})
            - _as_raw(git, objects, state, wrong)
        )
    if wrong:
        raise DevsError(
            "GIT_RESET_FAILED",
            f"Files are not as git wrote them, such as {min(wrong)!r} ({len(wrong)} in all).",
        )
    return tuple(sorted(not_exact))


def _off(own: Git, among: Collection[str]) -> dict[str, str]:
    """Paths whose file is not as the index last saw it, with the index's blob; all paths where `among` is empty."""
    some = sorted(among) if len(os.fsencode("".join(among))) < ARGUMENT_BYTES else []
    options = ("-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules")
    out = split_z(own.run("diff-files", *options, "--", *some))
    return {path: head.split(" ")[2] for head, path in zip(out[::2], out[1::2], strict=True)}


def _cleaned(own: Git, blobs: Mapping[str, str]) -> set[str]:
    """Those paths whose file git would store as their blob."""
    top = Path(own.where)
    there = [path for path in blobs if (top / path).is_file() and not (top / path).is_symlink()]
    oids = attributes.clean_oids(own, there)
    return {path for path, oid in zip(there, oids, strict=True) if oid == blobs[path]}


def _as_raw(git: Git, objects: Objects, state: State, paths: set[str]) -> set[str]:
    """Those of `paths` that hold the bytes that were captured of them."""
    if not state.raw:
        return set()
    return _same(
        git, objects, Path(git.where), {p: e for p, e in listed(git, state.raw).items() if p in paths}
    )


def put_index(git: Git, index: Path) -> None:
    """Rename the private index into place; the caller holds `index.lock`. A second name tells it from a later one."""
    known = index.with_name("index.new")
    known.unlink(missing_ok=True)
    os.link(index, known)
    index.replace(index_path(git))
