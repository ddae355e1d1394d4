"""An undo that reads only the events since its tasks began makes the plan that the whole ledger makes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import rewind, task_abandon, task_start, undo
from devs_git.errors import DevsError
from devs_git.operations.rewind import undo_messages, undo_plan
from devs_git.storage.ledger.index import NAME
from devs_git.workspace import Workspace
from tests.operations.rewind.test_rewind_scope import Alone, finish, folded_whole, plant
from tests.support.clones import LEDGER, Clone, make_pair
from tests.support.random_work import RandomWork

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_PLANS", "2"))


def outcome(here: Workspace, *, whole: bool) -> dict[str, Any]:
    """The plan or the refusal, as plain values."""
    site, tip, request = here.site, here.ledger.tip(), undo.Request(preserve="branch")
    try:
        scope = None if whole else undo_plan.scope_of_few_tasks(site, tip, None)
        if not scope and undo_messages.find(site, tip, None):
            return {}
        plan = undo_plan.make_plan(site, tip, request, scope)
    except DevsError as error:
        return {"code": error.code, "text": str(error), "hint": error.hint}
    return {
        "operation": plan.operation,
        "state": plan.state,
        "later": plan.later,
        "effect": plan.effect,
        "turns": plan.turns,
        "refs": plan.refs,
        "abandoned": plan.abandoned,
        "refusals": [(error.code, str(error), error.hint) for error in plan.refusals],
    }


@pytest.mark.parametrize("kind", [RandomWork, Alone])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_plan_of_an_undo_is_that_of_the_whole_ledger(
    kind: type[RandomWork], seed: int, initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = kind(seed + 400, make_pair(initialised, tmp_path))
    folded = folded_whole(monkeypatch)
    short = 0
    for _ in range(70):
        top = work.step().top
        (Workspace.open(top).ledger.common / NAME).touch()
        del folded[:]
        found = outcome(Workspace.open(top), whole=False)
        short += not folded and "operation" in found
        assert outcome(Workspace.open(top), whole=True) == found
    assert kind is RandomWork or short > 5, work.answers


@pytest.fixture
def rewound(initialised: Path) -> Clone:
    """Task 11 was finished after task 10, and a rewind undid it."""
    clone = Clone(initialised)
    finish(clone, "10", "ten.txt")
    finish(clone, "11", "eleven.txt")
    clone.call("rewind", rewind.Request("10"))
    return clone


@pytest.mark.quick
def test_with_a_planted_index_an_undo_revives_what_the_whole_ledger_revives(
    rewound: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = outcome(rewound.opened, whole=True)
    plant(rewound)
    folded = folded_whole(monkeypatch)
    assert outcome(rewound.opened, whole=False) == whole
    assert [point.name for point in whole["effect"].revived] == ["task-11@1", "task-11@2"]
    assert not folded


def test_a_copy_of_an_older_operation_that_somebody_pushed_is_not_undone(rewound: Clone) -> None:
    copied = rewound.git("log", "-1", "--format=%B", LEDGER)
    rewound.call("undo", undo.Request())
    forged = rewound.git("commit-tree", f"{LEDGER}^{{tree}}", "-p", LEDGER, "-m", copied)
    rewound.git("update-ref", LEDGER, forged)
    (rewound.opened.ledger.common / NAME).touch()
    found = outcome(rewound.opened, whole=False)
    assert found["operation"].type == "undone"
    assert found == outcome(rewound.opened, whole=True)


def test_an_undo_names_a_task_that_was_abandoned_since(rewound: Clone) -> None:
    rewound.call("task start", task_start.Request("12"))
    rewound.call("task abandon", task_abandon.Request("12"))
    (rewound.opened.ledger.common / NAME).touch()
    found = outcome(rewound.opened, whole=False)
    assert found["abandoned"] == ("task-12",)
    assert found == outcome(rewound.opened, whole=True)
