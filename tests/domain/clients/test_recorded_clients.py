"""What real clients sent and wrote, recorded by `make client-examples`, is read by our tables of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.domain.clients import hook_payload, transcript_reader
from devs_git.domain.clients.known_clients import CLIENTS

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "clients"
HOOKS = sorted(EXAMPLES.glob("*/*/*.hooks.jsonl"))
TRANSCRIPTS = sorted(EXAMPLES.glob("*/*/*.transcript.jsonl"))


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def test_each_client_was_recorded() -> None:
    for found in (HOOKS, TRANSCRIPTS):
        assert {path.relative_to(EXAMPLES).parts[0] for path in found} == set(CLIENTS)


@pytest.mark.parametrize("path", HOOKS, ids=_name)
def test_a_recorded_payload_after_a_tool_becomes_a_trace_of_its_session_and_tool(path: Path) -> None:
    client = CLIENTS[path.relative_to(EXAMPLES).parts[0]]
    payloads = [json.loads(line) for line in path.read_text().splitlines()]
    ended = [one for one in payloads if one["hook_event_name"] in client.after]
    for payload in ended:
        head = f"{client.name} {payload['hook_event_name']}\n\n"
        captured = hook_payload.read((head + json.dumps(payload)).encode())
        trace = hook_payload.trace(captured, created_at="", commit="", task_id="", agent="")
        assert (trace.session_id, trace.tool_name) == (payload["session_id"], payload["tool_name"])
        assert trace.tool_use_id == payload.get("tool_use_id", "")
        assert trace.output
    assert len(ended) == 4


@pytest.fixture(params=sorted(EXAMPLES.glob("claude/*")), ids=lambda path: path.name)
def claude(request: pytest.FixtureRequest) -> Path:
    """The examples of each version of Claude Code."""
    found: Path = request.param
    return found


def _read(path: Path) -> list[transcript_reader.TranscriptMessage]:
    """The messages of a recorded transcript of Claude Code."""
    reader = transcript_reader.Reader(CLIENTS["claude"], "")
    return [read for line in path.read_bytes().splitlines() for read in reader.read(line)]


def test_what_claude_code_prints_of_its_own_commands_and_tasks_is_not_what_the_user_said(
    claude: Path,
) -> None:
    messages = [read.message for read in _read(claude / "claude.asides-transcript.jsonl")]
    assert [one.content for one in messages if one.role == "user"] == [
        "Ask another agent, and start the tests."
    ]
    system = "\n".join(one.content or "" for one in messages if one.role == "system")
    for tag in ("<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-caveat>"):
        assert tag in system


def test_what_claude_code_sends_to_its_model_is_no_message(claude: Path) -> None:
    results = [
        read.call_id
        for read in _read(claude / "claude.asides-transcript.jsonl")
        if read.message.role == "tool"
    ]
    assert len(set(results)) == len(results)


def test_a_subagents_transcript_is_a_session_of_its_own_within_the_session(claude: Path) -> None:
    path = claude / "claude.asides-subagent.jsonl"
    reader = transcript_reader.Reader(CLIENTS["claude"], "")
    messages = [read.message for line in path.read_bytes().splitlines() for read in reader.read(line)]
    session, slash, agent = reader.session.partition("/")
    assert (session, slash) == (reader.memory.session_id, "/")
    assert agent == reader.memory.agent_id != ""
    assert [one.role for one in messages] == ["system", "assistant", "tool", "assistant"]
    assert messages[0].content == "Count for me."


def test_the_agent_of_a_call_of_a_subagent_is_its_kind(claude: Path) -> None:
    path = claude / "claude.asides-hooks.jsonl"
    agents = []
    for line in path.read_text().splitlines():
        payload = json.loads(line)
        if payload["hook_event_name"] == "PostToolUse":
            captured = hook_payload.read(b"claude PostToolUse\n\n" + line.encode())
            known = {"created_at": "", "commit": "", "task_id": ""}
            agents.append(hook_payload.trace(captured, **known, agent="developer").agent)
    assert agents == ["general-purpose", *["developer"] * 5]


def test_outputs_that_claude_code_cut_are_known_in_what_it_told_its_hooks(claude: Path) -> None:
    path = claude / "claude.asides-hooks.jsonl"
    payloads = [json.loads(line) for line in path.read_text().splitlines()]
    ended = [one for one in payloads if one["hook_event_name"] == "PostToolUse"]
    cuts = [(one["tool_name"], CLIENTS["claude"].cut(one)) for one in ended]
    found = {name: cut for name, cut in cuts if cut}
    assert [name for name, cut in cuts if cut] == ["Bash", "Bash", "mcp__devs-git__get_task_trace", "Read"]
    folder = payloads[0]["transcript_path"].removesuffix(".jsonl") + "/tool-results/"
    assert found["mcp__devs-git__get_task_trace"].path.startswith(folder + "mcp-devs-git-get_task_trace-")
    assert found["mcp__devs-git__get_task_trace"].characters in (193_978, 193_993)
    assert cuts[0][1] is not None
    assert cuts[0][1].full_bytes == 38893
    assert cuts[0][1].path.startswith(folder)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=_name)
def test_a_recorded_transcript_is_known_and_has_no_line_that_cannot_be_read(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    name = transcript_reader.client_of(lines[: transcript_reader.LOOKED_AT])
    assert name == path.relative_to(EXAMPLES).parts[0]
    reader = transcript_reader.Reader(CLIENTS[name], "")
    messages = [read.message for line in lines for read in reader.read(line)]
    assert reader.garbage == 0
    assert [one.content for one in messages if one.role == "user"] == [
        "Say one and two, then fail, look at the checkpoints, and write a file."
    ]
    assert len([one for one in messages if one.role == "tool"]) == 4
    assert messages[-1].content == "All is done."
