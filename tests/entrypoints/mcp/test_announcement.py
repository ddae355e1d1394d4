"""What a client is told of our tools before it calls one: few bytes, short texts, and no word too much."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from devs_git.entrypoints.mcp import announcement
from devs_git.entrypoints.tools.results import announced_schema, result_forms
from devs_git.entrypoints.tools.table import TOOLS

pytestmark = pytest.mark.quick

MOST = 45_000
# Room for tools that nobody has thought of yet.
COMING = 0
ROOM = 100
# So much of the instructions a model of Codex sees.
SEEN = 247


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_the_list_of_tools_is_small_and_has_room_for_those_to_come() -> None:
    listed = announcement.listed_tools()
    size = _size({"tools": listed})
    assert len(listed) == len(TOOLS)
    assert size <= MOST - ROOM, size
    assert size / len(listed) * (len(listed) + COMING) <= MOST, size


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_described_in_at_most_two_sentences(name: str) -> None:
    meaning = TOOLS[name].meaning
    assert meaning.endswith(".")
    assert len(re.findall(r"[.?!](?= |$)", meaning)) <= 2, meaning


@pytest.mark.parametrize("name", TOOLS)
def test_an_output_schema_has_the_names_and_types_of_the_top_level_and_no_more(name: str) -> None:
    tool = TOOLS[name]
    announced = announced_schema(tool)
    assert announced.keys() == {"type", "properties"}
    assert set(announced["properties"]) == {key for form in result_forms(tool) for key in form["properties"]}
    assert all(one.keys() <= {"type"} for one in announced["properties"].values())


def test_the_plan_of_a_preview_is_announced_and_not_the_result_of_a_rewind() -> None:
    known = announced_schema(TOOLS["preview_rewind"])["properties"]
    assert (known["plan_id"], known["blocked_by"]) == ({"type": "string"}, {"type": "array"})
    assert "rewind_id" not in known
    assert {"plan_id", "rewind_id"} <= announced_schema(TOOLS["rewind_to_task"])["properties"].keys()


def test_a_preview_only_reads_for_a_client_and_a_rewind_destroys() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in announcement.listed_tools()}
    assert (hints["preview_rewind"]["readOnlyHint"], hints["preview_rewind"]["destructiveHint"]) == (
        True,
        False,
    )
    assert (hints["rewind_to_task"]["readOnlyHint"], hints["rewind_to_task"]["destructiveHint"]) == (
        False,
        True,
    )


@pytest.mark.parametrize("name", TOOLS)
def test_the_announced_hints_say_what_a_client_would_not_assume(name: str) -> None:
    tool = TOOLS[name]
    hints = announcement.listed_tool(tool)["annotations"]
    told = {"readOnlyHint": tool.reads, "destructiveHint": tool.moves_tree, "openWorldHint": False}
    assert hints == told


def test_a_task_is_completed_without_its_id() -> None:
    assert TOOLS["commit_task"].input_schema()["required"] == []


def test_what_a_model_of_codex_sees_of_our_instructions_says_what_to_call_and_how_a_gate_shows() -> None:
    seen = announcement.INSTRUCTIONS[:SEEN]
    for word in (
        "devs-git",
        "checkpoints",
        "gates",
        "outputs of tools",
        "Call git_status first",
        "GATE_BLOCKED: stop, tell the person, and wait.",
    ):
        assert word in seen, word
    assert set(re.findall(r"[a-z]+(?:_[a-z]+)+", announcement.INSTRUCTIONS)) <= set(TOOLS)
