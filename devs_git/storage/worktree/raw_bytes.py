"""Raw bytes, as they are on disk: a git that converts nothing, and trees that are made with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from devs_git.storage.git.objects import EXECUTABLE, Entry
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, add_entries, private
from devs_git.storage.git.program import Git, split_z
from devs_git.storage.worktree import attributes
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.storage.worktree.backups import State
    from devs_git.storage.worktree.modes import Modes

RAW_ATTRIBUTES: Final = "* -text -eol -crlf -filter -ident !working-tree-encoding\n"


def raw_git(git: Git, places: Places, index: Path) -> Git:
    """A git that converts nothing. It has a private git directory with its own attributes, and shares the objects."""
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
        "GIT_OBJECT_DIRECTORY": git.env.get("GIT_OBJECT_DIRECTORY", os.fspath(places.common / "objects")),
    }
    return private(git.with_env(**env), index)


def merged_raw(git: Git, places: Places, folder: Path, states: Sequence[State]) -> tuple[str, frozenset[str]]:
    """The raw tree of the first state, with the raw bytes that later states captured of files with the same blob.

    No operation between the first state and the later one moved these files: otherwise the first state would have
    captured their bytes. Also returns the paths whose bytes are now known: each has its raw bytes, or those of its blob.
    """
    first, rest = states[0], states[1:]
    known = {path for path in first.modes if not path.endswith("/")} - first.unkept.keys()
    if first.exact or not rest:
        return first.raw, frozenset(known)
    there, merged = list_files(git, first.worktree), list_files(git, first.raw)
    missing = Entry(0, "")
    for state in rest:
        blobs, raw = list_files(git, state.worktree), list_files(git, state.raw)
        same = {p for p in (*state.modes, *raw) if p in there and there[p].oid == blobs.get(p, missing).oid}
        for path in same - known - merged.keys():
            known.add(path)
            merged.update({path: raw[path]} if path in raw else {})
    own = raw_git(git, places, folder / "index.merged-raw").with_config(*DURABLE)
    add_entries(own, merged)
    return own.text("write-tree") if merged else "", frozenset(known)


def merged_modes(git: Git, states: Sequence[State]) -> Modes:
    """The permissions of the first state; for other files, those of the first later state that recorded them.

    If git compares modes, the first state's tree says which files are executable. Modes that disagree are left out.
    """
    first, rest = states[0], states[1:]
    there = list_files(git, first.worktree) if rest and attributes.sees_modes(git) else {}
    later = {path: mode for state in reversed(rest) for path, mode in state.modes.items()}
    other = {
        p for p, mode in later.items() if p in there and bool(mode & 0o100) != (there[p].mode == EXECUTABLE)
    }
    return {path: mode for path, mode in later.items() if path not in other} | dict(first.modes)


def list_files(git: Git, tree: str) -> dict[str, Entry]:
    """Each file of a tree with its mode and oid; nothing for ''."""
    if not tree:
        return {}
    found = {}
    for line in split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, path = line.split("\t", 1)
        mode, _kind, oid = head.split(" ")
        found[path] = Entry(int(mode, 8), oid)
    return found
