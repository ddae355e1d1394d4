"""All objects of a repository, read once: which trees and commits contain certain blobs, and which commits descend from those."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from devs_git.storage.git.program import Git
from devs_git.values import Final, immutable

# Bytes of the largest blob that is held in memory.
SMALL: Final = 64 << 20
# Bytes of the objects that one child reads.
_AT_ONCE: Final = 64 << 20
_EVERY: Final = (
    "cat-file",
    "--batch-all-objects",
    "--unordered",
    "--batch-check=%(objectname) %(objecttype) %(objectsize)",
)
_TREE: Final = b"40000"


@immutable
class Commit:
    """One commit. `matches`: its own text contains the text that is searched for."""

    tree: str
    parents: tuple[str, ...]
    matches: bool


@immutable
class Inventory:
    """The objects of a repository by their type, with sizes in bytes."""

    git: Git
    sizes: dict[str, dict[str, int]]

    @classmethod
    def of(cls, git: Git) -> Inventory:
        sizes: dict[str, dict[str, int]] = {kind: {} for kind in ("blob", "tree", "commit", "tag")}
        for line in git.run(*_EVERY).decode().splitlines():
            oid, kind, size = line.split(" ")
            sizes[kind][oid] = int(size)
        return cls(git, sizes)

    def read(
        self, kind: str, progress: Callable[[str, int, int], None], *, least: int = 0
    ) -> Iterator[tuple[str, bytes]]:
        """Oid and bytes of every object of a type with at least `least` bytes; of blobs, only those up to SMALL."""
        sizes = self.sizes[kind].items()
        wanted = [(oid, size) for oid, size in sizes if size >= least and (kind != "blob" or size <= SMALL)]
        batch: list[str] = []
        room, done = _AT_ONCE, 0
        for oid, size in wanted:
            if batch and size > room:
                yield from contents(self.git, batch)
                done += len(batch)
                progress(f"reading {kind}s", done, len(wanted) + 1)
                batch, room = [], _AT_ONCE
            batch.append(oid)
            room -= size
        yield from contents(self.git, batch)

    def blobs_with(
        self, forms: tuple[bytes, ...], progress: Callable[[str, int, int], None], least: int
    ) -> Iterator[str]:
        """The blobs of any size that contain one of the forms."""
        # Late: only a purge searches; a rewind reads objects, too.
        from devs_git.domain.recall.purge_terms import contains, stream_contains

        yield from (oid for oid, data in self.read("blob", progress, least=least) if contains(data, forms))
        for oid, size in self.sizes["blob"].items():
            if size > SMALL and stream_contains(self.git.stream("cat-file", "blob", oid), forms):
                yield oid


def contents(git: Git, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Oid and bytes of those objects that exist, with one child. All are in memory at once."""
    if not oids:
        return
    data = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].split(b" ")
        if words[-1] == b"missing":
            at = end + 1
            continue
        size = int(words[2])
        yield words[0].decode(), data[end + 1 : end + 1 + size]
        at = end + size + 2


def find_existing(git: Git, oids: Iterable[str]) -> frozenset[str]:
    """Those of the objects that are here, with one child."""
    script = "".join(f"{oid}\n" for oid in oids).encode()
    out = git.run("cat-file", "--batch-check=%(objectname)", stdin=script) if script else b""
    return frozenset(line for line in out.decode().splitlines() if not line.endswith(" missing"))


@immutable
class Forest:
    """The trees. `above`: the trees that have an entry, by its oid. `entries_by_name`: for each tree, its entries with certain names."""

    above: dict[str, list[str]]
    entries_by_name: dict[str, dict[str, str]]

    @classmethod
    def of(cls, trees: Iterable[tuple[str, bytes]], names: Collection[str], blobs: Collection[str]) -> Forest:
        """Only trees, the given `blobs`, and entries with one of the `names` are recorded."""
        above: dict[str, list[str]] = {}
        named: dict[str, dict[str, str]] = {}
        for oid, data in trees:
            at = 0
            while at < len(data):
                space = data.index(b" ", at)
                nul = data.index(b"\0", space)
                entry = data[nul + 1 : nul + 21].hex()
                name = os.fsdecode(data[space + 1 : nul])
                wanted = name in names
                if wanted:
                    named.setdefault(oid, {})[name] = entry
                if wanted or data[at:space] == _TREE or entry in blobs:
                    above.setdefault(entry, []).append(oid)
                at = nul + 21
        return cls(above, named)

    def at(self, tree: str, path: Sequence[str]) -> str:
        """The oid at a path, whose names must be among the recorded ones; '' if there is none."""
        for name in path:
            tree = self.entries_by_name.get(tree, {}).get(name, "")
        return tree

    def with_trees_above(self, entries: Iterable[str]) -> set[str]:
        """The entries, and every tree that contains one of them at any depth."""
        return closure(entries, lambda entry: self.above.get(entry, ()))


def closure(begin: Iterable[str], successors: Callable[[str], Iterable[str]]) -> set[str]:
    """`begin`, and everything that `successors` gives from it."""
    found = set(begin)
    waiting = list(found)
    while waiting:
        for each in successors(waiting.pop()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def commit_of(data: bytes, *, matches: bool) -> Commit:
    """Parse the bytes of a commit."""
    head = data.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")
    parents = tuple(line[7:] for line in head if line.startswith("parent "))
    return Commit(head[0][5:], parents, matches)


def disk_usage(git: Git, roots: Sequence[str], others: Sequence[str]) -> int:
    """Bytes on disk, in files and packs, of the objects that `roots` reach and that `others` do not.

    Both are oids, of commits or trees, or names of refs. A tree in `others` counts with all that is in it. Objects that
    do not exist make git fail (GitFailed).
    """
    if not roots:
        return 0
    script = "".join(f"{root}\n" for root in roots) + "".join(f"^{other}\n" for other in others)
    return int(git.run("rev-list", "--objects", "--disk-usage", "--stdin", stdin=script.encode()) or 0)


def commit_parents(git: Git, tips: Collection[str], oldest: str = "") -> list[tuple[str, list[str]]]:
    """Commits that can be reached from `tips`, each with its parents, children first. Missing tips are left out.

    `oldest`: the walk ends at the parents of this commit; '' for the whole history.
    """
    script = "".join(f"{oid}\n" for oid in tips) + (f"^{oldest}^@\n" if oldest else "")
    words = ("rev-list", "--topo-order", "--parents", "--ignore-missing", "--stdin")
    lines = git.run(*words, stdin=script.encode()).decode("ascii").splitlines() if tips else []
    return [(commit, parents) for commit, *parents in map(str.split, lines)]
