"""Long outputs of a shell as a model sees them, if the policy says `recording: {shorten: true}`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_import, conversation_show, trace_list
from devs_git.domain.calls import tool_guard
from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.recall import handed_on
from devs_git.operations.recall.session_page import ShownMessage
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, call
from tests.support.ledgers import in_force, put_policy_in_force

WHOLE = "".join(f"{number} \u00e4\n" for number in range(1, 20001))


@pytest.fixture
def project(initialised: Path) -> Path:
    """A repository with the agent hooks installed, whose policy shortens outputs."""
    for name in ("claude", "codex"):
        client_files.install(locate(initialised), initialised, CLIENTS[name])
    in_force(Workspace.open(initialised), recording={"shorten": True})
    return initialised


def answered(project: Path, payload: Mapping[str, Any], client: str = "claude", **env: Any) -> dict[str, Any]:
    """What our hook answers."""
    said = call(project, payload, client=client, **env)
    assert (said.status, said.err) == (0, "")
    told: dict[str, Any] = json.loads(said.out)["hookSpecificOutput"] if said.out else {}
    return told


def cut_by_claude(project: Path) -> dict[str, Any]:
    """A payload of Claude Code for WHOLE, which it keeps in a file beside the transcript."""
    file = project.parent / "projects" / "x" / "s" / "tool-results" / "u1.txt"
    file.parent.mkdir(parents=True)
    file.write_text(WHOLE)
    response = {"stdout": WHOLE[:30000], "stderr": "", "interrupted": False, "isImage": False}
    response |= {"persistedOutputPath": os.fspath(file), "persistedOutputSize": len(WHOLE.encode())}
    transcript = os.fspath(project.parent / "projects" / "x" / "s.jsonl")
    return after(output=response, transcript_path=transcript)


def stored(project: Path) -> Sequence[tuple[str, int, bool, int | None]]:
    """Each trace: id, size, whether it is cut, size of the whole."""
    rows = trace_list.run(Workspace.open(project), trace_list.Request()).traces
    return [(one.trace_id, one.size, one.cut_by_client, one.full_bytes) for one in rows]


def transcript(project: Path, result: str) -> Path:
    """A transcript of Claude Code in which a command printed `result`."""
    common = {"sessionId": "s", "cwd": os.fspath(project), "version": "2.1.330", "isSidechain": False}
    use = {"type": "tool_use", "id": "u1", "name": "Bash", "input": {"command": "make"}}
    told = {"type": "tool_result", "tool_use_id": "u1", "content": result}
    lines = [
        {**common, "type": "assistant", "uuid": "1", "message": {"role": "assistant", "content": [use]}},
        {**common, "type": "user", "uuid": "2", "message": {"role": "user", "content": [told]}},
    ]
    file = project.parent / "projects" / "x" / "s.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def told_of(project: Path) -> ShownMessage:
    """The tool's message of the conversation."""
    shown = conversation_show.run(Workspace.open(project), conversation_show.Request(session="s"))
    return next(one for one in shown.messages if one.role == "tool")


@pytest.mark.quick
def test_the_model_sees_beginning_end_and_the_id_of_the_whole_that_is_stored(project: Path) -> None:
    told = answered(project, cut_by_claude(project))["updatedToolOutput"]
    assert told["stdout"].startswith(WHOLE[: handed_on.KEPT] + "\n[devs-git: the middle is left out;")
    assert told["stdout"].endswith("]\n" + WHOLE[-handed_on.KEPT :])
    assert set(told) == {"stdout", "stderr", "interrupted", "isImage"}
    named = handed_on.trace_named(told["stdout"].strip())
    assert named
    assert stored(project) == [(named.trace_id, len(WHOLE.encode()), False, None)]


@pytest.mark.quick
def test_a_client_that_lets_nobody_replace_an_output_is_told_the_id_beside_it(project: Path) -> None:
    response = "Warning: truncated output (original token count: 42224)\nTotal output lines: 20000\n\n"
    response += WHOLE[:40000] + "\u20261000 tokens truncated\u2026" + WHOLE[-100:]
    told = answered(project, after(output=response), "codex")
    ((trace_id, size, cut, _),) = stored(project)
    assert (size, cut) == (len(response.encode()), True)
    said = f"This long output, as the client cut it, is stored by devs-git: git devs trace get {trace_id}"
    assert told == {"hookEventName": "PostToolUse", "additionalContext": said}


@pytest.mark.parametrize(
    ("tool", "given", "event"),
    [
        ("Read", {"file_path": "a"}, "PostToolUse"),
        ("Edit", {"file_path": "a"}, "PostToolUse"),
        ("Grep", {"pattern": "a"}, "PostToolUse"),
        ("Glob", {"pattern": "a"}, "PostToolUse"),
        ("ToolSearch", {"query": "a"}, "PostToolUse"),
        ("mcp__devs-git__get_conversation", {}, "PostToolUse"),
        ("mcp__other__shell", {"command": "make"}, "PostToolUse"),
        # It asked for the whole.
        ("Bash", {"command": "devs-git trace get t-1"}, "PostToolUse"),
        ("Bash", {"command": "make"}, "PostToolUseFailure"),
    ],
)
def test_only_outputs_of_a_shell_are_shortened(
    tool: str, given: Mapping[str, Any], event: str, project: Path
) -> None:
    payload = after(
        output={"stdout": WHOLE, "stderr": ""}, tool_name=tool, tool_input=given, hook_event_name=event
    )
    assert answered(project, payload) == {}
    assert answered(project, after(output={"stdout": WHOLE, "stderr": ""}))["updatedToolOutput"]


def test_an_output_of_30_000_characters_and_an_image_stay_as_they_are(project: Path) -> None:
    letters = "\u00e4" * 30_000
    assert answered(project, after(output={"stdout": letters, "stderr": ""})) == {}
    assert answered(project, after(output={"stdout": "x" * 50_000, "isImage": True})) == {}
    assert answered(project, after(output={"stdout": letters + "x", "stderr": ""}))["updatedToolOutput"]


def test_without_the_setting_nothing_is_shortened_and_no_further_program_starts(
    project: Path, tmp_path: Path
) -> None:
    """Also where somebody planted the note: the ledger's policy counts."""
    workspace, note = Workspace.open(project), project / ".git/devs/shorten"
    assert note.exists()
    put_policy_in_force(workspace, recording={"shorten": False})
    assert not note.exists()
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    for name in ("cat", "mv", "wc"):
        (programs / name).write_text(f'#!/bin/sh\necho {name} >>"{log}"\nexec {shutil.which(name)} "$@"\n')
        (programs / name).chmod(0o755)
    payload = after(output={"stdout": WHOLE, "stderr": ""})
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    assert answered(project, payload, PATH=path) == {}
    assert log.read_text().split() == ["cat", "mv"]
    note.touch()
    assert answered(project, payload, PATH=path) == {}


@pytest.mark.quick
def test_a_transcript_with_our_shortened_text_is_not_taken_for_the_whole(project: Path) -> None:
    told = answered(project, cut_by_claude(project))["updatedToolOutput"]["stdout"]
    named = handed_on.trace_named(told)
    assert named
    file = transcript(project, told.strip())
    conversation_import.run(Workspace.open(project), conversation_import.Request(file))
    assert stored(project) == [(named.trace_id, len(WHOLE.encode()), False, None)]
    message = told_of(project)
    assert message.trace_id == named.trace_id
    assert f"the whole output: git devs trace get {named.trace_id}" in str(message.tool_result)


def test_where_the_call_was_not_captured_our_shortened_text_is_marked_as_a_part(project: Path) -> None:
    own = hook_payload.trace_id_of("s", "u1", "PostToolUse")
    long = handed_on.LongOutput(WHOLE, own, len(WHOLE.encode()), cut_by_client=False)
    shortened = long.shortened.strip()
    file = transcript(project, shortened)
    conversation_import.run(Workspace.open(project), conversation_import.Request(file))
    assert stored(project) == [(long.trace_id, len(shortened.encode()), True, long.size)]
    assert told_of(project).trace_id == long.trace_id


@pytest.mark.parametrize(
    "text",
    [
        "",
        WHOLE[:9000],
        "x" * 4001
        + "\n[devs-git: the middle is left out; the whole output (9 bytes): git devs trace get {}]\nx",
        "x\n[devs-git: the middle is left out; the whole output (9 bytes): git devs trace get {}]\n"
        + "x" * 4001,
        "x\n[devs-git: the middle is left out; the whole output (9 bytes): git devs trace get 1]\nx",
        "x\n[devs-git: the middle is left out; the whole output (many bytes): git devs trace get {}]\nx",
    ],
)
def test_other_texts_are_not_taken_for_ours(text: str) -> None:
    assert handed_on.trace_named(text.format("6b2f1a54-59a5-5a0c-9d4f-6f1c7f1b1c55")) is None


@pytest.mark.parametrize("program", ["devs-git", "git devs"])
def test_the_way_back_is_one_that_every_shell_of_the_clone_finds_and_the_earlier_one_is_known(
    program: str,
) -> None:
    long = handed_on.LongOutput(
        WHOLE, "6b2f1a54-59a5-5a0c-9d4f-6f1c7f1b1c55", len(WHOLE), cut_by_client=False
    )
    assert long.command == f"git devs trace get {long.trace_id}"
    named = handed_on.trace_named(long.shortened.replace("git devs trace", f"{program} trace"))
    assert named
    assert named[:2] == (long.trace_id, len(WHOLE))
    way_back = f"{program} trace get {long.trace_id}"
    assert tool_guard.is_own_call(way_back)
    assert tool_guard.reads_back(CLIENTS["claude"], "Bash", {"command": way_back})
