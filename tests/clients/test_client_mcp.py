"""Our MCP server, called by a client's model."""

from __future__ import annotations

import json
import re

import pytest

from tests.clients.everyday_run import Everyday
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def test_a_tool_of_ours_answers_the_model(everyday: Everyday) -> None:
    """Codex and Gemini CLI put words around the answer, and a model's program gets it wrapped."""
    told = everyday.run.results[2]
    if everyday.program.name == "codex-code":
        told = json.loads(told[told.index("{") :])["content"][0]["text"]
    told = told[told.index("{") : told.rindex("}") + 1]
    empty = {"checkpoints": [], "moments": [], "operations": [], "next_cursor": "", "not_believed": ""}
    answer = json.loads(told)
    assert (len(answer.pop("head")), answer.pop("head_branch")) == (40, "main")
    assert answer == empty


def test_a_tool_of_ours_that_writes_does_its_work(workbench: Workbench) -> None:
    program = workbench.program
    workbench.run(
        (program.own("start_task", task_id="10", title="The first task"),),
        (program.own("commit_task", message="Finish it. " * 60),),
    )
    assert workbench.answer("task", "status", "10")["status"] == "completed"
    # The server stored the long answer, a hook told it, and the transcript has it. It belongs to the task that it ended.
    traces = workbench.answer("trace", "list")["traces"]
    completing = [one for one in traces if one["tool_name"].endswith("commit_task")]
    assert [(one["task_id"], one["client"]) for one in completing] == [("task-10", program.client)]


def test_the_first_request_knows_our_tools_and_a_rewind_is_previewed_without_a_person(
    workbench: Workbench,
) -> None:
    """No client is told to wait for our server. Codex refuses a tool that is marked as destructive, whatever its arguments."""
    program = workbench.program
    (workbench.top / "new.txt").write_text("new")
    run = workbench.run(
        (program.own("start_task", task_id="10", title="The first task"),),
        (program.own("commit_task", message="Finish it"),),
        (program.own("preview_rewind", task_id="10"),),
        (program.own("rewind_to_task", task_id="10", dry_run=True),),
        waits=False,
    )
    assert re.search('mcp_+devs[-_]git|"devs-git_', json.dumps(run.asked[0].body))
    assert workbench.answer("task", "status", "10")["status"] == "completed"
    previewed, rewound = ("would_reset_to_commit" in told for told in run.results[2:])
    assert (previewed, rewound) == (True, program.client != "codex")


def test_a_tool_of_ours_that_fails_is_known_to_have_failed(workbench: Workbench) -> None:
    """Codex tells no hook how an MCP tool failed; its transcript does. Gemini CLI has one event for both ends. OpenCode tells
    plug-ins of it as of a message.
    """
    program = workbench.program
    run = workbench.run((program.own("commit_task", task_id="10", message="Finish it"),))
    assert "TASK_NOT_FOUND" in run.results[0]
    assert len(run.payloads_of(program.before)) == 1
    ends = ("PostToolUse", "PostToolUseFailure", "AfterTool")
    told = {"claude": ["PostToolUseFailure"], "codex": [], "gemini": ["AfterTool"], "opencode": []}
    assert [event for event in ends if run.payloads_of(event)] == told[program.client]
    messages = workbench.answer("conversation", "show")["messages"]
    (result,) = (one for one in messages if one["role"] == "tool")
    (trace,) = workbench.answer("trace", "list")["traces"]
    assert (trace["is_error"], result["is_error"]) == (True, True)
    assert trace["tool_name"].endswith("_commit_task")
    assert "TASK_NOT_FOUND" in workbench.devs_git("trace", "get", trace["trace_id"])
