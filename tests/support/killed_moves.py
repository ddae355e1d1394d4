"""Kill a move in the middle of a step or of a filter, and check what the next command does."""

from __future__ import annotations

import dataclasses
import os
import signal
import traceback
from collections.abc import Iterable
from typing import Any

from devs_git.commands import doctor, status
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.support.repository_contents import litter
from tests.support.rewind_cases import Case, Look

# Armed, the filter kills who is named in the file, in the middle of a checkout: the git that waits for it, or us as well.
SMUDGE = (
    "tr a-z A-Z; if test -e .git/kill; then who=$(cat .git/kill); rm -f .git/kill; "
    'test "$who" = git && kill -9 $PPID || kill -9 $who $PPID; fi'
)


def run_killed(case: Case, verb: Any, request: Any, how: tuple[str, int]) -> bool:
    """Run a verb in a process of its own, killed as `how` says: `us` before the step of that number, or in a filter.

    `filter`: git alone is killed there; `both`: we are, too. Whether we were.
    """
    pid = os.fork()
    if not pid:
        failed = 1
        try:
            _child(case, verb, request, how)
            failed = 0
        finally:
            if failed:
                traceback.print_exc()
            os._exit(failed)
    ended = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(ended) or ended == 0, "a verb ended as a bug of ours"
    return os.WIFSIGNALED(ended)


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
        router.call(verb.__name__.rpartition(".")[2], replace(case.workspace, progress=progress), request)
    except DevsError:
        pass
    finally:
        (case.top / ".git/kill").unlink(missing_ok=True)


def recover(case: Case, *, again: bool, decide: bool) -> str:
    """Let the next command recover, `again` after it was killed itself; a person decides where it must not (`decide`: finish)."""
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


def must_be_usable(case: Case) -> None:
    """Nothing of ours is left behind, and plain git works."""
    assert litter(case.top) == []
    case.git("update-index", "-q", "--refresh", ok=(0, 1))
    case.git("fsck", "--no-dangling", "--no-progress")


def as_left(now: Look, before: Look, tags: str) -> Look:
    """What was taken back, without what git did not see before. `tags`: a recovery brings back those that a fetch had pruned.

    A file that was written under attributes that are gone is unchanged to git by its times alone; whoever takes back, after a
    kill or where `gc --prune=now` beside stopped a move, moves it away and back, which counts as a change of these.
    """
    known = before.status.split(b"\0")
    lines = [line for line in now.status.split(b"\0") if line in known or not line.startswith(b"1 .M ")]
    return dataclasses.replace(now, tags=tags, status=b"\0".join(lines))


def must_be_of_people(
    path: bytes, looks: tuple[Look, Look, Look, Look | None], others: Iterable[Look]
) -> None:
    """Why a file has other permissions than before after an undo; `looks`: now, as it was, before the undo, after what is undone.

    What the operation did not move a person may have given others since: git keeps none. They stay so, or are as a later
    operation (`others`: before each) captured them, or what git gives a file here. Where another umask gave the file that
    is replaced other bits for group and others, these may stay; the owner's are what they were. So are the bytes.
    """
    now, was, left, after = looks
    is_now, it_was, then = (look.files.get(path, ("", b"")) for look in (now, was, left))
    told = f"{path!r} is {is_now}, was {it_was}, before the undo {then}"
    assert is_now[1] == it_was[1], told
    assert after is not None, told
    assert after.files.get(path) == it_was, told
    mask = os.umask(0)
    os.umask(mask)
    if is_now[0] in [oct(bits & ~mask) for bits in (0o666, 0o777)]:
        return
    if is_now[0] == then[0] and _owners_bits(is_now[0]) == _owners_bits(it_was[0]):
        return
    lines = left.status.split(b"\0")
    seen = any(line[:5] == b"1 .M " and line.endswith(b" " + path) for line in lines)
    assert it_was[0] != then[0] or seen, told
    same = [look for look in (left, *others) if look.tracked.get(path) == was.tracked[path]]
    assert is_now[0] in [look.files[path][0] for look in same if path in look.files], told


def _owners_bits(mode: str) -> str:
    return mode if mode == "link" else oct(int(mode, 8) & 0o700)


def last_operation(case: Case) -> str:
    """The newest operation of the ledger that was done, '' where there is none."""
    done = (event for event in case.workspace.ledger.events() if event.get("Devs-Op") and not event.failed)
    return next((event.get("Devs-Op") for event in done), "")


def undone_by(case: Case, operation: str) -> str:
    """The operation that an undo has undone."""
    return next(
        event.get("Devs-Undoes")
        for event in case.workspace.ledger.events()
        if event.get("Devs-Op") == operation
    )
