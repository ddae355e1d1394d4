"""`show` tells all of one checkpoint; `branch` begins a branch there and does not switch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.commands import branch, drop, show, task_start
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import log_text
from devs_git.errors import DevsError
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks

Make = Callable[..., str]


@pytest.mark.quick
def test_show_gives_the_row_the_trailers_of_the_tag_and_the_parents(
    ledgered: Workspace, mark: Make, git: Make
) -> None:
    tag = mark(10, 3, completed=True, message="dates")
    found = show.show_checkpoint(ledgered, show.Request("task-10"))
    assert (found.name, found.tag, found.status, found.subject) == (
        "task-10@3",
        tag,
        "completed",
        "task-10@3: dates",
    )
    assert found.parents == (git("rev-parse", "HEAD^"),)
    assert [(line.key, line.value) for line in found.trailers] == [
        ("Devs-Task", "task-10"),
        ("Devs-Checkpoint", "3"),
    ]
    # Only the name of a task asks for its page.
    assert show.show_checkpoint(ledgered, show.Request(tag)) == replace(found, task=None)
    assert show.show_checkpoint(ledgered, show.Request(git("rev-parse", "HEAD"))) == replace(found, task=None)


def test_show_finds_a_rewound_checkpoint_by_its_number(
    ledgered: Workspace, mark: Make, rewound: Make
) -> None:
    rewound(mark(10, 1, completed=True))
    assert show.show_checkpoint(ledgered, show.Request("10@1")).status == "rewound"


@pytest.mark.quick
def test_show_has_the_page_of_a_task_that_was_never_completed(ledgered: Workspace, mark: Make) -> None:
    mark(10)
    last = mark(10, 2)
    found = show.show_checkpoint(ledgered, show.Request("task-10"))
    assert (found.tag, found.name, found.status, found.completed) == (last, "task-10@2", "active", False)
    assert found.task
    assert (found.task.status, [one.name for one in found.task.checkpoints]) == (
        "active",
        ["task-10@2", "task-10@1"],
    )


def test_show_has_the_page_of_a_rewound_task(ledgered: Workspace, mark: Make, rewound: Make) -> None:
    rewound(mark(10, 1, completed=True))
    found = show.show_checkpoint(ledgered, show.Request("task-10"))
    assert (found.name, found.status) == ("task-10@1", "rewound")
    assert found.task
    assert [one.status for one in found.task.checkpoints] == ["rewound"]


@pytest.mark.quick
def test_show_has_the_page_of_a_task_without_a_checkpoint(ledgered: Workspace) -> None:
    task_start.run(ledgered, task_start.Request("10", title="dates", plan="Think."))
    found = show.show_checkpoint(Workspace.open(ledgered.top), show.Request("task-10"))
    assert (found.task_id, found.status, found.number, found.tag, found.commit, found.parents) == (
        "task-10",
        "active",
        0,
        "",
        "",
        (),
    )
    assert found.task
    assert (found.task.title, found.task.plan, found.task.checkpoints) == ("dates", "Think.", ())
    text = log_text.show_text(found)
    assert text.startswith("task")
    assert "task-10 dates" in text
    assert "checkpoint" not in text


def test_show_has_the_page_of_a_dropped_task(tasks: Tasks) -> None:
    top = tasks({"10": {"a.txt": "10\n"}, "11": {"b.txt": "11\n"}}).top
    router.call("drop", Workspace.open(top), drop.Request("10"))
    found = show.show_checkpoint(Workspace.open(top), show.Request("10"))
    assert (found.name, found.status) == ("task-10@1", "dropped")
    assert found.task
    assert (found.task.status, [one.status for one in found.task.checkpoints]) == ("dropped", ["dropped"])


def test_show_of_an_unknown_task_has_no_page(ledgered: Workspace, mark: Make) -> None:
    mark(10)
    with pytest.raises(DevsError) as caught:
        show.show_checkpoint(ledgered, show.Request("task-11"))
    assert caught.value.code == "TASK_NOT_FOUND"


def test_show_says_when_the_tag_object_is_gone(ledgered: Workspace, mark: Make, git: Make) -> None:
    tag = mark(10)
    git("update-ref", "-d", "refs/devs/checkpoints/task-10/1")
    git("prune", "--expire=now")
    with pytest.raises(DevsError, match="missing") as caught:
        show.show_checkpoint(ledgered, show.Request("task-10@1"))
    assert (caught.value.code, caught.value.details["tag"]) == ("TAG_MISSING", tag)


def test_branch_begins_at_the_checkpoint_is_recorded_and_does_not_switch(
    ledgered: Workspace, mark: Make, git: Make
) -> None:
    mark(10, 2)
    there = git("rev-parse", "HEAD")
    git("commit", "--allow-empty", "-qm", "later")
    made = branch.run(ledgered, branch.Request("task-10@2", "try"))
    assert (made.commit, git("rev-parse", "refs/heads/try")) == (there, there)
    assert git("symbolic-ref", "--short", "HEAD") == "main"
    event = next(ledgered.ledger.events())
    assert (event.type, event.get("Devs-Branch"), event.get("Devs-Commit")) == (
        "branch.created",
        "try",
        there,
    )
    assert event.oid == made.event


@pytest.mark.quick
@pytest.mark.parametrize(
    "name", ["main", "main/x", "up/x", "feature", "a..b", "devs/ledger", "devs/x", "snapshot/x", "-d"]
)
def test_a_bad_or_taken_name_is_invalid_and_nothing_is_written(
    ledgered: Workspace, mark: Make, git: Make, name: str
) -> None:
    mark(10)
    git("branch", "feature/x")
    git("remote", "add", "up", "nowhere")
    before = git("for-each-ref")
    with pytest.raises(DevsError) as caught:
        branch.run(ledgered, branch.Request("task-10@1", name))
    assert caught.value.code == "INVALID_BRANCH"
    assert git("for-each-ref") == before


def test_branch_of_a_checkpoint_that_is_not_there(ledgered: Workspace, mark: Make) -> None:
    mark(10)
    for target, code in (("task-11", "TASK_NOT_FOUND"), ("task-10@9", "CHECKPOINT_NOT_FOUND")):
        with pytest.raises(DevsError) as caught:
            branch.run(ledgered, branch.Request(target, "try"))
        assert caught.value.code == code


def test_a_hook_that_refuses_is_told_as_that_and_not_as_a_bad_name(ledgered: Workspace, mark: Make) -> None:
    mark(1)
    hook = ledgered.places.common / "hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(DevsError, match=r"^A git hook refused to move a ref: not today$") as refused:
        branch.run(ledgered, branch.Request("task-1@1", "try"))
    assert refused.value.code == "CONFLICT"
