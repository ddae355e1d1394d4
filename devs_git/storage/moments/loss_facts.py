"""Compares a moment with a later one of the same worktree, or with nothing if the worktree is gone: what is lost."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from devs_git.domain.moments.loss import (
    Authorship,
    GoneCommit,
    Loss,
    Present,
    is_stash_lost,
    lost_commits,
    lost_files,
    lost_staged,
)
from devs_git.domain.moments.moment import BASE, COMMITS, Details
from devs_git.storage.git import children, refs
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed, split_z
from devs_git.storage.worktree import tree_difference
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.tree_difference import Change
from devs_git.values import Final, immutable, replace

# Commits of one comparison, paths of one look into the history, and its seconds.
_COMMITS: Final = 200
_LOOKED: Final = 20
_SECONDS: Final = 1.0
_BRANCHES: Final = ("--branches", "--tags", "--remotes")
# Behind a commit: what only it reaches. Refs of ours and stash entries do not count.
NOT_GONE: Final = (
    "--not",
    f"--exclude={BASE}*",
    f"--exclude={COMMITS}*",
    f"--exclude={refs.BACKUPS}*",
    "--exclude=refs/stash",
    # What `git filter-branch` leaves behind.
    "--exclude=refs/original/*",
    "--all",
    "--",
)
# Record and unit separators. A subject may have such a character, too.
_LINE: Final = "--format=%x1e%H%x1f%ae %at%x1f%s"
_BEGIN: Final = re.compile("\x1e(?=[0-9a-f]{40,64}\x1f)")


@immutable
class Kept:
    """A moment: its state and its details. `running`: the next command runs already, so what the moment recorded counts more
    than what is there now.
    """

    state: State
    details: Details
    running: bool = False


def compare(git: Git, before: Kept, after: Kept, top: Path, left: Sequence[str]) -> Loss:
    """What `before` has and nothing has now. `git` is that of the store. `left`: what the moment did not have."""
    facts = _Facts(git, before, after.state)
    present = facts.present()
    if lost_files(facts.files, present) or lost_staged(facts.staged, facts.files, present):
        present = facts.without_new_commits(present)
    branches, entries = _refs(git, after)
    stashes = tuple(oid for oid in before.details.stashes if oid not in entries)
    return Loss(
        files=lost_files(facts.files, present),
        staged=lost_staged(facts.staged, facts.files, present),
        ignored=facts.lost_ignored(before, after.state, top, after.details.ignored if after.running else ""),
        commits=_commits(git, before.state, after.state, present.everywhere),
        branches=_branches(git, before, branches),
        stashes=tuple(oid for oid in stashes if is_stash_lost(_stashed(git, oid), present, facts.moved)),
        unkept=tuple(path for path in left if not _is_there(top / path.rstrip("/"))),
    )


def all_of(git: Git, before: Kept, top: str, left: Sequence[str]) -> Loss:
    """What is lost with a whole worktree, whose folder was `top`."""
    tree = f"{before.state.head}^{{tree}}" if before.state.head else EMPTY_TREE
    gone = _gone(git, before.state.head) if before.state.head else []
    return Loss(
        files=tuple(_entries(tree_difference.changes(git, tree, before.state.worktree))),
        ignored=tuple(_tree(git, before.details.ignored)),
        commits=tuple(f"{one.oid[:12]} {one.authorship[1]}" for one in gone),
        branches=_branches(git, before, refs.list_refs(git, "refs/heads")),
        stashes=tuple(oid for oid in before.details.stashes if oid not in refs.stashes(git)),
        worktree=top,
        unkept=tuple(left),
    )


class _Facts:
    """The differences between the trees of two states."""

    def __init__(self, git: Git, moment: Kept, after: State) -> None:
        before = moment.state
        self.git = git
        self.made_at = datetime.fromisoformat(moment.details.created_at)
        # A commit's time has seconds only.
        self.since = (self.made_at - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        known = dict.fromkeys((before.head, *moment.details.branches.values()))
        self.known = [f"^{oid}" for oid in known if oid][:_COMMITS]
        heads = [f"{state.head}^{{tree}}" if state.head else EMPTY_TREE for state in (before, after)]
        own = tree_difference.changes(git, heads[0], before.worktree)
        index = tree_difference.changes(git, heads[0], before.index)
        self.files, self.staged = _entries(own), _entries(index)
        # What HEAD's tree had at these paths.
        self.had = {**_old(own), **_old(index)}
        self.moved = _changed(git, before.worktree, after.worktree)
        self.restaged = _changed(git, before.index, after.index)
        self.committed = _changed(git, *heads)

    def present(self) -> Present:
        """What is there now, at the paths that had something uncommitted."""
        files = {path: _now(self.moved, path, entry) for path, entry in self.files.items()}
        index = {path: _now(self.restaged, path, entry) for path, entry in self.staged.items()}
        files |= {path: _now(self.moved, path, "") for path in self.staged if path not in files}
        index |= {path: _now(self.restaged, path, "") for path in self.files if path not in index}
        head = {path: _now(self.committed, path, self.had.get(path, "")) for path in {**files, **index}}
        everywhere = {entry for changed in (self.moved, self.restaged) for entry in changed.values() if entry}
        committed = {*head.values(), *self.had.values(), *self.committed.values()} - {""}
        return Present(files, index, committed | {*self.staged.values()}, everywhere | committed)

    def without_new_commits(self, present: Present) -> Present:
        """What commits since the moment brought is an edit that was committed. What older ones have was checked out."""
        words = ("--raw", "-z", "--no-abbrev", "--no-renames", "--format=")
        limits = (f"-{_COMMITS}", f"--since={self.since}")
        out = self.git.run(
            "log", *words, *limits, "--diff-merges=first-parent", *_BRANCHES, *self.known, "--"
        )
        changes, _ = tree_difference.read_listing(out.replace(b"\0\0", b"\0"))
        new = {*_entries(changes).values()}
        older = self._in_history(present, new)
        return replace(
            present,
            older=(set(present.older) - new) | older | {*self.had.values()},
            everywhere=set(present.everywhere) | new,
        )

    def lost_ignored(self, kept: Kept, after: State, top: Path, again: str) -> tuple[str, ...]:
        """The ignored files of a moment that are gone, or that git has overwritten with files of a commit.

        `again`: a tree of those that were there when the later moment was made, '' for none.
        """
        files = _blobs(self.git, kept.details.ignored)
        if not files:
            return ()
        held = set(_tree(self.git, again))
        files = {path: oid for path, oid in files.items() if path not in held}
        changes = tree_difference.changes(self.git, kept.details.ignored, after.index)
        overwritten = {change.path for change in changes if change.old and change.new}
        overwritten |= self._checked_out(files, top)
        return tuple(path for path in files if path in overwritten or not _is_there(top / path))

    def _checked_out(self, files: Mapping[str, str], top: Path) -> set[str]:
        """Those of the files that have other bytes now, which a commit has: `git restore` leaves no trace in the index."""
        newer = [path for path in files if _changed_since(top / path, self.made_at)][:_LOOKED]
        if not newer:
            return set()
        words = ("hash-object", "--no-filters", "--", *(os.fspath(top / path) for path in newer))
        current = zip(newer, self.git.text(*words).split(), strict=True)
        return {path for path, oid in current if oid != files[path] and self._was_committed(path, oid)}

    def _in_history(self, present: Present, new: Collection[str]) -> set[str]:
        """Those of the current entries that a commit from before the moment has: they were checked out from there."""
        changed = {
            (path, now)
            for before, current in ((self.files, present.files), (self.staged, present.index))
            for path, entry in before.items()
            if (now := current.get(path, "")) not in ("", entry, *present.older, *new)
        }
        if len(changed) > _LOOKED:
            return set()
        until = f"--until={self.since}"
        return {entry for path, entry in changed if self._was_committed(path, entry.split(" ")[1], until)}

    def _was_committed(self, path: str, oid: str, *limits: str) -> bool:
        words = ("log", "-1", "--format=%H", f"--find-object={oid}", *limits, *_BRANCHES)
        try:
            with children.within(_SECONDS):
                return bool(self.git.run(*words, "--", path))
        except (GitFailed, GitTimedOut):
            return False


def _now(changed: Mapping[str, str], path: str, before: str) -> str:
    return changed.get(path, before)


def _changed(git: Git, old: str, new: str) -> dict[str, str]:
    """The new entry of each path that differs, '' for one that is gone."""
    changes = tree_difference.changes(git, old, new) if old != new else []
    return {one.path: f"{one.new_mode:06o} {one.new}" if one.new else "" for one in changes}


def _entries(changes: Sequence[Change]) -> dict[str, str]:
    return {one.path: f"{one.new_mode:06o} {one.new}" for one in changes if one.new}


def _old(changes: Sequence[Change]) -> dict[str, str]:
    return {one.path: f"{one.old_mode:06o} {one.old}" for one in changes if one.old}


def _tree(git: Git, tree: str) -> list[str]:
    return split_z(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)) if tree else []


def _blobs(git: Git, tree: str) -> dict[str, str]:
    """The oid of each file of a tree; nothing without a tree."""
    lines = split_z(git.run("ls-tree", "-r", "-z", "--full-tree", tree)) if tree else []
    return {path: facts.split(" ")[2] for facts, _, path in (line.partition("\t") for line in lines)}


def _changed_since(place: Path, at: datetime) -> bool:
    """Whether a regular file was changed after a time, as far as its times tell."""
    try:
        facts = place.lstat()
    except OSError:
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_ctime >= at.timestamp() - _SECONDS


def _is_there(place: Path) -> bool:
    try:
        place.lstat()
    except OSError:
        return False
    return True


def _stashed(git: Git, oid: str) -> dict[str, str]:
    """The files of a stash entry that its base does not have, untracked ones too."""
    try:
        found = _entries(tree_difference.changes(git, f"{oid}^1^{{tree}}", f"{oid}^{{tree}}"))
        if git.says("rev-parse", "-q", "--verify", f"{oid}^3"):
            found |= _entries(tree_difference.changes(git, EMPTY_TREE, f"{oid}^3^{{tree}}"))
    except GitFailed:
        return {}
    return found


def _commits(git: Git, before: State, after: State, present: Collection[str]) -> tuple[str, ...]:
    """The commits of HEAD's branch that are gone and were not made again."""
    if not before.head or before.head == after.head:
        return ()
    gone = _gone(git, before.head)
    if not gone:
        return ()
    made: list[Authorship] = []
    if after.head:
        said = split_z(
            git.run(
                "log", "-z", "--format=%ae %at%x00%s", f"-{_COMMITS}", after.head, f"^{before.head}", "--"
            )
        )
        made = list(zip(said[::2], said[1::2], strict=False))
    trees = [f"{head}^{{tree}}" if head else EMPTY_TREE for head in (before.head, after.head)]
    changes = tree_difference.changes(git, *trees)
    new = _entries(changes)
    return lost_commits(gone, made, _old(changes), new, {*new.values(), *present})


def _gone(git: Git, tip: str) -> list[GoneCommit]:
    """The commits that only a tip reaches: no branch, tag or HEAD of a worktree. Refs of ours do not count."""
    words = ("log", "-z", "--name-only", "--no-renames", "--diff-merges=first-parent", _LINE, f"-{_COMMITS}")
    out = git.run(*words, tip, *NOT_GONE).decode("utf-8", "surrogateescape")
    found: list[GoneCommit] = []
    for part in _BEGIN.split(out)[1:]:
        head, _, listed = part.partition("\0")
        oid, author, subject = head.split("\x1f", 2)
        paths = tuple(filter(None, listed.strip("\n\0").split("\0")))
        found.append(GoneCommit(oid, (author, subject), paths))
    return found


def _refs(git: Git, after: Kept) -> tuple[Mapping[str, str], Collection[str]]:
    """The local branches and stash entries: those that a moment recorded while a command is running, else those of now."""
    if after.running and after.details.branches:
        return after.details.branches, after.details.stashes
    return refs.list_refs(git, "refs/heads"), refs.stashes(git)


def _branches(git: Git, before: Kept, now: Mapping[str, str]) -> tuple[str, ...]:
    """The branches that are not in `now`, or were moved by force, with a tip that nothing reaches any more."""
    own = before.state.branch
    changed = [name for name, oid in before.details.branches.items() if now.get(name) != oid]
    return tuple(
        name.removeprefix("refs/heads/")
        for name in changed
        if name.removeprefix("refs/heads/") != own.removeprefix("refs/heads/") or name not in now
        if git.run("rev-list", "-1", before.details.branches[name], *NOT_GONE)
    )
