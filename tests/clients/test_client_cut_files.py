"""What Gemini CLI and OpenCode leave out of a file that they read, and of an output that no hook of ours saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.gemini import Gemini
from tests.clients.opencode import OpenCode
from tests.clients.program import Program
from tests.clients.script import Call
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough

GEMINI, OPENCODE = Gemini(), OpenCode()


@pytest.mark.parametrize(
    ("program", "tool", "path", "limits"),
    [
        (GEMINI, "read_file", "file_path", {"start_line": 3, "end_line": 400}),
        (OPENCODE, "read", "filePath", {"offset": 3, "limit": 400}),
    ],
    ids=["gemini", "opencode"],
)
def test_a_long_file_is_cut_if_the_model_asked_for_all_of_it(
    program: Program, tool: str, path: str, limits: dict[str, int], tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(program, folder) as bench:
        long = bench.top / "long.txt"
        long.write_text("".join(f"line {number}\n" for number in range(1, 9001)))
        whole, part = Call(tool, {path: str(long)}), Call(tool, {path: str(long), **limits})
        bench.run((whole,), (part,))
        found = [(one["tool_name"], one["cut_by_client"]) for one in bench.answer("trace", "list")["traces"]]
        assert found == [(tool, False), (tool, True)]


def test_an_output_that_gemini_told_only_its_model_is_cut(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(GEMINI, folder, trusted=False) as bench:
        bench.run((GEMINI.shell("seq 1 30000"),))
        (transcript,) = GEMINI.transcripts(bench.home)
        bench.devs_git("conversation", "import", str(transcript), "--client", "gemini")
        (trace,) = bench.answer("trace", "list")["traces"]
        assert (trace["size"] < 41_000, trace["cut_by_client"], trace["full_bytes"]) == (True, True, None)
