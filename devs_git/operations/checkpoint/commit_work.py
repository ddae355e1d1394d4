"""Stage and commit with the user's own git, hooks and settings; restore the index if the commit is refused.

Files are staged in the user's index, as the user's own commands do it: so hooks see nothing unusual. Before that, the
index is copied with its time stamp, because git compares time stamps.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.checkpoints.commit_job import Job
from devs_git.domain.checkpoints.commit_trailers import with_trailers
from devs_git.domain.ledger.event_keys import KEY_PREFIX, TrailerKey
from devs_git.errors import DevsError
from devs_git.storage.git import locks, refs
from devs_git.storage.git.children import OPERATION
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import Git, GitFailed, join_z, split_lines, split_z
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

BUSY_SECONDS: Final = 2.0


def refuse_unmerged(git: Git) -> None:
    if git.run("ls-files", "--unmerged", "-z"):
        raise DevsError(
            "CONFLICT",
            "Some files are in conflict. A checkpoint would contain the conflict markers.",
            hint="Resolve the conflicts and run git add for each file, or end the merge: git status",
        )


@immutable
class Choice:
    """What is committed: what is staged, or `everything`, or whole `paths`, and then nothing else that is staged."""

    everything: bool = False
    paths: tuple[str, ...] | None = None


STAGED: Final = Choice()


def stage(workspace: Workspace, job: Job, lock: int, choice: Choice) -> bool:
    """Whether there is something to commit. A merge without own changes counts, too."""
    if choice.paths is not None:
        _know(workspace, job, lock, choice.paths)
        return bool(choice.paths)
    if choice.everything:
        try:
            user_git(workspace).with_descriptors(lock).run("add", "--all")
        except GitFailed as error:
            raise _refusal("git add -A failed", error) from error
    if not workspace.git.says("diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"):
        return True
    return (workspace.places.git_dir / "MERGE_HEAD").exists()


def _know(workspace: Workspace, job: Job, lock: int, paths: Sequence[str]) -> None:
    """Write the file that names the paths to git, and add those that are untracked: `git commit` takes no others.

    They are only added as intended, so that no other commit takes their content meanwhile.
    """
    tracked = set(split_z(workspace.git.run("ls-files", "-z")))
    new = [path for path in paths if path not in tracked and os.path.lexists(workspace.git.where / path)]
    for some in (new, paths):
        replace_file(paths_file(workspace, job), join_z([f":(top,literal){path}" for path in some]))
        if some is new and new:
            try:
                user_git(workspace).with_descriptors(lock).run(
                    "add", "--intent-to-add", *_named(workspace, job)
                )
            except GitFailed as error:
                raise _refusal("git add failed", error) from error


def _named(workspace: Workspace, job: Job) -> tuple[str, str]:
    return f"--pathspec-from-file={paths_file(workspace, job)}", "--pathspec-file-nul"


def commit(workspace: Workspace, job: Job, lock: int, choice: Choice = STAGED) -> str:
    """The commit that the user's git makes. The message goes to standard input, which has no length limit."""
    git = (
        user_git(workspace)
        .with_descriptors(lock)
        .with_env(**{OPERATION: job.op_id, "GIT_REFLOG_ACTION": job.reflog})
    )
    text = _message(workspace, job)
    try:
        words = ("--only", *_named(workspace, job)) if choice.paths is not None else ()
        git.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", *words, stdin=text)
    except GitFailed as error:
        raise _refusal("The commit was refused", error) from error
    return find_commit(workspace.git, job) or refs.read(workspace.git, "HEAD")


def _refusal(what: str, error: GitFailed) -> DevsError:
    words = error.stderr or f"git exited with {error.status} and printed nothing"
    return DevsError(
        "CONFLICT",
        f"{what}: {words}",
        hint="Fix this and run the command again. The index is unchanged.",
    )


def user_git(workspace: Workspace) -> Git:
    """git as its user runs it, with own settings, hooks and prompts, and with an identity if the machine has none.

    Without an identity `git commit` fails: a tool that did not check this lost all its checkpoints (arbos #390,
    https://github.com/unarbos/arbos/pull/390).
    """
    git = replace(workspace.git, plain=True)
    if "GIT_DIR" not in os.environ and (git.where / ".git").exists():
        # Hooks then find no GIT_DIR in their environment, as if a person had called git.
        git = replace(git, env={})
    name, mail = workspace.identity
    for who in ("AUTHOR", "COMMITTER"):
        if git.attempt("var", f"GIT_{who}_IDENT", ok=(0, 128))[0]:
            git = git.with_env(**{f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": mail})
    return git


def _message(workspace: Workspace, job: Job) -> bytes:
    text = job.message.strip() or _prepared_message(workspace) or job.title
    pairs = (*job.work.pairs(), (TrailerKey.LEDGER, job.ledger))
    return with_trailers(text, pairs, others=_ends_in_trailers(workspace.git, text)).encode()


def _prepared_message(workspace: Workspace) -> str:
    """The message that an unfinished merge, cherry-pick or revert has prepared, without its comments."""
    prepared = workspace.places.git_dir / "MERGE_MSG"
    if not prepared.exists():
        return ""
    return workspace.git.run("stripspace", "--strip-comments", stdin=prepared.read_bytes()).decode(
        "utf-8", "replace"
    )


def _ends_in_trailers(git: Git, text: str) -> bool:
    """Whether git finds trailers at the end of the message that are not ours, with the repository's separators."""
    separators = git.text("config", "--get", "trailer.separators", ok=(0, 1))
    git = git.with_config(f"trailer.separators=:{separators}")
    found = git.run("interpret-trailers", "--parse", "--no-divider", stdin=text.encode() + b"\n")
    return any(not line.startswith(KEY_PREFIX.encode()) for line in found.splitlines())


def find_commit(git: Git, job: Job) -> str:
    """The oid of the commit that this job made, from HEAD's reflog; '' if there is none."""
    with contextlib.suppress(GitFailed):
        # With log.showSignature, git would start the program that gpg.program names.
        words = ("reflog", "show", "--no-show-signature", "-n", "100", "--format=%H %gs", "HEAD", "--")
        for line in split_lines(git.run(*words).decode("utf-8", "replace")):
            oid, _, said = line.partition(" ")
            if said.startswith(job.reflog):
                return oid
    return ""


def _index(git: Git) -> Path:
    return Path(git.text("rev-parse", "--path-format=absolute", "--git-path", "index"))


def copy_path(workspace: Workspace, job: Job) -> Path:
    return workspace.places.own / f"index.{job.op_id}"


def paths_file(workspace: Workspace, job: Job) -> Path:
    """The file with the paths that are committed, if these are not what is staged."""
    return workspace.places.own / f"paths.{job.op_id}"


def copy_index(workspace: Workspace, job: Job) -> None:
    """Copy the index for `restore_index`. The copy is empty if there is no index."""
    index, copy = _index(workspace.git), copy_path(workspace, job)
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if index.exists():
        shutil.copy2(index, copy)
    else:
        copy.touch()


def restore_index(workspace: Workspace, job: Job) -> None:
    """Restore the index under git's own lock, which another git may hold for a moment.

    Without a copy the index was restored before, and the command was killed after it had deleted the copy.
    """
    index, copy = _index(workspace.git), copy_path(workspace, job)
    if not copy.exists():
        return
    before, lock = copy.read_bytes(), index.with_name(index.name + ".lock")
    if (index.read_bytes() if index.exists() else b"") == before and not _has(lock, copy):
        return
    _take(lock, index.name, copy)
    if before:
        lock.rename(index)
    else:
        index.unlink(missing_ok=True)
        lock.unlink()


def _has(lock: Path, copy: Path) -> bool:
    """Whether the lock and the copy are one file. If so, the command was killed after it had taken the lock."""
    return lock.exists() and lock.samefile(copy)


def _take(lock: Path, index: str, copy: Path) -> None:
    """Take git's lock of the index, with the bytes of the copy in it."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            _fill(lock, copy)
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if _has(lock, copy):
                    break
            if time.monotonic() > until:
                raise DevsError(
                    "BUSY",
                    "Another git process has locked the index.",
                    hint=f"If none runs, remove {index}.lock from the git directory, then run the command again.",
                ) from None
            time.sleep(locks.POLL_SECONDS)


def _fill(lock: Path, copy: Path) -> None:
    """Make the lock as a second name of the copy, because a full disk has no room for another one. FileExistsError."""
    try:
        lock.hardlink_to(copy)
    except FileExistsError:
        raise
    except OSError:
        # Another disk, or one without second names.
        lock.touch(exist_ok=False)
        try:
            shutil.copy2(copy, lock)
        except OSError:
            lock.unlink()
            raise
