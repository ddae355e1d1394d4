"""What stands in a worktree now: HEAD, index and files, read without writing anything.

`dirty` files differ from the index, `staged` entries from HEAD, `intended` ones were added with `git add -N`. Where
the file of such an entry is gone, git tells of it as of an empty file that is gone: these are dirty, and `hollow`.
A file whose bytes are exactly what git's checkout writes for its entry is not dirty, even where its filters do
not round-trip (`inexact`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage import refs
from devs_git.storage.engine import attributes
from devs_git.storage.git_program import Git, split_z
from devs_git.storage.objects import EMPTY_BLOB
from devs_git.storage.places import Places, common_of
from devs_git.values import field, immutable

_UNDER_WAY: Final = (
    ("MERGE_HEAD", "a merge", "git merge --continue or --abort"),
    ("rebase-merge", "a rebase", "git rebase --continue or --abort"),
    ("rebase-apply", "a rebase or am", "git rebase --abort or git am --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue or --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue or --abort"),
    ("sequencer", "a cherry-pick or revert", "git cherry-pick --abort or git revert --abort"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
)
_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=dirty",
)
# In a list of a hundred thousand paths the few flagged ones are found without decoding the others.
_FLAGGED: Final = rb"(?:^|(?<=\0))([a-zS]) ([^\0]+)"


@immutable
class Survey:
    """A worktree at one moment. `branch` is a full ref name, '' for a detached HEAD; `head` '' while unborn.

    `listed` is every path of the index behind its letter: H, S (skip-worktree), lower case (assumed unchanged).
    """

    git: Git
    head: str
    branch: str
    staged: tuple[str, ...]
    dirty: tuple[str, ...]
    intended: tuple[str, ...]
    hollow: tuple[str, ...]
    inexact: tuple[str, ...]
    unmerged: tuple[str, ...]
    submodules: tuple[str, ...]
    digest: str
    listed: bytes = field(repr=False)

    @property
    def clean(self) -> bool:
        return not (self.staged or self.dirty or self.intended)

    @property
    def told_by_a_tree(self) -> bool:
        """Whether a tree can say all that the index does: no flags, no intent-to-add entries."""
        return not (self.intended or self.hollow or self.flagged)

    @cached_property
    def entries(self) -> frozenset[str]:
        """Every path of the index."""
        return frozenset(line[2:] for line in split_z(self.listed))

    @cached_property
    def flagged(self) -> dict[str, str]:
        """Paths whose flags tell git not to look at the file, with their letter."""
        if self.listed.startswith(b"H ") and self.listed.count(b"\0H ") == self.listed.count(b"\0") - 1:
            return {}  # a hundred thousand paths of which none is flagged: two counts, not a search
        return {os.fsdecode(path): letter.decode() for letter, path in re.findall(_FLAGGED, self.listed)}


def operation_under_way(places: Places) -> tuple[str, str] | None:
    """What git is in the middle of, and how to end it."""
    for name, what, way_out in _UNDER_WAY:
        if (places.git_dir / name).exists():
            return what, way_out
    return None


def head_of(git: Git) -> tuple[str, str]:
    """The oid that HEAD resolves to ('' while unborn) and the branch it names ('' when detached)."""
    if "GIT_DIR" in git.env:
        known = refs.head(Path(git.env["GIT_DIR"]), common_of(git))
        if known[0]:
            return known
    status, out = git.attempt("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD", ok=(0, 128))
    if status == 0:
        oid, name = os.fsdecode(out).splitlines()
        return oid, "" if name == "HEAD" else name
    return "", os.fsdecode(git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))).strip()


@contextlib.contextmanager
def surveying(git: Git, top: Path) -> Iterator[Callable[[], Survey]]:
    """The survey of the worktree at `top`, begun while the body does something else, which changes nothing there."""
    with git.alongside(*_STATUS) as status:
        yield lambda: _survey(git, top, status)


def survey(git: Git, top: Path) -> Survey:
    """Read the worktree at `top`; costs about one `git status`."""
    with surveying(git, top) as found:
        return found()


def _survey(git: Git, top: Path, status: Callable[[], bytes]) -> Survey:
    head, branch = head_of(git)
    listed = git.run("ls-files", "-v", "-z")
    attributes.settings(git)  # will be wanted; git looks at files meanwhile
    out = status()
    staged, intended, hollow, unmerged, submodules = [], [], [], [], []
    dirty: dict[str, str] = {}  # with the index's blob
    for line in split_z(out):
        if line[0] == "#":  # the user's status.showStash speaks even here
            continue
        if line[0] == "u":
            unmerged.append(line.split(" ", 10)[10])
            continue
        _, states, sub, _mode_h, mode_i, _mode_w, _oid_h, oid_i, path = line.split(" ", 8)
        if sub[0] == "S":
            submodules.append(path)
        elif states[1] == "A" and mode_i == "000000":
            intended.append(path)
        elif states[1] != ".":
            dirty[path] = oid_i
            hollow += [path] if states[1] == "D" and oid_i == EMPTY_BLOB else []
        if states[0] != ".":
            staged.append(path)
    inexact = attributes.inexact(git, top, dirty)
    really = tuple(path for path in dirty if path not in inexact)
    parts = (
        head,
        branch,
        os.fsencode("\0".join(split_z(out))).hex(),
        *_contents(git, top, (*really, *intended)),
    )
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    return Survey(
        git,
        head,
        branch,
        tuple(staged),
        really,
        tuple(intended),
        tuple(hollow),
        tuple(sorted(inexact)),
        tuple(unmerged),
        tuple(submodules),
        digest,
        listed,
    )


def _contents(git: Git, top: Path, paths: tuple[str, ...]) -> list[str]:
    """The raw oids of the regular files among `paths`, so that a plan goes stale when one is edited again."""
    there = [path for path in paths if (top / path).is_file() and not (top / path).is_symlink()]
    return attributes.raw_oids(git, there)


def in_the_middle(places: Places, found: Survey) -> list[DevsError]:
    """Why nothing may move while git is in the middle of something or entries are unmerged; a plan can be made."""
    against = []
    busy = operation_under_way(places)
    if busy:
        words = f"{busy[0].capitalize()} is under way."
        against.append(DevsError("GIT_RESET_FAILED", words, hint=f"End it first: {busy[1]}"))
    if found.unmerged:
        words = f"Files have unmerged entries, such as {found.unmerged[0]!r} ({len(found.unmerged)} in all)."
        hint = "Resolve them and run git add, or abort what made them."
        against.append(DevsError("GIT_RESET_FAILED", words, hint=hint))
    return against


def require_commit(found: Survey) -> None:
    """GIT_RESET_FAILED where nothing is committed yet."""
    if not found.head:
        raise DevsError("GIT_RESET_FAILED", "There is no commit yet.", hint="Commit something first.")


def require_movable(places: Places, found: Survey) -> None:
    """GIT_RESET_FAILED while git is in the middle of something, entries are unmerged or nothing is committed."""
    for error in in_the_middle(places, found):
        raise error
    require_commit(found)
