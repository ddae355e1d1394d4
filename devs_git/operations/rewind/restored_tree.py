"""The tree of a commit that brings files of another commit back, and the paths that a person names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.errors import invalid
from devs_git.storage.git.object_graph import contents
from devs_git.storage.git.objects import EMPTY_TREE, TREE, Entry, Objects, parse_tree
from devs_git.storage.git.program import Git, GitFailed, split_z
from devs_git.storage.worktree import missing_objects
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.tree_difference import parents
from devs_git.values import replace

# Paths of one child: a path may have 4096 bytes, and the arguments of a child 128 KiB.
_AT_ONCE: Final = 30


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


def write(site: Site, head: str, source: str, paths: Sequence[str]) -> tuple[str, str]:
    """HEAD's tree, and the tree of the new commit: that of the source, or HEAD's with the named paths of the source.

    Only the trees above these paths are read and written.
    """
    if not paths:
        return _tree_of(site, head), _tree_of(site, source)
    try:
        there, _ = _entries(site.git, source, paths)
    except GitFailed:
        # It names the tree if that is what is missing.
        _tree_of(site, source)
        raise
    here, folders = _entries(site.git, head, paths)
    lost = [path for path in paths if path not in there and path not in here]
    if lost:
        raise invalid(
            "paths",
            f"{lost[0]!r} exists neither in the source nor here.",
            hint=f"List the files of the source: git ls-tree -r --name-only {source[:10]}",
        )
    trees = {oid: parse_tree(oid, data) for oid, data in contents(site.git, [f"{head}^{{tree}}", *folders])}
    # git answers in the order of the questions.
    root = next(iter(trees)) if len(trees) > len(folders) else _tree_of(site, head)
    named = set(paths)
    wanted = {path: there.get(path) for path in paths if named.isdisjoint(parents(path))}
    return root, _grafted(replace(site.objects, durable=False), trees, root, wanted)


def _grafted(
    objects: Objects,
    trees: Mapping[str, Mapping[str, Entry]],
    tree: str,
    wanted: Mapping[str, Entry | None],
) -> str:
    """A tree with these entries (None removes one), without empty folders. `trees` has those that are above a path."""
    entries: dict[str, Entry] = dict(trees[tree]) if tree else {}
    inside: dict[str, dict[str, Entry | None]] = {}
    for path, entry in wanted.items():
        name, _, rest = path.partition("/")
        if rest:
            inside.setdefault(name, {})[rest] = entry
        elif entry:
            entries[name] = entry
        else:
            entries.pop(name, None)
    for name, below in inside.items():
        old = entries.get(name)
        folder = _grafted(objects, trees, old.oid if old and old.mode == TREE else "", below)
        if folder != EMPTY_TREE:
            entries[name] = Entry(TREE, folder)
        elif old and old.mode == TREE:
            del entries[name]
    return objects.write_tree(entries)


def _tree_of(site: Site, commit: str) -> str:
    """The commit's tree; GIT_RESET_FAILED{missing_objects} if it is missing."""
    status, out = site.git.attempt("rev-parse", "--verify", f"{commit}^{{tree}}", ok=(0, 128))
    if status:
        tree = site.git.text("rev-list", "--no-walk", "--no-commit-header", "--format=%T", commit)
        raise missing_objects.refusal({tree: tree}, "GIT_RESET_FAILED", "oid")
    return out.decode().strip()


def _entries(git: Git, commit: str, paths: Sequence[str]) -> tuple[dict[str, Entry], list[str]]:
    """The entries at the paths in a commit, where it has one, and the trees above them."""
    found: dict[str, Entry] = {}
    above: dict[str, None] = {}
    named, some = set(paths), list(paths)
    while some:
        words, some = some[:_AT_ONCE], some[_AT_ONCE:]
        for line in split_z(git.run("ls-tree", "-t", "-z", "--full-tree", commit, "--", *words)):
            head, path = line.split("\t", 1)
            mode, kind, oid = head.split(" ")
            if path in named:
                found[path] = Entry(int(mode, 8), oid)
            if kind == "tree":
                above[oid] = None
    return found, list(above)
