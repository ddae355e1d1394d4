"""Between the survey of a rewind and its commit, another command undoes the same checkpoint."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.storage.worktree.test_at_the_same_time import meanwhile
from tests.support.repository_contents import litter, state
from tests.support.scene import Scene


@pytest.mark.quick
def test_a_checkpoint_that_another_worktree_undoes_meanwhile_is_not_undone_twice(worked: Scene) -> None:
    """The other undo is in the ledger before our commit: our files are taken back, and we write no event."""
    old = state(worked.top)
    other = Workspace.open(worked.top)
    point = next(
        point for point in other.ledger.tip().history.checkpoints.values() if point.name == "task-12@1"
    )
    event = other.event("rewound", "rewind: elsewhere", ("Devs-Undone", point.tag), verb_name="rewind")
    told: list[str] = []
    outcome = meanwhile(
        worked,
        "files",
        lambda: told.append(other.append(lambda _tip: Draft(event)).oid),
        rewind.Request("10"),
    )
    assert isinstance(outcome, DevsError)
    assert (outcome.code, outcome.message) == ("PLAN_STALE", "The checkpoints changed during the rewind.")
    now = state(worked.top)
    assert [now[key] for key in ("head", "index", "files", "refs")] == [
        old[key] for key in ("head", "index", "files", "refs")
    ]
    events = [*Workspace.open(worked.top).ledger.events(since=told[0])]
    assert [event.get("Devs-Outcome") for event in events] == ["failed"]
    assert litter(worked.top) == []
