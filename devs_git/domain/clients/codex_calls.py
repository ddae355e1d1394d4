"""How tool calls ended, as a transcript of Codex tells it: in `item_completed`, and in the words above a result.

`item_completed` has the id that hooks have, exit status, duration, and up to 64 KiB of what a command printed. Hooks get
no exit status, at most 40,000 characters, and of a command that was waited for in several calls only the last part. Of an
MCP tool that failed they get nothing.

With most models one call, `exec`, is a program that calls the other tools (0.169.0: all models but gpt-5.5). The result of
the program has its own id. No line says which tools a program called: they are those that ended before its result.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.clients.answer_text import canonical, text_of
from devs_git.domain.clients.transcript_lines import Answer, FinishedCall, Memory, loads, note, text

# The tool's name in hooks.
SHELL: Final = "Bash"
PATCH: Final = "apply_patch"
# A program, and the tool that waits for one.
_PROGRAMS: Final = ("exec", "wait")
_WHOLE_OUTPUT: Final = 1 << 16  # bytes of `aggregated_output`
_LEFT_OUT: Final = "\n... command output truncated for persistence ...\n"
_TRUNCATED: Final = re.compile(
    r"Warning: truncated output \(original token count: \d+\)\nTotal output lines: \d+\n\n"
)
# The words above what a tool printed.
_HEAD: Final = re.compile(
    r"(?=Exit code|Chunk ID|Wall time|Process )(?:Exit code:? (?P<exit>-?\d+)\n|Chunk ID: [^\n]*\n)?(?:Wall time:? [^\n]*\n)?"
    r"(?:Process exited with code (?P<code>-?\d+)\n|Process running with session ID (?P<process>\d+)\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:\n"
)
_REFUSED: Final = re.compile(r"(?:Script error:\n)?(?:Command|Tool call) blocked by PreToolUse hook: ")
_PATCH_FAILED: Final = "apply_patch verification failed"
_YEAR: Final = 3.2e7  # seconds
# Characters of a tool's answer in JSON before its output.
_LONGEST_HEAD: Final = 300
_PROGRAM_FAILED: Final = "Script failed\n"


def is_cut(output: str) -> bool:
    """Whether Codex left something of the output out, before a hook got it."""
    return bool(_TRUNCATED.match(output)) and " tokens truncated…" in output


def exit_code(told: str) -> int | None:
    """The exit status in the words above what a tool printed; None if it is not there."""
    found = _HEAD.match(told)
    code = found and (found["exit"] or found["code"])
    return int(code) if code else None


def was_refused(told: str) -> bool:
    """Whether a hook denied the call: it never ran, and Codex repeats it in the result."""
    return bool(_REFUSED.match(told))


def tool_of(call: Mapping[str, Any]) -> str:
    """The name of a called tool, as hooks have it."""
    name, namespace = text(call.get("name")), text(call.get("namespace"))
    return f"{namespace}__{name}" if namespace and namespace != "functions" else name


def note_end(item: Mapping[str, Any], timestamp: str, memory: Memory) -> FinishedCall | None:
    """The call that an `item_completed` tells of; None for another item, and for a call that never ran."""
    call_id, kind = text(item.get("id")), item.get("type")
    if not call_id or item.get("status") not in ("completed", "failed"):
        return None
    found: tuple[str, Any, str, bool] | None = None
    if kind == "CommandExecution" and str(item.get("source")).startswith(("agent", "unified_exec_startup")):
        found = _command(item)
    elif kind == "McpToolCall":
        found = _mcp(item)
    elif kind == "FileChange":
        found = _change(item, memory.calls.get(call_id))
    if found is None:
        return None
    code, failed = item.get("exit_code"), item.get("status") == "failed" or found[3]
    _note_process(item, call_id, memory)
    return FinishedCall(
        call_id,
        *found[:3],
        timestamp=timestamp,
        is_error=failed,
        exit_code=code if isinstance(code, int) else None,
        duration_ms=_milliseconds(item.get("duration")),
        cut=len(found[2].encode("utf-8", "replace")) >= _WHOLE_OUTPUT and _LEFT_OUT in found[2],
        raw=canonical(item),
    )


def _command(item: Mapping[str, Any]) -> tuple[str, Any, str, bool]:
    words = [text(word) for word in item.get("command") or ()]
    in_shell = len(words) == 3 and words[1] in ("-c", "-lc")
    code = item.get("exit_code")
    given = {"command": words[2] if in_shell else shlex.join(words)}
    return SHELL, given, text(item.get("aggregated_output")), isinstance(code, int) and code != 0


def _mcp(item: Mapping[str, Any]) -> tuple[str, Any, str, bool]:
    server = re.sub(r"[^A-Za-z0-9_]", "_", text(item.get("server")))
    result, error = item.get("result"), item.get("error")
    failed = isinstance(result, dict) and result.get("isError") is True
    output = text_of(result) if result is not None else text_of(error)
    return f"mcp__{server}__{text(item.get('tool'))}", item.get("arguments"), text(output), failed


def _change(item: Mapping[str, Any], call: Sequence[Any] | None) -> tuple[str, Any, str, bool]:
    given = {"command": call[1]} if call else {"changes": item.get("changes")}
    return PATCH, given, text(item.get("stdout")) + text(item.get("stderr")), False


def _note_process(item: Mapping[str, Any], call_id: str, memory: Memory) -> None:
    known = memory.processes.get(text(item.get("process_id")))
    if known and known[0] == call_id:
        known[2] = True


def _milliseconds(duration: Any) -> int | None:
    given = duration if isinstance(duration, dict) else {}
    seconds, rest = given.get("secs"), given.get("nanos")
    if not (
        isinstance(seconds, int) and isinstance(rest, int) and 0 <= seconds < _YEAR and 0 <= rest < 10**9
    ):
        return None
    return round(seconds * 1000 + rest / 10**6)


def answer_of(
    call_id: str, call: tuple[str | None, Any], parts: Sequence[str], told: str, memory: Memory
) -> tuple[Answer, bool]:
    """How a result belongs to calls that ended or run, and whether one of them failed.

    `call` is the tool's name and its input, `parts` are those of a result that is no single text.
    """
    if call[0] in _PROGRAMS:
        return _of_program(parts or [told], memory)
    head = _HEAD.match(told)
    printed = told[head.end() :] if head else told
    if ended := memory.ended.pop(call_id, None):
        return Answer((call_id,)), ended[0]
    refused = was_refused(told)
    failed = refused or bool(exit_code(told)) or told.startswith(_PATCH_FAILED)
    process = _process_of(call_id, call, head, memory)
    if process is None:
        return Answer(printed=printed if head else "", kept=not refused, cut=is_cut(printed)), failed
    memory.ended.pop(process[0], None)
    part = FinishedCall(
        process[0],
        SHELL,
        {"command": process[1]},
        printed,
        memory.timestamp,
        failed,
        cut=is_cut(printed),
        is_part=True,
        is_last_part=process[2],
    )
    return Answer((process[0],), part=part), failed


def _process_of(
    call_id: str, call: tuple[str | None, Any], head: re.Match[str] | None, memory: Memory
) -> list[Any] | None:
    """Id, command and whether it ended of the call whose process runs on after this result, or printed it."""
    name, given = call
    given = given if isinstance(given, dict) else {}
    if name == "write_stdin":
        return memory.processes.get(str(given.get("session_id")))
    if head is None or not head["process"]:
        return None
    note(memory.processes, head["process"], [call_id, text(given.get("cmd")), False])
    return memory.processes[head["process"]]


def _of_program(parts: Sequence[str], memory: Memory) -> tuple[Answer, bool]:
    ended = [call_id for call_id in memory.ended if call_id not in memory.calls]
    ends = [memory.ended.pop(call_id) for call_id in ended]
    failed = (
        any(end[0] for end in ends) or parts[0].startswith(_PROGRAM_FAILED) or any(map(_says_failure, parts))
    )
    texts = tuple((part, _printed_by_program(part)) for part in parts)
    only_shown = bool(ends) and not any(end[1] for end in ends)
    kept = not only_shown and not any(map(was_refused, parts))
    return Answer(tuple(ended), texts, kept, cut=any(map(is_cut, parts))), failed


def _printed_by_program(part: str) -> str:
    """What a tool printed, in JSON's spelling, if the program handed on the tool's whole answer; else the part itself."""
    plain = _TRUNCATED.sub("", part, count=1)
    for mark in ('"output":"', '"content":[{"type":"text","text":"'):
        head, found, rest = plain.partition(mark)
        if found and head.startswith("{") and len(head) < _LONGEST_HEAD:
            return rest.partition('"}],"')[0].removesuffix('"}')
    return part


def _says_failure(part: str) -> bool:
    """Whether the answer of a tool that a program handed on says that it failed."""
    if not part.startswith('{"') or len(part) > _WHOLE_OUTPUT * 2:
        return False
    try:
        answer = loads(part)
    except (ValueError, RecursionError):
        return False
    return answer.get("exit_code") not in (0, None) or answer.get("isError") is True
