"""What was there before a call and is nowhere after it: uncommitted bytes, commits, branches and stash entries.

An entry is what a tree has at a path: mode and oid. A path that has other content now, which no commit has, was edited:
an edit is no loss. A path that is gone, or has what a commit has, lost what it had, unless the same entry is at another
path, in the index or in HEAD's tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from devs_git.values import Any, Final, immutable

# `100644 <oid>` by path.
Entries = Mapping[str, str]
# Who wrote a commit and when, and its subject.
Authorship = tuple[str, str]
_NAMED: Final = 2


@immutable
class Present:
    """What a worktree has now. `older` are entries that a path can have got back: from a commit, or from the index of before.

    `everywhere` are the entries that are somewhere now: in commits, and new in the files and in the index.
    """

    files: Entries
    index: Entries
    older: Collection[str]
    everywhere: Collection[str]


@immutable
class GoneCommit:
    """A commit that no ref reaches any more. `paths` are what it changed."""

    oid: str
    authorship: Authorship
    paths: tuple[str, ...]


@immutable
class Loss:
    """What is nowhere now. `unkept` was not in the moment either: nothing brings it back."""

    files: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    worktree: str = ""
    unkept: tuple[str, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether something is gone that the moment has. A worktree in which nothing was lost does not count."""
        return any((self.files, self.staged, self.ignored, self.commits, self.branches, self.stashes))


def lost_files(before: Entries, now: Present) -> tuple[str, ...]:
    """The paths of files whose uncommitted bytes are nowhere now."""
    return tuple(
        path for path, entry in before.items() if _is_lost(path, entry, now, now.files.get(path, ""))
    )


def lost_staged(before: Entries, files: Entries, now: Present) -> tuple[str, ...]:
    """The paths of staged versions that are nowhere now, unless the file of before, which was newer, was committed."""
    return tuple(
        path
        for path, entry in before.items()
        if _is_lost(path, entry, now, now.index.get(path, "")) and files.get(path, "") not in now.everywhere
    )


def _is_lost(path: str, entry: str, now: Present, current: str) -> bool:
    if entry in (now.files.get(path), now.index.get(path)) or entry in now.everywhere:
        return False
    return not current or current in now.older


def is_stash_lost(files: Entries, now: Present, moved: Entries) -> bool:
    """Whether a stash entry that is gone was not applied. `moved`: what the paths have that changed in the worktree."""
    return any(
        entry not in now.everywhere
        and entry != now.files.get(path)
        and moved.get(path, "") in ("", *now.older)
        for path, entry in files.items()
    )


def lost_commits(
    gone: Sequence[GoneCommit],
    made: Sequence[Authorship],
    before: Entries,
    after: Entries,
    present: Collection[str] = (),
) -> tuple[str, ...]:
    """Those commits whose work is in no new commit, as `<12 digits> <subject>`.

    `made` are the new commits: a rebase and an `--amend` keep who wrote a commit and when. `before` and `after` are what
    HEAD's tree had and has at the paths of the commits: a squash keeps this. A commit that was made again without one of
    its files is lost, unless the file is `present` elsewhere.
    """

    def is_there(commit: GoneCommit) -> bool:
        return all(path in after or before.get(path, "") in ("", *present) for path in commit.paths)

    pairs = Counter(made)
    left = [one for one in gone if not (is_there(one) and _take(pairs, one.authorship))]
    authors = Counter(author for author, _ in pairs.elements())
    left = [one for one in left if not (is_there(one) and _take(authors, one.authorship[0]))]
    return tuple(
        f"{one.oid[:12]} {one.authorship[1]}".rstrip()
        for one in left
        if any(before.get(path, "") != after.get(path, "") for path in one.paths)
    )


def _take(counted: Counter[Any], key: Any) -> bool:
    """Take one from a counter; False if there is none."""
    if not counted[key]:
        return False
    counted[key] -= 1
    return True


def sentence(loss: Loss, command: str) -> str:
    """One line: what is gone, and the one command that brings it back."""
    parts = [
        _some(loss.files, "uncommitted file", "uncommitted files"),
        _some(loss.staged, "staged version", "staged versions"),
        _some(loss.ignored, "ignored file", "ignored files"),
        _some(loss.commits, "commit", "commits"),
        _some(loss.branches, "branch", "branches"),
        f"{len(loss.stashes)} stash {'entry' if len(loss.stashes) == 1 else 'entries'}"
        if loss.stashes
        else "",
    ]
    said = ", ".join(filter(None, parts))
    if loss.worktree:
        said = f"the worktree {loss.worktree}" + (f" with {said}" if said else "")
    rest = (
        f" (not kept, so gone for good: {', '.join(loss.unkept[:_NAMED])}{_more(loss.unkept)})"
        if loss.unkept
        else ""
    )
    return f"Work is gone: {said}. If nobody meant this, bring it back: {command}{rest}"


def _some(names: Sequence[str], one: str, more: str) -> str:
    if not names:
        return ""
    return f"{len(names)} {one if len(names) == 1 else more} ({', '.join(names[:_NAMED])}{_more(names)})"


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
