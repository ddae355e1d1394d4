"""Kill a verb that moves the tree, in a step or in a filter, and check what the next command does."""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Iterable
from typing import Any

from devs_git.commands import doctor, status
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.support.killed_work import is_killed
from tests.support.repository_contents import litter
from tests.support.rewind_cases import Case, Look

# A filter. If the file `.git/kill` is there, it kills the git that runs it (`git`), or this git and our process (a pid).
SMUDGE = (
    "tr a-z A-Z; if test -e .git/kill; then who=$(cat .git/kill); rm -f .git/kill; "
    'test "$who" = git && kill -9 $PPID || kill -9 $who $PPID; fi'
)


def run_killed(case: Case, verb: Any, request: Any, how: tuple[str, int]) -> bool:
    """Run a verb in a child process; whether the child was killed. `how` says how it is killed.

    `us`: before the step with this number. `filter`: a filter kills git. `both`: a filter kills git and the child.
    """
    return is_killed(lambda: _child(case, verb, request, how))


def _child(case: Case, verb: Any, request: Any, how: tuple[str, int]) -> None:
    steps = 0

    def progress(name: str, _done: int, _total: int) -> None:
        nonlocal steps
        if how[0] == "us" and steps == how[1]:
            os.kill(os.getpid(), signal.SIGKILL)
        if how[0] != "us" and name == "files":
            (case.top / ".git/kill").write_text("git" if how[0] == "filter" else str(os.getpid()))
        steps += 1

    try:
        router.call(
            verb.__name__.rpartition(".")[2].replace("_", " "),
            replace(case.workspace, progress=progress),
            request,
        )
    except DevsError:
        pass
    finally:
        (case.top / ".git/kill").unlink(missing_ok=True)


def recover(case: Case, *, again: bool, decide: bool) -> str:
    """Run `status`, which recovers; with `again` it is killed twice before. If it leaves the decision to a person: `decide` is to
    finish the move, else it is taken back.
    """
    (case.top / ".git/kill").unlink(missing_ok=True)
    if again:
        for at in range(2):
            run_killed(case, status, status.Request(), ("us", at))
    stopped = _refused(case, "status", status.Request())
    if stopped is None:
        return "recovered"
    assert (stopped.code, bool(stopped.hint)) == ("RECOVERY_NEEDED", True), stopped.message
    assert not (case.top / ".git/index.lock").exists()
    stopped = _refused(case, "doctor", doctor.Request(finish=decide, take_back=not decide))
    if stopped is None:
        return "finished" if decide else "taken back"
    assert (stopped.code, decide) == ("CONFLICT", True), stopped.message
    router.call("doctor", case.workspace, doctor.Request(take_back=True))
    return "taken back"


def _refused(case: Case, verb: str, request: Any) -> DevsError | None:
    try:
        router.call(verb, case.workspace, request)
    except DevsError as error:
        return error
    return None


def assert_usable(case: Case) -> None:
    """No lock or journal of ours is left, and git works."""
    assert litter(case.top) == []
    case.git("update-index", "-q", "--refresh", ok=(0, 1))
    # A gc beside a move may prune a tree that only the cache in the index names. git writes it again, as at a commit.
    case.git("write-tree", ok=(0, 128))
    case.git("fsck", "--no-dangling", "--no-progress")


def without_new_times(now: Look, before: Look, tags: str) -> Look:
    """The look after a move was taken back, without differences that are allowed.

    Git may show a file as changed that it showed as unchanged before: the file was written under attributes that are gone,
    and git knew it by its times. Taking back moves it away and back, which changes the times. `tags` are the expected tags: a
    recovery makes those again that a fetch had pruned.
    """
    known = before.status.split(b"\0")
    lines = [line for line in now.status.split(b"\0") if line in known or not line.startswith(b"1 .M ")]
    return dataclasses.replace(now, tags=tags, status=b"\0".join(lines))


def assert_mode_allowed(
    path: bytes, looks: tuple[Look, Look, Look, Look | None], others: Iterable[Look]
) -> None:
    """After an undo, a file may have other permissions than before the operation, but only for these reasons.

    `looks`: now; before the operation; before the undo; after the operation. `others`: before each later operation.

    - The operation did not move the file, and a person changed its permissions since. They stay.
    - A later operation captured these permissions.
    - They are those that git gives a new file under this umask.
    - Only the bits for group and others differ, because the umask was another one.
    """
    now, was, left, after = looks
    is_now, it_was, then = (look.files.get(path, ("", b"")) for look in (now, was, left))
    message = f"{path!r} is {is_now}, was {it_was}, before the undo {then}"
    assert is_now[1] == it_was[1], message
    assert after is not None, message
    assert after.files.get(path) == it_was, message
    mask = os.umask(0)
    os.umask(mask)
    if is_now[0] in [oct(bits & ~mask) for bits in (0o666, 0o777)]:
        return
    if is_now[0] == then[0] and _owners_bits(is_now[0]) == _owners_bits(it_was[0]):
        return
    lines = left.status.split(b"\0")
    seen = any(line[:5] == b"1 .M " and line.endswith(b" " + path) for line in lines)
    assert it_was[0] != then[0] or seen, message
    same = [look for look in (left, *others) if look.tracked.get(path) == was.tracked[path]]
    assert is_now[0] in [look.files[path][0] for look in same if path in look.files], message


def _owners_bits(mode: str) -> str:
    return mode if mode == "link" else oct(int(mode, 8) & 0o700)


def last_operation(case: Case) -> str:
    """The id of the newest operation in the ledger; '' if there is none."""
    done = (event for event in case.workspace.ledger.events() if event.get("Devs-Op") and not event.failed)
    return next((event.get("Devs-Op") for event in done), "")


def undone_by(case: Case, operation: str) -> str:
    """The id of the operation that this undo has undone."""
    return next(
        event.get("Devs-Undoes")
        for event in case.workspace.ledger.events()
        if event.get("Devs-Op") == operation
    )
