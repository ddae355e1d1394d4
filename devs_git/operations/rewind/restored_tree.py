"""The tree of a commit that brings files of another commit back, and the paths that a person names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from devs_git.errors import invalid
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import GitFailed, split_z
from devs_git.storage.worktree import missing_objects
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey


def below_top(top: Path, folder: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths relative to the worktree's root; INVALID_ARGUMENTS{paths} for a path outside of it."""
    base, start = os.path.realpath(top), folder or os.fspath(top)
    found = []
    for path in paths:
        parent, name = os.path.split(os.path.normpath(os.path.join(start, path)))  # noqa: PTH118 - bytes survive in str
        whole = os.path.join(os.path.realpath(parent), name)  # noqa: PTH118
        relative = os.path.relpath(whole, base)
        if relative == ".." or relative.startswith("../"):
            raise invalid("paths", f"{path!r} is outside the working tree.")
        found.append("" if relative == "." else relative)
    return () if "" in found else tuple(found)


def write(site: Site, folder: Path, found: Survey, source: str, paths: Sequence[str]) -> str:
    """The tree of the new commit: the tree of the source, or HEAD's tree with the named paths of the source."""
    if not paths:
        return _tree_of(site, source)
    try:
        there = _list_files(site, source, paths)
    except GitFailed:
        # It names the tree if that is what is missing.
        _tree_of(site, source)
        raise
    here = _list_files(site, found.head, paths)
    known = {name for line in (*there, *here) for name in _up(line.split("\t", 1)[1])}
    lost = [path for path in paths if path not in known]
    if lost:
        raise invalid(
            "paths",
            f"{lost[0]!r} exists neither in the source nor here.",
            hint=f"List the files of the source: git ls-tree -r --name-only {source[:10]}",
        )
    own = private(site.git, folder / "index.tree")
    own.run("read-tree", found.head)
    gone = [f"0 {'0' * 40}\t{line.split(chr(9), 1)[1]}" for line in here]
    back = [line.replace(" blob ", " ", 1).replace(" commit ", " ", 1) for line in there]
    script = b"".join(os.fsencode(line) + b"\0" for line in (*gone, *back))
    own.run("update-index", "-z", "--index-info", stdin=script)
    return own.text("write-tree", "--missing-ok")


def _tree_of(site: Site, commit: str) -> str:
    """The commit's tree; GIT_RESET_FAILED{missing_objects} if it is missing."""
    status, out = site.git.attempt("rev-parse", "--verify", f"{commit}^{{tree}}", ok=(0, 128))
    if status:
        tree = site.git.text("rev-list", "--no-walk", "--no-commit-header", "--format=%T", commit)
        raise missing_objects.refusal({tree: tree}, "GIT_RESET_FAILED", "oid")
    return out.decode().strip()


def _list_files(site: Site, commit: str, paths: Sequence[str]) -> list[str]:
    """`mode kind oid<TAB>path` of every file at or below the paths."""
    wanted = set(paths)
    lines = split_z(site.git.run("ls-tree", "-r", "-z", "--full-tree", commit))
    return [line for line in lines if not wanted.isdisjoint(_up(line.split("\t", 1)[1]))]


def _up(path: str) -> Iterator[str]:
    """The path and every folder above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
