"""A session of Claude Code with what happens beside the conversation: a subagent, a command in the background, own commands.

There are also two outputs that the client cuts otherwise than those of its shell: of an MCP tool, and of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.clients.script import Call, Text
from tests.clients.workbench import Run, Workbench

PROMPT: Final = "Ask another agent, and start the tests."
KIND: Final = "general-purpose"
INNER: Final = "seq 1 8000"
OUTER: Final = "seq 1 9; sleep 1; seq 10 9000; exit 3"
COMMAND: Final = "greet"
# After the wait for the command in the background.
ODD: Final = "printf '\\n\\na\\377b\\n\\n'; printf 'to standard error\\n\\n' >&2"
STORED: Final = "long"
TEXT: Final = "".join(f"line {number} of a file that is very long\n" for number in range(5000))


class Asides:
    """The runs, and what devs-git knows of them afterwards."""

    def __init__(self, bench: Workbench) -> None:
        program = bench.program
        self.bench = bench
        template = bench.top / ".claude" / "commands" / f"{COMMAND}.md"
        template.parent.mkdir(exist_ok=True)
        template.write_text("Say hello to $ARGUMENTS.\n")
        delegate = {"description": "Count", "prompt": "Count for me.", "subagent_type": KIND}
        background = {"command": OUTER, "description": "Run the tests", "run_in_background": True}
        long = bench.top / "a.txt"
        long.write_text(TEXT)
        bench.devs_git("trace", "put", "--id", STORED, text=TEXT)
        self.run: Run = bench.run(
            (Call("Agent", {**delegate, "run_in_background": False}),),
            (program.shell(INNER),),
            (Text("Counted."),),
            (Call("Bash", background),),
            (program.own("get_task_trace", traceId=STORED),),
            (Call("Read", {"file_path": str(long)}),),
            (program.shell(f"sleep 2; {ODD}"),),
            prompt=PROMPT,
        )
        self.session: str = self.run.payloads[0]["session_id"]
        bench.run(prompt=f"/{COMMAND} Bob", resume=self.session)
        bench.run(prompt="/cost", resume=self.session, ends=False)
        self.traces: Sequence[Mapping[str, Any]] = bench.answer("trace", "list", "--limit", "50")["traces"]

    @property
    def inner(self) -> Mapping[str, Any]:
        """The trace of the subagent's command."""
        return next(one for one in self.traces if one["agent"] == KIND)

    @property
    def transcript(self) -> Path:
        (found,) = self.bench.program.transcripts(self.bench.home)
        return found

    def messages(self, session: str = "") -> Sequence[Mapping[str, Any]]:
        shown = self.bench.answer("conversation", "show", "--session", session or self.session)
        return list(shown["messages"])
