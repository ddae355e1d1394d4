"""Capture a worktree's state into objects, and read such a state back (DESIGN 4.3).

A backup is one commit whose tree holds, apart: `index` (git's tree of the staging area), `worktree` (what git would
store for the tracked and saved files as they are), `raw` (their bytes as they are on disk, where these may
differ), `index.raw` (the index file itself, where a tree cannot say it all) and `meta.json`. Its parent is HEAD.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage.engine import attributes
from devs_git.storage.engine.footprint import Footprint
from devs_git.storage.engine.survey import Survey
from devs_git.storage.git_program import Git, GitFailed, join_z, split_z
from devs_git.storage.objects import FILE, TREE, Entry, Objects
from devs_git.storage.places import Places
from devs_git.storage.private_index import DURABLE, index_path, private
from devs_git.values import as_mapping, immutable

RAW_ATTRIBUTES: Final = "* -text -eol -crlf -filter -ident !working-tree-encoding\n"
META: Final = "meta.json"


@immutable
class State:
    """A worktree's state as objects. Trees are oids; `raw`, `index_raw` and `modes` are '' where there is nothing to say.

    `modes` is a blob of JSON: permissions that git does not keep, of uncommitted files (a key that is 0600 stays so).
    """

    head: str
    branch: str
    index: str
    worktree: str
    raw: str = ""
    index_raw: str = ""
    active: str = ""
    modes: str = ""


def usual_mode(*, executable: bool) -> int:
    """The permissions that git gives a file here."""
    mask = os.umask(0)
    os.umask(mask)
    return (0o777 if executable else 0o666) & ~mask


def copy_index(git: Git, target: Path) -> None:
    """A private copy of the user's index; nothing where there is none yet."""
    source = index_path(git)
    if source.exists():
        shutil.copy2(source, target)


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

    def take(self, found: Survey, plan: Footprint, saved: Sequence[str], active: str) -> State:
        """Capture what `found` tells of, `saved` untracked paths, and raw bytes of the paths that `plan` affects.

        Every blob is written; `active` are the active task's lines.
        """
        flagged = plan.flagged
        copy_index(self.git, self.index)
        self._keep("index.user")
        git = private(self.git, self.index).with_config(*DURABLE)
        index_tree = self._write_tree(git)
        moved = (*found.dirty, *found.inexact, *found.intended, *flagged)
        for unflag in (
            ("--no-assume-unchanged", "--no-skip-worktree") if flagged else ()
        ):  # git takes one at a time
            git.run("update-index", "-z", unflag, "--stdin", stdin=join_z(flagged))
        behind = _behind_links(Path(self.git.where), moved)
        if behind:
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(sorted(behind)))
            moved = tuple(path for path in moved if path not in behind)
        if moved or saved:
            git.run(
                "update-index",
                "--add",
                "--remove",
                "--replace",
                "-z",
                "--stdin",
                stdin=join_z((*moved, *saved)),
            )
        worktree = self._write_tree(git) if moved or behind or saved else index_tree
        raw = self.raw([*moved, *saved, *plan.affected, *plan.bytes_only])
        self._keep("index.old")
        whole = "" if found.told_by_a_tree else self._index_blob()
        modes = self._modes((*moved, *saved))
        return State(found.head, found.branch, index_tree, worktree, raw, whole, active, modes)

    def _modes(self, paths: Sequence[str]) -> str:
        """The permissions of files that git would give others, '' where there is none such."""
        found = {}
        for path in paths:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                mode = os.lstat(f"{self.git.where}/{path}").st_mode
                if stat.S_ISREG(mode) and stat.S_IMODE(mode) != usual_mode(executable=bool(mode & 0o100)):
                    found[path] = stat.S_IMODE(mode)
        return self.objects.write("blob", json.dumps(found).encode()) if found else ""

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

    def raw(self, paths: Sequence[str]) -> str:
        """A tree of the bytes of `paths` as they are on disk, '' where blobs are those bytes anyway."""
        top = Path(self.git.where)
        if not paths or not attributes.in_play(self.git, top, paths):
            return ""
        behind = _behind_links(top, paths)
        there = [p for p in dict.fromkeys(paths) if _is_file(f"{top}/{p}") and p not in behind]
        if not there:
            return ""
        git = raw_git(self.git, self.places, self.folder / "index.raw").with_config(*DURABLE)
        git.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_z(there))
        return git.text("write-tree")


def merged_raw(git: Git, places: Places, folder: Path, states: Sequence[State]) -> str:
    """The raw bytes of the first state, with those that later ones captured of files that stood as in the first.

    Between the first and a later one nothing moved these files, or the first would have captured them.
    """
    first, rest = states[0], [state for state in states[1:] if state.raw]
    if not rest:
        return first.raw
    there, merged = listed(git, first.worktree), listed(git, first.raw)
    for state in rest:
        blobs = listed(git, state.worktree)
        for path, entry in listed(git, state.raw).items():
            if path not in merged and path in there and there[path] == blobs.get(path):
                merged[path] = entry
    own = raw_git(git, places, folder / "index.merged-raw").with_config(*DURABLE)
    script = b"".join(b"%o %s\t%s\0" % (m, o.encode(), os.fsencode(p)) for p, (m, o) in merged.items())
    own.run("update-index", "-z", "--index-info", stdin=script)
    return own.text("write-tree")


def listed(git: Git, tree: str) -> dict[str, tuple[int, str]]:
    """Every file of a tree with mode and oid; nothing for ''."""
    if not tree:
        return {}
    found = {}
    for line in split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, path = line.split("\t", 1)
        mode, _kind, oid = head.split(" ")
        found[path] = (int(mode, 8), oid)
    return found


def _behind_links(top: Path, paths: Sequence[str]) -> set[str]:
    """Those of `paths` whose folder is a symbolic link now: there is no such file, wherever the link leads."""
    links: dict[str, bool] = {"": False}

    def linked(folder: str) -> bool:
        if folder not in links:
            links[folder] = linked(folder.rpartition("/")[0]) or os.path.islink(f"{top}/{folder}")  # noqa: PTH114
        return links[folder]

    return {path for path in paths if linked(path.rpartition("/")[0])}


def _is_file(path: str) -> bool:
    return os.path.lexists(path) and not (os.path.isdir(path) and not os.path.islink(path))  # noqa: PTH112, PTH114


def raw_git(git: Git, places: Places, index: Path) -> Git:
    """A git that converts nothing: a private git directory with attributes of its own, sharing the objects."""
    folder = places.own / "raw"
    if not (folder / "info" / "attributes").exists():
        for name in ("info", "refs", "objects"):
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        (folder / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tautocrlf = false\n")
        (folder / "info" / "attributes").write_text(RAW_ATTRIBUTES)
    env = {
        "GIT_DIR": os.fspath(folder),
        "GIT_COMMON_DIR": os.fspath(folder),
        "GIT_OBJECT_DIRECTORY": os.fspath(places.common / "objects"),
    }
    return private(git.with_env(**env), index)


def store(objects: Objects, state: State, signature: str, subject: str) -> str:
    """Write the backup commit of `state` and return its oid; the caller gives it a ref."""
    entries = {"index": Entry(TREE, state.index), "worktree": Entry(TREE, state.worktree)}
    if state.raw:
        entries["raw"] = Entry(TREE, state.raw)
    if state.index_raw:
        entries["index.raw"] = Entry(FILE, state.index_raw)
        entries["empty"] = Entry(FILE, objects.write("blob", b""))  # what its intent-to-add entries name
    entries[META] = Entry(FILE, objects.write("blob", json.dumps(as_mapping(state), indent=1).encode()))
    tree = objects.write_tree(entries)
    head = f"tree {tree}\nparent {state.head}\nauthor {signature}\ncommitter {signature}\n\n{subject}\n"
    return objects.write("commit", head.encode())


def load(objects: Objects, backup: str) -> State:
    """The state that a backup commit holds; NOTHING_TO_UNDO where retention took it away."""
    if not objects.exists(backup):
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The backup {backup[:12]} was pruned.",
            hint="What branches and stash entries keep is still there: git branch --list 'devs/preserved/*'",
        )
    tree = objects.read(backup, "commit")[5:45].decode()
    entry = objects.read_tree(tree).get(META)
    if entry is None:
        raise DevsError(
            "CONFLICT", f"{backup} is no backup of devs-git.", hint="See: git for-each-ref refs/devs/backup"
        )
    return State(**json.loads(objects.read(entry.oid, "blob")))


def is_head_alone(objects: Objects, backup: str) -> bool:
    """Whether a backup holds no tree but HEAD's own, and nothing beside it."""
    state = load(objects, backup)
    trees = {state.index, state.worktree}
    beside = state.raw or state.index_raw or state.modes
    return not beside and trees == {objects.read(state.head, "commit")[5:45].decode()}


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
        raise DevsError(
            "GIT_RESET_FAILED",
            f"The files to save first have {size} bytes; the policy allows {limit()} in one operation.",
            hint="Commit or move large files, or raise backup_limit in the policy.",
        )


def git_words(error: GitFailed) -> str:
    """git's own reason, one line per fact, without its prefixes, its advice and its progress."""
    lines = [
        line.removeprefix("error: ").removeprefix("fatal: ").strip() for line in error.stderr.splitlines()
    ]
    words = " ".join(line for line in lines if line and not line.startswith(("hint:", "Preparing ")))
    return words or ("it was killed" if error.status < 0 else f"it ended with status {error.status}")
