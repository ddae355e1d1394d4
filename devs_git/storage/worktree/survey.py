"""The survey of a worktree: its HEAD, index and files at one moment. It reads and writes nothing.

`dirty` files differ from the index. `staged` entries differ from HEAD. `intended` entries were added with `git add -N`.
If the file of an intended entry is deleted, git reports it as a deleted empty file: it is then `dirty` and `hollow`.
A file is `inexact`, and not dirty, if git calls it changed although its bytes are exactly what git's checkout writes
for its entry: then its filters do not round-trip.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from devs_git.errors import DevsError, immovable
from devs_git.storage.git import refs
from devs_git.storage.git.objects import EMPTY_BLOB
from devs_git.storage.git.places import Places, common_of
from devs_git.storage.git.program import Git, split_lines, split_z
from devs_git.storage.git.under_way import operation_under_way
from devs_git.storage.worktree import attributes
from devs_git.values import TYPE_CHECKING, Final, field, immutable, mutable

if TYPE_CHECKING:
    from devs_git.storage.git.filters import Undecided

_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=dirty",
)
# This finds the few flagged paths among a hundred thousand without decoding the others.
_FLAGGED: Final = rb"(?:^|(?<=\0))([a-zS]) ([^\0]+)"


@immutable
class Survey:
    """A worktree at one moment. `branch` is a full ref name, '' for a detached HEAD; `head` '' while unborn.

    `listed` has every path of the index after its letter: H, S (skip-worktree), or lower case (assume-unchanged).
    `not_told` maps files to a filter: only this filter could say whether the file is dirty, and it was not started.
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
    not_told: Mapping[str, str] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        return not (self.staged or self.dirty or self.intended)

    @property
    def fits_in_a_tree(self) -> bool:
        """Whether a tree can represent the whole index: it has no flags and no intent-to-add entries."""
        return not (self.intended or self.hollow or self.flagged)

    @cached_property
    def entries(self) -> frozenset[str]:
        """Every path of the index."""
        return frozenset(line[2:] for line in split_z(self.listed))

    @cached_property
    def flagged(self) -> dict[str, str]:
        """The paths whose flags tell git not to look at the file, with their letters."""
        if self.listed.startswith(b"H ") and self.listed.count(b"\0H ") == self.listed.count(b"\0") - 1:
            # No path is flagged. Two counts are faster than a search in a hundred thousand paths.
            return {}
        return {os.fsdecode(path): letter.decode() for letter, path in re.findall(_FLAGGED, self.listed)}


@immutable
class Head:
    """The oid that HEAD resolves to ('' while unborn) and the full name of its branch ('' when detached)."""

    commit: str
    branch: str


def head_of(git: Git) -> Head:
    """Where HEAD is now."""
    if "GIT_DIR" in git.env:
        known = refs.head(Path(git.env["GIT_DIR"]), common_of(git))
        if known[0]:
            return Head(*known)
    status, out = git.attempt("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD", ok=(0, 128))
    if status == 0:
        oid, name = split_lines(os.fsdecode(out))
        return Head(oid, "" if name == "HEAD" else name)
    return Head("", os.fsdecode(git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))).rstrip("\n"))


def moved_meanwhile() -> DevsError:
    """The refusal if HEAD or the index is not as it was when the operation began."""
    return DevsError(
        "PLAN_STALE",
        "HEAD or the index changed during the operation.",
        hint="Check the files, then run the command again.",
    )


@contextlib.contextmanager
def begin(git: Git, top: Path) -> Iterator[Callable[[], Survey]]:
    """Start the survey of the worktree at `top`, and yield the function that finishes it.

    Between start and finish the caller can do other work, which must not change the worktree.
    """
    with git.alongside(*_STATUS) as status:
        yield lambda: _survey(git, top, status)


def take(git: Git, top: Path) -> Survey:
    """Survey the worktree at `top`. This takes about as long as one `git status`."""
    with begin(git, top) as found:
        return found()


def _survey(git: Git, top: Path, status: Callable[[], bytes]) -> Survey:
    # Who asks for HEAD alone has no time for them.
    import hashlib

    from devs_git.storage.git import filters

    head = head_of(git)
    listed = git.run("ls-files", "-v", "-z")
    # The settings are needed later. git status reads files at the same time.
    attributes.settings(git)
    undecided = filters.find_undecided(git, filters.configured_filters(git))
    said = _parse_status(status())
    reads = bool(git.skipped_filters)
    not_told = undecided.unsure if reads else {}
    dirty = {path: oid for path, oid in said.dirty.items() if path not in not_told}
    # Nor do we ask whether such a file is what its filter would write: the filter would have to run.
    plain = {path: oid for path, oid in dirty.items() if not (reads and path in undecided.changed)}
    inexact = attributes.find_inexact(git, top, plain, lambda: paths_of(listed))
    lines, paths = _digest_input(said, inexact, undecided)
    parts = (head.commit, head.branch, os.fsencode(lines).hex(), *_contents(git, top, paths))
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    return Survey(
        git=git,
        head=head.commit,
        branch=head.branch,
        staged=tuple(said.staged),
        dirty=tuple(path for path in dirty if path not in inexact),
        intended=tuple(said.intended),
        hollow=tuple(said.hollow),
        inexact=tuple(sorted(inexact)),
        unmerged=tuple(said.unmerged),
        submodules=tuple(said.submodules),
        digest=digest,
        listed=listed,
        not_told=not_told,
    )


_NONE, _SUBMODULE = "000000", "160000"


def paths_of(listed: bytes) -> bytes:
    """The list of the index without its letters, or b"" if it has no attributes file."""
    if attributes.ATTRIBUTES.encode() not in listed:
        return b""
    return b"".join(line[2:] + b"\0" for line in listed.split(b"\0"))


@mutable
class _ParsedStatus:
    """The output of `git status`: the paths of each kind (`dirty` maps to the index's blob), and the lines themselves."""

    staged: list[str] = field(default_factory=list)
    intended: list[str] = field(default_factory=list)
    hollow: list[str] = field(default_factory=list)
    unmerged: list[str] = field(default_factory=list)
    submodules: list[str] = field(default_factory=list)
    dirty: dict[str, str] = field(default_factory=dict)
    # Each with its path.
    lines: list[tuple[str, str]] = field(default_factory=list)


def _parse_status(out: bytes) -> _ParsedStatus:
    said = _ParsedStatus()
    for line in split_z(out):
        # status.showStash in the user's configuration adds a line even to this format.
        if line[0] == "#":
            said.lines.append(("", line))
            continue
        if line[0] == "u":
            said.unmerged.append(line.split(" ", 10)[10])
            said.lines.append(("", line))
            continue
        _, states, sub, _mode_h, mode_i, mode_w, _oid_h, oid_i, path = line.split(" ", 8)
        said.lines.append((path, line))
        # A file or link that a person put at the path of a submodule counts as any other changed file.
        if sub[0] == "S" and mode_w in (_NONE, _SUBMODULE):
            said.submodules.append(path)
        elif states[1] == "A" and mode_i == "000000":
            said.intended.append(path)
        elif states[1] != ".":
            said.dirty[path] = oid_i
            said.hollow += [path] if states[1] == "D" and oid_i == EMPTY_BLOB else []
        if states[0] != ".":
            said.staged.append(path)
    return said


def _digest_input(
    said: _ParsedStatus, inexact: Collection[str], undecided: Undecided
) -> tuple[str, list[str]]:
    """What a plan depends on: git's lines, and the paths whose contents count.

    It must not depend on whether filters were started. Otherwise a plan made without them would be stale at once.
    """
    unsure, changed = undecided.unsure, undecided.changed
    kept = [line for path, line in said.lines if path not in unsure]
    kept += [f"{line[:3]}?{line[4:]}" for path, line in said.lines if path in unsure and line[2] != "."]
    edited = [path for path in said.dirty if path not in unsure and (path in changed or path not in inexact)]
    return "\0".join(kept), [*edited, *said.intended, *sorted(unsure)]


def _contents(git: Git, top: Path, paths: Sequence[str]) -> list[str]:
    """The raw oids of the regular files among `paths`. They make a plan stale when a file is edited again."""
    there = [path for path in paths if (top / path).is_file() and not (top / path).is_symlink()]
    return attributes.raw_oids(git, there)


def reasons_against_moving(places: Places, found: Survey) -> list[DevsError]:
    """Why nothing may move now: an operation of git is in progress, or entries are unmerged. A plan can still be made."""
    against = []
    busy = operation_under_way(places)
    if busy:
        against.append(busy.refusal())
    if found.unmerged:
        words = f"Files have unmerged entries, such as {found.unmerged[0]!r} ({len(found.unmerged)} in all)."
        hint = "Resolve them and run git add, or abort the merge or rebase."
        against.append(immovable("unmerged", words, hint=hint, paths=list(found.unmerged[:100])))
    return against


def require_commit(found: Survey) -> None:
    """Raise GIT_RESET_FAILED if nothing is committed yet."""
    if not found.head:
        raise immovable("no_commit", "There is no commit yet.", hint="Make a first commit.")


def require_movable(places: Places, found: Survey) -> None:
    """Raise GIT_RESET_FAILED if an operation of git is in progress, entries are unmerged or nothing is committed."""
    require_quiet(places, found)
    require_commit(found)


def require_quiet(places: Places, found: Survey) -> None:
    """Raise GIT_RESET_FAILED if an operation of git is in progress or entries are unmerged."""
    for error in reasons_against_moving(places, found):
        raise error
