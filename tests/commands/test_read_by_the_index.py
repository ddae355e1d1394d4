"""Commands that show something answer by the index what they answer by the whole ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import diff, log
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
