"""Stage and commit with the user's own git, hooks and settings included; put the index back when it is refused.

The index is staged into directly, as the user's own commands would: hooks then see nothing unusual. Its bytes and
time stamp are copied first, so that putting it back does not confuse git's comparison of time stamps.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import Final

from devs_git.domain.checkpoints.commit_job import Job
from devs_git.domain.ledger.event_keys import OURS, TrailerKey
from devs_git.domain.text.trailers import with_trailers
from devs_git.errors import DevsError
from devs_git.storage.git import locks, refs
from devs_git.storage.git.parent_command import OPERATION
from devs_git.storage.git.program import Git, GitFailed, split_lines
from devs_git.values import replace
from devs_git.workspace import Workspace

BUSY_SECONDS: Final = 2.0


def refuse_unmerged(git: Git) -> None:
    if git.run("ls-files", "--unmerged", "-z"):
        raise DevsError(
            "CONFLICT",
            "Some files are in conflict; a checkpoint of them would hold the conflict marks.",
            hint="Resolve them and git add each, or end the merge: git status",
        )


def stage(context: Workspace, lock: int, *, everything: bool) -> bool:
    """Whether there is something to commit, a merge without changes of its own included."""
    if everything:
        try:
            _theirs(context).with_descriptors(lock).run("add", "--all")
        except GitFailed as error:
            raise _refused("git add -A failed", error) from error
    if not context.git.says("diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"):
        return True
    return (context.places.git_dir / "MERGE_HEAD").exists()


def commit(context: Workspace, job: Job, lock: int) -> str:
    """The commit that the user's git made; `-F -`, because a message has no length limit on standard input."""
    git = (
        _theirs(context)
        .with_descriptors(lock)
        .with_env(**{OPERATION: job.op_id, "GIT_REFLOG_ACTION": job.reflog})
    )
    text = _message(context, job)
    try:
        git.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", stdin=text)
    except GitFailed as error:
        raise _refused("The commit was refused", error) from error
    return find_commit(context.git, job) or refs.read(context.git, "HEAD")


def _refused(what: str, error: GitFailed) -> DevsError:
    words = error.stderr or f"git exited {error.status} and said nothing"
    return DevsError(
        "CONFLICT",
        f"{what}: {words}",
        hint="Fix that and run the command again. The index is unchanged.",
    )


def _theirs(context: Workspace) -> Git:
    """git as its user runs it: own settings, hooks, prompts. An identity is given where the machine has none.

    Without one a `git commit` fails: a tool that did not look lost every checkpoint silently (arbos #390,
    https://github.com/unarbos/arbos/pull/390).
    """
    git = replace(context.git, plain=True)
    if "GIT_DIR" not in os.environ and (git.where / ".git").exists():
        # Hooks find no GIT_DIR in their environment then, as when git is called by hand.
        git = replace(git, env={})
    name, mail = context.identity
    for who in ("AUTHOR", "COMMITTER"):
        if git.attempt("var", f"GIT_{who}_IDENT", ok=(0, 128))[0]:
            git = git.with_env(**{f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": mail})
    return git


def _message(context: Workspace, job: Job) -> bytes:
    text = job.message.strip() or _prepared(context) or job.title
    pairs = (*job.work.pairs(), (TrailerKey.LEDGER, job.ledger))
    return with_trailers(text, pairs, others=_ends_in_trailers(context.git, text)).encode()


def _prepared(context: Workspace) -> str:
    """The message that a merge, cherry-pick or revert under way has prepared, its comments taken out."""
    prepared = context.places.git_dir / "MERGE_MSG"
    if not prepared.exists():
        return ""
    return context.git.run("stripspace", "--strip-comments", stdin=prepared.read_bytes()).decode(
        "utf-8", "replace"
    )


def _ends_in_trailers(git: Git, text: str) -> bool:
    """Whether the message ends in trailers other than ours, as git and the repository's separators see it."""
    separators = git.text("config", "--get", "trailer.separators", ok=(0, 1))
    git = git.with_config(f"trailer.separators=:{separators}")
    found = git.run("interpret-trailers", "--parse", "--no-divider", stdin=text.encode() + b"\n")
    return any(not line.startswith(OURS.encode()) for line in found.splitlines())


def find_commit(git: Git, job: Job) -> str:
    """The oid of the commit that this job made, found in HEAD's reflog; '' where there is none."""
    with contextlib.suppress(GitFailed):
        # A signature that a setting asks for would be checked by a program that a setting names.
        words = ("reflog", "show", "--no-show-signature", "-n", "100", "--format=%H %gs", "HEAD", "--")
        for line in split_lines(git.run(*words).decode("utf-8", "replace")):
            oid, _, said = line.partition(" ")
            if said.startswith(job.reflog):
                return oid
    return ""


def _index(git: Git) -> Path:
    return Path(git.text("rev-parse", "--path-format=absolute", "--git-path", "index"))


def copy_path(context: Workspace, job: Job) -> Path:
    return context.places.own / f"index.{job.op_id}"


def copy_index(context: Workspace, job: Job) -> None:
    """Keep a copy of the index, so that `restore_index` can put it back."""
    index, copy = _index(context.git), copy_path(context, job)
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if index.exists():
        shutil.copy2(index, copy)


def restore_index(context: Workspace, job: Job) -> None:
    """Put the index back under git's own lock; another git may hold it for a moment."""
    index, copy = _index(context.git), copy_path(context, job)
    before = copy.read_bytes() if copy.exists() else None
    if (index.read_bytes() if index.exists() else None) == before:
        return
    lock = index.with_name(index.name + ".lock")
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise DevsError(
                    "BUSY",
                    "The index is locked by another git.",
                    hint=f"If none runs, remove {index.name}.lock from the git directory and run the command again.",
                ) from None
            time.sleep(locks.POLL_SECONDS)
    if before is None:
        index.unlink(missing_ok=True)
        lock.unlink()
    else:
        shutil.copy2(copy, lock)
        lock.rename(index)
