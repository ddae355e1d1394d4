"""What Gemini CLI 0.61.0 and OpenCode 1.18.33 say when they leave something of an output out, and what only looks like it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devs_git.domain.clients.client import Client
from devs_git.domain.clients.gemini import GEMINI
from devs_git.domain.clients.opencode import OPENCODE
from devs_git.domain.clients.transcript_reader import Reader
from tests.support.cut_notices import (
    file_by_gemini,
    file_by_opencode,
    gemini_lines,
    line_by_opencode,
    too_large,
    truncated,
    truncated_head,
)

pytestmark = pytest.mark.quick

ASKED_BY_GEMINI = {"file_path": "/work/a", "start_line": 3, "end_line": 7}
ASKED_BY_OPENCODE = {"filePath": "/work/a", "offset": 3, "limit": 5}


def is_cut_in_transcript(client: Client, *lines: dict[str, Any]) -> bool:
    reader = Reader(client, "s")
    found = [one for line in lines for one in reader.read(json.dumps(line).encode())]
    (result,) = [one for one in found if one.message.role == "tool"]
    return result.answer.cut


@pytest.mark.parametrize(
    ("tool", "told", "given", "cut"),
    [
        ("run_shell_command", too_large(), {"command": "seq 1 30000"}, True),
        ("mcp_x_list", f"<untrusted_context>\n{too_large()}\n</untrusted_context>", {}, True),
        ("run_shell_command", f"Output: {too_large()}", {"command": "cat log"}, False),
        ("run_shell_command", "Output too large. Said who?", {}, False),
        ("read_file", file_by_gemini(1, 2000, 9001), {"file_path": "/work/a"}, True),
        ("read_file", file_by_gemini(5, 2004, 9001), {"file_path": "/work/a", "start_line": 5}, True),
        ("read_file", file_by_gemini(5, 9001, 9001), {"file_path": "/work/a", "start_line": 5}, False),
        ("read_file", file_by_gemini(3, 7, 9001), ASKED_BY_GEMINI, False),
        ("read_file", file_by_gemini(3, 7, 9001, "x" * 2000 + "... [truncated]"), ASKED_BY_GEMINI, True),
        ("read_file", "a file\n" + file_by_gemini(1, 2000, 9001), {"file_path": "/work/a"}, False),
    ],
)
def test_gemini_says_in_a_transcript_that_an_output_is_cut(
    tool: str, told: str, given: Any, *, cut: bool
) -> None:
    assert is_cut_in_transcript(GEMINI, *gemini_lines(tool, told, given)) is cut


@pytest.mark.parametrize(
    ("tool", "told", "given", "cut"),
    [
        ("read_file", file_by_gemini(1, 2000, 9001), {"file_path": "/work/a"}, True),
        ("read_file", file_by_gemini(3, 7, 9001), ASKED_BY_GEMINI, False),
        ("read_file", "line 1\nline 2\n", {"file_path": "/work/a"}, False),
        ("run_shell_command", f"Output: {file_by_gemini(1, 2000, 9001)}", {"command": "cat log"}, False),
    ],
)
def test_gemini_says_to_a_hook_that_a_file_is_cut(tool: str, told: str, given: Any, *, cut: bool) -> None:
    for content in (told, f"<untrusted_context>\n{told}\n</untrusted_context>", [{"text": told}]):
        payload = {"tool_name": tool, "tool_input": given, "tool_response": {"llmContent": content}}
        assert (GEMINI.cut(payload) is not None) is cut
    assert GEMINI.cut({"tool_name": tool}) is None


FILES_BY_OPENCODE = [
    (file_by_opencode(1, 2000, "(Showing lines 1-2000 of 9000. Use offset=2001 to continue.)"), {}, True),
    (
        file_by_opencode(3, 7, "(Showing lines 3-7 of 9000. Use offset=8 to continue.)"),
        ASKED_BY_OPENCODE,
        False,
    ),
    (
        file_by_opencode(3, 7, "(Output capped at 50 KB. Showing lines 3-7. Use offset=8 to continue.)"),
        ASKED_BY_OPENCODE,
        True,
    ),
    (file_by_opencode(1, 9, "(End of file - total 9 lines)"), {}, False),
    (
        file_by_opencode(1, 9, f"10: {'x' * 2000}... (line truncated to 2000 chars)"),
        ASKED_BY_OPENCODE,
        True,
    ),
    (file_by_opencode(1, 9, "10: (Showing lines 1-2000 of 9000. Use offset=2001 to continue.)"), {}, False),
    (
        "<entries>\na\n\n(Showing 2000 of 2001 entries. Use 'offset' parameter to read beyond entry 2001)",
        {},
        True,
    ),
]


@pytest.mark.parametrize(("told", "given", "cut"), FILES_BY_OPENCODE)
def test_opencode_says_that_a_file_is_cut(told: str, given: Any, *, cut: bool) -> None:
    response = {
        "title": "a",
        "output": told,
        "metadata": {"preview": "1: x", "truncated": True, "loaded": []},
    }
    payload = {"tool_name": "read", "tool_input": given, "tool_response": response}
    assert (OPENCODE.cut(payload) is not None) is cut
    assert OPENCODE.cut({**payload, "tool_name": "bash"}) is None
    assert is_cut_in_transcript(OPENCODE, line_by_opencode("read", told, given)) is cut


@pytest.mark.parametrize(
    ("told", "cut"),
    [
        (truncated(), True),
        (truncated_head(), True),
        (f"log\n{truncated()}", False),
        (f"{truncated_head()}\nmore", False),
        ("1\n2\n...output truncated...\n", False),
    ],
)
def test_opencode_says_in_a_transcript_that_an_output_is_cut(told: str, *, cut: bool) -> None:
    assert is_cut_in_transcript(OPENCODE, line_by_opencode("bash", told, {"command": "seq 1 30000"})) is cut
