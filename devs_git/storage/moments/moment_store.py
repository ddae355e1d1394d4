"""The store of moments: a git directory of their own in the common git directory, with their refs and their objects.

If the user's repository had these refs, `git fetch` and `git gc` would read the trees of all moments each time: with 10,000
moments they took 50 and 22 times as long. Nobody pushes, fetches or clones this store, and `git fsck` does not see it.

What a moment has in common with HEAD's commit stays in the user's store, where a ref keeps that commit. Everything else of
it is in this store, even if the user's store has it, too: git may prune it there.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from devs_git.domain.ledger.events import RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.git import loose_objects, refs
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.object_folders import with_folders
from devs_git.storage.git.objects import EMPTY_TREE, GITLINK, TREE, Entry, Objects
from devs_git.storage.git.program import OTHER_OBJECTS, OWN_OBJECTS, Git, GitFailed, of_store
from devs_git.values import Final, replace

# In the common git directory.
_FOLDER: Final = "devs/moments.git"
_CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n"
# Nothing runs that somebody put into the store.
_NO_HOOKS: Final = "core.hooksPath=/dev/null"
_HEAD: Final = "ref: refs/heads/none\n"
# Who packs the store, or moves the base, holds it.
PACKING: Final = "packing.lock"
_LINK: Final = b"160000"
_GONE: Final = b"000000"
# No git of ours holds the lock of a ref so long.
_DEAD_SECONDS: Final = 10.0
_PAUSE_SECONDS: Final = 0.01


def folder(common: Path) -> Path:
    return common / _FOLDER


def exists(common: Path) -> bool:
    return (folder(common) / "HEAD").exists()


def prepare(common: Path) -> None:
    """Make the store if there is none. OSError."""
    if exists(common):
        return
    inside = folder(common)
    for name in ("objects", "refs"):
        (inside / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(inside / "config", _CONFIG.encode())
    # git takes the folder for a git directory once it has this file.
    replace_file(inside / "HEAD", _HEAD.encode())


def refs_of(git: Git, common: Path) -> Git:
    """git for the refs of moments. `git` is that of the ledger (`program.of_store`)."""
    return _with_objects(
        git.with_env(GIT_DIR=os.fspath(folder(common))), _objects(common), common / "objects"
    )


def with_objects(git: Git, common: Path) -> Git:
    """The same git, which reads the objects of moments and of the user, and writes objects into the store of moments."""
    return _with_objects(git, _objects(common), common / "objects")


def alone(git: Git, common: Path) -> Git:
    """git for the store alone: it does not see the user's objects."""
    git = git.with_config(_NO_HOOKS)
    own = git.with_env(GIT_DIR=os.fspath(folder(common)), GIT_OBJECT_DIRECTORY=os.fspath(_objects(common)))
    return own.with_env(**{OTHER_OBJECTS: ""})


def objects_of(objects: Objects) -> Objects:
    """The objects of the store, and after them those of `objects`, which are the user's."""
    own = _objects(objects.folder.parent)
    return replace(objects, folder=own, alternates=(objects.folder, *objects.alternates))


def _objects(common: Path) -> Path:
    return folder(common) / "objects"


def _with_objects(git: Git, own: Path, *others: Path) -> Git:
    return with_folders(git.with_config(_NO_HOOKS), own, *others)


def new_objects(git: Git, head: str, trees: Iterable[str]) -> set[str]:
    """The objects of these trees that HEAD's commit does not have at the same place. `head` is '' before the first commit."""
    found = set()
    for tree in trees:
        words = ("diff-tree", "-r", "-t", "-z", "--raw", "--no-abbrev", "--no-renames")
        for line in git.run(*words, head or EMPTY_TREE, tree, "--").split(b"\0")[:-1:2]:
            found |= new_of(line)
        found.add(tree)
    return found


def new_of(line: bytes) -> set[str]:
    """The object on the new side of a line of `--raw`; none for a deletion, or for the commit of a submodule."""
    facts = line.split(b" ")
    return set() if facts[1] in (_LINK, _GONE) else {facts[3].decode()}


def own_entries(own: Objects, tree: str, paths: Iterable[str]) -> dict[str, Entry] | None:
    """The entries at these paths of a tree, if the store has them and the trees above them as loose objects; else None.

    A path that the tree does not have has no entry. No git is asked.
    """
    if not loose_objects.exists(own.folder, tree):
        return None
    below: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition("/")
        below.setdefault(name, []).append(rest)
    entries, found = own.read_tree(tree), {}
    for name, rests in below.items():
        entry = entries.get(name)
        if entry and entry.mode == TREE:
            inside = own_entries(own, entry.oid, filter(None, rests))
            if inside is None:
                return None
            found.update({f"{name}/{path}": one for path, one in inside.items()})
        elif entry:
            if entry.mode != GITLINK and not loose_objects.exists(own.folder, entry.oid):
                return None
            found[name] = entry
    return found


def adopt(git: Git, common: Path, oids: Collection[str], *, lenient: bool = False) -> None:
    """Take the objects into the store that are only in the user's store. `git` is any git of this repository. GitFailed, OSError.

    `lenient`: an object that is nowhere is left out. A history may lack some, as that of a partial clone does.
    """
    _copy(git, common, oids, lenient=lenient)


def copy_to_user(objects: Objects, head: str, trees: Iterable[str], more: Iterable[str]) -> None:
    """Take a moment's objects into the user's store, so that each git command can use them. LEDGER_MISSING if some are gone.

    No ref of the user leads to them, so git may prune them there.
    """
    common = objects.folder.parent
    git = of_store(common, offline=True)
    try:
        oids = {*new_objects(with_objects(git, common), head, trees), *more}
        _copy(git, common, oids, back=True)
    except GitFailed as error:
        raise DevsError("LEDGER_MISSING", "Objects of this moment are missing.") from error


def give_back(objects: Objects, oids: Collection[str]) -> None:
    """Take those of the objects into the user's store that the store of moments has. GitFailed, OSError."""
    common = objects.folder.parent
    _copy(of_store(common, offline=True), common, oids, lenient=True, back=True)


def _copy(
    git: Git, common: Path, oids: Collection[str], *, lenient: bool = False, back: bool = False
) -> None:
    """Take objects from the user's store to ours, or `back`. A loose one gets a second name, which costs no space."""
    source, target = (_objects(common), common / "objects")[:: 1 if back else -1]
    rest = [oid for oid in oids if not _link(source, target, oid)]
    if not rest:
        return
    alone = git.with_env(**{OWN_OBJECTS: os.fspath(target), OTHER_OBJECTS: ""})
    both = without_remotes(_with_objects(git, source, target), common)
    absent = missing_of(without_remotes(alone, common), rest)
    if lenient:
        nowhere = set(missing_of(both, absent))
        absent = [oid for oid in absent if oid not in nowhere]
    if absent:
        script = "".join(f"{oid}\n" for oid in absent).encode()
        pack = both.run("pack-objects", "-q", "--stdout", stdin=script)
        alone.run("index-pack", "--stdin", stdin=pack)


def without_remotes(git: Git, common: Path) -> Git:
    """The same git with the configuration of the store: no remote of a partial clone is asked for what is missing."""
    return git.with_env(GIT_DIR=os.fspath(folder(common)))


def missing_of(git: Git, oids: Collection[str]) -> list[str]:
    """Those of the objects that git does not find. GitFailed."""
    known = sizes_of(git, oids) if oids else {}
    return [oid for oid in oids if oid not in known]


def sizes_of(git: Git, oids: Collection[str]) -> dict[str, int]:
    """The bytes on disk of those objects that git finds. GitFailed."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    out = git.run("cat-file", "--batch-check=%(objectname) %(objectsize:disk)", stdin=asked).decode()
    facts = (line.split(" ") for line in out.splitlines())
    return {oid: int(size) for oid, size in facts if size != "missing"}


def _link(source: Path, target: Path, oid: str) -> bool:
    """Give a loose object a name in `target`, if it has none, and a new time. False if it is not loose, or cannot be linked."""
    place, new = source / oid[:2] / oid[2:], target / oid[:2] / oid[2:]
    with contextlib.suppress(OSError):
        os.utime(new)
        return True
    try:
        new.parent.mkdir(exist_ok=True)
        os.link(place, new, follow_symlinks=False)
        os.utime(new)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def move_ref(git: Git, common: Path, draft: Path, update: RefUpdate, *, durable: bool = True) -> None:
    """Move a ref of moments, which must have its old value. RefMoved, RefLocked, GitFailed, OSError.

    A ref that has a file already is written here, as git writes it: to start git takes longer. The file `draft` is of the
    worktree alone. As long as it is the same file as the lock, the lock is one of ours, and may be left by a kill. A
    `durable` ref is on disk then; for any other one the caller calls `sync_ref`.
    """
    store = folder(common)
    place, lock = store / update.ref, store / f"{update.ref}.lock"
    if refs.loose(store, update.ref) != update.old:
        refs.transaction(refs_of(git, common), (update,), "devs: moment")
        return
    _unlock(draft, lock)
    with draft.open("xb") as file:
        file.write(f"{update.new}\n".encode())
        if durable:
            file.flush()
            os.fsync(file.fileno())
    try:
        os.link(draft, lock, follow_symlinks=False)
    except FileExistsError as error:
        raise refs.RefLocked(os.fspath(lock)) from error
    try:
        if refs.loose(store, update.ref) != update.old:
            raise refs.RefMoved(update.ref)
        lock.replace(place)
    finally:
        # After the move another process may have the lock already.
        _unlock(draft, lock)


def _unlock(draft: Path, lock: Path) -> None:
    """Remove the lock if it is the file of this draft, and the draft."""
    with contextlib.suppress(OSError):
        if draft.samefile(lock):
            lock.unlink()
    draft.unlink(missing_ok=True)


def remove_empty_objects(common: Path) -> int:
    """Remove files of objects that are empty, and return their number. A machine that stops while they are written leaves them,
    and git writes no object again of which there is a file.
    """
    found = (one for one in _objects(common).glob("[0-9a-f][0-9a-f]/*") if not one.lstat().st_size)
    number = 0
    for place in found:
        place.unlink(missing_ok=True)
        number += 1
    return number


def sync_ref(common: Path, ref: str) -> None:
    """Wait until a ref of moments is on disk, if it has a file."""
    with contextlib.suppress(OSError), (folder(common) / ref).open("rb") as file:
        os.fsync(file.fileno())


def mend_ref(common: Path, ref: str) -> None:
    """Delete what keeps git from moving a ref of ours for ever: the lock of a git that was killed, or a file without an oid.

    The caller holds the lock of the worktree whose ref it is, so nobody but a `prune` moves it. `common`: its git directory.
    """
    lock = common / f"{ref}.lock"
    with contextlib.suppress(OSError):
        if time.time() - lock.stat().st_mtime > _DEAD_SECONDS:
            lock.unlink()
    if refs.has_file(common, ref) and not refs.loose(common, ref):
        (common / ref).unlink(missing_ok=True)
    # A lock of a git that still works is there for some milliseconds.
    time.sleep(_PAUSE_SECONDS)
