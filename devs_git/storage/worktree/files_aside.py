"""Files that a move takes aside. They are renamed, and deleted only when it is certain that nobody wrote to them.

A rename takes the whole file that is at the path at that moment. An editor may save during the move. If it truncates the
file and writes to it, it writes to the file that we took aside. If it renames a new file to the path, the path is empty,
and git later refuses to write there. So we find each save afterwards, whenever it happened.

`<operation>/aside-<n>/<k>` is the file of the k-th path in the list `<operation>/aside-<n>/paths`. If the worktree is on
another file system than the git directory, the file is `.devs-<operation>-<n>-<k>`, in the folder of its path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from devs_git.storage.git.program import join_z, split_z
from devs_git.values import Final, immutable

_LISTED: Final = "paths"
# This file in the folder of a round says that files of it are in the worktree.
_IN_WORKTREE: Final = "beside"


@immutable
class Round:
    """Paths whose files are taken aside together."""

    top: str
    folder: Path
    paths: tuple[str, ...]

    def take(self, number: int) -> str:
        """Take the file of this path aside. Returns where it is now, or '' if there was nothing at the path."""
        place, near = f"{self.top}/{self.paths[number]}", f"{self.folder}/{number}"
        try:
            os.rename(place, near)  # noqa: PTH104 - there may be thousands
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            (self.folder / _IN_WORKTREE).touch()
            near = self._in_worktree(number)
            os.rename(place, near)  # noqa: PTH104 - as above
        return near

    def spot(self, number: int) -> str:
        """Where the file of this number is now; '' if it was not taken aside."""
        near = f"{self.folder}/{number}"
        if os.path.lexists(near):
            return near
        other = self._in_worktree(number)
        return other if os.path.lexists(other) else ""

    def _in_worktree(self, number: int) -> str:
        folder, slash, _ = self.paths[number].rpartition("/")
        name = f".devs-{self.folder.parent.name}-{self.folder.name.rpartition('-')[2]}-{number}"
        return f"{self.top}/{folder}{slash}{name}"

    def drop(self) -> None:
        """Delete the files that are outside the operation's folder. The caller has checked that nobody wrote to them."""
        for number in range(len(self.paths)) if (self.folder / _IN_WORKTREE).exists() else ():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._in_worktree(number))  # noqa: PTH108 - as above


def begin(top: str, operation: Path, paths: Sequence[str]) -> Round:
    """Begin a new round of an operation. Its list is on disk before the first file is taken aside."""
    found = Round(top, operation / f"aside-{len(list(operation.glob('aside-*')))}", tuple(paths))
    found.folder.mkdir(mode=0o700)
    with (found.folder / _LISTED).open("wb") as stream:
        stream.write(join_z(found.paths))
        stream.flush()
        os.fsync(stream.fileno())
    return found


def is_there(operation: Path) -> bool:
    """Whether an operation has begun to take files aside."""
    return (operation / "aside-0").is_dir()


def rounds(top: str, operation: Path) -> Iterator[Round]:
    """The rounds of an operation, in their order."""
    for folder in sorted(operation.glob("aside-*"), key=lambda path: int(path.name.rpartition("-")[2])):
        # Without a list the process ended before it took the first file.
        with contextlib.suppress(FileNotFoundError):
            yield Round(top, folder, tuple(split_z((folder / _LISTED).read_bytes())))


def drop(top: Path, operation: Path) -> None:
    """Delete the files aside that are outside the operation's folder; the folder is removed next.

    The caller has checked that nobody wrote to them.
    """
    for one in rounds(os.fspath(top), operation):
        one.drop()


def put(spot: str, top: str, path: str) -> bool:
    """Put a file back to a path where there is nothing now. Returns whether it could be done."""
    place = f"{top}/{path}"
    if not make_folders(top, path):
        return False
    try:
        if os.path.islink(spot):  # noqa: PTH114 - as above
            os.symlink(os.readlink(spot), place)  # noqa: PTH115, PTH211 - as above
        else:
            os.link(spot, place)
    except FileExistsError:
        return False
    os.unlink(spot)  # noqa: PTH108 - as above
    return True


def make_folders(top: str, path: str) -> bool:
    """Make the folders above a path. Returns False if a file or a link is in the place of one, wherever the link leads."""
    at = path.find("/")
    while at != -1:
        above = f"{top}/{path[:at]}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(above)  # noqa: PTH102 - as above
        if not stat.S_ISDIR(os.lstat(above).st_mode):
            return False
        at = path.find("/", at + 1)
    return True


def prune_folders(top: str, path: str) -> None:
    """Remove the folders above a path that are empty."""
    folder = os.path.dirname(path)  # noqa: PTH120 - as above
    with contextlib.suppress(OSError):
        while folder:
            os.rmdir(f"{top}/{folder}")  # noqa: PTH106 - as above
            folder = os.path.dirname(folder)  # noqa: PTH120 - as above
