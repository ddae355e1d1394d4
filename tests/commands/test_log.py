"""`log` lists checkpoints newest first, from the ledger alone, and stops reading when it has enough."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, rewind, show, task_start, task_status, undo
from devs_git.commands.log import Request, Result, run
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.recent import newest
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.own_calls import devs_git

Mark = Callable[..., str]
COUNT = 10_000
KEYS = [
    "task_id",
    "number",
    "tag",
    "commit",
    "tree",
    "branch",
    "message",
    "files_changed",
    "lines_added",
    "lines_removed",
    "created_at",
    "status",
]


def names(result: Result) -> list[tuple[str, int, str]]:
    return [(point.task_id, point.number, point.status) for point in result.checkpoints]


@pytest.mark.quick
def test_log_after_a_rewind_and_its_undo_reads_no_whole_ledger(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an operation says of a task's status is true for one branch only, and the index knows the rest."""
    scene = tasks({name: {"a.txt": f"{name}\n"} for name in ("1", "2", "3")})
    router.call("task start", Workspace.open(scene.top), task_start.Request("4"))
    scene.write({"a.txt": "4\n"})
    router.call("checkpoint", Workspace.open(scene.top), checkpoint.Request(message="four", everything=True))
    router.call("rewind", Workspace.open(scene.top), rewind.Request("2"))
    router.call("undo", Workspace.open(scene.top), undo.Request())
    before = run(Workspace.open(scene.top), Request())
    assert names(before)[0] == ("task-4", 1, "active")
    (scene.top / ".git" / INDEX).touch()
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    assert run(Workspace.open(scene.top), Request()) == before


@pytest.mark.quick
def test_log_lists_live_and_rewound_checkpoints_newest_first(
    ledgered: Workspace, mark: Mark, rewound: Mark
) -> None:
    mark(10, 1)
    mark(10, 2, completed=True)
    rewound(mark(11, 1))
    mark(12, 1)
    result = run(ledgered, Request())
    assert names(result) == [
        ("task-12", 1, "active"),
        ("task-11", 1, "rewound"),
        ("task-10", 2, "completed"),
        ("task-10", 1, "completed"),  # it is live, and its task is completed
    ]
    assert [(done.type, done.position) for done in result.operations] == [("rewound", 1)]
    assert result.next_cursor == ""


def test_a_cursor_goes_on_where_the_page_before_ended(ledgered: Workspace, mark: Mark) -> None:
    for number in (1, 2, 3):
        mark(10, number)
    first = run(ledgered, Request(limit=2))
    rest = run(ledgered, Request(limit=2, cursor=first.next_cursor))
    assert (len(first.checkpoints), names(rest), rest.next_cursor) == (2, [("task-10", 1, "active")], "")


def test_log_of_one_task_and_of_one_that_never_was(ledgered: Workspace, mark: Mark) -> None:
    mark(10)
    mark(11)
    assert names(run(ledgered, Request(task="10"))) == [("task-10", 1, "active")]
    with pytest.raises(DevsError, match="no task-12") as caught:
        run(ledgered, Request(task="12"))
    assert caught.value.code == "TASK_NOT_FOUND"


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(DevsError, match="from 1"):
        Request(limit=0)


def test_json_rows_begin_with_the_keys_of_the_contract(mark: Mark, repo: Path) -> None:
    tag = mark(10)
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", "log", "--json"], cwd=repo, capture_output=True, check=True
    )
    (row,) = json.loads(done.stdout)["checkpoints"]
    assert (list(row)[: len(KEYS)], row["tag"], row["lines_removed"]) == (KEYS, tag, 3)
    assert (row["state"], row["on_head"], row["still_on"]) == ("recorded", True, "")


def test_the_text_marks_live_rewound_and_the_rewind(mark: Mark, rewound: Mark, repo: Path) -> None:
    mark(10)
    rewound(mark(11))
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", "log", "--all"],
        cwd=repo,
        capture_output=True,
        check=True,
        text=True,
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["<", "x", "@"]
    assert "\x1b" not in done.stdout


def test_without_a_ledger_log_says_what_to_run(workspace: Workspace) -> None:
    with pytest.raises(DevsError, match="no devs-git ledger"):
        run(workspace, Request())


def test_a_merge_of_two_ledgers_is_read_in_the_order_of_the_fold(
    ledgered: Workspace, mark: Mark, git: Callable[..., str]
) -> None:
    mark(10, 1)
    base = git("rev-parse", "devs/ledger")
    mark(10, 2)
    mark(10, 3)
    ours = git("rev-parse", "devs/ledger")
    git("update-ref", "refs/heads/devs/ledger", base)
    mark(11, 1)
    theirs = git("rev-parse", "devs/ledger")
    tree = git("rev-parse", f"{ours}^{{tree}}")
    merge = git("commit-tree", tree, "-p", theirs, "-p", ours, "-m", "sync: merge")
    git("update-ref", "refs/heads/devs/ledger", merge)
    mark(12, 1)
    oldest_first = list(ledgered.ledger.events(oldest_first=True))
    assert list(ledgered.ledger.newest_first()) == oldest_first[::-1]
    whole = list(ledgered.ledger.tip().history.checkpoints.values())
    assert list(newest(ledgered.ledger.newest_first())) == whole[::-1]


def _big_ledger(repo: Path, count: int) -> None:
    """Events as the verbs write them, with a file each, by way of `git fast-import`."""
    begin = b"commit refs/heads/devs/ledger\ncommitter A <a@b.c> 978307200 +0000\ndata 7\nledger\n"
    parts = [begin + b"M 100644 inline policy.yaml\ndata 11\nversion: 1\n\n"]
    for at in range(count):
        words = (
            f"checkpoint: task-{at // 4}@{at % 4 + 1}\n\nDevs-Event: {'task.completed' if at % 4 == 3 else 'checkpoint.created'}\n"
            f"Devs-Task: task-{at // 4}\nDevs-Number: {at % 4 + 1}\nDevs-Tag: {at:040x}\nDevs-Commit: {at + 10**6:040x}\n"
            f"Devs-Tree: {at + 10**7:040x}\nDevs-Branch: main\nDevs-Message: Parse the dates of the import\n"
            "Devs-Stat: 3 120 14\nDevs-Verb: checkpoint\nDevs-Actor: Ada <ada@example.org>\nDevs-Tier: 1\nDevs-Worktree: .\n"
            "Devs-Started: 2001-01-01T00:00:00.000Z\nDevs-Finished: 2001-01-01T00:00:00.123Z\nDevs-Outcome: ok\n"
        ).encode()
        parts.append(
            b"commit refs/heads/devs/ledger\ncommitter A <a@b.c> %d +0000\ndata %d\n%s\n"
            % (978307201 + at, len(words), words)
        )
        if at % 100 == 0:
            parts.append(b"M 100644 inline tasks/task-%d/%d.yaml\ndata 10\ntitle: x\n\n\n" % (at // 4, at))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo, input=b"".join(parts), check=True)
    ledger = Workspace.open(repo).ledger
    ledger.note_checked(ledger.tip().oid)  # as the verbs leave it


def test_the_last_20_of_many_checkpoints_cost_little_more_than_starting(repo: Path) -> None:
    _big_ledger(repo, COUNT)

    plain = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}

    def seconds(*args: str) -> float:
        """Processor time with all children: unlike the clock's, it is not that of the tests that run beside this one."""
        child = subprocess.Popen(
            [sys.executable, "-m", "devs_git", *args], cwd=repo, env=plain, stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return used.ru_utime + used.ru_stime

    pairs = [(seconds("--version"), seconds("log", "--limit", "20")) for _ in range(4)]
    start, log = min(start for start, _ in pairs), min(log for _, log in pairs)
    # The bound is 80 ms where starting takes 50: on a busy machine both grow alike.
    assert log - start < start * 80 / 50


def test_log_task_status_and_show_say_the_same_of_each_checkpoint(
    ledgered: Workspace, mark: Mark, rewound: Mark
) -> None:
    mark(10, 1)
    mark(10, 2)
    rewound(mark(10, 3, completed=True))
    mark(11, 1)
    mark(11, 2, completed=True)
    for task, expected in (("10", ["rewound", "active", "active"]), ("11", ["completed", "completed"])):
        event = ledgered.event("undone", "x", ("Devs-Status", "task-10 active"), verb_name="undo")
        ledgered.append(lambda _tip, event=event: Draft(event))  # type: ignore[misc]
        rows = run(ledgered, Request(task=task)).checkpoints
        assert [row.status for row in rows] == expected
        assert task_status.run(ledgered, task_status.Request(task)).checkpoints == rows
        shown = [show.show_checkpoint(ledgered, show.Request(f"{task}@{row.number}")).status for row in rows]
        assert shown == expected


@pytest.mark.quick
def test_a_line_is_a_checkpoint_with_its_own_status_and_its_place(
    repo: Path, mark: Mark, rewound: Mark, git: Mark
) -> None:
    mark(10, 1)
    git("commit", "-q", "--allow-empty", "-m", "x")
    mark(10, 2, completed=True)
    git("commit", "-q", "--allow-empty", "-m", "y")
    rewound(mark(11, 1))
    mark(12, 1)
    git("reset", "-q", "--hard", "HEAD~1")
    rows = [line.split()[:3] for line in devs_git("log", where=repo).splitlines() if "@" in line[:12]]
    assert rows == [
        ["o", "task-12@1", "recorded,"],
        ["x", "task-11@1", "rewound"],
        ["@", "task-10@2", "completed"],
        ["*", "task-10@1", "recorded"],
    ]
    assert json.loads(devs_git("log", "--json", where=repo))["head"] == git("rev-parse", "HEAD")


def test_the_number_counts_checkpoints_and_operations_are_lines_only_with_all(
    repo: Path, mark: Mark, rewound: Mark
) -> None:
    for number in (1, 2, 3):
        rewound(mark(10, number))
    lines = devs_git("log", "-n", "2", where=repo).splitlines()
    assert [line.split()[0] for line in lines] == ["x", "x", "There"]
    marks = [line.split()[0] for line in devs_git("log", "--all", where=repo).splitlines()]
    assert marks == ["<", "x", "<", "x", "<", "x"]
    marks = [line.split()[0] for line in devs_git("log", "--all", "-n", "1", where=repo).splitlines()]
    assert marks == ["<", "x", "<", "There"]  # the operation below stands above a checkpoint of the next page


def test_head_has_a_line_of_its_own_where_no_checkpoint_is(repo: Path, mark: Mark, git: Mark) -> None:
    mark(10)
    git("commit", "-q", "--allow-empty", "-m", "later")
    first, second = devs_git("log", where=repo).splitlines()
    assert first.split() == ["@", "HEAD", git("rev-parse", "HEAD")[:10], "HEAD", "is", "here,", "on", "main"]
    assert second.split()[:2] == ["*", "task-10@1"]
    git("checkout", "-q", "--detach")
    assert devs_git("log", where=repo).splitlines()[0].endswith("on no branch")


def test_log_of_one_task_has_no_operation_of_another(repo: Path, mark: Mark, rewound: Mark) -> None:
    mark(10)
    rewound(mark(11))
    shown = devs_git("log", "--task", "10", "--all", where=repo)
    assert [line.split()[:2] for line in shown.splitlines()] == [["@", "task-10@1"]]
