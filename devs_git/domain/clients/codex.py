"""Codex: its hooks and its transcripts.

https://developers.openai.com/codex/hooks and the schemas in openai/codex (codex-rs/hooks/schema) describe its hooks. It
has no separate event for a tool that failed. It runs hooks in the user's login shell ($SHELL, maybe fish), and reads
hooks.json as strict JSON.

Its transcripts are `~/.codex/sessions/<date>/rollout-<time>-<session>.jsonl`: `{timestamp, type, payload}` a line. The
messages are in `response_item`. `event_msg` repeats much of them for the screen, and only it has the count of tokens, and
how a tool call ended (see `codex_calls`). Older transcripts have bare items without a time. No line has an id.

A hook starts for each tool call and reads no transcript, so modules for transcripts are imported late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devs_git.domain.clients.client import SERVER, Client, Evidence, Fields
from devs_git.domain.recall.traces import Cut
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage
    from devs_git.domain.recall.conversation import Message, Role

# A long output that Codex cut begins with this.
CUT_MARK: Final = "Warning: truncated output (original token count: "
_WRAPPED: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
}
_CALLS: Final = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}


def tool_failed(response: Any) -> bool:
    """Whether the tool's answer has an exit status other than 0."""
    if isinstance(response, str):
        from devs_git.domain.clients.codex_calls import exit_code

        return bool(exit_code(response))
    if not isinstance(response, dict):
        return False
    metadata = response.get("metadata")
    status = response.get("exit_code", metadata.get("exit_code") if isinstance(metadata, dict) else 0)
    return status not in (0, None) or response.get("success") is False or response.get("isError") is True


def cut(payload: Mapping[str, Any]) -> Cut | None:
    """What Codex left out of a payload, None for nothing. It tells the size in tokens, which are not exact."""
    response = payload.get("tool_response")
    if not isinstance(response, str) or not response.startswith(CUT_MARK):
        return None
    from devs_git.domain.clients.codex_calls import is_cut

    return Cut() if is_cut(response) else None


def knows(line: Mapping[str, Any]) -> bool:
    if line.get("type") in _WRAPPED:
        return isinstance(line.get("payload"), dict)
    bare = {"id", "timestamp"} <= set(line) and "type" not in line and "uuid" not in line
    return bare or (line.get("type") == "message" and line.get("role") in _ROLES and "uuid" not in line)


def read(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    """The messages of one line, at most one."""
    from devs_git.domain.clients.codex_rollout import with_forms

    return with_forms(line, _said(line, memory), memory)


def _said(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    from devs_git.domain.clients.codex_places import note_place
    from devs_git.domain.clients.codex_rollout import count_tokens
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, moment, text

    moment(line.get("timestamp"), memory)
    kind, payload = line.get("type"), line.get("payload")
    if kind in _WRAPPED and isinstance(payload, dict):
        note_place(line, payload, memory)
        if kind == "event_msg":
            count_tokens(payload, memory)
            _note_end(payload, memory)
        if kind == "compacted":
            return (
                UnnamedMessage(
                    _message(memory, "system", text(payload.get("message")) or "Conversation compacted")
                ),
            )
        return _item(payload, memory) if kind == "response_item" else ()
    if kind is None:
        memory.session_id = memory.session_id or text(line.get("id"))
        return ()
    return _item(line, memory)


def _message(memory: Memory, role: Role, content: str | None = None, **more: Any) -> Message:
    from devs_git.domain.recall.conversation import Message

    return Message("", role, content, memory.timestamp or None, **more)


def _item(item: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    from devs_git.domain.clients.codex_calls import tool_of
    from devs_git.domain.clients.codex_rollout import INJECTED
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, blocks, spoken, text
    from devs_git.domain.recall.conversation import ToolCall

    kind = text(item.get("type"))
    if kind == "message":
        role = _ROLES.get(text(item.get("role")))
        content = spoken(blocks(item.get("content")))
        if role is None or not content.strip():
            return ()
        return (
            UnnamedMessage(
                _message(
                    memory,
                    "system" if role == "user" and content.lstrip().startswith(INJECTED) else role,
                    content,
                )
            ),
        )
    if kind in _CALLS:
        name = tool_of(item) or kind.removesuffix("_call")
        given = _value(item.get(_CALLS[kind]))
        call_id = text(item.get("call_id")) or text(item.get("id"))
        memory.note_call(call_id, name, given)
        return (UnnamedMessage(_message(memory, "assistant", tool_calls=(ToolCall(call_id, name, given),))),)
    if kind.endswith("_call_output"):
        return (_result(item, memory),)
    return ()


def _result(item: Mapping[str, Any], memory: Memory) -> UnnamedMessage:
    from devs_git.domain.clients.codex_calls import answer_of
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, blocks, spoken, text

    call_id, output = text(item.get("call_id")), _value(item.get("output"))
    name, given = memory.take_call(call_id)
    result = output
    if isinstance(output, dict):
        inner = next((output[key] for key in ("output", "content") if key in output), None)
        result = inner if inner is not None and (isinstance(inner, str | list)) else text(item.get("output"))
    parts = [] if isinstance(result, str) else [spoken([block]) for block in blocks(result)]
    shown = text(result) if isinstance(result, str) else "\n".join(parts)
    answer, failed = answer_of(call_id, (name, given), parts, shown, memory)
    return UnnamedMessage(
        _message(
            memory,
            "tool",
            tool_name=name,
            tool_input=given,
            tool_result=shown,
            is_error=failed or (isinstance(output, dict) and tool_failed(output)),
        ),
        call_id=call_id,
        answer=answer,
    )


def _note_end(payload: Mapping[str, Any], memory: Memory) -> None:
    """Note how a tool call ended. One that only shows stored data is not stored again, and its result needs no trace."""
    item = payload.get("item") if payload.get("type") == "item_completed" else None
    if not isinstance(item, dict):
        return
    from devs_git.domain.calls.tool_guard import reads_back
    from devs_git.domain.clients.codex_calls import note_end
    from devs_git.domain.clients.transcript_lines import note

    call = note_end(item, memory.timestamp, memory)
    if call:
        stored = not reads_back(CODEX, call.tool_name, call.tool_input)
        note(memory.ended, call.call_id, [call.is_error, stored])
        if stored:
            memory.finished.append(call)


def _value(given: Any) -> Any:
    """The object in a text with JSON; any other value as it is."""
    from devs_git.domain.clients.transcript_lines import loads

    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return given
    try:
        return loads(given)
    except (ValueError, RecursionError):
        return given


CODEX: Final = Client(
    name="codex",
    title="Codex",
    hooks_file=".codex/hooks.json",
    server_file=".codex/config.toml",
    server_table="mcp_servers",
    before="PreToolUse",
    prompt="UserPromptSubmit",
    after={"PostToolUse": False},
    session=("Stop", "SessionEnd", "PreCompact"),
    compacted="SessionStart",
    reading=frozenset({"grep_files", "list_dir", "read_file", "update_plan", "web_search"}),
    # Hooks get the names of nested tools without a mark between the two words.
    seen=dict.fromkeys(
        (
            "clockcurr_time",
            "clocksleep",
            "collaborationlist_agents",
            "collaborationwait_agent",
            "get_goal",
            "list_mcp_resource_templates",
            "list_mcp_resources",
            "read_mcp_resource",
            "request_user_input",
            "request_user_input_async",
            "tool_search",
            "view_image",
        ),
        "0.169.0",
    ),
    shells=frozenset({"Bash", "exec_command", "local_shell", "shell", "shell_command"}),
    # Some versions replace characters of the server's name that are no letter, digit or underscore.
    ours=(f"mcp__{SERVER}__", f"mcp__{SERVER.replace('-', '_')}__"),
    own_shell=True,
    # Seen in 0.169.0: of a linked worktree it reads the server file alone.
    main_hooks=True,
    failed=tool_failed,
    cut=cut,
    tells_ends=True,
    instructs=True,
    patches={"apply_patch": "command"},
    notes=(
        "Codex trusts twice. Until you have done both, nothing is stored, no gate holds, and Codex does not say so.",
        (
            "1. Trust the project: start codex here, say something, and choose 'Trust and continue'. "
            "Without a terminal: codex exec --trust '<prompt>'."
        ),
        (
            "2. Trust the hooks: codex says 'Hooks need review'; choose 'Trust all and continue'. "
            "Later: type /hooks, then the key t. A hook that changes needs this again."
        ),
        "Then see whether Codex agrees: devs-git agent list",
    ),
    knows=knows,
    read=read,
    answered=("PostToolUse", "PostToolUse"),
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
        version="0.171.0",
        earlier=("0.169.0",),
        tried=(
            "outputs of tools are stored",
            "an open gate denies tools",
            "moments are made before prompts and calls that may write",
            "the model calls our MCP tools",
            "a person's directive arrives at a prompt and is seen; after a compaction the task is told again",
            "transcripts of new, resumed and forked sessions are read",
            "it runs no hook before the project and each hook are trusted",
            "its sandbox keeps .git read-only for shell commands",
        ),
        documented=("what a person does in /hooks",),
        lacks=(
            "it hands on about 40,000 characters of an output",
            "its hooks are not told the exit status of a command, nor that an MCP tool failed",
            "it runs no hook for input to a shell that is already open (write_stdin)",
            "in a linked worktree it takes the hooks file of the main one",
        ),
    ),
)
