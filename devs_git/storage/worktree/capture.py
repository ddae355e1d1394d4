"""Capture a worktree's state into objects: its index, its files and their raw bytes."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from devs_git.errors import DevsError, immovable
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, index_path, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.worktree import file_state, unconverted_bytes
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.raw_bytes import raw_git
from devs_git.storage.worktree.survey import Survey
from devs_git.values import immutable


def copy_index(git: Git, target: Path) -> None:
    """A private copy of the user's index; nothing where there is none yet."""
    source = index_path(git)
    if source.exists():
        shutil.copy2(source, target)


@immutable
class CapturedState:
    """A state with what its files looked like, and the blob that git has for each of them in its worktree tree."""

    state: State
    sights: FileStates
    blobs: Mapping[str, str]


@immutable
class Capture:
    """One capture at work: `folder` is the operation's own, `index` the private index that ends as the worktree's."""

    git: Git
    places: Places
    objects: Objects
    folder: Path

    @property
    def index(self) -> Path:
        return self.folder / "index"

    def take(self, found: Survey, plan: Footprint, saved: Sequence[str], active: str) -> CapturedState:
        """Capture what `found` tells of, `saved` untracked paths, and the bytes of the paths that `plan` affects.

        Every blob is written; `active` are the active task's lines.
        """
        copy_index(self.git, self.index)
        self._keep("index.user")
        git = private(self.git, self.index).with_config(*DURABLE)
        index_tree = self._write_tree(git)
        moved = (*found.dirty, *found.inexact, *found.intended, *plan.flagged)
        looked_at = (*moved, *saved, *plan.affected, *plan.bytes_only)
        others = unconverted_bytes.find(git, self.places, found, plan, looked_at)
        # Before git reads them: what is written from here on is not what was seen.
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

    def _enter(self, git: Git, moved: Sequence[str], saved: Sequence[str], flagged: Sequence[str]) -> str:
        """Enter what differs from the index into the private one: the tree of it then, '' where nothing does."""
        for unflag in (
            ("--no-assume-unchanged", "--no-skip-worktree") if flagged else ()
        ):  # git takes one at a time
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
        """The private index as it is now, for taking back, under a name of its own: git writes a new file each time."""
        with contextlib.suppress(FileNotFoundError):
            os.link(self.index, self.folder / name)

    def _write_tree(self, git: Git) -> str:
        """The index's tree. Missing objects of a partial clone are the clone's own: not checked."""
        return git.text("write-tree", "--missing-ok")

    def _index_blob(self) -> str:
        """The user's index file whole (unsplit), where flags or intent-to-add entries must come back."""
        copy = self.folder / "index.whole"
        shutil.copy2(self.folder / "index.user", copy)
        private(self.git, copy).run("update-index", "--no-split-index", "--force-write-index")
        return self.objects.write("blob", copy.read_bytes())

    def _refuse_edited(self, off: Collection[str]) -> None:
        """PLAN_STALE where one of the files that were unchanged a moment ago was written since, and not only touched.

        git says so, of the index as it was: that one still has the attributes files that are gone from the disk.
        """
        if not off:
            return
        look = self.folder / "index.look"
        shutil.copy2(self.folder / "index.user", look)
        git = private(self.git, look)
        git.run("update-index", "-q", "--refresh", "--ignore-submodules", ok=(0, 1))
        changed = split_z(git.run("diff-files", "-z", "--name-only", "--ignore-submodules", "--"))
        written = [path for path in changed if path in off]
        if written:
            raise DevsError(
                "PLAN_STALE",
                f"Files changed during the operation, such as {written[0]!r} ({len(written)} in all).",
                hint="Check the files, then run the command again.",
                paths=written[:100],
            )

    def raw(self, off: Collection[str]) -> str:
        """A tree of the bytes of files that are not what git has for them, '' where there are none."""
        if not off:
            return ""
        git = raw_git(self.git, self.places, self.folder / "index.raw").with_config(*DURABLE)
        git.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_z(sorted(off)))
        return git.text("write-tree")


def _blobs(git: Git) -> dict[str, str]:
    """The blob of every path of a private index."""
    lines = (line.partition("\t") for line in split_z(git.run("ls-files", "-s", "-z")))
    return {path: head.split(" ")[1] for head, _, path in lines}


def _behind_links(top: Path, paths: Sequence[str]) -> set[str]:
    """Those of `paths` whose folder is a symbolic link now: there is no such file, wherever the link leads."""
    links: dict[str, bool] = {"": False}

    def is_behind_link(folder: str) -> bool:
        if folder not in links:
            links[folder] = is_behind_link(folder.rpartition("/")[0]) or os.path.islink(f"{top}/{folder}")  # noqa: PTH114
        return links[folder]

    return {path for path in paths if is_behind_link(path.rpartition("/")[0])}


def commit(objects: Objects, tree: str, parents: Sequence[str], sign: str, message: str) -> str:
    """A plain commit object, for preserved branches and stash entries."""
    lines = "".join(f"parent {oid}\n" for oid in parents)
    return objects.write(
        "commit", f"tree {tree}\n{lines}author {sign}\ncommitter {sign}\n\n{message}\n".encode()
    )


def require_room(top: Path, paths: Sequence[str], unasked: int, limit: Callable[[], int]) -> None:
    """GIT_RESET_FAILED where the files to capture are larger than the policy allows; nothing is ever skipped.

    Sizes in bytes; `limit` is asked only above `unasked`, so that reading the policy costs nothing in between.
    """
    size = sum(os.lstat(top / path).st_size for path in paths if os.path.lexists(top / path))
    if size > unasked and size > limit():
        raise immovable(
            "too_large",
            f"This operation has to save {size} bytes of files first. The policy allows {limit()} in one operation.",
            hint="Commit or move large files, or raise backup_limit in the policy.",
        )


def git_words(error: GitFailed) -> str:
    """git's own reason, one line per fact, without its prefixes, its advice and its progress."""
    lines = [
        line.removeprefix("error: ").removeprefix("fatal: ").strip() for line in error.stderr.splitlines()
    ]
    words = " ".join(line for line in lines if line and not line.startswith(("hint:", "Preparing ")))
    return words or ("it was killed" if error.status < 0 else f"it ended with status {error.status}")
