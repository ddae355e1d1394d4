"""When the catalog is opened, traces of rewound tasks are marked as the ledger says. An undo removes the marks."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import (
    rewind,
    task_complete,
    task_start,
    trace_export,
    trace_get,
    trace_import,
    trace_list,
    trace_put,
    trace_search,
    undo,
)
from devs_git.entrypoints import router
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.workspace import Workspace

Run = Callable[..., str]


def work(top: Path, task: str) -> None:
    workspace = Workspace.open(top)
    router.call("task start", workspace, task_start.Request(task, title="x"))
    (top / f"{task}.txt").write_text(task)
    router.call(
        "trace put",
        Workspace.open(top),
        trace_put.Request(f"output of {task}".encode(), trace_id=f"of {task}"),
    )
    router.call("task complete", Workspace.open(top), task_complete.Request(None, "done", everything=True))


def listed(top: Path, *, rewound: bool = False) -> list[tuple[str, bool]]:
    found = trace_list.run(Workspace.open(top), trace_list.Request(rewound=rewound)).traces
    return [(row.trace_id, row.rewound) for row in found]


@pytest.fixture
def two(initialised: Path) -> Path:
    work(initialised, "10")
    work(initialised, "11")
    return initialised


@pytest.mark.quick
def test_a_rewind_hides_the_traces_of_the_tasks_it_undid_and_an_undo_shows_them(two: Path) -> None:
    assert listed(two) == [("of 11", False), ("of 10", False)]
    router.call("rewind", Workspace.open(two), rewind.Request("task-10"))
    assert listed(two) == [("of 10", False)]
    assert listed(two, rewound=True) == [("of 11", True), ("of 10", False)]
    found = trace_search.run(Workspace.open(two), trace_search.Request("output"))
    assert [hit.trace_id for hit in found.hits] == ["of 10"]
    whole = trace_get.run(Workspace.open(two), trace_get.Request("of 11"))
    assert whole.fullOutput == "output of 11"
    router.call("undo", Workspace.open(two), undo.Request())
    assert listed(two) == [("of 11", False), ("of 10", False)]
    router.call("undo", Workspace.open(two), undo.Request())
    assert listed(two) == [("of 10", False)]


def test_a_task_of_the_same_name_after_a_rewind_is_another_one(two: Path) -> None:
    router.call("rewind", Workspace.open(two), rewind.Request("task-10"))
    router.call("trace put", Workspace.open(two), trace_put.Request(b"later", trace_id="later", task_id="11"))
    assert listed(two) == [("later", False), ("of 10", False)]


def test_a_trace_that_is_imported_stays_hidden_while_its_task_is_rewound(two: Path) -> None:
    packed = bytearray()
    trace_export.run(Workspace.open(two), trace_export.Request(packed.extend))
    router.call("rewind", Workspace.open(two), rewind.Request("task-10"))
    assert listed(two) == [("of 10", False)]
    request = trace_import.Request(io.BytesIO(packed))
    assert trace_import.run(Workspace.open(two), request) == trace_import.Result(2, 0, 2, ())
    assert listed(two) == [("of 10", False)]
    router.call("undo", Workspace.open(two), undo.Request())
    assert listed(two) == [("of 11", False), ("of 10", False)]


def test_an_undo_over_several_rewinds_shows_the_traces_that_any_of_them_hid(two: Path) -> None:
    work(two, "12")
    over = router.call("rewind", Workspace.open(two), rewind.Request("task-11")).rewind_id
    assert listed(two) == [("of 11", False), ("of 10", False)]
    router.call("rewind", Workspace.open(two), rewind.Request("task-10"))
    assert listed(two) == [("of 10", False)]
    router.call("undo", Workspace.open(two), undo.Request(over))
    assert [name for name, _ in listed(two)] == ["of 12", "of 11", "of 10"]
    router.call("undo", Workspace.open(two), undo.Request())
    assert listed(two) == [("of 10", False)]


def test_a_rewind_to_a_checkpoint_that_was_undone_shows_the_traces_of_its_task(two: Path, git: Run) -> None:
    work(two, "12")
    ahead = git("rev-parse", "HEAD")
    router.call("rewind", Workspace.open(two), rewind.Request("task-10"))
    assert listed(two) == [("of 10", False)]
    git("reset", "-q", "--hard", ahead)  # the branch has their commits again
    everything = [("of 12", False), ("of 11", False), ("of 10", False)]
    assert listed(two) == everything
    router.call("rewind", Workspace.open(two), rewind.Request("task-11@1"))
    assert listed(two) == everything[1:]
    router.call("undo", Workspace.open(two), undo.Request())
    assert listed(two) == everything


def test_the_plan_of_a_rewind_names_the_tables_that_it_would_mark(two: Path) -> None:
    plan = rewind.run(Workspace.open(two), rewind.Request("task-10", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert plan.sqlite_tables_affected == ("traces",)
    assert ledger_marks.tables_with(two / ".git/devs/catalog.db", ["task-99"]) == ()


def test_a_damaged_catalog_stops_no_plan_of_a_rewind(two: Path) -> None:
    file = two / ".git/devs/catalog.db"
    file.write_bytes(b"no database" * 1000)
    plan = rewind.run(Workspace.open(two), rewind.Request("task-10", dry_run=True))
    assert isinstance(plan, rewind.Plan)
    assert (plan.affected_tasks, plan.sqlite_tables_affected) == (("task-11",), ())


def test_the_plan_sees_what_somebody_who_has_the_catalog_open_has_written(two: Path) -> None:
    with open_catalog.open_catalog(Workspace.open(two)):
        script = "import sys; from devs_git.__main__ import main; sys.exit(main())"
        put = [sys.executable, "-c", script, "trace", "put", "--task", "77"]
        subprocess.run(put, input=b"new", cwd=two, check=True, capture_output=True)
        assert ledger_marks.tables_with(two / ".git/devs/catalog.db", ["task-77"]) == ("traces",)
