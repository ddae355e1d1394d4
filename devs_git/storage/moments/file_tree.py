"""The working tree as a tree object, with untracked files, without a change of the user's index or files.

A private index stays from one call to the next, so that git reads only files whose stat data changed; git's own rule for
files written in the same second as the index applies. Files pass the filters of `git add`. Ignored files and nested
repositories are left out. A file that a sparse checkout leaves out keeps its blob.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from devs_git.errors import DevsError
from devs_git.storage.git import git_settings
from devs_git.storage.git.objects import EMPTY_BLOB, EMPTY_TREE
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, find_intended, index_path, private
from devs_git.storage.git.program import Git, GitFailed, join_z, split_z
from devs_git.storage.moments.seen_changes import Seen
from devs_git.storage.worktree import attributes
from devs_git.values import Final, immutable

NAME: Final = "snapshot-index"
LIVE_OWNER_SECONDS: Final = 2.0
ORPHAN_SECONDS: Final = 60.0
ROOM_UNASKED: Final = git_settings.ROOM_UNASKED
_GITLINK: Final = "160000"
_GONE: Final = "0 " + "0" * 40  # tells `update-index --index-info` to remove an entry
_ALL: Final = ("ls-files", "-z", "-v", "-s", "-c", "-o", "--exclude-standard")
_OTHERS: Final = ("ls-files", "-z", "-o", "--exclude-standard")
_TOUCHED: Final = ("diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty")


@immutable
class Shot:
    """The tree, the paths of it that differ from HEAD, and what was left out: nested repositories, and files by choice.

    `listed` is the user's index with its flags (`ls-files -v -s -z`), and the untracked files (`? path`). `seen`: the
    paths that were read anew.
    """

    tree: str
    changed: tuple[str, ...]
    left_out: tuple[str, ...]
    listed: bytes
    seen: tuple[str, ...]

    @property
    def files_changed(self) -> int:
        return len(self.changed)


# Says which of the paths that must be read are left out. It may raise instead.
Choice = Callable[[list[str]], Collection[str]]


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
    """The tree of the worktree of `git`. `head` is '' before the first commit. `limit` returns how many bytes may be saved;
    it is called only if much is new.

    BUSY while another devs-git command works in this worktree, so that no half-moved tree is saved; GIT_RESET_FAILED above
    the limit; CONFLICT if git cannot read a file.
    """
    from devs_git.storage.git import locks

    with locks.hold(places.lock, wait=LIVE_OWNER_SECONDS, orphan_wait=ORPHAN_SECONDS, on_wait=say) as held:
        refuse_half_moved(places)
        ours = git.with_config(*DURABLE).with_descriptors(held)
        return read_files(git, private(ours, places.own / NAME), head, partial(_require_room, git, limit))


def _require_room(git: Git, limit: Callable[[], int], paths: list[str]) -> Collection[str]:
    from devs_git.storage.worktree.capture import require_room

    require_room(git.where, paths, ROOM_UNASKED, limit)
    return ()


def read_files(git: Git, ours: Git, head: str, choose: Choice) -> Shot:
    """The tree of the worktree of `git`. `ours` is the same git on the private index; the caller holds the lock for it.

    CONFLICT if git cannot read a file. Also raises what `choose` raises.
    """
    index = Path(ours.env["GIT_INDEX_FILE"])
    # We hold the lock, so this one is from a git that was killed.
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
    ours = ours.with_config(*git_settings.STAT)
    try:
        return _take(git, ours, head, choose)
    except (GitFailed, _Missing, ValueError):
        # Its blobs were pruned, or the file is damaged: git may list rubbish then. Nothing is lost if we start with a new one.
        index.unlink(missing_ok=True)
    try:
        return _take(git, ours, head, choose)
    except (GitFailed, _Missing) as error:
        index.unlink(missing_ok=True)
        from devs_git.storage.worktree.capture import git_words

        words = git_words(error) if isinstance(error, GitFailed) else str(error)
        raise DevsError(
            "CONFLICT",
            f"git cannot save the working tree: {words}",
            hint="Fix or ignore that file, or free disk space.",
        ) from error


def read_changes(ours: Git, choose: Choice, seen: Seen | None = None) -> Shot | None:
    """The tree, if only files changed since the last call, and the user's index is the same; else None. `ours` is git on the
    private index, without files that a sparse checkout leaves out. With `seen` git does not look again.
    """
    if seen and seen.begun:
        found = seen.begun.result()
        if found:
            attributes.note_settings(ours, found[1])
        return _shot(found[0], *seen.paths()) if found else None
    index = Path(ours.env["GIT_INDEX_FILE"])
    index.with_name(index.name + ".lock").unlink(missing_ok=True)
    ours = ours.with_config(*git_settings.STAT)
    try:
        if seen:
            paths, nested = seen.paths()
        else:
            with ours.alongside(*_OTHERS) as others, ours.alongside(*_TOUCHED) as touched_files:
                attributes.settings(ours)  # needed later
                listed = {*split_z(others())}.union(*_read_changes(touched_files()))
            nested = {path for path in listed if path.endswith("/")}
            paths = listed - nested
        if any(path.rpartition("/")[2] in git_settings.RULES for path in paths):
            # Other files may be ignored now, or no longer be.
            return None
        left_out = set(choose(sorted(paths))) if paths else set()
        _update(ours, [], sorted(paths - left_out))
        return _shot(ours.text("write-tree"), paths, nested | left_out)
    except (GitFailed, ValueError):
        return None


def _shot(tree: str, paths: set[str], left_out: set[str]) -> Shot:
    changed = tuple(sorted(paths))
    return Shot(tree, changed, tuple(sorted(left_out)), b"", changed)


def refuse_half_moved(places: Places) -> None:
    """BUSY if a move of this worktree was interrupted since the command began; the next command recovers it first."""
    if not any(places.journals.glob("*.json")):
        return
    from devs_git.storage.worktree import journal

    if journal.open_ones(places):
        raise DevsError(
            "BUSY", "A move of this worktree was just interrupted.", hint="Run the command again."
        )


class _Missing(Exception):
    """The private index names an object that no longer exists."""


def _take(git: Git, ours: Git, head: str, choose: Choice) -> Shot:
    top, index = git.where, Path(ours.env["GIT_INDEX_FILE"])
    with git.alongside(*_ALL) as listed:
        if not index.exists():
            _seed(git, index)
        with ours.alongside(*_TOUCHED) as touched_files:
            remembered = ours.run("ls-files", "-z", "-v", "-s")
            touched, gone = _read_changes(touched_files())
        user_lines = listed()
        difference = _compare(user_lines, remembered)
    users, known = difference.users, difference.known
    absent = {path for path, entry in users.items() if entry.skipped and not os.path.lexists(top / path)}
    # These have neither a file nor a blob.
    hollow = find_intended(git, [path for path in absent if users[path].what.endswith(EMPTY_BLOB)])
    absent, gone = absent - hollow, gone | hollow
    # A new private index does not know that a folder is in the place of a file.
    new = (path for path in users if path not in known and not users[path].is_link)
    gone |= {path for path in new if os.path.isdir(top / path) and not os.path.islink(top / path)}  # noqa: PTH112, PTH114
    on_disk = (users.keys() - absent - gone) | difference.untracked
    write = [path for path in on_disk if path in touched or path not in known]
    write += touched - users.keys() - known.keys()
    fixed = {
        path: entry.what
        for path, entry in users.items()
        if (path in absent and (path not in known or known[path].what != entry.what))
        or (entry.is_link and path not in known)
    }
    drop = (known.keys() - on_disk - absent) | (gone - users.keys() - known.keys())
    left_out = set(choose(write)) if write else set()
    write = [path for path in write if path not in left_out]
    _update(
        ours,
        [*(f"{_GONE}\t{path}" for path in drop), *(f"{what}\t{path}" for path, what in fixed.items())],
        write,
    )
    tree = ours.text("write-tree")
    changed = _find_changes(git, head or EMPTY_TREE, tree)
    out = tuple(sorted({*(f"{path}/" for path in difference.nested), *left_out}))
    return Shot(tree, changed, out, user_lines, tuple(write))


def _update(ours: Git, entries: list[str], write: list[str]) -> None:
    """Update the private index: first the entries, because a removed path may make room for a new one, then the files."""
    if entries:
        ours.run("update-index", "-z", "--add", "--replace", "--index-info", stdin=join_z(entries))
    if write:
        ours.run(*git_settings.UPDATE, stdin=join_z(write))


@immutable
class _Difference:
    """Entries of the user's index and of the private one that differ, untracked files, and nested repositories."""

    users: dict[str, _Entry]
    known: dict[str, _Entry]
    untracked: set[str]
    nested: tuple[str, ...]


def _compare(listed: bytes, remembered: bytes) -> _Difference:
    """Compare the listing of the user's index and untracked files with that of the private index.

    The many equal entries are not decoded: in a large repository that would take longer than git.
    """
    lines, known = set(listed.split(b"\0")), set(remembered.split(b"\0"))
    users, found = {}, set()
    for line in map(os.fsdecode, lines - known):
        if line.startswith("? "):
            found.add(line[2:])
        else:
            users.update(_entry(line))
    nested = {path for path in found if path.endswith("/")}
    own = dict(pair for line in map(os.fsdecode, known - lines) for pair in _entry(line).items())
    return _Difference(users, own, found - nested, tuple(sorted(path.rstrip("/") for path in nested)))


def _entry(line: str) -> dict[str, _Entry]:
    """Path and entry of `H mode oid stage<TAB>path`."""
    facts, _, path = line[2:].partition("\t")
    return {path: _Entry(facts.rpartition(" ")[0], line[0])}


def _read_changes(raw: bytes) -> tuple[set[str], set[str]]:
    """Paths whose file differs from the private index, and paths whose file is gone."""
    out = split_z(raw)
    touched: set[str] = set()
    gone: set[str] = set()
    for facts, path in zip(out[::2], out[1::2], strict=True):
        (gone if facts.endswith("D") else touched).add(path)
    return touched, gone


def _seed(git: Git, index: Path) -> None:
    """Start with a copy of the user's index, so that not all tracked files must be read; not if it has flags.

    The copy keeps the time: git needs it for files that changed in the same second.
    """
    index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    listed = git.run("ls-files", "-z", "-v", "-c")
    if listed.startswith(b"H ") and listed.count(b"\0H ") == listed.count(b"\0") - 1:
        import shutil

        try:
            shutil.copy2(index_path(git), index)
        except OSError:  # no index yet, or no space: half a copy would look damaged
            index.unlink(missing_ok=True)


def _find_changes(git: Git, before: str, tree: str) -> tuple[str, ...]:
    """The paths of `tree` differ from `before`; _Missing if one of their blobs is missing."""
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
    return tuple(out[1::2])
