"""What a move to a tree would do to this worktree, found out without writing anything (DESIGN 4.1, 4.2)."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devs_git.storage.engine import attributes, obstacles
from devs_git.storage.engine.obstacles import Obstacles
from devs_git.storage.engine.survey import Survey
from devs_git.storage.git_program import Git, join_z, split_z

LISTED: Final = 1000  # names given of things not covered; the count is always whole


@dataclass(frozen=True)
class Footprint:
    """Paths that the move writes, removes or rewrites, and what stands in its way.

    `hidden`: affected paths whose flags tell git to look away and whose file differs from the index.
    """

    adds: tuple[str, ...]
    removes: tuple[str, ...]
    rewrites: tuple[str, ...]
    obstacles: Obstacles
    hidden: tuple[str, ...]

    @property
    def affected(self) -> tuple[str, ...]:
        return (*self.adds, *self.removes, *self.rewrites)


def footprint(found: Survey, top: Path, tree: str) -> Footprint:
    """The footprint of moving index and files to `tree`."""
    git = found.git
    out = split_z(
        git.run(
            "diff-index",
            "--cached",
            "--raw",
            "-z",
            "--no-renames",
            "--ignore-submodules=all",
            "--no-abbrev",
            tree,
            "--",
        )
    )
    adds: list[str] = []
    removes: list[str] = []
    rewrites: list[str] = []
    oids: dict[str, str] = {}
    for head, path in zip(out[::2], out[1::2], strict=True):
        mode_tree, mode_index, _tree_oid, index_oid, status = head[1:].split(" ")
        if "160000" in (mode_tree, mode_index):
            continue
        # Seen from the tree: D is missing in the index (the move adds it), A is in the index alone.
        {"D": adds, "A": removes}.get(status[0], rewrites).append(path)
        oids[path] = index_oid
    writes = (*adds, *rewrites, *found.dirty, *found.inexact)
    known = {*rewrites, *found.dirty, *found.inexact, *found.intended}
    blocked = obstacles.find(top, writes, lambda path: path in known or path in found.entries)
    return Footprint(tuple(adds), tuple(removes), tuple(rewrites), blocked, _hidden(found, top, oids))


def _hidden(found: Survey, top: Path, affected: dict[str, str]) -> tuple[str, ...]:
    flagged = [path for path in found.flagged if path in affected and (top / path).is_file()]
    clean = attributes.clean_oids(found.git, flagged)
    return tuple(path for path, oid in zip(flagged, clean, strict=True) if oid != affected[path])


@dataclass(frozen=True)
class Uncovered:
    """What a rewind leaves as it is: the first names and how many there are."""

    ignored: tuple[str, ...]
    ignored_count: int
    nested_repositories: tuple[str, ...]
    submodules: tuple[str, ...]


def not_covered(found: Survey, top: Path) -> Uncovered:
    """Ignored files (folders collapsed), nested repositories and submodules whose own trees stay."""
    ignored = split_z(found.git.run("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"))
    others = split_z(found.git.run("ls-files", "-o", "--exclude-standard", "-z"))
    nested = tuple(path for path in others if path.endswith("/"))
    hidden = tuple(p for p in ignored if p.endswith("/") and (top / p / ".git").exists())
    return Uncovered(tuple(ignored[:LISTED]), len(ignored), (*nested, *hidden), found.submodules)


def now_visible(found: Survey, tree: str, plan: Footprint) -> tuple[str, ...]:
    """Files that today's ignore rules cover and those of `tree` do not.

    git reads ignore files from a worktree, so the target's are laid out alone in a temporary folder.
    """
    if not any(path.rpartition("/")[2] == ".gitignore" for path in plan.affected):
        return ()
    ignored = split_z(found.git.run("ls-files", "-o", "-i", "--exclude-standard", "-z"))
    if not ignored:
        return ()
    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        _lay_out_ignores(found.git, tree, Path(folder))
        git = found.git.with_env(GIT_WORK_TREE=folder)
        still = split_z(
            Git(Path(folder), git.env).run(
                "check-ignore", "--no-index", "-z", "--stdin", stdin=join_z(ignored), ok=(0, 1)
            )
        )
    return tuple(sorted(set(ignored) - set(still)))


def _lay_out_ignores(git: Git, tree: str, folder: Path) -> None:
    for line in split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, path = line.split("\t", 1)
        mode, _kind, oid = head.split(" ")
        if path.rpartition("/")[2] == ".gitignore" and mode.startswith("100"):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(git.run("cat-file", "blob", oid))
