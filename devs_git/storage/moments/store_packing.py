"""Packs the store of moments, and deletes the objects that no moment has any more.

`git gc` would not do here. It leaves out of a pack what the user's store has, too, and then deletes our copy of it: after the
user's git prunes its own copy, a moment would lack it. So this looks only at our own folder of objects. What moments have in
common with their HEAD's commit is not in it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.moments.moment import TIPS
from devs_git.storage.git import locks, refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.moments import kept_commits, moment_store
from devs_git.storage.moments.kept_commits import Walk
from devs_git.values import immutable

# Seconds after which an object that no moment has is no longer part of a moment that is being made.
GRACE: Final = 3600.0
# Seconds to wait for a moment that is being made, or for another packing.
_WAIT: Final = 10.0
# One of the 256 folders of loose objects, and more files in it than git leaves by default (gc.auto).
_SAMPLE: Final = "17"
_MANY: Final = 27
# The files of a pack, the one first by which git finds the others.
_ENDS: Final = (".idx", ".rev", ".bitmap", ".mtimes", ".pack")


def pack(git: Git, common: Path, grace: float = GRACE) -> None:
    """Pack what moments have, and delete the rest if it is older than `grace` seconds. BUSY, GitFailed, OSError.

    `git` is that of the ledger. Moments can be made meanwhile, except while files are deleted.
    """
    if not moment_store.exists(common):
        return
    with locks.hold(moment_store.folder(common) / moment_store.PACKING, wait=_WAIT):
        kept_commits.settle(git, common)
        store = _Store(git, common)
        old_packs, then = store.packs(), store.refs()
        commits = kept_commits.renew(git, common, _tips(then))
        needed = store.objects_below(_states(then).values(), commits)
        new = store.write_pack(needed)
        with _no_moment_is_made(common):
            now = store.refs()
            added = store.objects_since(then, now) - needed
            new += store.write_pack(added)
            if not _tips(now):
                kept_commits.clear_base(git, common)
            store.delete([old for old in old_packs if old not in new], needed | added, time.time() - grace)


def pack_if_many(git: Git, common: Path) -> None:
    """Pack the store if it has about as many loose objects as make `git gc --auto` pack. BUSY, GitFailed, OSError.

    A moment is about seven small files, each of which takes a block of the disk; a pack takes a tenth of that. In any case
    no ref of ours shows a commit afterwards that left the user's branches.
    """
    sample = moment_store.folder(common) / "objects" / _SAMPLE
    if sample.is_dir() and sum(1 for _ in sample.iterdir()) > _MANY:
        pack(git, common)
    elif moment_store.exists(common):
        with locks.hold(moment_store.folder(common) / moment_store.PACKING, wait=_WAIT):
            kept_commits.settle(git, common)


def _states(found: Mapping[str, str]) -> dict[str, str]:
    return {ref: oid for ref, oid in found.items() if not ref.startswith(TIPS)}


def _tips(found: Mapping[str, str]) -> dict[str, str]:
    return {ref: oid for ref, oid in found.items() if ref.startswith(TIPS)}


@contextlib.contextmanager
def _no_moment_is_made(common: Path) -> Iterator[None]:
    """Hold the locks with which each worktree makes moments. BUSY if one is held for too long."""
    linked = common / "worktrees"
    every = [common, *(sorted(linked.iterdir()) if linked.is_dir() else [])]
    folders = [git_dir / "devs" / "moments" for git_dir in every]
    with contextlib.ExitStack() as held:
        for folder in folders:
            # Also where no moment was made yet: the first one may begin now.
            held.enter_context(locks.hold(folder / "lock", wait=_WAIT, orphan_wait=_WAIT))
        yield


@immutable
class _Store:
    """The store's own files. `git` is that of the ledger."""

    git: Git
    common: Path

    @property
    def objects(self) -> Path:
        return moment_store.folder(self.common) / "objects"

    def refs(self) -> dict[str, str]:
        return refs.list_refs(moment_store.refs_of(self.git, self.common))

    def packs(self) -> list[Path]:
        return list((self.objects / "pack").glob("*.pack"))

    def objects_below(self, days: Iterable[str], commits: Walk, known: Iterable[str] = ()) -> set[str]:
        """The objects of these days and commits that are in the store itself, without those of the `known` days.

        Where something is damaged, all that can be read: a moment that lost an object may still give back the others.
        """
        here, script = self._here(), "".join(f"{oid}\n" for oid in days)
        if not commits.whole:
            return here
        if not script:
            return here & commits.objects
        script += "".join(f"^{oid}\n" for oid in known)
        # An object that is missing ends neither this nor, for good, all packing.
        words = (
            "rev-list",
            "--objects",
            "--missing=allow-any",
            "--ignore-missing",
            "--no-object-names",
            "--stdin",
        )
        try:
            found = moment_store.refs_of(self.git, self.common).run(*words, stdin=script.encode())
        except GitFailed:
            return here
        return here & {*found.decode().split(), *commits.objects}

    def objects_since(self, then: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
        """The objects of the moments that came since the refs were as `then`."""
        days, known = ({*_states(each).values()} for each in (now, then))
        tips = {*_tips(now).values()} - {*_tips(then).values()}
        commits = kept_commits.complete(self.git, self.common, tips, _tips(then).values()) if tips else Walk()
        return self.objects_below(days - known, commits, known)

    def _here(self) -> set[str]:
        """All objects of the store that can be read."""
        form = "--batch-check=%(objectname) %(objecttype)"
        words = ("cat-file", "--batch-all-objects", "--unordered", form)
        lines = moment_store.alone(self.git, self.common).run(*words).decode().splitlines()
        return {line.partition(" ")[0] for line in lines if not line.endswith("missing")}

    def write_pack(self, oids: Collection[str]) -> list[Path]:
        """Write these objects into a pack; its path, none for no object."""
        if not oids:
            return []
        script = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
        begin = os.fspath(self.objects / "pack" / "pack")
        made = moment_store.alone(self.git, self.common).run("pack-objects", "-q", begin, stdin=script)
        return [Path(f"{begin}-{made.decode().strip()}.pack")]

    def delete(self, packs: Iterable[Path], packed: Collection[str], bound: float) -> None:
        """Delete old packs, the files of what is `packed`, and what no moment has. What is newer than `bound` stays."""
        for old in packs:
            if _is_older(old, bound):
                for end in _ENDS:
                    old.with_suffix(end).unlink(missing_ok=True)
        _delete_loose(self.objects, packed, bound)


def _delete_loose(objects: Path, packed: Collection[str], bound: float) -> None:
    """Delete the files of objects that are in the new pack, and old ones that no moment has."""
    for file in _loose(objects):
        if file.parent.name + file.name in packed or _is_older(file, bound):
            file.unlink(missing_ok=True)
    for folder in objects.iterdir():
        if len(folder.name) == 2:
            with contextlib.suppress(OSError):  # not empty
                folder.rmdir()


def _loose(objects: Path) -> Iterator[Path]:
    for folder in objects.iterdir():
        if len(folder.name) == 2:
            yield from (file for file in folder.iterdir() if is_oid(folder.name + file.name))


def _is_older(file: Path, bound: float) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return file.stat().st_mtime < bound
    return False
