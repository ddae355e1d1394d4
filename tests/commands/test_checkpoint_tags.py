"""What plain git shows of checkpoints, to whoever does not have our tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, task_complete, task_start
from devs_git.workspace import Workspace
from tests.conftest import Moulded

Run = Callable[..., str]


@pytest.fixture
def done(request: pytest.FixtureRequest, moulded: Moulded) -> Workspace:
    """task-10 with two numbered checkpoints and its completion."""
    return Workspace.open(moulded("task-10 done", lambda: request.getfixturevalue("_done")))


@pytest.fixture
def _done(ledgered: Workspace, repo: Path) -> None:
    task_start.run(
        ledgered, task_start.Request("10", title="Parse dates", client="Claude Code", phase="execute")
    )
    for name in ("one", "two"):
        (repo / name).write_text(name)
        checkpoint.run(ledgered, checkpoint.Request(name, everything=True))
    message = "Dates are parsed\n\nAll of ISO 8601, and what people write."
    task_complete.run(ledgered, task_complete.Request(message=message))


@pytest.mark.quick
@pytest.mark.usefixtures("done")
def test_numbered_checkpoints_stay_out_of_gits_own_lists(git: Run, tmp_path: Path) -> None:
    assert git("tag", "-n") == "devs/task-10    task-10: Dates are parsed"
    assert git("describe", "HEAD") == "devs/task-10"
    assert git("describe", "--exclude", "devs/*", "--always", "HEAD") == git("rev-parse", "--short", "HEAD")
    git("init", "-q", "--bare", str(tmp_path / "remote"))
    git("push", "-q", "--follow-tags", str(tmp_path / "remote"), "main")
    refs = git("for-each-ref", "--format=%(refname)", where=tmp_path / "remote").split()
    assert refs == ["refs/heads/main", "refs/tags/devs/task-10"]


@pytest.mark.usefixtures("done")
def test_log_and_for_each_ref_are_useful_without_our_tool(git: Run) -> None:
    ledger = git("rev-parse", "refs/heads/devs/ledger^")
    assert git("log", "-1", "--format=%D") == "HEAD -> main, tag: devs/task-10"
    shown = git("for-each-ref", "--format=%(contents:trailers)", "refs/tags/devs")
    assert shown == (
        "Devs-Task: task-10\nDevs-Checkpoint: 3\nDevs-Completed: true\nDevs-Agent: developer\n"
        f"Devs-Client: Claude Code\nDevs-Phase: execute\nDevs-Ledger: {ledger}"
    )
    body = git("for-each-ref", "--format=%(contents:body)", "refs/tags/devs")
    assert body.startswith("All of ISO 8601, and what people write.\n\nDevs-Task: task-10\n")
    numbers = git("for-each-ref", "--format=%(refname:lstrip=3) %(contents:subject)", "refs/devs/checkpoints")
    assert numbers.split("\n") == [
        "task-10/1 task-10@1: one",
        "task-10/2 task-10@2: two",
        "task-10/3 task-10: Dates are parsed",
    ]
    assert git("fsck", "--strict") == ""
    assert git("log", "-1", "--format=%s", "refs/heads/devs/ledger") == "complete: task-10: Dates are parsed"


def test_a_tag_of_that_name_that_is_not_ours_is_never_moved(
    ledgered: Workspace, git: Run, repo: Path
) -> None:
    from devs_git.errors import DevsError

    task_start.run(ledgered, task_start.Request("10"))
    git("tag", "devs/task-10", "HEAD~1")
    (repo / "new.txt").write_text("new\n")
    before = git("for-each-ref")
    with pytest.raises(DevsError, match="does not know") as refused:
        task_complete.run(ledgered, task_complete.Request(everything=True))
    assert (refused.value.code, git("for-each-ref"), git("status", "--porcelain")) == (
        "CONFLICT",
        before,
        "?? new.txt",
    )


def test_a_checkpoint_concludes_a_merge_with_its_message(ledgered: Workspace, git: Run, repo: Path) -> None:
    git("checkout", "-qb", "side", "HEAD~1")
    (repo / "side.txt").write_text("side\n")
    git("add", "side.txt")
    git("commit", "-qm", "side")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-commit", "--no-ff", "side")
    task_start.run(ledgered, task_start.Request("10"))
    row = checkpoint.run(ledgered, checkpoint.Request())
    assert (row.message, row.files_changed) == ("Merge branch 'side'", 1)
    assert len(git("rev-parse", "HEAD^@").split()) == 2


def test_a_rewound_id_is_free_again_and_its_numbers_go_on(done: Workspace, git: Run) -> None:
    from devs_git.domain.ledger.events import Draft, RefUpdate

    history = done.ledger.tip().history
    undone = [("Devs-Undone", point.tag) for point in history.of_task("task-10")]
    event = done.event("rewound", "rewind", *undone, ("Devs-Status", "task-10 rewound"), verb_name="rewind")
    tag = git("rev-parse", "refs/tags/devs/task-10")
    done.ledger.append(lambda _tip: Draft(event, (), (RefUpdate("refs/tags/devs/task-10", "0" * 40, tag),)))
    assert task_start.run(done, task_start.Request("10", title="Again")).next_checkpoint == 4
    assert checkpoint.run(done, checkpoint.Request()).number == 4
    row = task_complete.run(done, task_complete.Request())
    assert (row.number, git("rev-parse", "refs/tags/devs/task-10")) == (5, row.tag)
