"""Commands that show something answer by the index what they answer by the whole ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import diff, history, log
from devs_git.storage.ledger.index import NAME
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


def pages(top: Path, **wanted: Any) -> list[history.Result]:
    """All pages of two rows."""
    found, cursor = list[history.Result](), ""
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
    filters += [{"contract": "main", "types": ("task",)}]
    before = [pages(pair.ann.top, **wanted) for wanted in filters]
    assert max(map(len, before)) > 2
    (Workspace.open(pair.ann.top).places.common / NAME).touch()
    assert [pages(pair.ann.top, **wanted) for wanted in filters] == before
