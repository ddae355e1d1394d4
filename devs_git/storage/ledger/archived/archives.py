"""Write and read archives (`domain/checkpoints/archives.py`): commits that keep old checkpoints behind one ref.

Nobody believes an archive only because its ref is there: `examine` says what is wrong with one, and the bytes of a tag that
is read from one must have its oid.
"""

from __future__ import annotations

import contextlib
import re
import struct
import zlib
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from devs_git.domain.audit.checkpoint_archives import Archive
from devs_git.domain.checkpoints.archives import (
    LISTS,
    Entry,
    files_at,
    files_of,
    list_of,
    oid_of,
    read_file,
    write_file,
    write_lists,
)
from devs_git.domain.checkpoints.wanted_refs import task_of
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.domain.text import limits
from devs_git.storage.git import bounded, object_graph, refs
from devs_git.storage.git.loose_objects import sha1
from devs_git.storage.git.objects import FILE, Objects
from devs_git.storage.git.objects import Entry as TreeEntry
from devs_git.storage.git.program import Git, GitFailed, split_z

# A commit with thousands of parents makes each walk of git slow.
_PARENTS: Final = 100
# The names of the files that have tags: see `files_of`.
_TAGS: Final = re.compile("[0-9a-f]{2,3}")
# Types of objects in a pack.
_BLOB, _TAG = 3, 4
# (ref, tag) of each entry, and the entry.
Archived = dict[tuple[str, str], Entry]


def oids(git: Git) -> tuple[str, ...]:
    """The archives of this repository. A ref that is not at the commit of its name is none."""
    return tuple(oid for ref, oid in refs.list_refs(git, ARCHIVES).items() if oid_of(ref) == oid)


def moved_refs(git: Git) -> dict[str, str]:
    """The refs of archives that are not at the commit of their name, with their values: a program rewrote them."""
    return {ref: oid for ref, oid in refs.list_refs(git, ARCHIVES).items() if oid_of(ref) != oid}


def entries(git: Git, archives: Iterable[str], tasks: Collection[str] = ()) -> Archived:
    """What these archives have; with `tasks` only of these tasks. A file that cannot be read has nothing (see `examine`)."""
    return {(one.ref, one.tag): one for one, _ in _read(git, archives, tasks)}


def here(git: Git, tasks: Collection[str] = ()) -> Archived:
    """What the archives of this repository have; with `tasks` only of these tasks."""
    return entries(git, oids(git), tasks)


def at(git: Git, archives: Iterable[str], commits: Collection[str]) -> Archived:
    """What these archives have of these commits. It is read from the files that have them."""
    trees = {archive: _files(git, archive) for archive in archives}
    # The archives of an earlier devs-git have no lists.
    whole = {archive for archive, files in trees.items() if not files.keys() >= set(LISTS)}
    lists = {
        f"{archive}:{name}": trees[archive][name]
        for archive in trees.keys() - whole
        for name in {list_of(commit) for commit in commits}
    }
    named = {
        f"{label.partition(':')[0]}:{file}"
        for label, data in _contents(git, lists)
        for file in files_at(data or b"", commits)
    }
    found = [
        oid
        for archive, files in trees.items()
        for name, oid in files.items()
        if _TAGS.fullmatch(name) and (archive in whole or f"{archive}:{name}" in named)
    ]
    return {(one.ref, one.tag): one for one, _ in _in_files(git, found) if one.commit in commits}


def tags(git: Git, archives: Iterable[str], wanted: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """The bytes of the tag objects of `wanted` (refs and tags), by their oids, as far as the archives have them."""
    asked = {tag: task_of(ref) for ref, tag in wanted}
    found = _read(git, archives, set(asked.values())) if asked else ()
    return {one.tag: data for one, data in found if one.tag in asked and _is_tag(data, one)}


def restore_tags(git: Git, archives: Iterable[str], wanted: Iterable[tuple[str, str]]) -> None:
    """Make the tag objects of `wanted` again that are not here: no ref names them, so git may have deleted them."""
    asked = {tag: (ref, tag) for ref, tag in wanted}
    there = object_graph.find_existing(git, asked)
    found = tags(git, archives, (one for tag, one in asked.items() if tag not in there))
    if found:
        _store(git, _TAG, found.values())


def _store(git: Git, kind: int, objects: Collection[bytes]) -> None:
    """Write objects. git reads them as a pack, because each of 100,000 files would be synced to disk."""
    pack = b"PACK" + struct.pack(">II", 2, len(objects)) + b"".join(_packed(kind, data) for data in objects)
    git.run("index-pack", "--stdin", stdin=pack + sha1(pack).digest())


def _packed(kind: int, data: bytes) -> bytes:
    """An object of a pack: its type and size, seven bits a byte after the first four, and its compressed bytes."""
    size, head = len(data) >> 4, [kind << 4 | len(data) & 15]
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head) + zlib.compress(data)


def examine(git: Git, archive: str) -> Archive:
    """What an archive has, and what is wrong with it. After the first fault nothing more is read: somebody may have made it to be endless."""
    try:
        kept = frozenset(git.text("rev-list", archive, "--").split())
        files = _files(git, archive)
    except GitFailed:
        return Archive((), ("it is no commit, or not all of it is here",))
    if strange := [name for name in files if not (_TAGS.fullmatch(name) or name in LISTS)]:
        return Archive((), (f"its file {strange[0]} is none of an archive",))
    entries, listed, places = list[Entry](), dict[str, bytes](), set[tuple[str, str]]()
    for name, data in _contents(git, files):
        if data is None:
            return Archive(tuple(entries), (f"its file {name} is missing, too large, or no file",))
        if name in LISTS:
            listed[name] = data
            continue
        try:
            for entry, tag in read_file(data):
                entries.append(entry)
                places.add((entry.commit, name))
                if wrong := _wrong(entry, tag, name, kept):
                    return Archive(tuple(entries), (wrong,))
        except ValueError as error:
            return Archive(tuple(entries), (f"its file {name} cannot be read: {error}",))
    if listed and listed != write_lists(places):
        return Archive(tuple(entries), ("its lists do not say where each commit is",))
    return Archive(tuple(entries))


def _wrong(entry: Entry, tag: bytes, name: str, kept: Container[str]) -> str:
    """What is wrong with an entry of the file `name`; '' for nothing."""
    if not _is_tag(tag, entry) or name not in files_of(task_of(entry.ref)):
        return f"the tag of {entry.ref} is not the one that its file {name} says"
    return "" if entry.commit in kept else f"it does not keep the commit of {entry.ref}"


def _read(git: Git, archives: Iterable[str], tasks: Collection[str]) -> Iterator[tuple[Entry, bytes]]:
    names = {name for task in tasks for name in files_of(task)}
    files = (file for archive in archives for file in _files(git, archive, *names).items())
    for entry, tag in _in_files(git, [oid for name, oid in files if _TAGS.fullmatch(name)]):
        if not tasks or task_of(entry.ref) in tasks:
            yield entry, tag


def _in_files(git: Git, files: Iterable[str]) -> Iterator[tuple[Entry, bytes]]:
    """What these files have."""
    for _, data in _contents(git, {oid: oid for oid in files}):
        # Of a damaged file, what can be read up to the damage.
        with contextlib.suppress(ValueError):
            yield from read_file(data or b"")


def _files(git: Git, archive: str, *names: str) -> dict[str, str]:
    """Name and object of each entry of the archive's tree, or of those with these names. A folder is not opened: somebody can
    make a few trees that unfold to millions of files.
    """
    lines = split_z(git.run("ls-tree", "-z", "--full-tree", archive, "--", *names))
    rows = (line.partition("\t") for line in lines)
    return {name: facts.rpartition(" ")[2] for facts, _, name in rows}


def _contents(git: Git, files: Mapping[str, str]) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each file; None if it is missing, too large, or no file. Only a few are in memory at once."""
    sizes = dict[str, int]()
    for name, (kind, size) in zip(files, bounded.sizes(git, files.values()), strict=True):
        if kind == "blob" and size <= limits.ARCHIVED.most:
            sizes[name] = size
        else:
            yield name, None
    group, held = list[str](), 0
    for name in (*sizes, ""):
        if group and (not name or held + sizes[name] > limits.ARCHIVED.most):
            data = dict(object_graph.contents(git, [files[one] for one in group]))
            yield from ((one, data.get(files[one])) for one in group)
            group, held = [], 0
        if name:
            group.append(name)
            held += sizes[name]


def _is_tag(data: bytes, entry: Entry) -> bool:
    return _oid("tag", data) == entry.tag and data.startswith(
        b"object %s\ntype commit\n" % entry.commit.encode()
    )


def _oid(kind: str, data: bytes) -> str:
    return str(sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest())


def write(git: Git, objects: Objects, wanted: Sequence[Entry], texts: tuple[str, str]) -> str:
    """Write an archive of these refs, without a ref of its own; the oid of its commit. `texts`: who signs it, and its message.

    KeyError if a tag is not here; OSError.
    """
    data = dict(object_graph.contents(git, list(dict.fromkeys(one.tag for one in wanted))))
    by_file: dict[str, list[Entry]] = {}
    for one in wanted:
        by_file.setdefault(one.file, []).append(one)
    files = {name: write_file(found, data) for name, found in by_file.items()}
    files |= write_lists((one.commit, one.file) for one in wanted)
    _store(git, _BLOB, set(files.values()))
    tree = objects.write_tree({name: TreeEntry(FILE, _oid("blob", file)) for name, file in files.items()})
    tips = _tips(git, {one.commit for one in wanted})
    chain: tuple[str, ...] = ()
    for start in range(0, len(tips), _PARENTS):
        chain = (_commit(objects, tree, (*chain, *tips[start : start + _PARENTS]), texts),)
    return chain[0]


def _commit(objects: Objects, tree: str, parents: Sequence[str], texts: tuple[str, str]) -> str:
    signature, message = texts
    lines = (f"tree {tree}", *(f"parent {oid}" for oid in parents), f"author {signature}")
    return objects.write("commit", "\n".join((*lines, f"committer {signature}\n\n{message}\n")).encode())


def _tips(git: Git, commits: set[str]) -> list[str]:
    """Those of the commits that no other of them has in its history."""
    tips, passed = [], set[str]()
    for commit, parents in object_graph.commit_parents(git, commits):
        if commit in commits and commit not in passed:
            tips.append(commit)
        passed.update(parents)
    return tips
