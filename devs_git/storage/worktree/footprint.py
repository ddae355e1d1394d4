"""The footprint of a move: what it would do to this worktree. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import Git, join_z, split_z
from devs_git.storage.ledger import devs_folder
from devs_git.storage.worktree import attributes, obstacles
from devs_git.storage.worktree.obstacles import Obstacles
from devs_git.storage.worktree.survey import Survey
from devs_git.values import immutable, replace

FILE, GITLINK, ABSENT = "100644", "160000", "000000"
# At most so many names of uncovered files are listed. Their count is always complete.
LISTED: Final = 1000


@immutable
class Footprint:
    """The paths that the move writes, removes or rewrites, and the obstacles in its way.

    `flagged`: affected paths whose flags tell git not to look at them. `hidden`: those of them that differ from the
    index. `bytes_only`: paths that get captured bytes, whether or not git sees a difference. `oids`: the blobs of the
    index. `wanted`: the blobs of the tree, where it has files.
    """

    adds: tuple[str, ...]
    removes: tuple[str, ...]
    rewrites: tuple[str, ...]
    obstacles: Obstacles
    flagged: tuple[str, ...]
    hidden: tuple[str, ...]
    oids: Mapping[str, str]
    wanted: Mapping[str, str]
    bytes_only: tuple[str, ...] = ()

    @property
    def affected(self) -> tuple[str, ...]:
        return (*self.adds, *self.removes, *self.rewrites)


def compute(found: Survey, top: Path, tree: str, listing: bytes | None = None) -> Footprint:
    """The footprint of moving index and files to `tree`. `listing`: the difference from the index's tree to it in git's raw
    format, of an index that is a tree's; None if the caller does not know it.

    A submodule's folder is never ours to change: it is an obstacle, or it stays.
    """
    adds: list[str] = []
    removes: list[str] = []
    rewrites: list[str] = []
    oids: dict[str, str] = {}
    wanted: dict[str, str] = {}
    submodules: set[str] = set()
    dirty = set(found.dirty)
    # Folders that git makes for submodules.
    folders: list[str] = []
    for path, (before, after), (wants, oid), status in _differences(found.git, tree, listing):
        # If a person put a file in the place of a submodule, the disk has this file.
        modes = (before, FILE if after == GITLINK and path in dirty else after)
        if modes[1] == GITLINK:
            submodules.add(path)
        # The letters are relative to the tree: D is missing in the index (the move adds it), A is only in the index.
        kind = status if GITLINK not in modes else _status_without_submodule(modes)
        if kind:
            {"D": adds, "A": removes}.get(kind, rewrites).append(path)
            oids[path] = oid
            if modes[0] not in (GITLINK, ABSENT):
                wanted[path] = wants
        elif modes == (GITLINK, ABSENT) and not (top / path).is_dir():
            folders.append(path)
    gone = set(removes)
    # `git status` has just looked at all other rewritten paths: each is a file in real folders.
    unseen = {*found.intended, *found.flagged}
    writes = (
        *adds,
        *(path for path in rewrites if path in unseen),
        *folders,
        *(path for path in (*found.dirty, *found.inexact) if path not in gone),
    )
    known = {*rewrites, *found.dirty, *found.inexact, *found.intended} - submodules
    blocked = obstacles.find(
        top, writes, lambda path: path in known or (path not in submodules and path in found.entries)
    )
    return Footprint(
        tuple(adds), tuple(removes), tuple(rewrites), blocked, *_flagged(found, top, oids), oids, wanted
    )


def _differences(
    git: Git, tree: str, listing: bytes | None
) -> Iterator[tuple[str, tuple[str, str], tuple[str, str], str]]:
    """Path, modes and oids of tree and index, and the status letter relative to the tree."""
    if listing is not None:
        from devs_git.storage.worktree import tree_difference  # only who moves files knows it

        for path, (index, wanted) in tree_difference.sides(listing).items():
            letter = "D" if index[0] == ABSENT else "A" if wanted[0] == ABSENT else "M"
            yield path, (wanted[0], index[0]), (wanted[1], index[1]), letter
        return
    options = ("--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none", "--no-abbrev")
    out = split_z(git.run("diff-index", *options, tree, "--"))
    for head, path in zip(out[::2], out[1::2], strict=True):
        mode_tree, mode_index, tree_oid, index_oid, status = head[1:].split(" ")
        yield path, (mode_tree, mode_index), (tree_oid, index_oid), status[0]


def _status_without_submodule(modes: tuple[str, str]) -> str:
    """The status of the file if one side has a submodule there: D, A, or '' if neither side has a file."""
    if modes[0] not in (GITLINK, ABSENT):
        return "D"
    return "A" if modes[1] not in (GITLINK, ABSENT) else ""


def _flagged(found: Survey, top: Path, affected: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The flagged paths that exist or that a person deleted, and those of them that differ from the index."""
    if not found.flagged:
        return (), ()
    among = [path for path in found.flagged if path in affected]
    files = [path for path in among if (top / path).is_file() or (top / path).is_symlink()]
    oids = attributes.clean_oids(found.git, files)
    there = [path for path in among if os.path.lexists(top / path)]
    # A file that a sparse checkout leaves out does not exist either, but no person deleted it.
    kept_out = "sS" if attributes.is_sparse(found.git) else ""
    gone = [path for path in among if path not in there and found.flagged[path] not in kept_out]
    differing = [path for path in there if oids.get(path) != affected[path]]
    return (*there, *gone), (*differing, *gone)


def with_hidden_edits(found: Survey, top: Path, plan: Footprint) -> Footprint:
    """The footprint with the flagged files that differ from the index, and that the target has as the index has them.

    A rewind to a checkpoint leaves them alone. Who returns to a state with other flags or edits brings them to that state.
    """
    among = [path for path in found.flagged if path not in plan.oids]
    if not among:
        return plan
    lines = (line.partition("\t") for line in split_z(found.git.run("ls-files", "-s", "-z", "--", *among)))
    oids = {path: head.split(" ")[1] for head, _, path in lines if not head.startswith(GITLINK)}
    there, hidden = _flagged(found, top, oids)
    more = tuple(path for path in there if path in hidden)
    return replace(
        plan,
        rewrites=(*plan.rewrites, *more),
        flagged=(*plan.flagged, *more),
        hidden=(*plan.hidden, *more),
        oids={**plan.oids, **{path: oids[path] for path in more}},
    )


@immutable
class Outcome:
    """What a move does to the files on disk."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]


def outcome(
    found: Survey,
    tree: str,
    plan: Footprint,
    saved: tuple[str, ...],
    besides: tuple[Collection[str], Collection[str]] = ((), ()),
) -> Outcome:
    """The difference between the disk and `tree`. It includes uncommitted changes and the `saved` untracked files.

    `besides`: paths that the move writes, too, and untracked files that are on the disk as the move would write them.
    """
    more, same = besides
    options = ("--raw", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-abbrev")
    out = split_z(found.git.run("diff-index", *options, tree, "--"))
    kinds: dict[str, str] = {}
    oids: dict[str, str] = {}
    for head, path in zip(out[::2], out[1::2], strict=True):
        mode_tree, mode_disk, oid, disk_oid, status = head[1:].split(" ")
        modes = (mode_tree, mode_disk)
        kind = status[0] if GITLINK not in modes else _status_without_submodule(modes)
        kinds |= {path: {"D": "added", "A": "deleted"}.get(kind, "modified")} if kind else {}
        # git tells no oid of a file whose times are not those of the index.
        unsure = kind == "M" and mode_tree == mode_disk and not disk_oid.strip("0")
        oids |= {path: oid} if unsure else {}
    affected = set(plan.affected)
    alike = {*same, *(path for path in found.inexact if path not in affected)}
    clean = attributes.clean_oids(found.git, list(oids))
    alike |= {path for path, oid in clean.items() if oid == oids[path]}
    kinds |= dict.fromkeys(more, "added")
    kinds |= {path: "modified" if kinds.get(path) == "added" else "deleted" for path in saved}
    rest = sorted((path, kind) for path, kind in kinds.items() if path not in alike)
    return Outcome(*(tuple(p for p, k in rest if k == name) for name in ("added", "modified", "deleted")))


@immutable
class Uncovered:
    """What a rewind does not change. Of the ignored paths it has the first names and the complete count."""

    ignored: tuple[str, ...]
    ignored_count: int
    nested_repositories: tuple[str, ...]
    submodules: tuple[str, ...]


def find_uncovered(found: Survey, top: Path) -> Uncovered:
    """Find ignored files (folders as one entry), nested repositories and submodules with trees of their own.

    Our own view `.devs/` is left out.
    """
    out = found.git.run("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z")
    ignored = [path for path in split_z(out) if path != f"{devs_folder.NAME}/"]
    others = split_z(found.git.run("ls-files", "-o", "--exclude-standard", "-z"))
    nested = tuple(path for path in others if path.endswith("/"))
    hidden = tuple(p for p in ignored if p.endswith("/") and (top / p / ".git").exists())
    return Uncovered(tuple(ignored[:LISTED]), len(ignored), (*nested, *hidden), _submodules(found.git, top))


def _submodules(git: Git, top: Path) -> tuple[str, ...]:
    """Submodules that have a working tree. We do not ask whether it is dirty: git would run the submodule's programs."""
    entries = split_z(git.run("ls-files", "-s", "-z"))
    paths = (line.split("\t", 1)[1] for line in entries if line.startswith(GITLINK))
    return tuple(path for path in paths if os.path.lexists(top / path / ".git"))


def find_now_visible(
    found: Survey, tree: str, plan: Footprint, removed: Collection[str] = ()
) -> tuple[str, ...]:
    """Find files that the current ignore rules cover and that those of `tree` do not cover.

    `removed`: untracked files that the move takes away, too. One of them can be an ignore file.
    """
    if not _changes_ignores(found, plan, removed):
        return ()
    ignored = split_z(found.git.run("ls-files", "-o", "-i", "--exclude-standard", "-z"))
    return tuple(sorted(set(ignored) - _ignored_by(found.git, tree, ignored)))


def find_ignored(found: Survey, tree: str, plan: Footprint, among: Collection[str]) -> set[str]:
    """Find those of the untracked files `among` that the ignore rules of `tree` cover, and the current ones do not."""
    return _ignored_by(found.git, tree, among) if _changes_ignores(found, plan, among) else set()


def _changes_ignores(found: Survey, plan: Footprint, removed: Collection[str]) -> bool:
    changed = (*plan.affected, *found.dirty, *found.intended, *removed)
    return any(path.rpartition("/")[2] == ".gitignore" for path in changed)


def _ignored_by(git: Git, tree: str, paths: Collection[str]) -> set[str]:
    """Those of `paths` that the ignore rules of `tree` cover.

    git reads ignore files from a worktree, so we write those of `tree` alone into a temporary folder.
    """
    if not paths:
        return set()
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        _lay_out_ignores(git, tree, Path(folder))
        # check-ignore does not support literal pathspecs. After ./ no name is read as pathspec magic.
        env = {**git.env, "GIT_WORK_TREE": folder, "GIT_LITERAL_PATHSPECS": "0"}
        asked = join_z([f"./{path}" for path in paths])
        out = Git(Path(folder), env).run(
            "check-ignore", "--no-index", "-z", "--stdin", stdin=asked, ok=(0, 1)
        )
        return {path.removeprefix("./") for path in split_z(out)}


def _lay_out_ignores(git: Git, tree: str, folder: Path) -> None:
    for line in split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, path = line.split("\t", 1)
        mode, _kind, oid = head.split(" ")
        if path.rpartition("/")[2] == ".gitignore" and mode.startswith("100"):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(git.run("cat-file", "blob", oid))
