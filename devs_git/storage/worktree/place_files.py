"""Put the files of a state in their places: what is there is taken aside, and nothing that anybody saves is overwritten.

git writes what its filters decide (`checkout-index` without force, which refuses where something is), we write bytes that
were captured. `read-tree -u` would remove whatever is at a path at the moment when it gets there, which a slow filter on
another path puts off for minutes.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git.objects import EXECUTABLE, LINK, Objects
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import files_aside, modes
from devs_git.values import immutable

Entry = tuple[int, str]  # mode and blob


@immutable
class Folders:
    """Folders of submodules that a move makes, and those that it leaves; a submodule's own tree is never ours."""

    made: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def remove_empty_folders(top: str, gone: Iterable[str], wanted: Iterable[str], folders: Folders) -> None:
    """Remove the folders that are empty now: above paths that are gone, and where a file is wanted."""
    for path in gone:
        files_aside.prune_folders(top, path)
    for path in folders.left:
        with contextlib.suppress(OSError):  # a repository of its own: it stays
            os.rmdir(f"{top}/{path}")  # noqa: PTH106 - there may be thousands
            files_aside.prune_folders(top, path)
    for path in wanted:
        place = f"{top}/{path}"
        if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114 - as above
            for folder, _, _ in os.walk(place, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)  # noqa: PTH106 - as above
    for path in folders.made:
        files_aside.make_folders(top, f"{path}/")


def write_by_git(git: Git, index: Path, paths: Sequence[str], fallbacks: Mapping[str, Entry]) -> None:
    """Let git write files at paths where nothing is. What somebody else has put there meanwhile stays.

    `fallbacks`, attributes files that the state's own index has instead of the disk, are in the private index from then
    on, for git writes under them. GitFailed where git could not write them all.
    """
    own = private(git, index)
    if fallbacks:
        script = b"".join(b"%o %s\t%s\0" % (m, o.encode(), os.fsencode(p)) for p, (m, o) in fallbacks.items())
        own.run("update-index", "-z", "--index-info", stdin=script)
    if not paths:
        return
    try:
        own.run("checkout-index", "-u", "-z", "--stdin", stdin=join_z(paths))
    except GitFailed as error:
        top = os.fspath(own.where)
        stopped = error.status != 1 or "unable to write" in error.stderr
        if stopped or not all(os.path.lexists(f"{top}/{path}") for path in paths):
            raise
        # Then git does not note what it wrote.
        own.run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))


def write_captured(top: str, objects: Objects, files: Mapping[str, Entry], folder: Path) -> None:
    """Write captured bytes at paths where nothing is; what somebody else has put there meanwhile stays."""
    for path, (mode, oid) in files.items():
        if files_aside.make_folders(top, path):
            with contextlib.suppress(FileExistsError):
                _write(f"{top}/{path}", mode, objects.read(oid, "blob"), folder / "raw.tmp")


def _write(place: str, mode: int, data: bytes, temporary: Path) -> None:
    """One file by way of a temporary one of ours, so that it is never seen half written."""
    if mode == LINK:
        os.symlink(os.fsdecode(data), place)  # noqa: PTH211 - strings
        return
    temporary.unlink(missing_ok=True)
    temporary.write_bytes(data)
    temporary.chmod(modes.default_mode(executable=mode == EXECUTABLE))
    try:
        os.link(temporary, place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with open(place, "xb") as stream:  # noqa: PTH123 - as above
            stream.write(data)  # another file system: a torn write is a prefix, which recovery knows
        os.chmod(place, modes.default_mode(executable=mode == EXECUTABLE))  # noqa: PTH101 - as above
    temporary.unlink()


def paths_outside_sparse_checkout(git: Git, index: Path, among: Collection[str]) -> set[str]:
    """Those paths that a sparse checkout leaves out: they are in the index and not written."""
    out = private(git, index).run("ls-files", "-t", "-z")
    return (
        {line[2:] for line in split_z(out) if line[0] == "S"}.intersection(among) if b"S " in out else set()
    )
