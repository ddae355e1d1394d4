"""Place the files of a state at paths where there is nothing, so that no file that somebody saves is overwritten.

git writes the files that go through its filters, with `checkout-index` without force, which refuses to overwrite. We
write the bytes that were captured. `git read-tree -u` would remove whatever is at a path when it comes to this path. That
can be minutes later, if a filter of another path is slow.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git import git_settings
from devs_git.storage.git.objects import EXECUTABLE, LINK, Entry, Objects
from devs_git.storage.git.private_index import add_entries, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import files_aside, modes
from devs_git.values import immutable


@immutable
class Folders:
    """Folders of submodules: those that the move makes, and those that it no longer needs.

    The tree inside a submodule is never ours to change.
    """

    made: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def remove_empty_folders(top: str, gone: Iterable[str], wanted: Iterable[str], folders: Folders) -> None:
    """Remove empty folders: those above the paths `gone`, and those at the paths `wanted`, where files are to be.

    It also makes the folders of submodules.
    """
    for path in gone:
        files_aside.prune_folders(top, path)
    for path in folders.left:
        # If it is not empty, it has the submodule's own tree, and stays.
        with contextlib.suppress(OSError):
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


def write_and_enter(git: Git, few: Path, paths: Sequence[str], index: Path, changed: Sequence[str]) -> None:
    """Like `write_by_git` with the index `few` of only these files: git writes an index as a whole. Then git takes the `changed`
    paths over from the disk into the large `index`, with their times.

    Nothing may convert the files. What somebody saved there meanwhile gets into the index, too, so the caller has to check
    it. GitFailed if git could not write all files.
    """
    write_by_git(git, few, paths, {}, note=False)
    if not changed:
        return
    # What git cannot take over, such as a folder that somebody made, the check finds.
    with contextlib.suppress(GitFailed):
        words = ("--clear-resolve-undo", "--info-only", *git_settings.UPDATE[1:])
        private(git, index).run("update-index", *words, stdin=join_z(changed))


def write_by_git(
    git: Git, index: Path, paths: Sequence[str], fallbacks: Mapping[str, Entry], *, note: bool = True
) -> None:
    """Let git write files at paths where there is nothing. A file that somebody saved there meanwhile stays.

    `fallbacks` are attributes files that the state has in its index and not on its disk. They are added to the private
    index, because they apply to what git writes. `note`: git notes the times of the files in the index. GitFailed if git could
    not write all files.
    """
    own = private(git, index)
    if fallbacks:
        add_entries(own, fallbacks)
    if not paths:
        return
    try:
        own.run("checkout-index", *(["-u"] if note else []), "-z", "--stdin", stdin=join_z(paths))
    except GitFailed as error:
        top = os.fspath(own.where)
        stopped = error.status != 1 or "unable to write" in error.stderr
        if stopped or not all(os.path.lexists(f"{top}/{path}") for path in paths):
            raise
        # After a failure git has not recorded in the index what it wrote.
        if note:
            own.run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))


def write_captured(top: str, objects: Objects, files: Mapping[str, Entry], folder: Path) -> None:
    """Write captured bytes at paths where there is nothing. A file that somebody saved there meanwhile stays."""
    for path, entry in files.items():
        if files_aside.make_folders(top, path):
            with contextlib.suppress(FileExistsError):
                _write(f"{top}/{path}", entry.mode, objects.read(entry.oid, "blob"), folder / "raw.tmp")


def _write(place: str, mode: int, data: bytes, temporary: Path) -> None:
    """Write one file by a temporary one, so that nobody ever reads a half-written file."""
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
            # Another file system, so no link is possible. If we die here, the file has the beginning of the bytes,
            # which recovery recognizes.
            stream.write(data)
        os.chmod(place, modes.default_mode(executable=mode == EXECUTABLE))  # noqa: PTH101 - as above
    temporary.unlink()


def paths_outside_sparse_checkout(git: Git, index: Path, among: Collection[str]) -> set[str]:
    """The paths of `among` that a sparse checkout leaves out: they are in the index, and git does not write them."""
    out = private(git, index).run("ls-files", "-t", "-z")
    return (
        {line[2:] for line in split_z(out) if line[0] == "S"}.intersection(among) if b"S " in out else set()
    )
