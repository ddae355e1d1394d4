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
    COMMITS,
    Entry,
    file_of,
    files_at,
    oid_of,
    read_file,
    write_commits,
    write_file,
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
# The names of an archive's files: see `file_of`.
_NAME: Final = re.compile(f"[0-9a-f]{{2}}|{COMMITS}")
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


def at(git: Git, commits: Collection[str]) -> Archived:
    """What the archives of this repository have of these commits. It is read from the files that have them."""
    found = Archived()
    for archive in oids(git):
        listed = dict(_contents(git, _files(git, archive, COMMITS))).get(COMMITS)
        # The archives of an earlier devs-git have no list.
        names = None if listed is None else files_at(listed, commits)
        if names is None or names:
            read = _in_files(git, archive, names or ())
            found |= {(one.ref, one.tag): one for one, _ in read if one.commit in commits}
    return found


def tags(git: Git, archives: Iterable[str], wanted: Iterable[Entry]) -> dict[str, bytes]:
    """The bytes of the tag objects of `wanted`, by their oids, as far as the archives have them."""
    asked = {one.tag: task_of(one.ref) for one in wanted}
    found = _read(git, archives, set(asked.values())) if asked else ()
    return {one.tag: data for one, data in found if one.tag in asked and _is_tag(data, one)}


def restore_tags(git: Git, archives: Iterable[str], wanted: Iterable[Entry]) -> None:
    """Make the tag objects again that are not here: no ref names them, so git may have deleted them.

    git reads them as a pack, because each of 100,000 files would be synced to disk.
    """
    asked = {one.tag: one for one in wanted}
    there = object_graph.find_existing(git, asked)
    found = tags(git, archives, (one for tag, one in asked.items() if tag not in there))
    if found:
        pack = b"PACK" + struct.pack(">II", 2, len(found))
        pack += b"".join(_packed(data) for data in found.values())
        git.run("index-pack", "--stdin", stdin=pack + sha1(pack).digest())


def _packed(data: bytes) -> bytes:
    """An object of a pack: its type and size, seven bits a byte after the first four, and its compressed bytes."""
    size, head = len(data) >> 4, [4 << 4 | len(data) & 15]
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
    entries, listed = list[Entry](), None
    for name, data in _contents(git, files):
        if data is None:
            return Archive(tuple(entries), (f"its file {name} is missing, too large, or none of an archive",))
        if name == COMMITS:
            listed = data
            continue
        try:
            for entry, tag in read_file(data):
                entries.append(entry)
                if wrong := _wrong(entry, tag, name, kept):
                    return Archive(tuple(entries), (wrong,))
        except ValueError as error:
            return Archive(tuple(entries), (f"its file {name} cannot be read: {error}",))
    if listed not in (None, write_commits(entries)):
        return Archive(tuple(entries), (f"its file {COMMITS} does not say where each commit is",))
    return Archive(tuple(entries))


def _wrong(entry: Entry, tag: bytes, name: str, kept: Container[str]) -> str:
    """What is wrong with an entry of the file `name`; '' for nothing."""
    if not _is_tag(tag, entry) or entry.file != name:
        return f"the tag of {entry.ref} is not the one that its file {name} says"
    return "" if entry.commit in kept else f"it does not keep the commit of {entry.ref}"


def _read(git: Git, archives: Iterable[str], tasks: Collection[str]) -> Iterator[tuple[Entry, bytes]]:
    names = {file_of(task) for task in tasks}
    for archive in archives:
        for entry, tag in _in_files(git, archive, names):
            if not tasks or task_of(entry.ref) in tasks:
                yield entry, tag


def _in_files(git: Git, archive: str, names: Collection[str]) -> Iterator[tuple[Entry, bytes]]:
    """What the files with these names have, or all files if there is no name."""
    files = _files(git, archive, *names)
    files.pop(COMMITS, None)
    for _, data in _contents(git, files):
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
    """Name and bytes of each file; None if it is missing, too large, or none of an archive. Only a few are in memory at once."""
    sizes = dict[str, int]()
    for name, (kind, size) in zip(files, bounded.sizes(git, files.values()), strict=True):
        if kind == "blob" and size <= limits.ARCHIVED.most and _NAME.fullmatch(name):
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
    same = sha1(b"tag %d\0" % len(data) + data).hexdigest() == entry.tag
    return same and data.startswith(b"object %s\ntype commit\n" % entry.commit.encode())


def write(git: Git, objects: Objects, wanted: Sequence[Entry], texts: tuple[str, str]) -> str:
    """Write an archive of these refs, without a ref of its own; the oid of its commit. `texts`: who signs it, and its message.

    KeyError if a tag is not here; OSError.
    """
    data = dict(object_graph.contents(git, list(dict.fromkeys(one.tag for one in wanted))))
    by_file: dict[str, list[Entry]] = {}
    for one in wanted:
        by_file.setdefault(one.file, []).append(one)
    files = {
        name: TreeEntry(FILE, objects.write("blob", write_file(found, data)))
        for name, found in by_file.items()
    }
    files[COMMITS] = TreeEntry(FILE, objects.write("blob", write_commits(wanted)))
    tree, tips = objects.write_tree(files), _tips(git, {one.commit for one in wanted})
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
