"""Outputs of which Gemini CLI 0.61.0 and OpenCode 1.18.33 left something out, and lines of transcripts that have them."""

from __future__ import annotations

from typing import Any

from tests.support.cut_outputs import WHOLE

_TIME = "2026-11-23T12:00:00.000Z"


def too_large() -> str:
    """What Gemini CLI tells its model instead of a long output."""
    whole = f"Output: {WHOLE}Process Group PGID: 7"
    return (
        "Output too large. Showing first 8,000 and last 32,000 characters. "
        f"For full output see: /home/u/.gemini/tmp/repo/tool-outputs/run_shell_command_1.txt\n{whole[:8000]}\n\n"
        f"... [{len(whole) - 40000:,} characters omitted] ...\n\n{whole[-32000:]}"
    )


def file_by_gemini(first: int, last: int, total: int, more: str = "") -> str:
    """What Gemini CLI tells of a part of a file."""
    lines = "\n".join(f"line {number}" for number in range(first, last + 1))
    return (
        "\nIMPORTANT: The file content has been truncated.\n"
        f"Status: Showing lines {first}-{last} of {total} total lines.\n"
        "Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent "
        f"'read_file' call. For example, to read the next section of the file, use start_line: {last + 1}.\n\n"
        f"--- FILE CONTENT (truncated) ---\n{lines}\n{more}"
    )


def gemini_lines(tool: str, told: str, given: Any) -> tuple[dict[str, Any], ...]:
    """A transcript of Gemini CLI with one call."""
    response = {"functionResponse": {"id": "c1", "name": tool, "response": {"output": told}}}
    call = {
        "id": "c1",
        "name": tool,
        "args": given,
        "result": [response],
        "status": "success",
        "timestamp": _TIME,
    }
    answer = {"id": "m1", "timestamp": _TIME, "type": "gemini", "content": "", "toolCalls": [call]}
    return {"sessionId": "s", "projectHash": "h", "kind": "main"}, answer


def truncated() -> str:
    """What OpenCode tells of the long output of a command."""
    path = "/home/u/.local/share/opencode/tool-output/tool_1"
    return f"...output truncated...\n\nFull output saved to: {path}\n\n{WHOLE[-51000:]}"


def truncated_head() -> str:
    """What OpenCode tells of the long output of another tool."""
    return (
        f"{WHOLE[:51000]}\n\n...{len(WHOLE) - 51000} bytes truncated...\n\n"
        "The tool call succeeded but the output was truncated. Full output saved to: /home/u/tool_1\n"
        "Use Grep to search the full content or Read with offset/limit to view specific sections."
    )


def file_by_opencode(first: int, last: int, end: str) -> str:
    """What OpenCode tells of a file."""
    lines = "\n".join(f"{number}: line {number}" for number in range(first, last + 1))
    return f"<path>/work/a</path>\n<type>file</type>\n<content>\n{lines}\n\n{end}\n</content>"


def line_by_opencode(tool: str, told: str, given: Any) -> dict[str, Any]:
    """The line of a call in a transcript that our plug-in for OpenCode writes."""
    known = {"opencode": "ses_1", "type": "tool", "id": "p1", "timestamp": _TIME, "ended": _TIME}
    return {**known, "call": "c1", "tool": tool, "input": given, "output": told, "failed": False}
