"""Claude Code: its hooks and its transcripts.

https://code.claude.com/docs/en/hooks describes its hooks. It refuses JSON files with comments.

Its transcripts are `~/.claude/projects/<project>/<session>.jsonl`: one object a line, identified by `uuid`. An answer of
the model is several lines with one `message.id`. Each repeats `usage`, with the count so far.

It cuts long outputs before a hook gets them. The whole output of a command that did not fail is in a file beside the
transcript.

A hook starts for each tool call and reads no transcript, so modules for transcripts are imported late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devs_git.domain.clients.client import SMALL_FILE, Client, Evidence, Fields
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage
    from devs_git.domain.recall.handed_on import LongOutput
    from devs_git.domain.recall.traces import Cut

_TYPES: Final = frozenset(
    {
        "user",
        "assistant",
        "system",
        "summary",
        "progress",
        "attachment",
        "file-history-snapshot",
        "queue-operation",
    }
)
# Tokens from a cache were counted before.
_COUNTED: Final = ("input_tokens", "cache_creation_input_tokens", "output_tokens")
_THOUGHTS: Final = ("thinking", "redacted_thinking")


def knows(line: Mapping[str, Any]) -> bool:
    return (
        line.get("type") in _TYPES
        and "payload" not in line
        and bool({"uuid", "sessionId", "messageId", "leafUuid"} & set(line))
    )


def read(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    """The messages of one line: one of an answer; of a user's line one for each tool result, and one for the rest."""
    from devs_git.domain.clients.claude_chain import with_places
    from devs_git.domain.clients.claude_forms import note_unknown
    from devs_git.domain.clients.claude_notices import with_queued_prompt

    line = with_queued_prompt(line)
    note_unknown(line, memory)
    return with_places(line, _said(line, memory), memory)


def _said(line: Mapping[str, Any], memory: Memory) -> Sequence[UnnamedMessage]:
    from devs_git.domain.clients.claude_notices import ended_task, speaker
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, blocks, moment, spoken, text
    from devs_git.domain.recall.conversation import Message

    if not memory.session_id:
        # A subagent has a transcript of its own, which names the session.
        memory.session_id, memory.agent_id = text(line.get("sessionId")), text(line.get("agentId"))
    time = moment(line.get("timestamp"), memory)
    kind, message = line.get("type"), line.get("message")
    # A fork that its SDK makes has new ids, and names the old one.
    forked = line.get("forkedFrom")
    own_id = text(forked.get("messageUuid") if isinstance(forked, dict) else None) or text(line.get("uuid"))
    if task := ended_task(line):
        memory.note_task(task)
    if kind == "system":
        content = text(line.get("content"))
        return (UnnamedMessage(Message("", "system", content, time), own_id),) if content.strip() else ()
    # Other lines repeat messages, such as `api-request-blob`.
    if not isinstance(message, dict) or kind not in ("user", "assistant"):
        return ()
    parts = blocks(message.get("content"))
    answers = [part for part in parts if "tool_use_id" in part]
    # The line has one answer in the form of the hook's payload, whatever number of results it has.
    told = line.get("toolUseResult") if len(answers) == 1 else None
    results = [_result(part, told, time, memory) for part in answers]
    rest = [part for part in parts if "tool_use_id" not in part and part.get("type") not in _THOUGHTS]
    said: list[UnnamedMessage] = []
    if kind == "assistant":
        said = _answer(line, message, rest, memory)
    elif spoken(rest).strip():
        said = [UnnamedMessage(Message("", speaker(line, spoken(rest)), spoken(rest), time))]
    return [one._replace(own_id=_numbered(own_id, at)) for at, one in enumerate([*results, *said])]


def _numbered(own_id: str, at: int) -> str:
    return f"{own_id}.{at}" if own_id and at else own_id


def _result(part: Mapping[str, Any], told: Any, time: str | None, memory: Memory) -> UnnamedMessage:
    from devs_git.domain.clients.claude_cuts import answer_of
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, blocks, spoken, text
    from devs_git.domain.recall.conversation import Message

    call_id = text(part["tool_use_id"])
    name, given = memory.take_call(call_id)
    result = spoken(blocks(part.get("content")))
    return UnnamedMessage(
        Message(
            "",
            "tool",
            timestamp=time,
            tool_name=name,
            tool_input=given,
            tool_result=result,
            is_error=part.get("is_error") is True,
        ),
        call_id=call_id,
        answer=answer_of(result, told),
    )


def _answer(
    line: Mapping[str, Any], message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], memory: Memory
) -> list[UnnamedMessage]:
    from devs_git.domain.clients.transcript_lines import UnnamedMessage, money, spoken, text
    from devs_git.domain.recall.conversation import Message, ToolCall

    calls = tuple(
        ToolCall(text(part.get("id")), text(part.get("name")), part.get("input"))
        for part in parts
        if text(part.get("type")).endswith("tool_use")
    )
    for call in calls:
        memory.note_call(call.id, call.name, call.input)
    content = spoken([part for part in parts if not text(part.get("type")).endswith("tool_use")])
    tokens = _usage(message, memory)
    if not content.strip() and not calls:
        memory.loose += tokens
        return []
    made = Message(
        "",
        "assistant",
        content if content.strip() else None,
        memory.timestamp or None,
        calls or None,
        token_count=tokens or None,
        cost_usd=money(line.get("costUSD")),
    )
    return [UnnamedMessage(made)]


def _usage(message: Mapping[str, Any], memory: Memory) -> int:
    """The tokens that this line adds to those of the same answer."""
    from devs_git.domain.clients.transcript_lines import text, whole_number

    usage, answer = message.get("usage"), text(message.get("id"))
    if not isinstance(usage, dict):
        return 0
    counted = sum(whole_number(usage.get(name)) for name in _COUNTED)
    before = memory.usage.get("tokens", 0) if answer and memory.usage.get("of") == answer else 0
    memory.usage = {"of": answer, "tokens": max(counted, before)}
    return max(0, counted - before)


def cut(payload: Mapping[str, Any]) -> Cut | None:
    """What Claude Code left out of a payload, None for nothing."""
    from devs_git.domain.clients.claude_cuts import cut_of

    return cut_of(payload)


def hand_on(event: str, response: Any, long: LongOutput) -> dict[str, Any] | None:
    """A shell's answer in the client's form, with the shortened output in it; None for an image."""
    if not isinstance(response, dict) or response.get("isImage"):
        return None
    rest = {name: value for name, value in response.items() if not name.startswith("persistedOutput")}
    told = {**rest, "stdout": long.shortened, "stderr": ""}
    return {"hookSpecificOutput": {"hookEventName": event, "updatedToolOutput": told}}


CLAUDE: Final = Client(
    name="claude",
    title="Claude Code",
    hooks_file=".claude/settings.json",
    server_file=".mcp.json",
    before="PreToolUse",
    prompt="UserPromptSubmit",
    after={"PostToolUse": False, "PostToolUseFailure": True},
    session=("Stop", "SubagentStop", "SessionEnd", "PreCompact"),
    compacted="SessionStart",
    # A tool that changes only the conversation counts as reading. Each tool of a subagent runs the hook, too.
    reading=frozenset(
        {
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "ExitPlanMode",
            "Glob",
            "Grep",
            "KillBash",
            "KillShell",
            "LS",
            "LSP",
            "ListMcpResourcesTool",
            "NotebookRead",
            "ReadMcpResourceTool",
            "Task",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskUpdate",
            "TodoRead",
            "TodoWrite",
        }
    ),
    seen=dict.fromkeys(
        (
            "Agent",
            "CronList",
            "ListAgents",
            "Read",
            "ReportFindings",
            "ScheduleWakeup",
            "Skill",
            "TaskStop",
            "ToolSearch",
            "WebFetch",
            "WebSearch",
        ),
        "2.1.330",
    ),
    shells=frozenset({"Bash"}),
    removing=frozenset({"ExitWorktree"}),
    start='"${CLAUDE_PROJECT_DIR:-.}"',
    small_file=f".claude/{SMALL_FILE}",
    knows=knows,
    read=read,
    answered=("PostToolUse", "PostToolUseFailure"),
    cut=cut,
    hand_on=hand_on,
    edits={
        "Edit": "file_path",
        "MultiEdit": "file_path",
        "NotebookEdit": "notebook_path",
        "Write": "file_path",
    },
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
        agent="agent_type",
        agent_transcript="agent_transcript_path",
    ),
    evidence=Evidence(
        version="2.1.332",
        earlier=("2.1.330",),
        tried=(
            "outputs of tools are stored",
            "an open gate denies tools",
            "moments are made before prompts and calls that may write",
            "the model calls our MCP tools",
            "a person's directive arrives at a prompt and is seen; after a compaction the task is told again",
            "transcripts of new, resumed and forked sessions are read",
        ),
        documented=(
            "what a person is asked at a terminal: whether the folder and the MCP server are trusted",
        ),
        lacks=(
            "it hands on at most 10,040 characters of a command that fails",
            "started in a subfolder of the project, it runs none of the project's hooks",
            "it removes newlines at the end of an output, and joins standard error into standard output",
        ),
    ),
)
