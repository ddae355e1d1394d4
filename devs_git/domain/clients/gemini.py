"""Gemini CLI: its hooks and its transcripts.

https://geminicli.com/docs/hooks/reference describes its hooks. Their payloads have no id of the call. What a tool printed
stands in `llmContent`, between words of the client for its model; an exit status other than 0 is one of these words.

Its transcripts are `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`. A line with an `id` is a message, and a later
line with this id replaces it: the line of an answer comes again when its tools have run, with their results. `$set` changes
fields of the session; it may have `messages`, too. `$rewindTo` takes messages back. We keep what was said before.

A hook starts for each tool call and reads no transcript, so modules for transcripts are imported late.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from devs_git.domain.clients.client import SERVER, Client, Evidence, Fields
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage
    from devs_git.domain.recall.conversation import Role
    from devs_git.domain.recall.traces import Cut

_TRUST: Final = (
    "Gemini CLI runs a project's hooks only in a folder that you trust: start Gemini here and trust the folder. "
    "Without a person, set GEMINI_CLI_TRUST_WORKSPACE=true; with --skip-trust no hook runs."
)
_SETTINGS: Final = ".gemini/settings.json"
_OPENING, _CLOSING = "<untrusted_context>\n", "\n</untrusted_context>"
_ESCAPED: Final = "&lt;/untrusted_context&gt;"
_OUTPUT, _EMPTY = "Output: ", "(empty)"
# What follows a command's output. An error of the client itself stands before the exit status.
_END: Final = re.compile(
    r"(?:\nExit Code: (\d+))?(?:\nSignal: ([^\n]+))?(?:\nBackground PIDs: [\d, ]+)?(?:\nProcess Group PGID: \d+)?\Z"
)
# The end is looked for in so many last characters.
_LOOKED_AT: Final = 4096
_SPEAKERS: Final[dict[str, Role]] = {
    "user": "user",
    "gemini": "assistant",
    "info": "system",
    "warning": "system",
    "error": "system",
}
# What the client itself says as the user.
_INJECTED: Final = ("<session_context>", "<state_snapshot>")
_OF_CALLS: Final = frozenset({"functionCall", "functionResponse"})
_COUNTED: Final = ("input", "output", "thoughts", "tool")


def denial_of_tool(_event: str, reason: str) -> dict[str, Any]:
    """A denial in the form of Gemini CLI."""
    return {"decision": "deny", "reason": reason}


def unwrap(response: Any) -> Any:
    """The output in a tool's answer, without the words that the client puts around it for its model."""
    if not isinstance(response, dict) or "llmContent" not in response:
        return response
    told = _told(response["llmContent"])
    if told is None:
        return response["llmContent"]
    end = _end(told)
    if not told.startswith(_OUTPUT) or end is None:
        return told
    printed = told[len(_OUTPUT) : end.start()]
    return "" if printed == _EMPTY else printed


def has_failed(response: Any) -> bool:
    """Whether the tool's answer has an error, or an exit status other than 0."""
    if not isinstance(response, dict):
        return False
    told = _told(response.get("llmContent")) or ""
    end = _end(told) if told.startswith(_OUTPUT) else None
    return bool(response.get("error")) or bool(end and (end[1] or end[2]))


def _told(content: Any) -> str | None:
    """The text that the model is told, None if it is not only text."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    bare = [_bare(text) for text in texts if isinstance(text, str)]
    return "\n".join(bare) if len(bare) == len(parts) else None


def _bare(text: str) -> str:
    if not (text.startswith(_OPENING) and text.endswith(_CLOSING)):
        return text
    return text[len(_OPENING) : -len(_CLOSING)].replace(_ESCAPED, _CLOSING[1:])


def _end(told: str) -> re.Match[str] | None:
    """The position at which the output of a command ends; None for other texts."""
    found = _END.search(told, max(0, len(told) - _LOOKED_AT))
    return found if found and found[0] else None


def cut(payload: Mapping[str, Any]) -> Cut | None:
    """What Gemini CLI left out of a payload, None for nothing. Of a command's output the payload has everything."""
    from devs_git.domain.clients.gemini_cuts import is_cut
    from devs_git.domain.recall.traces import Cut

    response, tool = payload.get("tool_response"), payload.get("tool_name")
    told = _told(response.get("llmContent")) if isinstance(response, dict) else None
    return Cut() if told and is_cut(str(tool), payload.get("tool_input"), told) else None


def knows(line: Mapping[str, Any]) -> bool:
    if {"sessionId", "projectHash"} <= set(line):
        return True
    return line.get("type") in _SPEAKERS and {"id", "timestamp", "content"} <= set(line)


def read(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    """The messages of one line: what was said, and a call and a result for each tool that ran."""
    from devs_git.domain.clients.transcript_lines import text

    changed = line.get("$set")
    if isinstance(changed, dict):
        records = changed.get("messages")
        return [said for one in records for said in _record(one, memory)] if isinstance(records, list) else ()
    memory.session_id = memory.session_id or text(line.get("sessionId"))
    return _record(line, memory)


def _record(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, blocks, moment, text
    from devs_git.domain.recall.conversation import Message

    role, own_id = _SPEAKERS.get(text(line.get("type"))), text(line.get("id"))
    if role is None or not own_id:
        return ()
    time = moment(line.get("timestamp"), memory)
    said = _spoken(blocks(line.get("content")))
    _count(line, memory)
    made: list[UnnamedMessage] = []
    if said.strip():
        if said.lstrip().startswith(_INJECTED):
            role = "system"
        made.append(UnnamedMessage(Message("", role, said, time), own_id))
    calls = line.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        made += _called(call, own_id, memory)
    return made


def _spoken(parts: Sequence[Mapping[str, Any]]) -> str:
    from devs_git.domain.clients.transcript_lines import spoken

    return spoken([part for part in parts if not _OF_CALLS & set(part) and not part.get("thought")])


def _called(call: Mapping[str, Any], answer: str, memory: Memory) -> Sequence[UnnamedMessage]:
    """A call and its result. Their ids are always the same, for the line of an answer comes several times."""
    from devs_git.domain.clients.gemini_cuts import is_cut
    from devs_git.domain.clients.transcript_lines import Answer, UnnamedMessage, moment, text
    from devs_git.domain.recall.conversation import Message, ToolCall

    call_id, name, given = text(call.get("id")), text(call.get("name")), call.get("args")
    asked = Message("", "assistant", None, memory.timestamp or None, (ToolCall(call_id, name, given),))
    result = _result(call.get("result"))
    told = {"llmContent": result, "error": text(call.get("status")) != "success"}
    answered = Message(
        "",
        "tool",
        timestamp=moment(call.get("timestamp"), memory),
        tool_name=name,
        tool_input=given,
        tool_result=result,
        is_error=has_failed(told),
    )
    return (
        UnnamedMessage(asked, f"{answer}.{call_id}"),
        UnnamedMessage(
            answered, f"{answer}.{call_id}.result", call_id, Answer(cut=is_cut(name, given, _bare(result)))
        ),
    )


def _result(parts: Any) -> str:
    """The result of a call, as the model got it."""
    from devs_git.domain.clients.transcript_lines import blocks, text

    found = []
    for part in blocks(parts):
        answer = part.get("functionResponse")
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            found.append(text(response.get("output")) or text(response.get("error")))
        elif "text" in part:
            found.append(text(part["text"]))
    return "\n".join(found)


def _count(line: Mapping[str, Any], memory: Memory) -> None:
    """Count the tokens that this line adds to those of the same answer. Tokens from a cache were counted before."""
    from devs_git.domain.clients.transcript_lines import text, whole_number

    tokens, answer = line.get("tokens"), text(line.get("id"))
    if not isinstance(tokens, dict):
        return
    used = sum(whole_number(tokens.get(name)) for name in _COUNTED) - whole_number(tokens.get("cached"))
    before = memory.usage.get("tokens", 0) if memory.usage.get("of") == answer else 0
    memory.usage = {"of": answer, "tokens": max(used, before)}
    memory.loose += max(0, used - before)


GEMINI: Final = Client(
    name="gemini",
    title="Gemini CLI",
    hooks_file=_SETTINGS,
    server_file=_SETTINGS,
    reads_comments=True,
    before="BeforeTool",
    prompt="BeforeAgent",
    after={"AfterTool": False},
    # PreCompress comes before every request to the model, so it says nothing.
    session=("AfterAgent", "SessionEnd"),
    reading=frozenset(
        {
            "activate_skill",
            "ask_user",
            "complete_task",
            "enter_plan_mode",
            "exit_plan_mode",
            "get_internal_docs",
            "glob",
            "google_web_search",
            "grep_search",
            "invoke_agent",
            "list_background_processes",
            "list_directory",
            "list_mcp_resources",
            "read_background_output",
            "read_file",
            "read_many_files",
            "read_mcp_resource",
            "search_file_content",
            "update_topic",
            "web_fetch",
            "write_todos",
        }
    ),
    shells=frozenset({"run_shell_command"}),
    # It takes no context from a hook before a tool.
    tells_before=False,
    # It sets GIT_CONFIG_COUNT with an empty core.hooksPath.
    shell_runs_hooks=False,
    ours=(f"mcp_{SERVER}_",),
    denial=denial_of_tool,
    unwrap=unwrap,
    failed=has_failed,
    cut=cut,
    notes=(_TRUST,),
    edits={"replace": "file_path", "write_file": "file_path"},
    instructs=True,
    knows=knows,
    read=read,
    answered=("AfterTool", "AfterTool"),
    fields=Fields(
        session="session_id",
        transcript="transcript_path",
        folder="cwd",
        event="hook_event_name",
        tool="tool_name",
        tool_input="tool_input",
        response="tool_response",
        # It names no call.
        use_id="",
        error="error",
        duration="duration_ms",
    ),
    evidence=Evidence(
        version="0.61.0",
        tried=(
            "outputs of tools are stored, long ones whole",
            "an open gate denies tools",
            "moments are made before prompts and calls that may write",
            "the model calls our MCP tools",
            "a person's directive arrives at a prompt",
            "transcripts of new and resumed sessions are read",
            "it runs a project's hooks only in a folder that is trusted",
        ),
        documented=(
            "what a person does to trust a folder",
            "that /rewind takes messages of a transcript back",
        ),
        lacks=(
            "it cannot fork a session",
            "started in a subfolder, it reads no settings of the project, so it runs no hook",
            "git runs no hook in its shell commands, and reads no configuration of the user",
            "it removes colours, and newlines at the end, from an output",
            "transcripts of its subagents are not read",
            "its hooks are not told the id of a call",
        ),
    ),
)
