"""Files that a move takes from their paths: renamed, never deleted, until it is certain that nobody wrote to them.

A rename takes whatever is there at that moment, as a whole. An editor that saves by truncating writes to what was taken
away, and one that saves by renaming puts something at a path that is empty then, where git refuses to write. So each save
is found afterwards, at whatever moment it came.

`<operation>/aside-<n>/<k>` is the k-th of the paths that `paths` beside it lists; on another file system than the git
directory it is `.devs-<operation>-<n>-<k>` beside its path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import join_z, split_z
from devs_git.values import immutable

_LISTED: Final = "paths"
_BESIDE: Final = "beside"


@immutable
class Round:
    """Paths that are taken away at one time."""

    top: str
    folder: Path
    paths: tuple[str, ...]

    def take(self, number: int) -> str:
        """Take what is at the path away: where it is now, or '' where nothing was that could be taken."""
        place, near = f"{self.top}/{self.paths[number]}", f"{self.folder}/{number}"
        try:
            os.rename(place, near)  # noqa: PTH104 - there may be thousands
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            (self.folder / _BESIDE).touch()
            near = self._beside(number)
            os.rename(place, near)  # noqa: PTH104 - as above
        return near

    def spot(self, number: int) -> str:
        """Where the file of that number is, '' where it is in neither place."""
        near = f"{self.folder}/{number}"
        if os.path.lexists(near):
            return near
        return beside if os.path.lexists(beside := self._beside(number)) else ""

    def _beside(self, number: int) -> str:
        folder, slash, _ = self.paths[number].rpartition("/")
        name = f".devs-{self.folder.parent.name}-{self.folder.name.rpartition('-')[2]}-{number}"
        return f"{self.top}/{folder}{slash}{name}"

    def drop(self) -> None:
        """Delete what is left of it outside the operation's folder; the caller has looked that it is ours."""
        for number in range(len(self.paths)) if (self.folder / _BESIDE).exists() else ():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._beside(number))  # noqa: PTH108 - as above


def begin(top: str, operation: Path, paths: Sequence[str]) -> Round:
    """A new round for an operation's folder; its list is on disk before the first path is taken."""
    found = Round(top, operation / f"aside-{len(list(operation.glob('aside-*')))}", tuple(paths))
    found.folder.mkdir(mode=0o700)
    with (found.folder / _LISTED).open("wb") as stream:
        stream.write(join_z(found.paths))
        stream.flush()
        os.fsync(stream.fileno())
    return found


def is_there(operation: Path) -> bool:
    """Whether anything was ever taken aside by an operation."""
    return (operation / "aside-0").is_dir()


def rounds(top: str, operation: Path) -> Iterator[Round]:
    """The rounds of an operation, the first one first."""
    for folder in sorted(operation.glob("aside-*"), key=lambda path: int(path.name.rpartition("-")[2])):
        with contextlib.suppress(FileNotFoundError):  # died before it was listed, and so before it was used
            yield Round(top, folder, tuple(split_z((folder / _LISTED).read_bytes())))


def drop(top: Path, operation: Path) -> None:
    """Delete what stands aside outside of the operation's folder, which goes next; the caller has looked at it."""
    for one in rounds(os.fspath(top), operation):
        one.drop()


def put(spot: str, top: str, path: str) -> bool:
    """Give a file that was taken away a path, where nothing is now; whether that could be done."""
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
    """Make the folders above a path; no where a file or a link is in the place of one, wherever the link leads."""
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
