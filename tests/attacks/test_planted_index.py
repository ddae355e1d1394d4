"""Attacks by the index of the ledger, a file that only says where commands read: it never decides, and never stops them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import branch, diff, gate_list, history, log, restore, rewind, show, task_status
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.errors import DevsError
from devs_git.storage.ledger.index import NAME, index_file, listing, reached_commits
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.attacker import codes_in, findings
from tests.support.clones import Clone, Pair
from tests.support.git_calls import git

LISTS: dict[str, Callable[[], Any]] = {
    "history": history.Request,
    "history --task": lambda: history.Request(task_id="task-10"),
    "history --subtype": lambda: history.Request(subtypes=("deleted",)),
    "log": log.Request,
    "log --task": lambda: log.Request(task="10"),
    "show": lambda: show.Request("task-10"),
    "diff": lambda: diff.Request(target="task-11"),
    "task status": lambda: task_status.Request("10"),
}
FORGED = "forged"  # in an edit: the oid of a commit that claims to be an event
EDITS = (
    "DELETE FROM touches",
    "DELETE FROM points",
    "DELETE FROM events WHERE seq > 3",
    "UPDATE touches SET task = 'task-none' WHERE task = 'task-10'",
    "UPDATE points SET task = '../../outside'",
    "UPDATE points SET task = 7, commit_oid = x'ff00'",
    "UPDATE points SET tag = NULL",
    "UPDATE events SET oid = '--output=written'",
    "UPDATE events SET oid = 'HEAD', finished = x'ff'",
    "UPDATE events SET oid = (SELECT commit_oid FROM points) WHERE seq > 3",
    "UPDATE events SET oid = (SELECT tag FROM points) WHERE seq > 3",
    "UPDATE events SET oid = 'forged' WHERE seq IN (SELECT seq FROM points)",
    "UPDATE events SET flags = 63, contract = 'x', parent = -1",
    "UPDATE names SET text = text || char(10) || '--all'",
    "DELETE FROM changes",
    "UPDATE reached SET yes = 1 - yes",
    "UPDATE about SET value = (SELECT commit_oid FROM points ORDER BY seq LIMIT 1) WHERE name = 'walked'",
)


@pytest.fixture
def clone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A repository with three tasks and their index."""
    # What HEAD reaches is asked of the index for these tasks, too.
    monkeypatch.setattr(reached_commits, "OLD", -1)
    for task in ("10", "11", "12"):
        pair.ann.task(task)
    os.chdir(pair.ann.top)
    Path(".git", NAME).touch()
    answers(pair.ann)
    return pair.ann


def answers(clone: Clone) -> dict[str, Any]:
    """What the lists say, or the code of their refusal. Any other error fails the test."""
    return {name: answer(clone, name.split(" --")[0], LISTS[name]()) for name in LISTS}


def answer(clone: Clone, verb: str, request: Any) -> Any:
    try:
        return clone.call(verb, request)
    except DevsError as error:
        return error.code


def decided(clone: Clone) -> list[Any]:
    """What follows from a checkpoint, from gates and for `verify`."""
    found: list[Any] = [
        clone.call("rewind", rewind.Request(target="10", dry_run=True)),
        clone.call("restore", restore.Request(target="11", dry_run=True)),
        clone.call("gate list", gate_list.Request()),
        codes_in(),
        # What `resume` and the hook after a compaction tell of a task.
        listing.with_task(Workspace.open(Path.cwd()).ledger.tip(), "task-10").tasks["task-10"].title,
    ]
    for name in ("task-10", "task-11@1"):
        made = clone.call("branch", branch.Request(target=name, name="from-here"))
        found.append((made.task_id, made.commit, made.tag))
        git("branch", "-q", "-D", "from-here")
    return found


def planted(*statements: str) -> None:
    with closing(sqlite3.connect(f".git/{NAME}", isolation_level=None)) as base:
        for statement in statements:
            base.execute(statement)


def forged_event() -> str:
    """A commit that is no event of the ledger: it says that the checkpoint of task 11 is at another commit."""
    real = git(
        "log",
        "-1",
        "--format=%B",
        "--grep=Devs-Task: task-11",
        "--grep=Devs-Event: task.completed",
        "--all-match",
        LEDGER,
    )
    (line,) = [line for line in real.splitlines() if line.startswith("Devs-Commit: ")]
    text = real.replace(line, f"Devs-Commit: {git('rev-parse', 'HEAD~2')}")
    return git("commit-tree", f"{LEDGER}^{{tree}}", stdin=text)


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", EDITS)
def test_an_index_of_the_ledger_that_names_other_events_tasks_or_commits(clone: Clone, edit: str) -> None:
    decisions = decided(clone)
    answers(clone)
    planted(edit.replace(FORGED, forged_event()))
    (found,) = findings()
    assert (found.code, found.severity) == ("INDEX_WRONG", "warning")
    answers(clone)
    assert decided(clone) == decisions
    assert not Path("written").exists()
    subprocess.run(found.fix, shell=True, check=True)  # noqa: S602 - our own text
    assert findings() == ()
    assert same_as_the_ledger(clone)


@pytest.mark.parametrize("name", ["refs/devs/checkpoints/task-10/1", "HEAD^{tree}", ""])
def test_a_cursor_that_only_a_planted_index_of_the_ledger_has(clone: Clone, name: str) -> None:
    tip = git("rev-parse", LEDGER)
    oid = git("rev-parse", name) if name else "ab" * 20
    planted("UPDATE events SET oid = 'PLANTED' WHERE seq = 5".replace("PLANTED", oid))
    planted("UPDATE points SET tag = 'PLANTED'".replace("PLANTED", "ab" * 20))
    assert [found.code for found in findings()] == ["INDEX_WRONG"]
    for cursor in (oid, f"{oid}.0.{NO_OID}.1", f"{tip}.0.{oid}.1"):
        assert answer(clone, "history", history.Request(cursor=cursor)) == "INVALID_ARGUMENTS"
    for after in (oid, f"{oid}.{NO_OID}.0.0.0", f"{tip}.{oid}.0.0.0"):
        assert answer(clone, "history", history.Request(after=after)) == "INVALID_ARGUMENTS"
    for task in ("", "task-10"):
        assert answer(clone, "log", log.Request(cursor="ab" * 20, task=task)) == "INVALID_ARGUMENTS"


def same_as_the_ledger(clone: Clone) -> bool:
    """Whether a new index says in each list what the whole ledger says."""
    index = Path(".git", NAME)
    assert not index.exists()
    whole = answers(clone)
    index.touch()
    return answers(clone) == whole and index.stat().st_size > 0


def a_folder(index: Path) -> None:
    (index / "inside").mkdir(parents=True)


def a_second_name(index: Path) -> None:
    index.hardlink_to(index.with_name("theirs"))


@pytest.mark.parametrize("plant", [a_folder, a_second_name])
def test_a_folder_or_a_second_name_of_a_file_in_the_place_of_the_index(
    clone: Clone, plant: Callable[[Path], None]
) -> None:
    index = Path(".git", NAME)
    theirs = index.with_name("theirs")
    with closing(sqlite3.connect(theirs, isolation_level=None)) as base:
        base.execute("CREATE TABLE precious (one)")
    before = theirs.read_bytes()
    decisions = decided(clone)
    remove(index)
    whole = answers(clone)
    plant(index)
    found = [one.code for one in findings()]
    assert found == (["INDEX_WRONG"] if index.exists() else [])
    assert answers(clone) == whole
    assert decided(clone) == decisions
    assert theirs.read_bytes() == before
    for one in findings():
        subprocess.run(one.fix, shell=True, check=True)  # noqa: S602 - our own text
    assert same_as_the_ledger(clone)


def remove(index: Path) -> None:
    for file in index.parent.glob("index.db*"):
        file.unlink()


VIEW = "CREATE VIEW {} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
HOSTILE = {
    "a view without an end": ("DROP TABLE touches", VIEW.format("touches", "'task-10' AS task, i AS seq")),
    "a view of facts": ("DROP TABLE about", VIEW.format("about", "'tip' AS name, i AS value")),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",),
    "a computed column": ("ALTER TABLE touches ADD COLUMN more AS (task || task)",),
    "another version": ("UPDATE about SET value = '99' WHERE name = 'version'",),
    "another tip": ("UPDATE about SET value = substr(hex(zeroblob(20)), 1) WHERE name = 'tip'",),
    "an option for a tip": ("UPDATE about SET value = '--all' WHERE name = 'tip'",),
    "other tables": ("DROP TABLE touches", "CREATE TABLE touches (task, seq)"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_an_index_of_the_ledger_with_views_triggers_or_a_version_of_its_own(clone: Clone, what: str) -> None:
    decisions = decided(clone)
    remove(Path(".git", NAME))
    whole = answers(clone)
    Path(".git", NAME).touch()
    answers(clone)
    planted(*HOSTILE[what])
    assert answers(clone) == whole
    assert decided(clone) == decisions
    assert findings() == ()


def pages_in_a_circle(index: Path, table: str = "events") -> None:
    """The rows are below twelve levels of pages, of which each has the next one 200 times: 200^12 rows."""
    planted("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE")
    data = bytearray(index.read_bytes())
    size = int.from_bytes(data[16:18])
    with closing(sqlite3.connect(index)) as base:
        (root,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    leaf = bytes(data[(root - 1) * size : root * size])
    count = len(data) // size
    below = count + 1
    data += leaf
    for _ in range(12):
        level = page_with(below, size)
        data += level
        below = len(data) // size
    data[(root - 1) * size : root * size] = level
    data[28:32] = (len(data) // size).to_bytes(4)
    index.write_bytes(data)


def page_with(child: int, size: int) -> bytes:
    """A page of a tree that has the same page below it 200 times."""
    cell = child.to_bytes(4) + b"\x01"
    first = size - 200 * len(cell)
    head = b"\x05\0\0" + (200).to_bytes(2) + first.to_bytes(2) + b"\0" + child.to_bytes(4)
    places = b"".join((first + number * len(cell)).to_bytes(2) for number in range(200))
    return (head + places).ljust(first, b"\0") + cell * 200


def test_an_index_of_the_ledger_whose_pages_lie_in_a_circle(clone: Clone) -> None:
    nobody = history.Request(actor="nobody")
    whole = answer(clone, "history", nobody)
    index = Path(".git", NAME)
    pages_in_a_circle(index)
    (found,) = findings()
    assert (found.code, found.severity) == ("INDEX_WRONG", "warning")
    assert answer(clone, "history", nobody) == whole
    assert not index.exists()
    assert same_as_the_ledger(clone)

    # A command that writes nothing reads a copy in memory.
    older = index.read_bytes()
    clone.task("13")
    for file in index.parent.glob(f"{index.name}*"):
        file.unlink()
    index.write_bytes(older)
    pages_in_a_circle(index, "names")
    tip, before = Workspace.open(clone.top).ledger.tip(), index.read_bytes()
    assert index_file.open_at(replace(tip.ledger, keeps_index=False), tip.oid) is None
    assert index.read_bytes() == before
