"""`kill -9` during a filter, while files, links and folders of the same name replace each other."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, doctor, restore, rewind, status, undo
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from tests.support import killed_moves
from tests.support.content_oracle import ProtectedContents
from tests.support.kills import with_thorough
from tests.support.rewind_cases import Case, Files, Link, begin, contents

FOLDER: Files = {"x": None, "x/a.loud": b"A\n", "x/y.loud": b"Y\n", "x/z": b"z\n"}
LINK: Files = {"x/a.loud": None, "x/y.loud": None, "x/z": None, "x": Link(b"target")}
FILE: Files = {"x/a.loud": None, "x/y.loud": None, "x/z": None, "x": b"a file\n"}
SHAPES: dict[str, tuple[Files, Files]] = {
    "link to folder": (FOLDER, LINK),
    "folder to link": (LINK, FOLDER),
    "file to folder": (FOLDER, FILE),
    "folder to file": (FILE, FOLDER),
}
WHOM = ("both", "filter")


def begun(top: Path, shape: str) -> Case:
    """Task 1 has the first shape. Task 2, which is checked out, has the second. Each `.loud` goes through a filter."""
    case = begin(top)
    case.git("config", "filter.case.clean", "tr A-Z a-z")
    case.git("config", "filter.case.smudge", killed_moves.SMUDGE)
    old, new = SHAPES[shape]
    there = {".gitattributes": b"*.loud filter=case\n", "target/y.loud": b"T\n", "z.loud": b"Z1\n"}
    case.stage("1", {**there, **{name: data for name, data in old.items() if data is not None}})
    case.git("branch", "other")
    gone: Files = {name: None for name, data in new.items() if data is None and name in old}
    case.write(gone)
    case.stage("2", {**{name: data for name, data in new.items() if data is not None}, "z.loud": b"Z2\n"})
    return case


def verbs() -> list[Any]:
    return with_thorough(
        [(rewind, rewind.Request("1"))],
        [(restore, restore.Request("1")), (checkout, checkout.Request("other"))],
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("whom", WHOM)
@pytest.mark.parametrize("verb", verbs())
def test_a_move_killed_in_a_filter_is_taken_back_and_plain_git_works(
    tmp_path: Path, shape: str, whom: str, verb: tuple[Any, Any]
) -> None:
    case = begun(tmp_path / "repo", shape)
    before, held = case.look(), ProtectedContents.now(case, clean=True)
    assert killed_moves.run_killed(case, *verb, (whom, 0)) == (whom == "both")
    assert killed_moves.recover(case, again=False, decide=False) == "recovered"
    case.look().must_equal(before)
    held.assert_nothing_lost(case)
    killed_moves.assert_usable(case)
    case.git("commit", "-q", "--allow-empty", "-m", "plain git")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("forward", [True, False])
def test_an_edit_after_such_a_kill_is_decided_by_a_person_and_locks_nobody_out(
    tmp_path: Path, shape: str, forward: bool
) -> None:
    case = begun(tmp_path / "repo", shape)
    assert killed_moves.run_killed(case, rewind, rewind.Request("1"), ("both", 0))
    (case.top / "z.loud").write_bytes(b"mine\n")
    for verb, request in ((status, status.Request()), (undo, undo.Request())):
        with pytest.raises(DevsError) as refused:
            router.call(verb.__name__.rpartition(".")[2], case.workspace, request)
        assert refused.value.code == "RECOVERY_NEEDED"
        assert "devs-git doctor --take-back" in refused.value.hint
        assert not (case.top / ".git/index.lock").exists()
    case.git("add", "--refresh", ".")
    router.call("doctor", case.workspace, doctor.Request(finish=forward, take_back=not forward))
    assert case.read("z.loud") == b"mine\n"
    killed_moves.assert_usable(case)
    case.git("commit", "-q", "--allow-empty", "-m", "plain git")


def test_what_doctor_finishes_is_written_by_the_filters_of_the_repository(tmp_path: Path) -> None:
    case = begun(tmp_path / "repo", "file to folder")
    assert killed_moves.run_killed(case, rewind, rewind.Request("1"), ("both", 0))
    case.write({"z.loud": b"mine\n"})
    assert killed_moves.recover(case, again=False, decide=True) == "finished"
    assert [case.read(name) for name in ("x/a.loud", "x/y.loud", "z.loud")] == [b"A\n", b"Y\n", b"mine\n"]
    assert case.git("status", "--porcelain", "--untracked-files=no") == " M z.loud"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_second_command_killed_while_it_recovers_changes_nothing_of_that(
    tmp_path: Path, shape: str
) -> None:
    case = begun(tmp_path / "repo", shape)
    before = case.look()
    assert killed_moves.run_killed(case, rewind, rewind.Request("1"), ("both", 0))
    at = 0
    while killed_moves.run_killed(case, status, status.Request(), ("us", at)):
        at += 1
    assert at > 3
    killed_moves.recover(case, again=False, decide=False)
    case.look().must_equal(before)
    killed_moves.assert_usable(case)


def test_recovery_needs_no_filter(tmp_path: Path) -> None:
    """Make the filter that writes files fail in the next command."""
    case = begun(tmp_path / "repo", "link to folder")
    before = contents(case.top)
    assert killed_moves.run_killed(case, rewind, rewind.Request("1"), ("both", 0))
    case.git("config", "filter.case.smudge", "false")
    case.git("config", "filter.case.required", "true")
    assert killed_moves.recover(case, again=False, decide=False) == "recovered"
    assert contents(case.top) == before
    assert not os.path.lexists(case.top / ".git/index.lock")


def test_a_second_command_killed_while_it_waits_for_an_orphaned_git_changes_nothing(tmp_path: Path) -> None:
    case = begun(tmp_path / "repo", "link to folder")
    before, held = case.look(), ProtectedContents.now(case, clean=True)
    # The filter reports that it runs, and waits until it may continue. Meanwhile we are killed, and git is not.
    slow = "touch .git/runs; until test -e .git/go; do sleep 0.02; done; tr a-z A-Z"
    case.git("config", "filter.case.smudge", slow)
    first = started(case, "rewind", "1", "--yes")
    wait_for(case.top / ".git/runs")
    first.kill()
    first.wait()
    for verb in (("status",), ("undo", "--yes")):
        second = started(case, *verb)
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.7)
        second.kill()
        second.wait()
    (case.top / ".git/go").touch()
    assert killed_moves.recover(case, again=False, decide=False) == "recovered"
    case.look().must_equal(before)
    held.assert_nothing_lost(case)
    killed_moves.assert_usable(case)
    case.git("commit", "-q", "--allow-empty", "-m", "plain git")


def started(case: Case, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-m", "devs_git", *words),
        cwd=case.top,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(file: Path) -> None:
    until = time.monotonic() + 20
    while not file.exists():
        assert time.monotonic() < until, file
        time.sleep(0.01)
