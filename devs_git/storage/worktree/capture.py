"""Capture the state of a worktree as objects: its index, its files and their raw bytes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from devs_git.errors import immovable
from devs_git.storage.git import files
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, index_path, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import file_state, unconverted_bytes
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.raw_bytes import raw_git
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.unconverted_bytes import Listing, own_index
from devs_git.values import TYPE_CHECKING, immutable

if TYPE_CHECKING:
    from devs_git.storage.worktree.footprint import Footprint


def copy_index(git: Git, target: Path) -> None:
    """Copy the user's index to `target`. If there is no index yet, there is no copy."""
    source = index_path(git)
    if source.exists():
        files.copy(source, target)


@immutable
class CapturedState:
    """A captured state, how its files looked, and the blob of each file in the state's worktree tree."""

    state: State
    file_states: FileStates
    blobs: Mapping[str, str]


@immutable
class Capture:
    """One capture. `folder` belongs to the operation. `index` is private, and will become the index of the worktree.

    `copied`: a copy of the user's index that an earlier step made, and its tree; None if there is none.
    """

    git: Git
    places: Places
    objects: Objects
    folder: Path
    copied: tuple[Path, str] | None = None

    @property
    def index(self) -> Path:
        return self.folder / "index"

    def take(self, found: Survey, plan: Footprint, saved: Sequence[str], active: str) -> CapturedState:
        """Capture the changes in `found`, the `saved` untracked paths, and the bytes of the paths that `plan` affects.

        Every blob is written. `active` has the trailer lines of the active task. Raises PLAN_STALE if somebody writes
        to one of the files between the survey and the capture.
        """
        git = private(self.git, self.index).with_config(*DURABLE)
        index_tree = self._take_index(git)
        moved = (*found.dirty, *found.inexact, *found.intended, *plan.flagged)
        looked_at = (*moved, *saved, *plan.affected, *plan.bytes_only)
        attributed = (*found.staged, *found.dirty, *plan.affected)
        others = unconverted_bytes.find(
            git,
            self.places,
            Listing(found.listed, attributed, (*looked_at, *found.flagged), own_index(self.places)),
        )
        # We look before git reads the files: whatever somebody writes from now on differs from this look.
        seen = file_state.look(os.fspath(self.git.where), (*looked_at, *others.kept))
        worktree = self._enter(git, moved, saved, plan.flagged) or index_tree
        blobs: Mapping[str, str] = plan.oids if worktree == index_tree else {}
        if any(not blobs.get(path, "").strip("0") for path in seen.files):
            blobs = _blobs(git)
        off = {path for path, one in seen.files.items() if one.oid != blobs.get(path, one.oid)}
        self._refuse_edited(off.difference(moved, saved))
        raw = self.raw(off)
        self._keep("index.old")
        whole = "" if found.fits_in_a_tree else self._index_blob()
        trees = (index_tree, worktree, raw, whole)
        exact = others.exact and not found.flagged
        state = State(found.head, found.branch, *trees, active, seen.modes, exact, others.unkept)
        return CapturedState(state, seen.files, blobs)

    def _take_index(self, git: Git) -> str:
        """Make the private index, and keep it as the user's. Returns its tree."""
        if self.copied:
            with contextlib.suppress(FileNotFoundError):
                os.link(self.copied[0], self.index)
        else:
            copy_index(self.git, self.index)
        self._keep("index.user")
        return self.copied[1] if self.copied else self._write_tree(git)

    def _enter(self, git: Git, moved: Sequence[str], saved: Sequence[str], flagged: Sequence[str]) -> str:
        """Add what differs from the user's index to the private one. Returns its tree, or '' if nothing differs."""
        # git takes one of these options at a time.
        for unflag in ("--no-assume-unchanged", "--no-skip-worktree") if flagged else ():
            git.run("update-index", "-z", unflag, "--stdin", stdin=join_z(flagged))
        behind = _behind_links(Path(self.git.where), moved)
        if behind:
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(sorted(behind)))
        there = [path for path in (*moved, *saved) if path not in behind]
        if there:
            words = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            git.run(*words, stdin=join_z(there))
        return self._write_tree(git) if there or behind else ""

    def _keep(self, name: str) -> None:
        """Keep the private index as it is now, to take the move back with it.

        A hard link is enough: git always writes a new file, and never changes this one.
        """
        with contextlib.suppress(FileNotFoundError):
            os.link(self.index, self.folder / name)

    def _write_tree(self, git: Git) -> str:
        """Write the tree of the index. A partial clone may lack objects, so git does not check that they exist."""
        return git.text("write-tree", "--missing-ok")

    def _index_blob(self) -> str:
        """Store the user's index file as a blob, complete (not split). A tree has no flags and no intent-to-add entries."""
        copy = self.folder / "index.whole"
        files.copy(self.folder / "index.user", copy)
        private(self.git, copy).run("update-index", "--no-split-index", "--force-write-index")
        return self.objects.write("blob", copy.read_bytes())

    def _refuse_edited(self, off: Collection[str]) -> None:
        """Raise PLAN_STALE if somebody wrote to a file that was unchanged in the survey. New times alone do not count.

        We ask git, with the index as it was: it still has the attributes files that were deleted from the disk.
        """
        if not off:
            return
        look = self.folder / "index.look"
        files.copy(self.folder / "index.user", look)
        git = private(self.git, look)
        git.run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))
        changed = split_z(git.run("diff-files", "-z", "--name-only", "--ignore-submodules", "--"))
        written = [path for path in changed if path in off]
        if written:
            raise file_state.changed_meanwhile(written)

    def raw(self, off: Collection[str]) -> str:
        """Write a tree of the raw bytes of the files `off`, whose bytes are not those of their blobs; '' for no files."""
        if not off:
            return ""
        git = raw_git(self.git, self.places, self.folder / "index.raw").with_config(*DURABLE)
        git.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_z(sorted(off)))
        return git.text("write-tree")


def _blobs(git: Git) -> dict[str, str]:
    """The blob of each path of a private index."""
    lines = (line.partition("\t") for line in split_z(git.run("ls-files", "-s", "-z")))
    return {path: head.split(" ")[1] for head, _, path in lines}


def _behind_links(top: Path, paths: Sequence[str]) -> set[str]:
    """Those of `paths` whose folder is a symbolic link now. Such a file does not exist for git, wherever the link leads."""
    links: dict[str, bool] = {"": False}

    def is_behind_link(folder: str) -> bool:
        if folder not in links:
            links[folder] = is_behind_link(folder.rpartition("/")[0]) or os.path.islink(f"{top}/{folder}")  # noqa: PTH114
        return links[folder]

    return {path for path in paths if is_behind_link(path.rpartition("/")[0])}


def commit(objects: Objects, tree: str, parents: Sequence[str], sign: str, message: str) -> str:
    """Write a commit object for a preserved branch or a stash entry, and return its oid."""
    lines = "".join(f"parent {oid}\n" for oid in parents)
    return objects.write(
        "commit", f"tree {tree}\n{lines}author {sign}\ncommitter {sign}\n\n{message}\n".encode()
    )


def require_room(top: Path, paths: Sequence[str], unasked: int, limit: Callable[[], int]) -> None:
    """Raise GIT_RESET_FAILED if the files to capture are larger than the policy allows. No file is ever left out.

    Sizes are in bytes. `limit` reads the policy, which costs time, so it is called only for more than `unasked` bytes.
    """
    size = sum(os.lstat(top / path).st_size for path in paths if os.path.lexists(top / path))
    if size > unasked and size > limit():
        raise immovable(
            "too_large",
            f"This operation has to save {size} bytes of files first. The policy allows {limit()} in one operation.",
            hint="Commit or move large files, or raise backup_limit in the policy.",
        )


def git_words(error: GitFailed) -> str:
    """The reason that git gives, as one line, without git's prefixes, hints and progress."""
    lines = [
        line.removeprefix("error: ").removeprefix("fatal: ").strip() for line in error.stderr.splitlines()
    ]
    words = " ".join(line for line in lines if line and not line.startswith(("hint:", "Preparing ")))
    return words or ("it was killed" if error.status < 0 else f"it ended with status {error.status}")
