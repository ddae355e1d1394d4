"""When a task goes on, when it is completed again, and when its id has to be started first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.domain.checkpoints.task_states import require_known, require_live, require_running, require_task
from devs_git.domain.ledger.history import History, Task
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick
STATES = ("", "active", "completed", "rewound", "dropped")


@pytest.mark.parametrize(
    ("require", "codes"),
    [
        (require_known, ("TASK_NOT_FOUND", "", "", "", "")),
        (require_live, ("TASK_NOT_FOUND", "", "", "CONFLICT", "CONFLICT")),
        (require_running, ("TASK_NOT_FOUND", "", "TASK_EXISTS", "CONFLICT", "CONFLICT")),
    ],
)
def test_each_state_of_a_task_is_refused_with_its_own_code(
    require: Callable[[str, str], None], codes: tuple[str, ...]
) -> None:
    for state, code in zip(STATES, codes, strict=True):
        if not code:
            require("task-10", state)
            continue
        with pytest.raises(DevsError, match="task-10") as refused:
            require("task-10", state)
        assert (refused.value.code, refused.value.details["task_id"]) == (code, "task-10"), state
        assert "task start" in refused.value.hint


def test_a_task_is_given_as_the_ledger_knows_it() -> None:
    known = Task("task-10", "rewound")
    assert require_task(History(tasks={"task-10": known}), "task-10") == known
    with pytest.raises(DevsError) as refused:
        require_task(History(tasks={"task-10": known}), "task-11")
    assert refused.value.code == "TASK_NOT_FOUND"
