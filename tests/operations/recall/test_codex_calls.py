"""A call of Codex's tools is one trace, whoever tells of it and in whatever order, and it says how the call ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.hook_payload import trace_id_of
from devs_git.domain.recall.conversation import Message
from devs_git.domain.recall.traces import TraceRow
from devs_git.operations.recall import spool
from devs_git.storage.catalog import messages, traces, transcripts
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.transcripts import ReadContext, Source
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import leave
from tests.support.codex_rollout import (
    LONG,
    MARK,
    SESSION,
    Rollout,
    cut_text,
    shell_answer,
    shell_result,
    told_hook,
)
from tests.support.conversation_scene import NOW, ids

pytestmark = pytest.mark.quick

FAILING = "echo three >&2; exit 3"
VERY_LONG = "".join(f"{number}\n" for number in range(1, 30001))
KEPT = VERY_LONG[:32000] + MARK + VERY_LONG[-(65536 - 32000 - len(MARK)) :]


class Stored:
    """What the catalog has after a transcript was read and hooks were heard."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self._workspace, self._path = workspace, folder / "rollout-1.jsonl"

    def hear(self, *payloads: Any) -> None:
        for payload in payloads:
            leave(self._workspace, payload, client="codex")
        with Catalog.open(self._workspace.places.shared) as catalog:
            spool.ingest(self._workspace.places, self._workspace.store_git, catalog)

    def read(self, rollout: Rollout) -> None:
        self._path.write_bytes(rollout.data)
        with Catalog.open(self._workspace.places.shared) as catalog:
            transcripts.take_in(catalog, Source(self._path), ReadContext(NOW, NOW, ids))

    @property
    def rows(self) -> Sequence[TraceRow]:
        with Catalog.open(self._workspace.places.shared) as catalog:
            names = catalog.rows("SELECT trace_id FROM traces ORDER BY created_at, tool_use_id")
            return [row for (name,) in names if (row := traces.row(catalog, name))]

    @property
    def told(self) -> list[tuple[str, bool | None, str]]:
        """Of each trace the tool, whether it failed, and the output."""
        with Catalog.open(self._workspace.places.shared) as catalog:
            return [
                (row.tool_name, row.is_error, traces.output(catalog, row.trace_id).decode())
                for row in self.rows
            ]

    @property
    def results(self) -> list[Message]:
        with Catalog.open(self._workspace.places.shared) as catalog:
            found = messages.places(catalog, SESSION, 1000, 1000)
        return [place.message for place in found if place.message.role == "tool"]


@pytest.fixture
def stored(ledgered: Workspace, tmp_path: Path) -> Stored:
    return Stored(ledgered, tmp_path)


def id_of(call_id: str) -> str:
    return trace_id_of(SESSION, call_id, "PostToolUse")


def failing() -> Rollout:
    rollout = Rollout()
    rollout.call("call_2_0", "exec_command", {"cmd": FAILING})
    rollout.ended("call_2_0", FAILING, "three\n", 3)
    rollout.result("call_2_0", shell_result("three\n", "Process exited with code 3"))
    return rollout


@pytest.mark.parametrize("order", ["hook first", "transcript first", "no hook"])
def test_a_command_that_failed_is_known_to_have_failed_whoever_tells_of_it_first(
    stored: Stored, order: str
) -> None:
    if order == "hook first":
        stored.hear(told_hook("call_2_0", FAILING, "three\n"))
        # A hook is not told whether a call failed.
        assert stored.told == [("Bash", None, "three\n")]
    stored.read(failing())
    if order == "transcript first":
        stored.hear(told_hook("call_2_0", FAILING, "three\n"))
    assert stored.told == [("Bash", True, "three\n")]
    (row,) = stored.rows
    assert (row.trace_id, row.duration_ms, row.session_id) == (id_of("call_2_0"), 1167, SESSION)
    (result,) = stored.results
    assert (result.is_error, result.trace_id) == (True, row.trace_id)


def test_an_mcp_tool_that_failed_is_a_trace_though_no_hook_is_told(stored: Stored) -> None:
    said = '{"error": "TASK_NOT_FOUND"}'
    rollout = Rollout()
    rollout.call("call_1_0", "rewind_to_task", {"task_id": "10"}, "mcp__devs_git")
    rollout.answered("call_1_0", said, failed=True)
    rollout.result("call_1_0", 'Wall time: 0.0393 seconds\nOutput:\n{"error":"TASK_NOT_FOUND"}')
    stored.read(rollout)
    assert stored.told == [("mcp__devs_git__rewind_to_task", True, said)]
    (result,) = stored.results
    assert (result.tool_name, result.is_error) == ("mcp__devs_git__rewind_to_task", True)


def test_a_patch_that_codex_refused_is_a_trace_though_only_the_result_tells_it(stored: Stored) -> None:
    rollout = Rollout()
    rollout.call("call_2_0", "apply_patch", "*** Begin Patch\n*** Update File: a\n@@\n-b\n*** End Patch\n")
    told = "apply_patch verification failed: Failed to find expected lines in a:\nb"
    rollout.patched("call_2_0", told)
    stored.read(rollout)
    assert stored.told == [("apply_patch", True, told)]


def test_a_call_that_a_hook_denied_is_no_trace_however_long_the_denial_is(stored: Stored) -> None:
    told = f"Command blocked by PreToolUse hook: GATE_BLOCKED: this repository is frozen.. Command: {LONG}"
    rollout = Rollout()
    rollout.call("call_1_0", "apply_patch", LONG)
    rollout.patched("call_1_0", told)
    rollout.call("call_2_0", "exec", "text(await tools.apply_patch(…));", "functions")
    rollout.program("call_2_0", f"Script error:\n{told}", state="failed")
    stored.read(rollout)
    assert stored.told == []
    assert [result.is_error for result in stored.results] == [True, True]
    assert [told in (result.tool_result or "") for result in stored.results] == [True, True]


@pytest.mark.parametrize("heard", [True, False])
def test_a_long_result_of_a_program_is_the_trace_of_the_tool_that_it_called(
    stored: Stored, *, heard: bool
) -> None:
    rollout = Rollout()
    rollout.call("call_1_0", "exec", "text(await tools.exec_command(…));", "functions")
    rollout.ended("exec-971b", "seq 1000 1299", LONG)
    rollout.program("call_1_0", shell_answer(LONG))
    if heard:
        stored.hear(told_hook("exec-971b", "seq 1000 1299", LONG))
    stored.read(rollout)
    assert stored.told == [("Bash", False, LONG)]
    (result,) = stored.results
    assert (result.tool_name, result.trace_id, result.trace_ids) == ("exec", id_of("exec-971b"), None)
    assert f"trace get {id_of('exec-971b')}" in (result.tool_result or "")
    assert (result.tool_result or "").startswith("Script completed\nWall time 0.5 seconds\n")


def test_a_program_that_called_several_tools_names_each_trace_and_keeps_its_own_words(stored: Stored) -> None:
    more = LONG.replace("1", "2")
    rollout = Rollout()
    rollout.call("call_4_0", "exec", "…", "functions")
    rollout.ended("exec-1", "seq 1000 1299", LONG)
    rollout.ended("exec-2", "seq 2000 2299; exit 4", more, 4)
    rollout.program("call_4_0", LONG, shell_answer(more, exit_code=4), "own")
    stored.read(rollout)
    assert stored.told == [("Bash", False, LONG), ("Bash", True, more)]
    (result,) = stored.results
    assert result.trace_ids == (id_of("exec-1"), id_of("exec-2"))
    assert result.is_error
    text = result.tool_result or ""
    assert all(f"trace get {id_of(name)}" in text for name in ("exec-1", "exec-2"))
    assert text.endswith("\nown")
    assert len(text) < 1500


def test_what_a_program_made_of_a_result_itself_is_stored_too(stored: Stored) -> None:
    made = "".join(f"line {number}\n" for number in range(200))
    rollout = Rollout()
    rollout.call("call_1_0", "exec", "…", "functions")
    rollout.ended("exec-1", "seq 1000 1299", LONG)
    rollout.program("call_1_0", made)
    stored.read(rollout)
    assert stored.told == [
        ("Bash", False, LONG),
        ("exec", False, f"Script completed\nWall time 0.5 seconds\nOutput:\n\n{made}"),
    ]


def test_a_result_that_only_shows_stored_data_is_not_stored_by_a_program_either(stored: Stored) -> None:
    rollout = Rollout()
    rollout.call("call_1_0", "exec", "…", "functions")
    rollout.ended("exec-1", "devs-git trace get build-7", LONG)
    rollout.program("call_1_0", shell_answer(LONG))
    stored.read(rollout)
    assert stored.told == []
    assert [len(result.tool_result or "") > len(LONG) for result in stored.results] == [True]


@pytest.mark.parametrize("heard", ["before", "after", "never"])
def test_a_command_that_is_waited_for_in_several_calls_is_one_trace(stored: Stored, heard: str) -> None:
    """A hook is told of the end only, with the last part of the output."""
    command, last = "echo start; read x; seq 1000 1299", f"hi\n{LONG}"
    hook = told_hook("call_1_0", command, last)
    rollout = Rollout()
    rollout.call("call_1_0", "exec_command", {"cmd": command, "yield_time_ms": 500})
    rollout.result("call_1_0", shell_result("start\n", "Process running with session ID 95674"))
    rollout.call("call_2_0", "write_stdin", {"session_id": 95674, "chars": "hi\n"})
    if heard == "before":
        stored.hear(hook)
    stored.read(rollout)
    assert heard == "before" or stored.told == [("Bash", None, "start\n")]
    rollout.ended("call_1_0", command, f"start\n{last}", process="95674")
    rollout.result("call_2_0", shell_result(last))
    stored.read(rollout)
    if heard == "after":
        stored.hear(hook)
    assert stored.told == [("Bash", False, f"start\n{last}")]
    assert {result.trace_id for result in stored.results} == {id_of("call_1_0")}
    assert len(stored.results[1].tool_result or "") < 1000


def test_a_command_that_runs_on_has_what_it_printed_until_now(stored: Stored) -> None:
    """More than the client keeps at the end, if each part was short enough."""
    parts = [f"part {at}: {LONG * 20}" for at in range(4)]
    rollout = Rollout()
    rollout.call("call_0_0", "exec_command", {"cmd": "make"})
    rollout.result("call_0_0", shell_result(parts[0], "Process running with session ID 7"))
    for at in (1, 2):
        rollout.call(f"call_{at}_0", "write_stdin", {"session_id": 7})
        rollout.result(f"call_{at}_0", shell_result(parts[at], "Process running with session ID 7"))
    stored.read(rollout)
    assert stored.told == [("Bash", None, "".join(parts[:3]))]
    rollout.call("call_3_0", "write_stdin", {"session_id": 7})
    whole = "".join(parts)
    rollout.ended("call_0_0", "make", whole[:32000] + MARK + whole[-33000:], 2, process="7")
    rollout.result("call_3_0", shell_result(parts[3], "Process exited with code 2"))
    stored.read(rollout)
    assert stored.told == [("Bash", True, whole)]
    (row,) = stored.rows
    assert not row.cut_by_client


@pytest.mark.parametrize("programs", [True, False])
def test_what_codex_cut_is_marked_and_the_longer_text_is_taken(stored: Stored, *, programs: bool) -> None:
    shorter = VERY_LONG[:60000]
    rollout = Rollout()
    for at, (text, kept) in enumerate(((VERY_LONG, KEPT), (shorter, shorter))):
        name = f"exec-{at}" if programs else f"call_{at}_0"
        stored.hear(told_hook(name, "seq", cut_text(text)))
        assert [row.cut_by_client for row in stored.rows if row.trace_id == id_of(name)] == [True]
        if programs:
            rollout.call(f"call_{at}_0", "exec", "…", "functions")
            rollout.ended(name, "seq", kept)
            rollout.program(f"call_{at}_0", cut_text(shell_answer(text)))
        else:
            rollout.call(name, "exec_command", {"cmd": "seq"})
            rollout.ended(name, "seq", kept)
            rollout.result(name, shell_result(cut_text(text)))
    stored.read(rollout)
    assert sorted((row.size, row.cut_by_client, row.full_bytes) for row in stored.rows) == [
        (60000, False, None),
        (65536, True, None),
    ]
    assert {text for _tool, _failed, text in stored.told} == {KEPT, shorter}
    said = ["the output, as the client cut it: ", "the whole output: "]
    assert [
        words in (result.tool_result or "") for words, result in zip(said, stored.results, strict=True)
    ] == [True, True]


def test_what_codex_cut_is_marked_without_a_transcript(stored: Stored) -> None:
    stored.hear(told_hook("call_1_0", "seq", cut_text(VERY_LONG)), told_hook("call_2_0", "seq", LONG))
    assert [(row.cut_by_client, row.full_bytes) for row in stored.rows] == [(True, None), (False, None)]


def test_a_text_that_only_looks_like_what_codex_says_is_an_output(stored: Stored) -> None:
    printed = (
        "Exit code: 1\nProcess exited with code 7\nWarning: truncated output (original token count: 9)\n"
    )
    stored.hear(told_hook("call_1_0", "cat", printed))
    assert stored.told == [("Bash", None, printed)]
    assert [row.cut_by_client for row in stored.rows] == [False]


def test_the_trace_of_a_call_that_no_hook_told_has_the_clients_own_record(
    stored: Stored, ledgered: Workspace
) -> None:
    stored.read(failing())
    with Catalog.open(ledgered.places.shared) as catalog:
        raw = json.loads(traces.raw(catalog, id_of("call_2_0")))
        assert json.loads(traces.input_of(catalog, id_of("call_2_0"))) == {"command": FAILING}
    assert (raw["exit_code"], raw["type"]) == (3, "CommandExecution")
