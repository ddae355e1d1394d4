"""Refs. They are only moved in one transaction, with the old value that each must have."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.ids import OID_FORM
from devs_git.errors import DevsError
from devs_git.storage.git import children
from devs_git.storage.git.program import Git, GitFailed, split_lines
from devs_git.values import Final, immutable

BACKUPS: Final = "refs/devs/backup/"
_MOVED: Final = r"but expected|reference already exists|reference is missing|unable to resolve reference"
_LOCKED: Final = r"\.lock': File exists"
_LOOSE: Final = re.compile(rb"%b\n?" % OID_FORM.encode())
# Bytes; a line of a reflog is shorter.
_TAIL: Final = 1 << 16


class RefMoved(Exception):
    """A ref did not have the expected old value."""


class RefLocked(Exception):
    """Another git holds the lock of a ref."""


def _line(update: RefUpdate) -> bytes:
    ref, new, old = (os.fsencode(part) for part in (update.ref, update.new, update.old))
    option = b"option no-deref\0" if update.no_deref else b""
    if update.new == NO_OID:
        return option + b"delete %s\0%s\0" % (ref, old)
    return option + b"update %s\0%s\0%s\0" % (ref, new, old)


def transaction(git: Git, updates: Sequence[RefUpdate], message: str) -> None:
    """Make all of `updates` or none, except after a crash. If this raises RefMoved or RefLocked, no ref has moved."""
    script = _prepare(updates) + b"commit\0"
    try:
        # A stash entry is a line of a reflog, and git makes the reflog of refs/stash only with this option.
        log = ("--create-reflog",) if any(update.ref == "refs/stash" for update in updates) else ()
        git.run("update-ref", "-m", message, *log, "--stdin", "-z", stdin=script)
    except GitFailed as error:
        known = _moved_or_locked(error.stderr)
        if known is None:
            # Not `from error`: an error that is its own cause never ends for who follows the causes.
            raise
        raise known from error


@contextlib.contextmanager
def hold_transaction(git: Git, updates: Sequence[RefUpdate], message: str) -> Iterator[None]:
    """Make `updates` after the body; none of them if it raises. During the body their refs are locked, with their old values.

    RefMoved and RefLocked before the body.
    """
    words = ("update-ref", "-m", message, "--stdin", "-z")
    child = git.start(*words, piped=True)
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(_prepare(updates))
        child.stdin.flush()
        answers = (child.stdout.readline(), child.stdout.readline())
        if answers != (b"start: ok\n", b"prepare: ok\n"):
            said = children.output_of(child, words)[1].decode("utf-8", "replace")
            raise _moved_or_locked(said) or GitFailed(words, child.returncode, said)
        yield
        _, err = children.output_of(child, words, b"commit\0")
        if child.returncode:
            raise GitFailed(words, child.returncode, err.decode("utf-8", "replace"))
    finally:
        if child.returncode is None:
            children.end_group(child)


def _prepare(updates: Sequence[RefUpdate]) -> bytes:
    return b"start\0" + b"".join(_line(update) for update in updates) + b"prepare\0"


def _moved_or_locked(words: str) -> RefMoved | RefLocked | None:
    if re.search(_MOVED, words):
        return RefMoved(words)
    return RefLocked(words) if re.search(_LOCKED, words) else None


def any_unmoved(git: Git, updates: Sequence[RefUpdate]) -> bool:
    """Whether some ref still has its old value. git first moves refs and then deletes others, and may be killed in between."""
    return any(read(git, one.ref) == one.old for one in updates if one.old != one.new)


def missing_object(error: GitFailed) -> str:
    """The oid of a missing object that git refused to set a ref to; '' for any other error."""
    named = re.search(rf"nonexistent object ({OID_FORM})", error.stderr)
    return named[1] if named else ""


def lock_refusal(error: RefLocked) -> DevsError:
    """BUSY, with the name of the lock that another git holds, or that a killed git left."""
    named = re.search(r"'([^']*\.lock)'", str(error))
    name = named[1].rpartition("/.git/")[2] if named else "the lock of a ref"
    return DevsError(
        "BUSY",
        f"Another git process holds {name}.",
        hint=f"Wait until it ends. If no git is running, remove {name} from the git directory; devs-git doctor names all old ones.",
    )


def read(git: Git, ref: str) -> str:
    """The oid of a full ref name (or `HEAD^{commit}`); '' if it does not exist. GitFailed if git cannot read its refs."""
    return _rev_parse(git, ref, ok=(0, 1))


def commit_of(git: Git, words: str) -> str:
    """The commit that a user's words name for git; '' if they name none."""
    return _rev_parse(git, f"{words}^{{commit}}", ok=(0, 1, 128))


def _rev_parse(git: Git, words: str, ok: tuple[int, ...]) -> str:
    status, out = git.attempt("rev-parse", "--quiet", "--verify", "--end-of-options", words, ok=ok)
    return out.decode().strip() if status == 0 else ""


def cut_commits(common: Path) -> frozenset[str]:
    """The commits whose parents are not here, because the clone is shallow: for git they add all of their files."""
    try:
        return frozenset((common / "shallow").read_text(encoding="ascii").split())
    except OSError:
        return frozenset()


def loose(common: Path, ref: str) -> str:
    """The oid in the ref's own file, without starting git. '' if there is none: packed, symbolic or missing."""
    try:
        text = (common / ref).read_bytes()
    except OSError:
        return ""
    return text[:40].decode() if _LOOSE.fullmatch(text) else ""


def has_file(common: Path, ref: str) -> bool:
    """Whether the ref has a file. If git finds no such ref, the file is damaged, for example after a loss of power."""
    path = common / ref
    return path.is_symlink() or path.is_file()


def head(git_dir: Path, common: Path) -> tuple[str, str]:
    """HEAD's oid and the full name of its branch ('' if detached), read from files. Both are '' if the files do not
    tell, for example for an unborn or packed branch. Then the caller must ask git.
    """
    file = git_dir / "HEAD"
    text = b"" if file.is_symlink() else file.read_bytes()
    if _LOOSE.fullmatch(text):
        return text[:40].decode(), ""
    name = os.fsdecode(text).rstrip("\n").removeprefix("ref: ")
    oid = loose(common, name) if name.startswith("refs/heads/") else ""
    return (oid, name) if oid else ("", "")


def list_refs(git: Git, *patterns: str) -> dict[str, str]:
    """Full names and oids of all refs below the patterns (`refs/heads`)."""
    with list_refs_alongside(git, *patterns) as found:
        return found()


@contextlib.contextmanager
def list_refs_alongside(git: Git, *patterns: str) -> Iterator[Callable[[], dict[str, str]]]:
    """Like `list_refs`, while the body does something else. Yields a function that waits for the answer."""
    with print_refs_alongside(git, *patterns) as output:
        yield lambda: parse_refs(output())


@contextlib.contextmanager
def print_refs_alongside(git: Git, *patterns: str) -> Iterator[Callable[[], bytes]]:
    """The same as git prints it, for who only compares it: to parse 25,000 refs takes ten times as long."""
    with git.alongside("for-each-ref", "--format=%(objectname) %(refname)", *patterns) as output:
        yield output


def parse_refs(out: bytes) -> dict[str, str]:
    """Full names and oids in what `print_refs_alongside` yields."""
    lines = (os.fsdecode(line).partition(" ") for line in out.split(b"\n") if line)
    return {name: oid for oid, _, name in lines}


def reflog(common: Path, ref: str) -> Iterator[str]:
    """The oids in a ref's reflog, newest first; none without a reflog."""
    try:
        lines = split_lines((common / "logs" / ref).read_bytes().decode("utf-8", "replace"))
    except OSError:
        return
    for line in reversed(lines):
        yield line[41:81]


def stashes(git: Git) -> list[str]:
    """The oids of all stash entries."""
    status, out = git.attempt("reflog", "show", "--format=%H", "refs/stash", "--", ok=(0, 128))
    return [] if status else out.decode().split()


@immutable
class HeadMove:
    """One line of HEAD's reflog: the oid before, the oid after, and git's message."""

    old: str = ""
    new: str = ""
    message: str = ""


def last_move(git_dir: Path) -> HeadMove:
    """The last line of HEAD's reflog; all members are '' if there is none."""
    return next(last_moves(git_dir), HeadMove())


def last_moves(git_dir: Path) -> Iterator[HeadMove]:
    """The last lines of HEAD's reflog, newest first."""
    try:
        with (git_dir / "logs" / "HEAD").open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - _TAIL))
            lines = log.read().splitlines()[size > _TAIL :]
    except FileNotFoundError:
        return
    for line in reversed(lines):
        oids, _, message = line.decode("utf-8", "replace").partition("\t")
        old, _, rest = oids.partition(" ")
        yield HeadMove(old, rest.partition(" ")[0], message)


def branch(git_dir: Path) -> str:
    """The short name of HEAD's branch; '' if detached. Read from the file, because hooks must be fast."""
    head = os.fsdecode((git_dir / "HEAD").read_bytes()).rstrip("\n")
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def rebased_branch(git: Git, git_dir: Path) -> str:
    """The short name of the branch that a running rebase will move; '' if there is none or it is unknown.

    `git rebase --apply` writes the name only when it stops. Before that, it is the branch that is still at ORIG_HEAD; if
    there are several, the one that was checked out last.
    """
    for folder in ("rebase-merge", "rebase-apply"):
        with contextlib.suppress(FileNotFoundError):
            name = os.fsdecode((git_dir / folder / "head-name").read_bytes()).rstrip("\n")
            return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""
    if not (git_dir / "rebase-apply" / "rebasing").exists():
        return ""
    start = read(git, "ORIG_HEAD")
    names = [
        name.removeprefix("refs/heads/") for name, oid in list_refs(git, "refs/heads").items() if oid == start
    ]
    if len(names) == 1:
        return names[0]
    moves = git.text(
        "log", "--walk-reflogs", "--format=%gs", "--grep-reflog=^checkout: moving from ", "-1", "HEAD"
    )
    last = moves.rpartition(" to ")[2]
    return last if last in names else ""


def worktree_heads(git: Git) -> Iterator[dict[str, str]]:
    """What each worktree has checked out, the main one first, also if its folder is gone.

    `worktree` is its folder, `HEAD` its commit (zeros before the first one) and `branch` the full name of the branch;
    instead of a branch there is `detached`. A bare repository has only a folder and `bare`.
    """
    for block in git.run("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
        if block:
            yield dict(os.fsdecode(line).partition(" ")[::2] for line in block.split(b"\0"))


def holder_of(git: Git, branch: str) -> str:
    """The folder of the worktree that has the branch (its full name) checked out, which may be gone; '' for none."""
    return next((one["worktree"] for one in worktree_heads(git) if one.get("branch") == branch), "")


def tag_message(git: Git, tag: str, kept: Callable[[], bytes]) -> str:
    """The message of the tag object `tag`, read without the object library.

    If git does not have it, `kept` returns its bytes, b'' for none. Then: TAG_MISSING.
    """
    try:
        data = git.run("cat-file", "tag", "--end-of-options", tag)
    except GitFailed as error:
        if not (data := kept()):
            raise DevsError(
                "TAG_MISSING", f"The tag object {tag} is missing.", hint="Run: devs-git doctor", tag=tag
            ) from error
    return data.partition(b"\n\n")[2].decode("utf-8", "replace")
