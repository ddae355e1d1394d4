"""The refs below a folder, from the files in which git stores them. Where the files do not tell, git is asked.

git takes 20 ms to list 25,000 refs, and an undo looks at them three times.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.values import Final, immutable

# Bytes; a line of the file of packed refs is shorter, because a file system limits the length of a ref's name.
_LINE: Final = 8192
# Refs with a file of their own. git reads more of them faster than we do.
_MOST: Final = 1000
# Names that are right for git on each system. It reads others as they are, ignores them, or reports them.
_PLAIN: Final = re.compile(r"([\w-]+[./])*[\w-]+", re.ASCII)
# The bytes that begin at a place, at most so many.
_Read = Callable[[int, int], bytes]


@immutable
class ListedRefs:
    """Refs and their oids. `packed`: lines `<oid> <ref>`, sorted by ref; after that of a tag there may be `^<oid of its commit>`.

    `loose`: those that have a file of their own. They go before packed ones.
    """

    packed: bytes
    loose: Mapping[str, str]

    @property
    def text(self) -> bytes:
        """All of it, by which one sees whether something was changed."""
        return self.packed + b"".join(
            os.fsencode(f"{oid} {ref}\n") for ref, oid in sorted(self.loose.items())
        )

    def find(self, ref: str) -> str:
        """The oid of a full ref name, '' for none."""
        name = os.fsencode(ref)
        place = _place(lambda start, size: self.packed[start : start + size], 0, len(self.packed), name)
        oid, _, found = self.packed[place : place + 42 + len(name)].partition(b" ")
        return self.loose.get(ref) or (oid.decode() if found == name + b"\n" else "")


def parse(text: bytes) -> dict[str, str]:
    """Full names and oids of the refs in the `text` of a list, or in what git prints."""
    return refs.parse_refs(b"\n".join(line for line in text.split(b"\n") if not line.startswith(b"^")))


def list_below(git: Git, common: Path, folder: str) -> ListedRefs:
    """The refs below `folder` (`refs/tags/devs`) now."""
    # First the loose ones: git packs a ref before it deletes its file.
    loose = _loose(common, folder)
    found = None if loose is None else read_packed(common, folder)
    if loose is None or found is None:
        with refs.print_refs_alongside(git, folder) as output:
            return ListedRefs(output(), {})
    return ListedRefs(found, loose)


def has_below(git: Git, folder: str) -> bool:
    """Whether there is a ref below `folder` in the repository of `git`."""
    from devs_git.storage.git.places import common_of

    return bool(list_below(git, common_of(git), folder).text)


def read_packed(common: Path, folder: str) -> bytes | None:
    """The lines of the packed refs below `folder`; each tag's has the line of its commit after it.

    None if git stores its refs in another way, or if the file is not sorted or lacks commits.
    """
    if (common / "reftable").exists():
        return None
    try:
        file = (common / "packed-refs").open("rb", buffering=0)
    except FileNotFoundError:
        return b""
    except OSError:
        return None
    with file:
        # git replaces this file, and writes nothing into it.
        size = os.fstat(file.fileno()).st_size
        try:
            return _below(lambda start, most: os.pread(file.fileno(), most, start), size, os.fsencode(folder))
        except ValueError:
            return None


def _below(read: _Read, size: int, folder: bytes) -> bytes:
    """ValueError for a file of another form."""
    head = read(0, _LINE).partition(b"\n")[0]
    if not (b" fully-peeled " in head and b" sorted " in head and read(size - 1, 1) == b"\n"):
        raise ValueError("not a sorted file with commits")
    start = _place(read, len(head) + 1, size, folder + b"/")
    # The letter after the slash.
    end = _place(read, start, size, folder + b"0")
    return read(start, end - start)


def _place(read: _Read, low: int, high: int, name: bytes) -> int:
    """Where between two places the first ref begins that is not before `name`; `high` if there is none."""
    while low < high:
        start, end, ref = _ref_at(read, low, (low + high) // 2)
        if ref < name:
            low = end
        else:
            high = start
    return low


def _ref_at(read: _Read, low: int, place: int) -> tuple[int, int, bytes]:
    """Beginning and end of the lines of a ref, one of which has this place, and its name. A ref begins at `low`."""
    first = max(low, place - _LINE)
    data = read(first, 2 * _LINE)
    start = _line_start(data, place - first, first == low)
    if data.startswith(b"^", start):
        start = _line_start(data, start - 1, first == low)
    stop = data.index(b"\n", start)
    end = data.index(b"\n", stop + 1) if data.startswith(b"^", stop + 1) else stop
    return first + start, first + end + 1, data[start + 41 : stop]


def _line_start(data: bytes, place: int, whole: bool) -> int:
    return data.rfind(b"\n", 0, place) + 1 if whole else data.rindex(b"\n", 0, place) + 1


def _loose(common: Path, folder: str) -> dict[str, str] | None:
    """The refs that have a file of their own. None if only git can tell, or if there are many."""
    found = dict[str, str]()
    try:
        for name, oid in loose_below(common, folder):
            if oid:
                found[name] = oid
            # A file that has gone was deleted, or git has packed the ref.
            elif refs.has_file(common, name):
                return None
            if len(found) > _MOST or not _PLAIN.fullmatch(name):
                return None
    except OSError:
        return None
    return found


def loose_below(common: Path, folder: str) -> Iterator[tuple[str, str]]:
    """The refs below a folder that have a file of their own, and their oids, '' where the file does not tell. OSError.

    Locks are left out, and what is no file: who opens a pipe waits for ever.
    """
    try:
        entries = list(os.scandir(common / folder))
    except FileNotFoundError:
        return
    for entry in entries:
        name = f"{folder}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from loose_below(common, name)
        elif (entry.is_symlink() or entry.is_file()) and not name.endswith(".lock"):
            yield name, refs.loose(common, name)
