"""Our MCP server, called by a client's model."""

from __future__ import annotations

import json

import pytest

from tests.clients.everyday_run import Everyday
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def test_a_tool_of_ours_answers_the_model(everyday: Everyday) -> None:
    """Codex puts words before the answer, and a model's program gets it wrapped."""
    told = everyday.run.results[2]
    if everyday.program.name == "codex-code":
        told = json.loads(told[told.index("{") :])["content"][0]["text"]
    empty = {"checkpoints": [], "operations": [], "next_cursor": "", "not_believed": ""}
    assert json.loads(told[told.index("{") :]) == empty


def test_a_tool_of_ours_that_writes_does_its_work(workbench: Workbench) -> None:
    program = workbench.program
    workbench.run((program.own("start_task", task_id="10", title="The first task"),))
    assert workbench.answer("task", "status", "10")["status"] == "active"
