"""Which worktrees a command reaches, and what it may take of each: ignored files with their sizes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.moments.taking import Kind, Taking
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.moments import overwritten_files
from devs_git.values import immutable, replace

REMOVING: Final[frozenset[Kind]] = frozenset({"worktrees", "nested"})
# Paths that git gets as arguments; for more it lists all files.
_ARGUMENTS: Final = 200
_PATTERN: Final = re.compile(r"[*?\[]")


@immutable
class Reach:
    """What one part of a command takes from one worktree. `roots` are relative to the worktree's folder, `.` for all."""

    taking: Taking
    roots: tuple[str, ...]


def find_reached(
    takings: Sequence[Taking], folder: str, here: Places, all_worktrees: Sequence[Places]
) -> Mapping[Places, tuple[Reach, ...]]:
    """What a command that runs in `folder` takes from each worktree.

    If nobody can tell where it takes something, that is the worktree `here`; for a command that may remove whole folders,
    it is each one.
    """
    found: dict[Places, list[Reach]] = {here: []}
    tops = {places: os.path.realpath(places.top or "") for places in all_worktrees}
    for one in takings:
        taking = _unpacked(one, folder) if one.unpacks else one
        if taking.paths is None:
            unsure = all_worktrees if taking.kinds & REMOVING else (here,)
            for places in unsure:
                found.setdefault(places, []).append(Reach(taking, (".",)))
            continue
        for places, roots in _roots(taking, taking.paths, folder, tops).items():
            found.setdefault(places, []).append(Reach(taking, tuple(dict.fromkeys(roots))))
    return {places: tuple(reaches) for places, reaches in found.items()}


def _roots(
    taking: Taking, paths: Sequence[str], folder: str, tops: Mapping[Places, str]
) -> dict[Places, list[str]]:
    roots: dict[Places, list[str]] = {}
    removes = "worktrees" in taking.kinds
    for path in paths:
        place = _absolute(path, folder)
        inside = [places for places, top in tops.items() if _is_in(place, top)]
        # The innermost: a linked worktree may be inside another one.
        around = max(inside, key=lambda one: len(tops[one]), default=None)
        if around and not removes:
            roots.setdefault(around, []).append("." if taking.whole else os.path.relpath(place, tops[around]))
        for places, top in tops.items():
            named = removes and top.endswith(f"/{path}")
            if named or (taking.kinds & REMOVING and top != place and _is_in(top, place)) or top == place:
                roots.setdefault(places, []).append(".")
    if removes and not roots:
        return {places: ["."] for places in tops}
    return roots


def _absolute(path: str, folder: str) -> str:
    """The path without links in its folders. A link as its last part stays: a command takes the link, not what it leads to."""
    # The function of Path fails for a user that nobody knows.
    place = Path(os.path.normpath(Path(folder) / os.path.expanduser(path)))  # noqa: PTH111
    return os.fspath(Path(os.path.realpath(place.parent)) / place.name)


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip("/") + "/")


def ignored_files(git: Git, top: Path, reaches: Iterable[Reach]) -> tuple[dict[str, int], tuple[str, ...]]:
    """The ignored files that the reaches may take, with their sizes in bytes, and ignored repositories inside.

    `git` is that of the worktree, with the user's index.
    """
    reaches = tuple(reaches)
    written = {rev for reach in reaches if "overwritten" in reach.taking.kinds for rev in reach.taking.revs}
    found = overwritten_files.find(git, top, sorted(written))
    roots: list[str] = []
    for reach in reaches:
        if "ignored" in reach.taking.kinds:
            roots += _files_at(top, reach.roots) if reach.taking.exact else reach.roots
    if not roots:
        return found, ()
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard")
    asked = () if "." in roots or len(roots) > _ARGUMENTS else ("--", *roots)
    from devs_git.storage.ledger.devs_folder import NAME

    # The view of the ledger is no work: it can be made again at any time.
    listed = [path for path in split_z(git.run(*words, *asked)) if not path.startswith(f"{NAME}/")]
    sizes = found
    for path in listed:
        facts = _facts(top / path)
        if facts and (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
            sizes[path] = facts.st_size
    return sizes, tuple(path for path in listed if path.endswith("/"))


def submodules(git: Git, top: Path, reaches: Iterable[Reach]) -> tuple[str, ...]:
    """The submodules that have files, with a slash at the end, if a part of the command may take whole repositories."""
    if not any("nested" in reach.taking.kinds for reach in reaches):
        return ()
    lines = (line.partition("\t") for line in split_z(git.run("ls-files", "-z", "-s")))
    paths = (path for facts, _, path in lines if facts.startswith("160000"))
    return tuple(f"{path}/" for path in paths if _facts(top / path / ".git"))


def _unpacked(taking: Taking, folder: str) -> Taking:
    """The files that exist where the archives that a command names would write theirs."""
    from devs_git.storage.moments import archive_members

    named = tuple(_absolute(path, folder) for path in taking.paths or ())
    return replace(taking, paths=archive_members.in_the_way(named, folder))


def _files_at(top: Path, roots: Iterable[str]) -> Iterator[str]:
    """The files at these paths, and for a pattern those that match it."""
    for root in roots:
        if _is_file(top / root):
            yield root
        elif _PATTERN.search(root):
            from glob import glob

            yield from (found for found in glob(root, root_dir=top) if _is_file(top / found))  # noqa: PTH207


def _is_file(place: Path) -> bool:
    facts = _facts(place)
    return facts is not None and not stat.S_ISDIR(facts.st_mode)


def _facts(place: Path) -> os.stat_result | None:
    try:
        return place.lstat()
    except OSError:
        return None
