"""A ledger whose events have format 1 has the files of tasks in one flat folder. It is read, worked in and merged.

`tests/examples/ledgers/flat-tasks.bundle` was written by the version before. Task 10 has a plan and a result, and is
completed; task 11 has a plan and is active.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.audit.record_schemas import noun_of
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import LEDGER
from tests.support.clones import Pair

EXAMPLE = Path(__file__).parent.parent / "examples" / "ledgers" / "flat-tasks.bundle"
Run = Callable[..., str]


@pytest.fixture
def flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository as the version before left it."""
    top = tmp_path / "flat"
    for words in (
        ("init", "-q", str(top)),
        ("-C", str(top), "fetch", "-q", "--update-head-ok", str(EXAMPLE), "refs/*:refs/*"),
        ("-C", str(top), "reset", "-q", "--hard"),
    ):
        subprocess.run(["git", *words], check=True, capture_output=True)
    monkeypatch.chdir(top)
    return top


def devs(*words: str, stdin: str = "") -> Any:
    command = [sys.executable, "-m", "devs_git", *words, "--json"]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def files(top: Path) -> list[str]:
    words = ("git", "-C", str(top), "ls-tree", "-r", "--name-only", LEDGER, "tasks/", "work/")
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.quick
def test_a_task_of_the_flat_folder_is_read_with_the_files_that_were_added_later(flat: Path) -> None:
    devs("init")
    before = files(flat)
    assert {path.count("/") for path in before} == {2}
    page = devs("task", "status", "10")
    assert (page["plan"], page["result"]) == ("Read ISO dates first.", "Both forms are read.\n")
    devs("task", "result", "10", stdin="A third form is read, too.\n")
    page = devs("task", "status", "10")
    assert (page["plan"], page["result"]) == ("Read ISO dates first.", "A third form is read, too.\n")
    (added,) = set(files(flat)) - set(before)
    # `init` of this version wrote an event before, so an older devs-git has found the number of the format there.
    assert added.startswith(f"work/{ids.digits('task-10')}task-10/")
    assert devs("verify")["findings"] == []
    assert not (flat / ".devs" / added).exists()
    assert len(list((flat / ".devs" / "tasks" / "task-10").iterdir())) == 3


def test_the_first_event_of_format_2_writes_where_format_1_did(flat: Path) -> None:
    devs("task", "result", "10", stdin="one\n")
    devs("task", "result", "10", stdin="two\n")
    assert sorted(path.count("/") for path in files(flat)) == [2, 2, 2, 2, 5]
    assert devs("task", "status", "10")["result"] == "two\n"


def test_clones_that_wrote_old_and_new_paths_meet(pair: Pair) -> None:
    pair.ann.task("10")
    pair.bob.task("11")
    pair.meet()
    pair.assert_same()
    assert {path.count("/") for path in files(pair.ann.top)} == {5}


def test_the_flat_folder_stays_as_it_is_when_a_new_file_is_added(flat: Path) -> None:
    def folder() -> str:
        words = ("git", "-C", str(flat), "rev-parse", f"{LEDGER}:tasks")
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    devs("init")
    before = folder()
    devs("task", "result", "10", stdin="A third form is read, too.\n")
    assert folder() == before


@pytest.mark.parametrize("task", ["task-10", "task-a/b/c", "task-Release_2.0"])
def test_the_digits_of_a_path_follow_from_its_task(task: str) -> None:
    path = ids.task_file(task, "20010203T041306-efbb7ba6", 2)
    assert path == f"{ids.task_folders(task)[1]}/20010203T041306-efbb7ba6.yaml"
    assert len(ids.digits(task)) == 6
    assert noun_of(path) == noun_of(ids.task_file(task, "1", 1)) == ("task" if "/" not in task else "")
    assert ids.view_path(tuple(path.split("/"))) == (
        "tasks",
        *task.split("/"),
        "20010203T041306-efbb7ba6.yaml",
    )
