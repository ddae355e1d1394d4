"""A usual session: a shell command, one that fails, a tool of ours, a new file, a last word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.clients.workbench import Workbench

PROMPT: Final = "Say one and two, then fail, look at the checkpoints, and write a file."
SPOKEN: Final = "echo one; echo two"
FAILING: Final = "echo three >&2; exit 3"
FILE: Final = "new.txt"


class Everyday:
    """The run, what our hooks had spooled at its end, and what devs-git knows of it afterwards."""

    def __init__(self, bench: Workbench) -> None:
        program = bench.program
        self.bench, self.program = bench, program
        self.run = bench.run(
            (program.shell(SPOKEN),),
            (program.shell(FAILING),),
            (program.own("list_checkpoints"),),
            (program.write(bench.top / FILE, "hello\n"),),
            prompt=PROMPT,
        )
        self.spooled = [file.read_bytes() for file in bench.spool]
        self.traces: Sequence[Mapping[str, Any]] = bench.answer("trace", "list")["traces"][::-1]
        self.session: str = self.run.payloads[0]["session_id"]
        self.conversation: Mapping[str, Any] = bench.answer("conversation", "show", "--session", self.session)

    def output(self, at: int) -> str:
        """The output of the trace at this place."""
        return str(self.bench.answer("trace", "get", self.traces[at]["trace_id"])["fullOutput"])

    def messages(self, role: str) -> Sequence[Mapping[str, Any]]:
        return [one for one in self.conversation["messages"] if one["role"] == role]

    def calls(self) -> Sequence[Mapping[str, Any]]:
        """The calls of the model, as the transcript tells them."""
        return [call for one in self.messages("assistant") for call in one.get("tool_calls", ())]

    def spooled_payloads(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Event and payload of each spooled file, in the order of the events' names."""
        found = []
        for data in self.spooled:
            head, _, payload = data.partition(b"\n\n")
            found.append((head.split(b"\n")[0].decode().partition(" ")[2], json.loads(payload)))
        return sorted(found, key=lambda one: one[0])
