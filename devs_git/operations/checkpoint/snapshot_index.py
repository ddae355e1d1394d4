"""The working tree as a tree object, untracked files included, without touching the user's index or files.

A private index (`<git dir>/devs/snapshot-index`) is kept from one snapshot to the next, so that git reads again only
files whose stat data changed; git's own rule for files written in the same second as the index holds for it too.
Files go through the filters that `git add` would apply. Ignored files and nested repositories stay out. An entry
that sparse checkout left out of the disk keeps its blob.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage.git import locks
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, index_path, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.values import immutable

NAME: Final = "snapshot-index"
LIVE_OWNER_SECONDS: Final = 2.0
ORPHAN_SECONDS: Final = 60.0
ROOM_UNASKED: Final = 64 << 20  # bytes that any policy allows: below it the policy is not even read
_GITLINK: Final = "160000"
_GONE: Final = "0 " + "0" * 40  # what `update-index --index-info` takes an entry out by
_ALL: Final = ("ls-files", "-z", "-v", "-s", "-c", "-o", "--exclude-standard")
_TOUCHED: Final = ("diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty")
# All stat data counts, whatever the user's settings leave out: a same-size edit must never be missed.
_STAT: Final = ("core.checkStat=default", "core.trustctime=true", "core.ignoreStat=false")


@immutable
class Shot:
    """The tree, how many paths differ from HEAD, and the nested repositories that were left out."""

    tree: str
    files_changed: int
    left_out: tuple[str, ...]


@immutable
class _Entry:
    """`mode oid` of an index entry, and git's letter for its flags: H none, S and s skip-worktree, M unmerged."""

    what: str
    letter: str

    @property
    def skipped(self) -> bool:
        return self.letter in "Ss"

    @property
    def is_link(self) -> bool:
        return self.what.startswith(_GITLINK)


def take(
    git: Git, places: Places, head: str, limit: Callable[[], int], *, say: Callable[[str], None]
) -> Shot:
    """The tree of the worktree of `git`; `head` is '' before the first commit. `limit`: bytes that may be saved at once, asked only when much is new.

    BUSY while another command of ours works in this worktree, so that no half-moved tree is saved; GIT_RESET_FAILED above the limit; CONFLICT where git cannot
    read a file.
    """
    index = places.own / NAME
    with locks.hold(
        places.lock, wait=LIVE_OWNER_SECONDS, orphan_wait=ORPHAN_SECONDS, on_wait=say
    ) as descriptor:
        _refuse_half_moved(places)
        index.with_name(NAME + ".lock").unlink(
            missing_ok=True
        )  # of a git that was killed: we hold the lock now
        ours = private(git, index).with_config(*_STAT, *DURABLE).with_descriptors(descriptor)
        try:
            return _take(git, ours, head, limit)
        except (GitFailed, _Missing):
            # Its blobs were pruned, or the file is damaged. It is derived: begin again from nothing.
            index.unlink(missing_ok=True)
        try:
            return _take(git, ours, head, limit)
        except (GitFailed, _Missing) as error:
            index.unlink(missing_ok=True)
            from devs_git.storage.worktree.capture import git_words

            words = git_words(error) if isinstance(error, GitFailed) else str(error)
            raise DevsError(
                "CONFLICT",
                f"git cannot save the working tree: {words}",
                hint="Fix or ignore that file, or free disk space.",
            ) from error


def _refuse_half_moved(places: Places) -> None:
    """BUSY where a move of this worktree broke off since the command began; the next command recovers it first."""
    if not any(places.journals.glob("*.json")):
        return
    from devs_git.storage.worktree import journal

    if journal.open_ones(places):
        raise DevsError("BUSY", "A move of this worktree broke off just now.", hint="Run the command again.")


class _Missing(Exception):
    """The private index names an object that is not there any more."""


def _take(git: Git, ours: Git, head: str, limit: Callable[[], int]) -> Shot:
    top, index = git.where, Path(ours.env["GIT_INDEX_FILE"])
    with git.alongside(*_ALL) as listed:
        if not index.exists():
            _seed(git, index)
        with ours.alongside(*_TOUCHED) as looked:
            remembered = ours.run("ls-files", "-z", "-v", "-s")
            touched, gone = _touched(looked())
        theirs, known, found, left_out = _unlike(listed(), remembered)
    absent = {path for path, entry in theirs.items() if entry.skipped and not os.path.lexists(top / path)}
    on_disk = (theirs.keys() - absent - gone) | found
    write = [path for path in on_disk if path in touched or path not in known]
    write += touched - theirs.keys() - known.keys()
    fixed = {
        path: entry.what
        for path, entry in theirs.items()
        if (path in absent or (entry.is_link and path not in known)) and _what(known, path) != entry.what
    }
    drop = (known.keys() - on_disk - absent) | (gone - theirs.keys() - known.keys())
    if write:
        from devs_git.storage.worktree.capture import require_room

        require_room(top, write, ROOM_UNASKED, limit)
    _update(
        ours,
        [*(f"{_GONE}\t{path}" for path in drop), *(f"{what}\t{path}" for path, what in fixed.items())],
        write,
    )
    tree = ours.text("write-tree")
    return Shot(tree, _differing(git, head or EMPTY_TREE, tree), left_out)


def _update(ours: Git, entries: list[str], write: list[str]) -> None:
    """Entries as they stand first: a path that goes may make room for one that comes."""
    if entries:
        ours.run("update-index", "-z", "--add", "--replace", "--index-info", stdin=join_z(entries))
    if write:
        ours.run("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=join_z(write))


def _unlike(
    listed: bytes, remembered: bytes
) -> tuple[dict[str, _Entry], dict[str, _Entry], set[str], tuple[str, ...]]:
    """Entries of the user's index and of ours that are not the same in both, untracked files, nested repositories.

    The many entries that are the same are never decoded: in a large repository that would take longer than git.
    """
    lines, known = set(listed.split(b"\0")), set(remembered.split(b"\0"))
    theirs, found = {}, set()
    for line in map(os.fsdecode, lines - known):
        if line.startswith("? "):
            found.add(line[2:])
        else:
            theirs.update(_entry(line))
    nested = {path for path in found if path.endswith("/")}
    mine = dict(pair for line in map(os.fsdecode, known - lines) for pair in _entry(line).items())
    return theirs, mine, found - nested, tuple(sorted(path.rstrip("/") for path in nested))


def _entry(line: str) -> dict[str, _Entry]:
    """Path and entry of `H mode oid stage<TAB>path`."""
    facts, _, path = line[2:].partition("\t")
    return {path: _Entry(facts.rpartition(" ")[0], line[0])}


def _what(entries: dict[str, _Entry], path: str) -> str:
    return entries[path].what if path in entries else ""


def _touched(raw: bytes) -> tuple[set[str], set[str]]:
    """Paths whose file is not as the private index remembers it, and those whose file is gone."""
    out = split_z(raw)
    touched: set[str] = set()
    gone: set[str] = set()
    for facts, path in zip(out[::2], out[1::2], strict=True):
        (gone if facts.endswith("D") else touched).add(path)
    return touched, gone


def _seed(git: Git, index: Path) -> None:
    """Begin with the user's index, so that tracked files need not all be read; not where it carries flags.

    Its time is kept: git tells by it which files may have changed in the same second.
    """
    index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    listed = git.run("ls-files", "-z", "-v", "-c")
    if listed.startswith(b"H ") and listed.count(b"\0H ") == listed.count(b"\0") - 1:
        try:
            shutil.copy2(index_path(git), index)
        except OSError:  # none yet, or no room: half of one would be taken for damage
            index.unlink(missing_ok=True)


def _differing(git: Git, before: str, tree: str) -> int:
    """How many paths of `tree` differ from `before`; raises _Missing where one of their blobs is not there."""
    out = split_z(
        git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, tree, "--")
    )
    facts = [line.split(" ") for line in out[::2]]
    wanted = [fact[3] for fact in facts if fact[1] not in (_GITLINK, "000000")]
    if wanted:
        script = "".join(f"{oid}\n" for oid in wanted).encode()
        answer = git.run("cat-file", "--batch-check=%(objectname)", stdin=script)
        if b" missing" in answer:
            raise _Missing("an object is missing")
    return len(facts)
