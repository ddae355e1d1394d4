"""Others work at the same time: another git, another command of ours, a person in an editor."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, restore, rewind, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.ledger import store
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.kills import with_thorough
from tests.support.repository_contents import differences, litter, state, stored_oids
from tests.support.scene import Scene

REWIND = rewind.Request("10", preserve="stash", untracked="save")


def meanwhile(scene: Scene, step: str, act: Callable[[], object], request: Any = REWIND) -> Any:
    """The result or the error of a verb. `act` runs just before the verb's named step."""
    did: list[str] = []

    def progress(name: str, _done: int, _total: int) -> None:
        if name == step and not did:
            did.append(name)
            act()

    verb = type(request).__module__.rpartition(".")[2]
    try:
        outcome = router.call(verb, replace(Workspace.open(scene.top), progress=progress), request)
    except DevsError as error:
        outcome = error
    assert did, step
    return outcome


def plumbed(scene: Scene) -> str:
    """Make a commit on the branch that changes neither index nor files."""
    mine = scene.git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    scene.git("update-ref", "refs/heads/main", mine)
    return mine


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "step", with_thorough(["journal", "transaction"], ["capture", "index lock", "files", "refs"])
)
def test_a_commit_that_another_process_makes_meanwhile_survives(dirtied: Scene, step: str) -> None:
    old, made = state(dirtied.top), []
    outcome = meanwhile(dirtied, step, lambda: made.append(plumbed(dirtied)))
    assert isinstance(outcome, DevsError)
    # Until we hold the lock on the index, we check it ourselves. After that, git's transaction notices the change.
    before = step in ("capture", "journal", "index lock")
    assert outcome.code == ("PLAN_STALE" if before else "GIT_RESET_FAILED")
    assert dirtied.git("rev-parse", "HEAD") == made[0]
    now = state(dirtied.top)
    assert (now["files"], now["index"], now["tasks"]) == (old["files"], old["index"], old["tasks"])
    assert litter(dirtied.top) == []


@pytest.mark.parametrize(
    "request_", with_thorough([restore.Request("10")], [checkout.Request("other"), undo.Request()])
)
def test_a_commit_made_meanwhile_survives_every_verb(worked: Scene, request_: Any) -> None:
    worked.git("branch", "other", "devs/task-10")
    rewind.run(Workspace.open(worked.top), rewind.Request("11"))
    made: list[str] = []
    meanwhile(worked, "transaction", lambda: made.append(plumbed(worked)), request_)
    assert worked.git("merge-base", "--is-ancestor", made[0], "main") == ""
    assert litter(worked.top) == []


@pytest.mark.quick
@pytest.mark.parametrize("step", with_thorough(["journal", "capture"], ["index lock"]))
def test_what_somebody_stages_meanwhile_is_not_taken_back(dirtied: Scene, step: str) -> None:
    dirtied.write({"fresh.txt": "fresh\n"})
    outcome = meanwhile(dirtied, step, lambda: dirtied.git("add", "fresh.txt"))
    assert isinstance(outcome, DevsError)
    assert outcome.code == "PLAN_STALE"
    assert dirtied.git("show", ":fresh.txt") == "fresh"
    assert (dirtied.top / "fresh.txt").read_text() == "fresh\n"
    assert litter(dirtied.top) == []


@pytest.mark.parametrize("step", with_thorough(["files"], ["capture", "backup", "journal", "index lock"]))
@pytest.mark.parametrize("path", with_thorough(["c.txt"], ["a.txt", "b.txt"]))
def test_an_edit_made_before_git_looks_is_never_overwritten(dirtied: Scene, step: str, path: str) -> None:
    mine = "edited at this very moment\n"
    outcome = meanwhile(dirtied, step, lambda: dirtied.write({path: mine}))
    if isinstance(outcome, DevsError):
        assert outcome.code in ("GIT_RESET_FAILED", "PLAN_STALE"), outcome
        assert (dirtied.top / path).read_text() == mine
    else:
        assert step == "capture"
        assert dirtied.git("show", f"{outcome.backup}:worktree/{path}") == mine.strip()
    assert litter(dirtied.top) == []
    assert not (dirtied.top / ".git" / "index.lock").exists()


@pytest.mark.parametrize(
    "step", with_thorough(["verify", "transaction"], ["raw bytes", "index in place", "refs"])
)
def test_an_edit_made_while_files_move_is_never_overwritten(dirtied: Scene, step: str) -> None:
    mine = "edited at this very moment\n"
    outcome = meanwhile(dirtied, step, lambda: dirtied.write({"b.txt": mine}))
    assert (dirtied.top / "b.txt").read_text() == mine
    if isinstance(outcome, DevsError) and outcome.code == "RECOVERY_NEEDED":
        router.call("doctor", Workspace.open(dirtied.top), _take_back())
        assert (dirtied.top / "b.txt").read_text() == mine
    assert litter(dirtied.top) == []


def _take_back() -> Any:
    from devs_git.commands import doctor

    return doctor.Request(take_back=True)


@pytest.mark.parametrize(
    "request_", with_thorough([checkout.Request("other")], [REWIND, restore.Request("10")])
)
def test_an_index_that_another_git_has_locked_is_busy_and_changes_nothing(
    worked: Scene, request_: Any
) -> None:
    worked.git("branch", "other", "devs/task-10")
    old = state(worked.top)
    lock = worked.top / ".git" / "index.lock"
    lock.write_text("another git's\n")
    with pytest.raises(DevsError) as refused:
        router.call(type(request_).__module__.rpartition(".")[2], Workspace.open(worked.top), request_)
    assert refused.value.code == "BUSY"
    assert lock.read_text() == "another git's\n"
    lock.unlink()
    assert differences(state(worked.top), old) == {}
    assert litter(worked.top) == []


@pytest.mark.quick
@pytest.mark.parametrize(
    "name", with_thorough(["refs/heads/main"], ["HEAD", "packed-refs", "refs/heads/devs/ledger"])
)
def test_a_ref_that_another_git_has_locked_is_busy_and_all_is_taken_back(
    dirtied: Scene, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "REF_LOCK_SECONDS", 0.2)  # the ref stays locked all the time
    old = state(dirtied.top)
    lock = dirtied.top / ".git" / f"{name}.lock"
    lock.write_text("another git's\n")
    with pytest.raises(DevsError) as refused:
        rewind.run(Workspace.open(dirtied.top), REWIND)
    assert refused.value.code == "BUSY"
    assert f"{name}.lock" in refused.value.message
    assert lock.read_text() == "another git's\n"
    lock.unlink()
    assert differences(state(dirtied.top), old) == {}
    assert litter(dirtied.top) == []


def test_of_two_rewinds_at_once_one_wins_and_the_other_hears_why(worked: Scene) -> None:
    before = stored_oids(worked.top)
    words = [sys.executable, "-m", "devs_git", "rewind", "--json"]
    running = [
        subprocess.Popen([*words, target], cwd=worked.top, stdout=subprocess.PIPE, text=True)
        for target in ("10", "11")
    ]
    answers = [json.loads(child.communicate()[0]) for child in running]
    codes = [answer.get("code", "won") for answer in answers]
    assert "won" in codes
    # A command that starts after the other has ended does not run at the same time: it may succeed, or find no checkpoint.
    assert set(codes) <= {"won", "BUSY", "NO_CHECKPOINT", "GIT_RESET_FAILED"}, answers
    assert before <= stored_oids(worked.top)
    assert litter(worked.top) == []
    assert worked.git("status", "--porcelain") == ""


@pytest.mark.parametrize("request_", [rewind.Request("10"), undo.Request()])
@pytest.mark.parametrize("step", with_thorough(["files"], ["capture", "unlock"]))
def test_a_second_way_back_that_comes_meanwhile_is_busy_and_does_not_go_on_from_there(
    worked: Scene, request_: Any, step: str
) -> None:
    rewind.run(Workspace.open(worked.top), rewind.Request("11"))
    second, lock = [], worked.top / ".git/devs/lock"

    def comes() -> None:
        try:
            second.append(router.call(verb, Workspace.open(worked.top), request_))
        except DevsError as error:
            second.append(error.code)

    def until_it_waits() -> None:
        other.start()
        while _opened(lock) < 2:
            pass
        time.sleep(0.1)  # between opening the file and asking for its lock

    other, verb = threading.Thread(target=comes), type(request_).__module__.rpartition(".")[2]
    outcome = meanwhile(worked, step, until_it_waits, request_)
    other.join()
    assert not isinstance(outcome, DevsError)
    assert second == ["BUSY"]
    assert litter(worked.top) == []


def _opened(path: Path) -> int:
    """The number of descriptors that this process has on a file. Each owner of its lock, and each waiter, has one."""
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += link.readlink() == path
    return found


def test_of_two_applications_of_one_plan_one_wins_and_the_other_is_stale_or_busy(worked: Scene) -> None:
    plan = rewind.run(Workspace.open(worked.top), rewind.Request("10", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    words = [sys.executable, "-m", "devs_git", "rewind", "--json", "--plan", plan.plan_id]
    running = [subprocess.Popen(words, cwd=worked.top, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(child.communicate()[0]) for child in running]
    codes = sorted(answer.get("code", "won") for answer in answers)
    assert codes in (["BUSY", "won"], ["PLAN_STALE", "won"]), answers
    assert worked.git("status", "--porcelain") == ""


@pytest.mark.parametrize(("how", "code"), [("gone", "LEDGER_MISSING"), ("back", "LEDGER_ROLLBACK")])
@pytest.mark.parametrize("step", with_thorough(["refs"], ["files", "transaction"]))
def test_a_ledger_that_somebody_moves_by_hand_takes_the_move_back(
    worked: Scene, how: str, code: str, step: str
) -> None:
    old = state(worked.top)
    ledger = "refs/heads/devs/ledger"
    tip = worked.git("rev-parse", ledger)
    words = ("-d", ledger) if how == "gone" else (ledger, f"{ledger}~3")
    outcome = meanwhile(worked, step, lambda: worked.git("update-ref", *words), rewind.Request("11"))
    assert isinstance(outcome, DevsError)
    assert outcome.code == code
    worked.git("update-ref", ledger, tip)
    assert differences(state(worked.top), old) == {}
    assert litter(worked.top) == []


@pytest.mark.parametrize(
    "step", with_thorough(["backup", "unlock"], ["capture", "journal", "files", "refs", "transaction"])
)
def test_a_gc_that_prunes_everything_at_any_moment_costs_nothing(dirtied: Scene, step: str) -> None:
    old = state(dirtied.top)
    outcome = meanwhile(
        dirtied, step, lambda: dirtied.git("-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now")
    )
    if isinstance(outcome, DevsError):
        assert outcome.code == "GIT_RESET_FAILED"  # objects that had no ref yet were deleted
        assert step not in ("capture", "unlock")
    else:
        dirtied.git("reflog", "expire", "--all", "--expire=now")
        dirtied.git("repack", "-q", "-a", "-d")
        dirtied.git("prune", "--expire=now")
        undo.run(Workspace.open(dirtied.top), undo.Request())
    now = state(dirtied.top)
    now["refs"] = [line for line in now["refs"] if not line.startswith("refs/stash")]
    assert differences(now, old) == {}
    assert dirtied.git("fsck", "--no-dangling", "--no-progress") == ""
    assert litter(dirtied.top) == []


@pytest.mark.parametrize("kind", ["tree", "blob"])
def test_a_backup_of_a_clean_tree_that_lost_an_object_before_it_had_its_ref_is_none(
    worked: Scene, kind: str
) -> None:
    old, lost = state(worked.top), []

    def lose() -> None:
        for line in worked.git("fsck", "--unreachable", "--no-reflogs", "--no-progress").splitlines():
            _, found, oid = line.split()
            if found == kind:
                lost.append(oid)
                (worked.top / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    outcome = meanwhile(worked, "backup", lose, rewind.Request("10"))
    assert lost
    assert isinstance(outcome, DevsError)
    assert outcome.code == "GIT_RESET_FAILED"
    assert differences(state(worked.top), old) == {}
    assert worked.git("for-each-ref", "refs/devs/backup") == ""
    assert litter(worked.top) == []
