"""Commands that show something answer by the index what they answer by the whole ledger."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import diff, history, log, show, task_status
from devs_git.errors import DevsError
from devs_git.storage.ledger.index import NAME, reached_commits
from devs_git.workspace import Workspace
from tests.support.clones import Pair

Run = Callable[..., str]


@pytest.mark.quick
def test_diff_answers_by_the_index_as_by_the_whole_ledger(pair: Pair) -> None:
    for who, task in ((pair.ann, "10"), (pair.bob, "11"), (pair.ann, "12")):
        who.task(task)
    pair.meet()
    workspace = Workspace.open(pair.ann.top)
    names = ["task-10", "task-11", "task-12", "task-10@1", "task-11@1", "task-12@1", "10"]
    requests = [diff.Request(target=name) for name in names]
    requests += [diff.Request(target=name, against="task-10@0") for name in names]
    before = [diff.run(Workspace.open(pair.ann.top), request) for request in requests]
    index: Path = workspace.places.common / NAME
    assert not index.exists()
    index.touch()
    assert [diff.run(Workspace.open(pair.ann.top), request) for request in requests] == before
    assert index.stat().st_size


def test_log_answers_by_the_index_as_by_the_whole_ledger(pair: Pair) -> None:
    for who, task in ((pair.ann, "10"), (pair.bob, "11"), (pair.ann, "12")):
        who.task(task)
    pair.meet()
    workspace = Workspace.open(pair.ann.top)
    tags = [row.tag for row in log.run(workspace, log.Request()).checkpoints]
    assert len(tags) > 2
    requests = [log.Request(cursor=tag, limit=limit) for tag in tags for limit in (1, 20)]
    requests += [
        log.Request(task=task, graph=graph) for task in ("10", "11", "12") for graph in (True, False)
    ]
    before = [log.run(Workspace.open(pair.ann.top), request) for request in requests]
    (workspace.places.common / NAME).touch()
    assert [log.run(Workspace.open(pair.ann.top), request) for request in requests] == before


def test_whether_head_has_an_old_checkpoint_is_answered_by_the_index_as_by_git(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, git = pair.ann.top, pair.ann.git
    for task in ("10", "11", "12"):
        pair.ann.task(task)
    git("checkout", "-q", "-b", "side", "devs/task-10")
    pair.ann.task("13")
    # A checkpoint without its ref is on no branch.
    git("update-ref", "-d", "refs/devs/checkpoints/task-11/1")

    def answers(head: str) -> list[Any]:
        git("checkout", "-q", head)
        found: list[Any] = []
        for task in ("10", "11", "12", "13"):
            found.append(log.run(Workspace.open(top), log.Request(task=task)).checkpoints)
            found.append(task_status.run(Workspace.open(top), task_status.Request(task)))
            found.append(show.run(Workspace.open(top), show.Request(f"task-{task}")))
        return found

    heads = ("main", "side", "main~1", "devs/task-10", "side", "main")
    before = [answers(head) for head in heads]
    assert {row.on_head for found in before for rows in found[::3] for row in rows} == {True, False}
    monkeypatch.setattr(reached_commits, "OLD", -1)
    index: Path = pair.ann.opened.places.common / NAME
    index.touch()
    assert [answers(head) for head in heads] == before
    with closing(sqlite3.connect(index)) as base:
        assert base.execute("SELECT count(*) FROM reached WHERE yes").fetchone()[0]


def devs(top: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "devs_git", *words], cwd=top, check=True, capture_output=True)


def pages(top: Path, **wanted: Any) -> list[history.Result]:
    """All pages of two rows."""
    found, cursor = list[history.Result](), wanted.pop("cursor", "")
    while not found or cursor:
        found.append(history.run(Workspace.open(top), history.Request(limit=2, cursor=cursor, **wanted)))
        cursor = found[-1].next_cursor
    return found


def test_each_page_of_history_by_the_index_is_that_of_the_whole_ledger(pair: Pair) -> None:
    for who, task in ((pair.ann, "10"), (pair.bob, "11"), (pair.ann, "12")):
        who.task(task)
    pair.meet()
    pair.ann.task("13")
    filters: list[dict[str, Any]] = [{"task_id": f"1{number}"} for number in range(4)]
    filters += [{"types": types} for types in (("task",), ("file",), ("checkpoint", "repository"), ("gate",))]
    filters += [{"agent": "developer"}, {"agent": "reviewer"}, {"task_id": "10", "types": ("file",)}, {}]
    filters += [{"subtypes": some} for some in (("created",), ("added", "completed"), ("renamed",))]
    filters += [{"actor": name} for name in ("ANN", "bob", "nobody")]
    middle = pages(pair.ann.top)[3].events[0].created_at
    filters += [{"since": middle}, {"until": middle}, {"since": middle, "actor": "ann", "types": ("task",)}]
    filters += [{"contract": "main", "types": ("task",)}, {"contract": "main"}]
    oids = [row.id for page in pages(pair.ann.top) for row in page.events if ":" not in row.id]
    filters += [{"cursor": oid} for oid in oids]
    before = [pages(pair.ann.top, **dict(wanted)) for wanted in filters]
    assert max(map(len, before)) > 2
    (Workspace.open(pair.ann.top).places.common / NAME).touch()
    assert [pages(pair.ann.top, **dict(wanted)) for wanted in filters] == before


def test_files_that_tasks_added_deleted_and_renamed_are_found_by_the_index(pair: Pair) -> None:
    for name in ("kept", "gone", "moved"):
        (pair.ann.top / name).write_text(f"{name}\n" * 9)
        pair.ann.task(f"made-{name}")
    (pair.ann.top / "gone").unlink()
    pair.ann.task("delete")
    (pair.ann.top / "moved").rename(pair.ann.top / "there")
    pair.ann.task("rename")
    (pair.ann.top / "kept").write_text("other\n")
    pair.ann.task("modify")
    filters: list[dict[str, Any]] = [
        {"subtypes": (name,)} for name in ("added", "deleted", "renamed", "modified")
    ]
    filters += [
        {"subtypes": ("deleted", "renamed"), "types": ("file",)},
        {"subtypes": ("deleted", "created")},
    ]
    before = [pages(pair.ann.top, **wanted) for wanted in filters]
    assert [row.subject for page in before[4] for row in page.events] == ["renamed there", "deleted gone"]
    (Workspace.open(pair.ann.top).places.common / NAME).touch()
    assert [pages(pair.ann.top, **wanted) for wanted in filters] == before
    # What was looked at is not looked at again, and newer commits are.
    (pair.ann.top / "kept").unlink()
    pair.ann.task("delete-too")
    again = pages(pair.ann.top, subtypes=("deleted",))
    assert [row.subject for page in again for row in page.events] == ["deleted kept", "deleted gone"]


def test_what_a_rare_contract_and_a_past_phase_have_is_found_by_the_index(pair: Pair) -> None:
    top = pair.ann.top

    pair.ann.task("10")
    devs(top, "contract", "start", "rare")
    devs(top, "phase", "set", "plan", "--contract", "rare")
    devs(top, "task", "start", "11", "--title", "one", "--contract", "rare")
    (top / "eleven").write_text("eleven")
    devs(top, "task", "complete", "--all", "-m", "eleven")
    devs(top, "phase", "set", "execute", "--contract", "rare")
    devs(top, "task", "start", "12", "--title", "one", "--contract", "rare", "--phase", "review")
    (top / "twelve").write_text("twelve")
    devs(top, "task", "complete", "--all", "-m", "twelve")
    pair.ann.task("13")
    devs(top, "gate", "request", "--type", "MANUAL", "--blocker", "Somebody has to look at this.")
    filters: list[dict[str, Any]] = [{"contract": name} for name in ("rare", "main")]
    filters += [{"phase": name} for name in ("plan", "execute", "review", "research")]
    filters += [{"phase": "plan", "contract": "rare"}, {"phase": "plan", "contract": "main"}]
    before = [pages(top, **wanted) for wanted in filters]
    assert {row.task_id for page in before[2] for row in page.events} == {"", "task-11"}
    assert {row.phase for page in pages(top) for row in page.events if not (row.contract or row.task_id)} == {
        ""
    }
    (Workspace.open(top).places.common / NAME).touch()
    assert [pages(top, **wanted) for wanted in filters] == before


def test_a_contract_that_no_event_names_is_not_found_by_the_index(pair: Pair) -> None:
    pair.ann.task("10")
    (Workspace.open(pair.ann.top).places.common / NAME).touch()
    with pytest.raises(DevsError) as unknown:
        pages(pair.ann.top, contract="none")
    assert unknown.value.code == "CONTRACT_NOT_FOUND"
    devs(pair.ann.top, "contract", "start", "empty")
    assert pages(pair.ann.top, contract="empty")


def test_two_clones_that_record_for_one_task_side_by_side_have_the_same_files_by_the_index(
    pair: Pair,
) -> None:
    for clone in (pair.ann, pair.bob):
        devs(clone.top, "task", "start", "10", "--title", "one")
        for number in (1, 2):
            (clone.top / f"{clone.top.name}-{number}").write_text("one")
            devs(clone.top, "checkpoint", "--all", "-m", "one")
        # This records the commit of the checkpoint before again.
        devs(clone.top, "task", "complete", "-m", "one")
    for clone in (pair.ann, pair.bob, pair.ann):
        clone.sync()
    pair.ann.task("11")
    filters: list[dict[str, Any]] = [{}, {"types": ("file",)}, {"task_id": "10"}, {"subtypes": ("added",)}]
    before = [pages(pair.ann.top, **wanted) for wanted in filters]
    names = sorted(row.event_data["path"] for page in before[1] for row in page.events)
    assert names == sorted(["ann-1", "ann-2", "ann-11.txt", "bob-1", "bob-2"])
    (Workspace.open(pair.ann.top).places.common / NAME).touch()
    assert [pages(pair.ann.top, **wanted) for wanted in filters] == before


@pytest.mark.parametrize("oid", ["no oid", "--all", "1" * 40, ""])
def test_a_planted_row_of_the_index_does_not_end_history(pair: Pair, oid: str) -> None:
    for number in range(10, 13):
        pair.ann.task(str(number))
    filters: list[dict[str, Any]] = [{}, {"types": ("file",)}, {"task_id": "11"}, {"contract": "main"}]
    before = [pages(pair.ann.top, **wanted) for wanted in filters]
    path = Workspace.open(pair.ann.top).places.common / NAME
    path.touch()
    assert [pages(pair.ann.top, **wanted) for wanted in filters] == before
    with closing(sqlite3.connect(path)) as base:
        newest = base.execute("SELECT max(seq) FROM touches WHERE task = 'task-11'").fetchone()[0]
        base.execute("UPDATE events SET oid = ? WHERE seq = ?", (oid, newest))
        base.commit()
    assert [pages(pair.ann.top, **wanted) for wanted in filters] == before
