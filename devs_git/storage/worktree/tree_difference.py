"""The difference between two trees, and the steps of the private index from one state to the other."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git import files
from devs_git.storage.git.objects import EXECUTABLE, FILE, GITLINK, LINK, Entry, Objects
from devs_git.storage.git.private_index import index_path, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import attributes
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.place_files import Folders
from devs_git.values import Final, immutable

# The most bytes of paths that we pass as arguments. If there are more, git looks at every file.
ARGUMENT_BYTES = 1 << 15
SUBMODULE = "160000"
GONE: Final = ("000000", "0" * 40)
# By path, mode and oid on the old and on the new side. Without a file on a side, they are zeros.
Sides = dict[str, tuple[tuple[str, str], tuple[str, str]]]
# A repository can say that git shows no changes of a submodule. They are changes of the trees all the same.
DIFF: Final = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
# The difference of a tree and an index. Files that are only intended need an option: `write-tree` does not see them.
CACHED: Final = ("diff-index", "--cached", *DIFF[2:])


@immutable
class Change:
    """The change of one path between two trees. On a side without the file, the oid is '' and the mode 0."""

    path: str
    old_mode: int
    new_mode: int
    old: str
    new: str


def changes(git: Git, old: str, new: str) -> list[Change]:
    """The files that differ between two trees. A submodule does not count as a file."""
    return differences(git, old, new)[0]


def differences(git: Git, old: str, new: str) -> tuple[list[Change], Folders]:
    """The files that differ between two trees, and the folders of submodules that are added and removed."""
    return read_listing(listing(git, old, new))


def listing(git: Git, old: str, new: str) -> bytes:
    """The difference of two trees in git's raw format. We keep it, because the trees may be pruned before a recovery."""
    return git.run(*DIFF, old, new, "--")


def read_listing(out: bytes) -> tuple[list[Change], Folders]:
    """The differences in a listing."""
    found: list[Change] = []
    made: list[str] = []
    left: list[str] = []
    for path, ((old_mode, old_oid), (new_mode, new_oid)) in sides(out).items():
        modes = old_mode, new_mode
        before, after = _file(old_mode, old_oid), _file(new_mode, new_oid)
        if before[1] or after[1]:
            found.append(Change(path, before[0], after[0], before[1], after[1]))
        if SUBMODULE in modes and modes[0] != modes[1]:
            (made if modes[1] == SUBMODULE else left).append(path)
    return found, Folders(tuple(made), tuple(left))


def sides(out: bytes) -> Sides:
    """Mode and oid of each path on both sides, in git's raw format."""
    found = {}
    for head, path in lines(out):
        old_mode, new_mode, old_oid, new_oid, _status = head[1:].split(" ")
        found[path] = (old_mode, old_oid), (new_mode, new_oid)
    return found


def has_submodules(sides: Sides) -> bool:
    return any(SUBMODULE in (old[0], new[0]) for old, new in sides.values())


def lines(out: bytes) -> Iterator[tuple[str, str]]:
    """Each line of git's raw format, and its path."""
    parts = split_z(out)
    return zip(parts[::2], parts[1::2], strict=True)


def mode_of(mode: int) -> int:
    """The mode that git stores for a file or link with this mode on disk."""
    return LINK if stat.S_ISLNK(mode) else EXECUTABLE if mode & 0o100 else FILE


def _file(mode: str, oid: str) -> tuple[int, str]:
    number = int(mode, 8)
    return (number, oid) if number not in (0, GITLINK) else (0, "")


def are_old(changes: Iterable[Change], seen: FileStates) -> bool:
    """Whether each file that changes or goes is on the disk with exactly the bytes and the mode of its old side."""
    before = ((change, seen.get(change.path)) for change in changes if change.old)
    return all(
        one and one.oid == change.old and mode_of(one.mode) == change.old_mode for change, one in before
    )


@contextlib.contextmanager
def try_move(own: Git, before: str, after: str, *, safe: bool) -> Iterator[Callable[[], bool]]:
    """Let git check whether it could move the files from the tree `before` to `after`, while the body does something else. `own`
    has a private index.

    Yields a function that waits for the answer; it raises GitFailed with git's reason if git could not. git compares times
    and sizes. If only these differ (a copied repository, a touched file), we refresh the index, and it returns true. If the
    move is `safe` in any case, git is not asked.
    """
    if safe:
        yield lambda: False
        return
    words = ("read-tree", "-m", "-u", "-n", "--no-recurse-submodules", before, after)

    def answer() -> bool:
        try:
            tried()
        except GitFailed as error:
            if "not uptodate" not in error.stderr:
                raise
            _refresh(own)
            own.run(*words)
            return True
        return False

    with own.alongside(*words) as tried:
        yield answer


@contextlib.contextmanager
def enter_alongside(own: Git, entries: Mapping[str, tuple[str, str]]) -> Iterator[Callable[[], object]]:
    """Put mode and oid of each path into a private index while the body does something else. No file is looked at.

    Yields a function that waits until the index is written. What is zeros goes.
    """
    # What goes makes room: a file can become a folder.
    lines = [
        f"{mode} {oid}\t{path}"
        for path, (mode, oid) in sorted(entries.items(), key=lambda one: one[1] != GONE)
    ]
    if not lines:
        yield lambda: None
        return
    words = ("update-index", "--clear-resolve-undo", "-z", "--index-info")
    with own.alongside(*words, stdin=join_z(lines)) as written:
        yield written


def enter(own: Git, entries: Mapping[str, tuple[str, str]]) -> None:
    """The same at once. Then git looks at the files, because the new entries have no times."""
    with enter_alongside(own, entries) as entered:
        entered()
    _refresh(own)


def tree_without(git: Git, index: Path, paths: Sequence[str]) -> str:
    """The tree of a private index without these files."""
    copy = index.with_name("index.there")
    files.copy(index, copy)
    there = private(git, copy)
    there.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(paths))
    return there.text("write-tree", "--missing-ok")


def attributes_fallbacks(git: Git, state: State) -> dict[str, Entry]:
    """The attributes files that a state has in its index and not as files on its disk: git reads them from the index."""
    if state.index == state.worktree:
        return {}
    found = changes(git, state.worktree, state.index)
    files = {change.path for change in found if change.old}
    return {
        change.path: Entry(change.new_mode, change.new)
        for change in found
        if change.path.rpartition("/")[2] == attributes.ATTRIBUTES
        and change.new
        and change.old_mode in (0, LINK)
        and files.isdisjoint(parents(change.path))
    }


def parents(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first."""
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)


def merge(git: Git, index: Path, before: str, after: str) -> None:
    """Let git merge a private index from the tree `before` to `after`. git neither reads nor writes a file."""
    own = private(git, index)
    own.run("read-tree", "-i", "-m", "--no-recurse-submodules", before, after)
    if attributes.is_sparse(git):
        # To mark the paths that a sparse checkout leaves out, git writes and deletes files. It does so in an empty folder.
        nowhere = index.with_name("nowhere")
        nowhere.mkdir(exist_ok=True)
        own.with_env(GIT_WORK_TREE=os.fspath(nowhere)).run("sparse-checkout", "reapply")


def settle_index(git: Git, objects: Objects, index: Path, state: State, *, written: bool) -> None:
    """Turn the private index, which has the worktree tree of a state, into the state's own index.

    git has recorded the files that it wrote. It has to look at files again if the index is an earlier one, or if we have
    `written` files ourselves.
    """
    own = private(git, index)
    if state.index_raw:
        # For taking back, the index has other names. They are hard links, so we must not write to this file.
        index.unlink(missing_ok=True)
        index.write_bytes(objects.read(state.index_raw, "blob"))
    elif state.index != state.worktree:
        own.run("read-tree", "-i", "-m", "--no-recurse-submodules", state.index)
    if written or state.index_raw:
        refresh(git, index)
    # Such files can have another size than git would write. git calls them changed until it reads them.
    if written:
        same = paths_matching_blobs(own, paths_unlike_index(own, ()))
        # They keep the mode in the index: another mode on disk is a change that is not staged.
        own.with_config("core.fileMode=false").run(
            "update-index", "-z", "--stdin", stdin=join_z(sorted(same))
        )


def refresh(git: Git, index: Path) -> None:
    """Let git compare every file with its entry, so that the next `git status` does not have to."""
    _refresh(private(git, index))


def _refresh(own: Git) -> None:
    own.run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))


def paths_unlike_index(own: Git, among: Collection[str]) -> dict[str, str]:
    """The paths whose files changed since the index recorded them, with the index's blobs.

    git looks at all paths if `among` is empty.
    """
    some = sorted(among) if len(os.fsencode("".join(among))) < ARGUMENT_BYTES else []
    options = ("-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules")
    out = split_z(own.run("diff-files", *options, "--", *some))
    return {path: head.split(" ")[2] for head, path in zip(out[::2], out[1::2], strict=True)}


def paths_matching_blobs(own: Git, blobs: Mapping[str, str]) -> set[str]:
    """The paths whose files git would store as their blobs."""
    top = Path(own.where)
    there = [path for path in blobs if (top / path).is_file() and not (top / path).is_symlink()]
    return {path for path, oid in attributes.clean_oids(own, there).items() if oid == blobs[path]}


def put_index(git: Git, index: Path) -> None:
    """Rename the private index into place. The caller holds `index.lock`.

    A second name of the file lets recovery see whether somebody has written another index since.
    """
    known = index.with_name("index.new")
    known.unlink(missing_ok=True)
    os.link(index, known)
    index.replace(index_path(git))
