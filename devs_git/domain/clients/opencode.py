"""OpenCode: its plug-in and the transcripts that the plug-in writes.

https://opencode.ai/docs/plugins describes plug-ins. OpenCode has no hooks that are commands, and keeps sessions in a database
of its own. So the client's file is a plug-in of ours. It runs the hook's line with a payload that has the fields and events of
Claude Code, and writes what OpenCode tells of messages to `<git dir>/devs/transcripts/opencode-<session>.jsonl`: a line for
each text, for each tool that has ended, and for the tokens of each answer.

A hook starts for each tool call and reads no transcript, so modules for transcripts are imported late.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from devs_git.domain.clients.client import SERVER, Client, Evidence, Fields
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage
    from devs_git.domain.recall.conversation import Role
    from devs_git.domain.recall.traces import Cut

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_COUNTED: Final = ("input", "output", "reasoning")


def denial_of_tool(_event: str, reason: str) -> dict[str, Any]:
    """A denial as our plug-in reads it."""
    return {"decision": "deny", "reason": reason}


def plugin(client: Client) -> str:
    """The text of the plug-in."""
    from devs_git.domain.clients.opencode_plugin import PLUGIN

    lines = {event: client.command(event) for event in client.events}
    return PLUGIN.replace("@LINES@", json.dumps(lines, indent=2))


def cut(payload: Mapping[str, Any]) -> Cut | None:
    """What OpenCode left out of a payload, None for nothing."""
    from devs_git.domain.clients.opencode_cuts import cut_of

    return cut_of(payload)


def knows(line: Mapping[str, Any]) -> bool:
    return "opencode" in line


def read(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    """The messages of one line: a text, or a call and its result. Tokens go with the next message."""
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, moment, text, whole_number
    from devs_git.domain.recall.conversation import Message

    memory.session_id = memory.session_id or text(line.get("opencode"))
    kind, own_id = line.get("type"), text(line.get("id"))
    if kind == "tokens":
        tokens = line["tokens"]
        used = sum(whole_number(tokens.get(name)) for name in _COUNTED)
        written = whole_number(tokens["cache"].get("write"))
        before = memory.usage.get("tokens", 0) if memory.usage.get("of") == line.get("message") else 0
        memory.usage = {"of": text(line.get("message")), "tokens": max(used + written, before)}
        memory.loose += max(0, used + written - before)
        return ()
    time = moment(line.get("timestamp"), memory)
    if kind == "tool":
        return _called(line, own_id, memory)
    role, said = _ROLES.get(text(line.get("role"))), text(line.get("text"))
    return (UnnamedMessage(Message("", role, said, time), own_id),) if role and said.strip() else ()


def _called(line: Mapping[str, Any], own_id: str, memory: Memory) -> Sequence[UnnamedMessage]:
    from devs_git.domain.clients.opencode_cuts import is_cut
    from devs_git.domain.clients.transcript_lines import Answer, UnnamedMessage, moment, text
    from devs_git.domain.recall.conversation import Message, ToolCall

    call_id, name, given = text(line.get("call")), text(line.get("tool")), line.get("input")
    asked = Message("", "assistant", None, memory.timestamp or None, (ToolCall(call_id, name, given),))
    answered = Message(
        "",
        "tool",
        timestamp=moment(line.get("ended"), memory),
        tool_name=name,
        tool_input=given,
        tool_result=text(line.get("output")),
        is_error=line.get("failed") is True,
    )
    answer = Answer(cut=is_cut(name, given, text(line.get("output"))))
    return (UnnamedMessage(asked, own_id), UnnamedMessage(answered, f"{own_id}.result", call_id, answer))


OPENCODE: Final = Client(
    name="opencode",
    title="OpenCode",
    hooks_file=".opencode/plugin/devs-git.js",
    server_file="opencode.json",
    server_table="mcp",
    server_entry={"type": "local", "command": ["devs-git", "mcp"], "enabled": True},
    plugin=plugin,
    reads_comments=True,
    before="PreToolUse",
    prompt="UserPromptSubmit",
    after={"PostToolUse": False, "PostToolUseFailure": True},
    session=("Stop",),
    end="",
    # Each tool of a subagent (`task`) runs the hook, too.
    reading=frozenset(
        {
            "codesearch",
            "glob",
            "grep",
            "invalid",
            "list",
            "lsp",
            "question",
            "read",
            "skill",
            "task",
            "todoread",
            "todowrite",
            "webfetch",
            "websearch",
        }
    ),
    shells=frozenset({"bash"}),
    ours=(f"{SERVER}_",),
    denial=denial_of_tool,
    cut=cut,
    knows=knows,
    edits={"edit": "filePath", "multiedit": "filePath", "write": "filePath"},
    patches={"apply_patch": "patchText", "patch": "patchText"},
    read=read,
    answered=("PostToolUse", "PostToolUseFailure"),
    fields=Fields(
        session="session_id",
        transcript="transcript_path",
        folder="cwd",
        event="hook_event_name",
        tool="tool_name",
        tool_input="tool_input",
        response="tool_response",
        use_id="tool_use_id",
        error="error",
        duration="duration_ms",
    ),
    evidence=Evidence(
        version="1.18.33",
        tried=(
            "outputs of tools are stored, long ones whole",
            "an open gate denies tools",
            "moments are made before prompts and calls that may write",
            "the model calls our MCP tools",
            "a person's directive arrives at a prompt",
            "conversations of new, resumed and forked sessions are read",
        ),
        documented=("what its plug-ins do on Windows: ours does nothing there",),
        lacks=(
            "it has no transcript: our plug-in writes one",
            "what was said before the plug-in was installed is not read",
        ),
    ),
)
