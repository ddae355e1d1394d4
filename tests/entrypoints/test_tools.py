"""The tool table: every tool calls a verb, is guarded like it, and answers like `--json` on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.calls import own_tools
from devs_git.domain.recall.traces import TOOL_OUTPUT_TRACE_THRESHOLD
from devs_git.domain.verbs import DESTROYS, VERBS
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.results import output_schema
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import CODES
from devs_git.storage.documents import schemas
from devs_git.values import fields
from devs_git.workspace import Workspace
from tests.entrypoints.samples import sample
from tests.support import gate_scene

Git = Callable[..., str]
NO_TOOL = (
    "gate approve",
    "gate reject",
    "gate wait",
    "init",
    "doctor",
    "verify",
    "sync",
    "history-rewritten",
    "trace prune",
    "snapshot prune",
    "purge",
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_a_verb_that_no_person_alone_may_call(name: str) -> None:
    tool = TOOLS[name]
    assert tool.verb_name in VERBS
    assert tool.verb_name not in NO_TOOL
    assert tool.verb.tier != DESTROYS
    assert set(tool.every_code) <= set(CODES)
    kind = __import__(tool.verb.module, fromlist=["Request"]).Request
    assert {one.target for one in tool.params if not one.worktree} | set(tool.fixed) <= set(fields(kind))
    assert output_schema(tool.verb.module)["type"] == "object"


def test_while_a_gate_is_open_a_tool_answers_as_its_verb_does(initialised: Path) -> None:
    gate = gate_scene.ask(Workspace.open(initialised), kind="MANUAL")
    found = ("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "CHECKOUT_FAILED")  # comes first
    for name, tool in TOOLS.items():
        answer = calling.call(name, sample(name), initialised)
        code = answer.value.get("code")
        if tool.runs_while_frozen:
            assert code != "GATE_BLOCKED", name
        else:
            assert code in ("GATE_BLOCKED", *found), name
        # One of the tools opens a second gate.
        waiting = Workspace.open(initialised).ledger.open_gates()
        assert gate in waiting
        assert code != "GATE_BLOCKED" or answer.value["gate_id"] in waiting


def test_a_tool_answers_exactly_what_the_command_line_prints(initialised: Path) -> None:
    calling.call("start_task", {"task_id": "1", "title": "x"}, initialised)
    (initialised / "new.txt").write_text("new\n")
    done = calling.call("commit_task", {"task_id": "1", "message": "m"}, initialised)
    assert (done.is_error, done.value["task_id"]) == (False, "task-1")
    for tool, words in (
        ("git_status", ("status",)),
        ("list_checkpoints", ("log",)),
        ("show_checkpoint", ("show", "task-1")),
    ):
        command = [sys.executable, "-m", "devs_git", *words, "--json"]
        printed = subprocess.run(command, cwd=initialised, capture_output=True, check=True).stdout
        arguments = {"checkpoint": "task-1"} if tool == "show_checkpoint" else {}
        assert calling.call(tool, arguments, initialised).value == json.loads(printed)


WRONG: list[tuple[str, dict[str, object], str, str | None]] = [
    ("get_task_trace", {}, "INVALID_INPUT", "traceId"),
    ("get_task_trace", {"traceId": ""}, "INVALID_INPUT", "traceId"),
    ("get_task_trace", {"traceId": 7}, "INVALID_INPUT", "traceId"),
    ("get_task_trace", {"traceId": "a\0b"}, "INVALID_INPUT", "traceId"),
    ("get_task_trace", {"traceId": "\ud800"}, "INVALID_INPUT", "traceId"),
    ("get_task_trace", {"traceId": "x", "offset": -1}, "INVALID_INPUT", "offset"),
    ("get_task_trace", {"traceId": "x", "offset": "1"}, "INVALID_INPUT", "offset"),
    ("get_task_trace", {"traceId": "x", "limit": 3}, "INVALID_INPUT", "limit"),
    ("get_task_trace", {"traceId": "x", "more": 1}, "INVALID_INPUT", "more"),
    ("get_task_trace", {"traceId": "nope"}, "TRACE_NOT_FOUND", None),
    ("show_checkpoint", {}, "INVALID_ARGUMENTS", "checkpoint"),
    ("show_checkpoint", {"checkpoint": "../x"}, "INVALID_ARGUMENTS", "checkpoint"),
    ("show_checkpoint", {"checkpoint": 7}, "INVALID_ARGUMENTS", "checkpoint"),
    ("show_checkpoint", {"checkpoint": "1", "more": 1}, "INVALID_ARGUMENTS", "more"),
    ("list_checkpoints", {"limit": True}, "INVALID_ARGUMENTS", "limit"),
    ("rewind_to_task", {"task_id": "nope"}, "TASK_NOT_FOUND", None),
    ("git_checkout", {"branch_name": "--output=x"}, "INVALID_BRANCH", None),
    ("request_tas_revision", {"agent_id": "developer"}, "INVALID_ARGUMENTS", "task_id"),
    (
        "request_tas_revision",
        {
            "agent_id": "developer",
            "task_id": "1",
            "blocker_description": "x" * 20,
            "proposed_changes": {"rationale": "x" * 20, "risk_assessment": "x" * 20},
        },
        "INVALID_ARGUMENTS",
        "proposed_changes.sections_to_modify",
    ),
    ("gate_approve", {}, "INVALID_ARGUMENTS", "tool"),
]


def test_what_is_wrong_is_an_envelope_that_names_the_argument(initialised: Path) -> None:
    for name, arguments, code, field in WRONG:
        answer = calling.call(name, arguments, initialised)
        assert (answer.is_error, answer.value["code"], answer.value.get("field")) == (True, code, field), name
        assert str(initialised) not in answer.text


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("rewind_to_task", {"task_id": 7}, "task_id is a whole number; it must be text."),
        ("list_checkpoints", {"limit": 1.5}, "limit is a number; it must be a whole number."),
        ("get_task_trace", {"traceId": None}, "traceId is null; it must be text."),
        ("git_status", {"more": 1}, "more is not known; no fields are allowed."),
    ],
)
def test_a_message_names_an_argument_as_it_is_called(
    name: str, arguments: dict[str, object], message: str, tmp_path: Path
) -> None:
    assert calling.call(name, arguments, tmp_path).value["message"] == message


@pytest.mark.quick
def test_a_worktree_of_this_repository_may_be_named_and_no_other_place(
    initialised: Path, git: Git, tmp_path: Path
) -> None:
    git("branch", "one")
    git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "two")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    git("init", "-q", str(tmp_path / "foreign"))
    (initialised / "out").symlink_to(tmp_path / "foreign")
    for place in (
        str(tmp_path / "foreign"),
        "out",
        "..",
        "/",
        "missing",
        "--output=x",
        ".git",
        str(tmp_path),
    ):
        answer = calling.call("git_checkout", {"branch_name": "one", "repo_path": place}, initialised)
        assert (answer.value["code"], answer.value["field"]) == ("INVALID_ARGUMENTS", "repo_path"), place
        assert str(tmp_path) not in answer.text
    there = {"branch_name": "one", "repo_path": str(tmp_path / "link")}
    assert calling.call("git_checkout", there, initialised).value["branch"] == "one"
    assert git("branch", "--show-current", where=tmp_path / "linked") == "one"
    assert git("branch", "--show-current") == "main"
    git("branch", "three")
    assert calling.call("git_checkout", {"branch_name": "three", "repo_path": "."}, initialised).value[
        "branch"
    ]


def test_a_long_answer_is_stored_and_names_its_trace_and_a_short_one_is_not(initialised: Path) -> None:
    for number in range(1, 5):
        calling.call("start_task", {"task_id": str(number), "title": "x" * 100}, initialised)
        calling.call("commit_task", {"task_id": str(number), "message": "m"}, initialised)
    long = calling.call("rewind_to_task", {"task_id": "1"}, initialised)
    assert len(long.text) > TOOL_OUTPUT_TRACE_THRESHOLD
    whole = calling.call("get_task_trace", {"traceId": long.trace_id}, initialised)
    assert (whole.value["fullOutput"], whole.trace_id) == (long.text, "")
    dry = calling.call("rewind_to_task", {"task_id": "1", "dry_run": True}, initialised)
    assert (len(dry.text) > TOOL_OUTPUT_TRACE_THRESHOLD, dry.trace_id) == (True, "")
    assert calling.call("list_gates", {}, initialised).trace_id == ""
    read = calling.call("list_checkpoints", {}, initialised)
    assert (len(read.text) > TOOL_OUTPUT_TRACE_THRESHOLD, read.trace_id) == (True, "")


def test_the_guard_knows_each_tool_and_those_whose_calls_are_not_stored_are_those_of_tier_0() -> None:
    assert {name for name, tool in TOOLS.items() if tool.reads} == own_tools.READING
    assert {name for name, tool in TOOLS.items() if not tool.reads} == own_tools.WRITING
    assert TOOLS[own_tools.COMPLETING].verb_name == "task complete"


def test_a_result_fits_the_schema_that_is_announced(initialised: Path) -> None:
    calling.call("start_task", {"task_id": "1", "title": "x"}, initialised)
    calling.call("commit_task", {"task_id": "1", "message": "m"}, initialised)
    assert not calling.call("store_trace", {"output": "printed", "traceId": "t-1"}, initialised).is_error
    for name in (name for name, tool in TOOLS.items() if tool.reads and name != "get_gate"):
        answer = calling.call(name, sample(name), initialised)
        assert not answer.is_error, name
        assert list(schemas.departures(_known(output_schema(TOOLS[name].verb.module)), answer.value)) == []


def _known(schema: dict[str, object]) -> dict[str, object]:
    """The keywords of a schema that our reader knows: types, properties, required."""
    kept = {key: value for key, value in schema.items() if key in ("type", "required")}
    if isinstance(schema.get("properties"), dict):
        kept["properties"] = {key: _known(value) for key, value in schema["properties"].items()}  # type: ignore[attr-defined]
    return kept if kept.get("type") != "number" else {}


def test_a_repository_in_the_place_of_another_is_not_taken_for_it(
    initialised: Path, git: Git, tmp_path: Path
) -> None:
    assert calling.call("git_status", {}, initialised).value["initialized"]
    (initialised / ".git").rename(tmp_path / "old")
    git("init", "-q")
    assert calling.call("git_status", {}, initialised).value["code"] == "NOT_INITIALIZED"
    (initialised / ".git" / "devs").symlink_to(tmp_path)
    assert calling.call("git_status", {}, initialised).value["field"] == "repository"
    (initialised / ".git" / "devs").unlink()
    (initialised / ".git").rename(tmp_path / "second")
    assert calling.call("git_status", {}, initialised).value["code"] == "NOT_A_REPOSITORY"


def test_a_file_whose_name_is_no_text_is_told_in_text_that_every_protocol_can_carry(
    initialised: Path,
) -> None:
    (initialised / os.fsdecode(b"bad\xff.txt")).write_text("x")
    answer = calling.call("git_status", {}, initialised)
    assert answer.value["untracked"] == ["bad\ufffd.txt"]
    assert json.loads(answer.text.encode()) == answer.value


def test_a_refusal_is_told_and_kept_like_any_answer(initialised: Path) -> None:
    hook = initialised / ".git" / "hooks" / "pre-commit"
    hook.write_text(
        "#!/bin/sh\nfor n in 1 2 3 4 5 6 7 8; do printf 'wrong here: \\377 %90s\\n' $n >&2; done; exit 1\n"
    )
    calling.call("start_task", {"task_id": "1"}, initialised)
    (initialised / "new.txt").write_text("new")
    answer = calling.call("commit_task", {"task_id": "1", "message": "m"}, initialised)
    assert (answer.is_error, answer.value["code"]) == (True, "CONFLICT")
    found = calling.call("get_task_trace", {"traceId": answer.trace_id}, initialised).value
    assert json.loads(found["fullOutput"]) == answer.value


def test_a_refusal_names_a_file_that_is_no_text_in_text(initialised: Path) -> None:
    odd = os.fsdecode(os.fsencode(initialised) + b"/\xff")
    for task in ("1", "2"):
        calling.call("start_task", {"task_id": task}, initialised)
        if task == "1":
            Path(odd).write_text("1")
        else:
            Path(odd).unlink()
        assert not calling.call("commit_task", {"task_id": task, "message": "m"}, initialised).is_error
    Path(odd).write_text("of nobody's")
    answer = calling.call("rewind_to_task", {"task_id": "1"}, initialised)
    assert answer.value["code"] == "GIT_RESET_FAILED"
    answer.text.encode()  # which a half of a character could not be
