"""Read and write git objects with libgit2's object store. No other module imports pygit2.

As long as the library is not loaded, `loose_objects` handles small loose objects: that is faster than loading it.

Only the store is opened, not the repository. So configuration, extensions, replace refs and worktrees of the user's
repository cannot change what is read or written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.git import loose_objects
from devs_git.values import TYPE_CHECKING, Final, field, immutable

if TYPE_CHECKING:
    import pygit2

FILE, EXECUTABLE, LINK, TREE, GITLINK = 0o100644, 0o100755, 0o120000, 0o040000, 0o160000
EMPTY_BLOB: Final = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_KINDS: Final = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}


@immutable
class Entry:
    """One line of a tree."""

    mode: int
    oid: str


@immutable
class Objects:
    """The object store below `folder` (`<common git dir>/objects`); `alternates` are further folders to read from.

    Unless it is `durable`, objects that it writes are not synced to disk at once, just as git does it.
    """

    folder: Path
    alternates: tuple[Path, ...] = ()
    durable: bool = True
    _notes: list[set[str]] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def _store(self) -> pygit2.Odb:
        import pygit2

        # After a loss of power the ledger must still have every event that was reported as written.
        pygit2.settings.enable_fsync_gitdir(True)
        store = pygit2.Odb(os.fspath(self.folder))
        for folder in self.alternates:
            store.add_disk_alternate(os.fspath(folder))
        return store

    @contextmanager
    def record_writes(self) -> Iterator[set[str]]:
        """Collect the oids of the objects that are written inside the body."""
        notes: set[str] = set()
        self._notes.append(notes)
        try:
            yield notes
        finally:
            self._notes.remove(notes)

    def write(self, kind: str, data: bytes) -> str:
        """Store an object and return its oid. `kind` is commit, tree, blob or tag."""
        oid = self._store_object(kind, data)
        for notes in self._notes:
            notes.add(oid)
        return oid

    def _store_object(self, kind: str, data: bytes) -> str:
        # The library writes no file for an object that a pack or an alternate has. But `newest_objects` links the files.
        if self._notes or (len(data) <= loose_objects.SMALL and "pygit2" not in sys.modules):
            return loose_objects.write(self.folder, kind, data, durable=self.durable)
        import pygit2

        try:
            return str(self._store.write(_KINDS[kind], data))
        except (pygit2.GitError, OSError):
            # A gc may have deleted the empty folder that the library had just made. Any other error occurs again.
            return loose_objects.write(self.folder, kind, data)

    def read(self, oid: str, kind: str, most: int = 0) -> bytes:
        """The bytes of an object. LEDGER_MISSING if it is missing or damaged, CONFLICT if a partial clone did not fetch it;
        LEDGER_MUTATED if it has another kind, or more than `most` bytes (0: no limit).
        """
        known = None if "pygit2" in sys.modules else loose_objects.read(self.folder, oid)
        if known and known[0] == kind and (not most or len(known[1]) <= most):
            return known[1]
        import pygit2

        try:
            if most and self._store.read_header(oid)[1] > most:
                raise DevsError("LEDGER_MUTATED", f"Object {oid} has more than {most} bytes.", oid=oid)
            found, data = self._store.read(oid)
        except (KeyError, ValueError, pygit2.GitError) as error:
            from devs_git.storage.git import newest_objects

            # A git prune in another process may delete it at any moment.
            known = loose_objects.read_file(self.folder.parent / newest_objects.FOLDER / oid)
            if known and known[0] == kind:
                return known[1]
            here = self._is_stored(oid)
            if not here and any(self.folder.glob("pack/*.promisor")):
                from devs_git.storage.git import failures

                raise failures.partial_refusal(failures.FETCH_ALL) from error
            what = "damaged in" if here else "missing from"
            raise DevsError("LEDGER_MISSING", f"Object {oid} is {what} the object store.", oid=oid) from error
        if found != _KINDS[kind]:
            raise DevsError("LEDGER_MUTATED", f"Object {oid} is not a {kind}.", oid=oid)
        return data

    def _is_stored(self, oid: str) -> bool:
        """Whether this object is stored, readable or not. False if the store has no folder, as before its first object."""
        import pygit2

        try:
            return self.exists(oid)
        except pygit2.GitError:
            return False

    def exists(self, oid: str) -> bool:
        return loose_objects.exists(self.folder, oid) or oid in self._store

    def is_at_hand(self, oid: str) -> bool:
        """Whether an object can be read without the time that it takes to load the library."""
        return "pygit2" in sys.modules or loose_objects.exists(self.folder, oid)

    def is_tag(self, oid: str) -> bool:
        """Whether a tag object with this oid exists."""
        import pygit2

        try:
            return bool(self._store.read_header(oid)[0] == _KINDS["tag"])
        except (KeyError, TypeError, ValueError, pygit2.GitError):
            return False

    def read_tree(self, oid: str) -> dict[str, Entry]:
        """Names and entries of one tree (`parse_tree`)."""
        return parse_tree(oid, self.read(oid, "tree"))

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store a tree and return its oid. git sorts a folder as if its name ended in a slash."""

        def key(item: tuple[str, Entry]) -> bytes:
            return os.fsencode(item[0]) + (b"/" if item[1].mode == TREE else b"")

        lines = (
            b"%o %s\0%s" % (entry.mode, os.fsencode(name), bytes.fromhex(entry.oid))
            for name, entry in sorted(entries.items(), key=key)
        )
        return self.write("tree", b"".join(lines))

    def edit_tree(self, tree: str, files: Iterable[tuple[str, bytes | None]]) -> str:
        """The oid of `tree` with files written (bytes) or removed (None). Folders are made and removed as needed."""
        grouped: dict[str, list[tuple[str, bytes | None]]] = {}
        entries = self.read_tree(tree) if tree != EMPTY_TREE else {}
        for path, data in files:
            head, slash, rest = path.partition("/")
            if slash:
                grouped.setdefault(head, []).append((rest, data))
            elif data is None:
                entries.pop(head, None)
            else:
                mode = EXECUTABLE if entries.get(head, Entry(FILE, "")).mode == EXECUTABLE else FILE
                entries[head] = Entry(mode, self.write("blob", data))
        for head, below in grouped.items():
            old = entries.get(head)
            folder = self.edit_tree(old.oid if old and old.mode == TREE else EMPTY_TREE, below)
            entries[head] = Entry(TREE, folder)
            if folder == EMPTY_TREE:
                del entries[head]
        return self.write_tree(entries)


def parse_tree(oid: str, data: bytes) -> dict[str, Entry]:
    """Names (undecodable bytes as surrogates) and entries of the tree `oid` with these bytes.

    LEDGER_MUTATED if a name occurs twice or out of order, because git's lookup would find another entry or none. Also
    if a name contains a slash: a file with that name would be written elsewhere.
    """
    at, before = 0, b""
    found: dict[str, Entry] = {}
    while at < len(data):
        space = data.index(b" ", at)
        nul = data.index(b"\0", space)
        raw, mode = data[space + 1 : nul], int(data[at:space], 8)
        name, order = os.fsdecode(raw), raw + b"/" if mode == TREE else raw
        if order <= before or name in found or b"/" in raw:
            raise DevsError("LEDGER_MUTATED", f"Tree {oid} has a form that git never writes.", oid=oid)
        before = order
        found[name] = Entry(mode, data[nul + 1 : nul + 21].hex())
        at = nul + 21
    return found
