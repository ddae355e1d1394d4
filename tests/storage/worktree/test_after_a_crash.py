"""What a person does between a crash and the next command is never lost, and is never treated as ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import doctor, status
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.worktree import backups
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.kills import Driver, with_thorough
from tests.support.repository_contents import differences, litter, state
from tests.support.scene import Scene

REWIND: dict[str, Any] = {"target": "10", "preserve": "stash", "untracked": "save"}


def crash(drive: Driver, scene: Scene, before: str, verb: str = "rewind", **request: Any) -> None:
    """Run the verb and kill it before the named step."""
    steps = ["capture", "backup"] if verb == "rewind" else []
    steps += [
        "journal",
        "index lock",
        "files",
        "raw bytes",
        "verify",
        "index in place",
        "refs",
        "transaction",
    ]
    done = drive(scene.top, verb, request or REWIND, at=steps.index(before))
    assert done["killed"]
    assert done["steps"][-1] == before


def next_command(top: Path) -> None:
    router.call("status", Workspace.open(top), status.Request())


def needed(top: Path) -> DevsError:
    with pytest.raises(DevsError) as refused:
        next_command(top)
    assert refused.value.code == "RECOVERY_NEEDED", refused.value
    return refused.value


def decide(top: Path, **how: bool) -> doctor.Result:
    result: doctor.Result = router.call("doctor", Workspace.open(top), doctor.Request(**how))
    return result


def backup(top: Path, ref: str) -> backups.State:
    return backups.load(Workspace.open(top).objects, git("rev-parse", ref, where=top).strip())


def test_an_edit_beside_the_move_survives_its_taking_back(dirtied: Scene, drive: Driver) -> None:
    old = state(dirtied.top)
    crash(drive, dirtied, "verify")
    dirtied.write({"kept.txt": "edited\n", "new.txt": "new\n"})
    next_command(dirtied.top)
    now = state(dirtied.top)
    assert (now["files"].pop("kept.txt")[1], now["files"].pop("new.txt")[1]) == (b"edited\n", b"new\n")
    old["files"].pop("kept.txt")
    assert now["files"] == old["files"]
    assert now["index"] == old["index"]


@pytest.mark.quick
def test_an_edit_of_a_moved_file_stops_recovery_and_names_the_backup(dirtied: Scene, drive: Driver) -> None:
    crash(drive, dirtied, "verify")
    dirtied.write({"b.txt": "my own words\n"})
    half = state(dirtied.top)
    for _ in range(2):
        error = needed(dirtied.top)
        assert error.details["paths"] == ["b.txt"]
        assert git("rev-parse", error.details["backup"], where=dirtied.top)
        assert error.details["backup"] in error.hint
        assert differences(state(dirtied.top), half) == {}


def test_a_file_that_was_shortened_after_the_crash_is_the_users(worked: Scene, drive: Driver) -> None:
    worked.task("13", {"a.txt": "one\ntwo\nthree\n"})
    crash(drive, worked, "files", target="10")  # the journal exists, and no file is written yet
    worked.write({"a.txt": "one\n"})
    assert needed_or_kept(worked, "a.txt", b"one\n")


def needed_or_kept(scene: Scene, path: str, data: bytes) -> bool:
    try:
        next_command(scene.top)
    except DevsError as error:
        assert error.code == "RECOVERY_NEEDED"  # noqa: PT017 - both results are right, but a lost edit is not
    return (scene.top / path).read_bytes() == data


def test_doctor_take_back_leaves_the_edited_file_and_brings_back_all_else(
    dirtied: Scene, drive: Driver
) -> None:
    old = state(dirtied.top)
    crash(drive, dirtied, "verify")
    dirtied.write({"b.txt": "my own words\n"})
    needed(dirtied.top)
    assert len(decide(dirtied.top, take_back=True).decided) == 1
    now = state(dirtied.top)
    assert now["files"].pop("b.txt") == ("-", b"my own words\n")
    old["files"].pop("b.txt")
    assert differences(now, old) == {}
    assert litter(dirtied.top) == []
    next_command(dirtied.top)


@pytest.mark.quick
def test_doctor_finish_completes_the_operation_around_the_edited_file(dirtied: Scene, drive: Driver) -> None:
    crash(drive, dirtied, "verify")
    dirtied.write({"b.txt": "my own words\n"})
    needed(dirtied.top)
    assert len(decide(dirtied.top, finish=True).decided) == 1
    now = state(dirtied.top)
    assert dirtied.git("rev-parse", "HEAD") == dirtied.git("rev-parse", "devs/task-10^{commit}")
    assert now["tasks"] == {"task-10": "completed", "task-11": "rewound", "task-12": "rewound"}
    assert dirtied.git("status", "--porcelain", "-uall").splitlines() == [" M b.txt", "?? kept.txt"]
    assert now["files"]["b.txt"] == ("-", b"my own words\n")
    assert dirtied.git("stash", "list")
    assert litter(dirtied.top) == []
    event = next(iter(Workspace.open(dirtied.top).ledger.events()))
    assert (event.type, event.get("Devs-Decided")) == ("rewound", "finished by doctor")
    found = backup(dirtied.top, f"refs/devs/backup/{event.get('Devs-Op')}-found")
    assert dirtied.git("show", f"{found.worktree}:b.txt") == "my own words"


def test_an_undo_follows_an_operation_that_doctor_finished(dirtied: Scene, drive: Driver) -> None:
    old = state(dirtied.top)
    crash(drive, dirtied, "verify")
    dirtied.write({"b.txt": "my own words\n"})
    needed(dirtied.top)
    decide(dirtied.top, finish=True)
    assert drive(dirtied.top, "undo", {"preserve": "discard"})["error"] is None
    now = state(dirtied.top)
    assert differences({"f": now["files"], "i": now["index"]}, {"f": old["files"], "i": old["index"]}) == {}


def test_finish_refuses_once_the_branch_has_moved_on(dirtied: Scene, drive: Driver) -> None:
    crash(drive, dirtied, "verify")
    dirtied.write({"b.txt": "my own words\n"})
    mine = dirtied.git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    dirtied.git("update-ref", "refs/heads/main", mine)
    with pytest.raises(DevsError) as refused:
        decide(dirtied.top, finish=True)
    assert refused.value.code == "CONFLICT"
    decide(dirtied.top, take_back=True)
    assert dirtied.git("rev-parse", "HEAD") == mine
    assert (dirtied.top / "b.txt").read_text() == "my own words\n"


@pytest.mark.parametrize("step", with_thorough(["refs"], ["verify"]))
def test_removing_our_index_lock_by_hand_hinders_nobody(dirtied: Scene, drive: Driver, step: str) -> None:
    old = state(dirtied.top)
    crash(drive, dirtied, step)
    (dirtied.top / ".git" / "index.lock").unlink()
    dirtied.git("status")  # refreshes the index
    next_command(dirtied.top)
    assert differences(state(dirtied.top), old) == {}
    assert litter(dirtied.top) == []


def test_what_was_staged_after_the_lock_was_removed_is_kept_whatever_is_decided(
    dirtied: Scene, drive: Driver
) -> None:
    crash(drive, dirtied, "refs")
    (dirtied.top / ".git" / "index.lock").unlink()
    dirtied.write({"fresh.txt": "staged since\n"})
    dirtied.git("add", "fresh.txt")
    (dirtied.top / "fresh.txt").unlink()
    error = needed(dirtied.top)
    assert error.details["index_changed"]
    decide(dirtied.top, take_back=True)
    kept = [ref for ref in dirtied.git("for-each-ref", "--format=%(refname)").splitlines() if "-found" in ref]
    assert dirtied.git("show", f"{backup(dirtied.top, kept[0]).index}:fresh.txt") == "staged since"


@pytest.mark.parametrize(
    "command", with_thorough([("checkout", "-q", "-f", "other")], [("reset", "-q", "--hard")])
)
def test_a_git_command_in_between_is_not_undone_unasked(
    dirtied: Scene, drive: Driver, command: tuple[str, ...]
) -> None:
    dirtied.git("branch", "other", "devs/task-11")
    crash(drive, dirtied, "refs")
    (dirtied.top / ".git" / "index.lock").unlink()
    dirtied.git(*command)
    after = state(dirtied.top)
    needed(dirtied.top)
    assert differences(state(dirtied.top), after) == {}
    decide(dirtied.top, take_back=True)
    assert litter(dirtied.top) == []


def test_a_commit_by_plumbing_after_the_crash_stays_on_its_branch(dirtied: Scene, drive: Driver) -> None:
    old = state(dirtied.top)
    crash(drive, dirtied, "refs")
    mine = dirtied.git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")
    dirtied.git("update-ref", "refs/heads/main", mine)
    next_command(dirtied.top)
    assert dirtied.git("rev-parse", "HEAD") == mine
    now = state(dirtied.top)
    assert (now["files"], now["index"]) == (old["files"], old["index"])


def test_a_folder_that_became_a_link_is_never_followed(worked: Scene, drive: Driver, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    crash(drive, worked, "verify", target="10")
    for name in ("x.txt", "y.txt"):
        (worked.top / "d" / name).rename(outside / name)
    (worked.top / "d").rmdir()
    (worked.top / "d").symlink_to(outside)
    needed(worked.top)
    decide(worked.top, take_back=True)
    assert sorted(path.name for path in outside.iterdir()) == ["x.txt", "y.txt"]
    assert (worked.top / "d").is_symlink()


def test_a_file_of_the_users_keeps_the_folder_that_would_be_replaced(worked: Scene, drive: Driver) -> None:
    crash(drive, worked, "verify", target="10")
    worked.write({"d/x.txt": "mine\n", "d/own.txt": "mine too\n"})
    needed(worked.top)
    decide(worked.top, take_back=True)
    assert (worked.top / "d" / "x.txt").read_text() == "mine\n"
    assert (worked.top / "d" / "own.txt").read_text() == "mine too\n"


def test_what_was_found_by_a_decision_that_was_cut_off_is_kept_beside_that_of_the_next(
    dirtied: Scene, drive: Driver
) -> None:
    crash(drive, dirtied, "refs")
    (dirtied.top / ".git" / "index.lock").unlink()
    dirtied.write({"fresh.txt": "staged since\n", "b.txt": "my own words\n"})
    dirtied.git("add", "fresh.txt")
    (dirtied.top / "fresh.txt").unlink()
    assert drive(dirtied.top, "doctor", {"finish": True}, at=2)["killed"]
    decide(dirtied.top, take_back=True)
    found = dirtied.git("for-each-ref", "--format=%(refname)", "refs/devs/backup/*-found*").splitlines()
    kept = [backup(dirtied.top, ref).index for ref in found]
    assert [tree for tree in kept if "fresh.txt" in dirtied.git("ls-tree", "--name-only", tree)]


@pytest.mark.quick
@pytest.mark.parametrize("words", with_thorough(['{"op_id": "x", "worktree": ".", "kind": "move"}'], ["{"]))
def test_a_damaged_journal_stops_its_own_worktree_and_no_other(
    worked: Scene, drive: Driver, tmp_path: Path, words: str
) -> None:
    worked.git("worktree", "add", "-q", str(tmp_path / "beside"))
    crash(drive, worked, "verify", target="10")
    (journal,) = (worked.top / ".git" / "devs" / "journal").glob("*.json")
    journal.write_text(words)
    assert f"refs/devs/backup/{journal.stem}" in needed(worked.top).hint
    next_command(tmp_path / "beside")
    assert "JOURNAL_OPEN" in [finding.code for finding in decide(tmp_path / "beside").findings]


@pytest.mark.quick
def test_a_journal_of_a_removed_worktree_is_reported_and_closed_by_a_decision(
    worked: Scene, drive: Driver, tmp_path: Path
) -> None:
    worked.git("worktree", "add", "-q", str(tmp_path / "beside"), "-b", "beside")
    before = worked.git("rev-parse", "beside")
    crash(drive, Scene(Workspace.open(tmp_path / "beside")), "transaction", target="11")
    worked.git("worktree", "remove", "--force", "--force", str(tmp_path / "beside"))
    next_command(worked.top)
    fixes = {finding.code: finding.fix for finding in decide(worked.top).findings}
    assert fixes["JOURNAL_OPEN"] == "devs-git doctor --take-back"
    decide(worked.top, take_back=True)
    assert litter(worked.top) == []
    assert worked.git("rev-parse", "beside") == before


def test_a_crash_of_a_verb_is_recorded_by_one_event(dirtied: Scene, drive: Driver) -> None:
    crash(drive, dirtied, "refs")
    assert drive(dirtied.top, "status", {}, at=5)["killed"]
    next_command(dirtied.top)
    failed = [event for event in Workspace.open(dirtied.top).ledger.events() if event.failed]
    assert [(event.type, event.get("Devs-Code")) for event in failed] == [("operation.failed", "INTERRUPTED")]
    assert json.dumps(failed[0].subject)
