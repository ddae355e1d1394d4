"""What only Codex does: a command that is waited for in several calls, a program that calls several tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.clients.codex import Codex, CodexInCode
from tests.clients.program import Program
from tests.clients.script import Call, Reply, Turn
from tests.clients.workbench import Workbench
from tests.support.codex_rollout import LONG

pytestmark = pytest.mark.thorough

WAITING = "echo start; read x; echo got $x; seq 1000 1299"


@pytest.fixture(params=(Codex(), CodexInCode()), ids=lambda program: program.name)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workbench]:
    program: Program = request.param
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(program, folder) as made:
        yield made


def write(results: Sequence[str]) -> Turn:
    """The model writes to the process that runs on."""
    found = re.search(r"Process running with session ID (\d+)", results[-1])
    assert found, results
    given = {"session_id": int(found[1]), "chars": "hi\n", "yield_time_ms": 5000}
    return (Call("write_stdin", given),)


def test_a_command_that_is_waited_for_and_a_failing_one_are_a_trace_each(bench: Workbench) -> None:
    """A hook is told of the first one's end only, with the last part of its output, and of no failure."""
    started = {"cmd": WAITING, "yield_time_ms": 500, "tty": True}
    turns: tuple[Turn | Reply, ...]
    if bench.program.name == "codex":
        turns = ((Call("exec_command", started),), write, (bench.program.shell("seq 2000 2299; exit 4"),))
    else:
        source = (
            f"const r = await tools.exec_command({{cmd: '{WAITING}', yield_time_ms: 500, tty: true}}); text(r);"
            "text(await tools.write_stdin({session_id: r.session_id, chars: 'hi\\n', yield_time_ms: 5000}));"
            "text((await tools.exec_command({cmd: 'seq 2000 2299; exit 4'})).output); text('own');"
        )
        turns = ((Call("exec", namespace="functions", source=source),),)
    run = bench.run(*turns)
    assert [len(one["tool_response"]) for one in run.payloads_of("PostToolUse")] == [1812, 1500]
    failed, waited = bench.answer("trace", "list")["traces"]
    assert [(one["tool_name"], one["is_error"]) for one in (waited, failed)] == [
        ("Bash", False),
        ("Bash", True),
    ]
    whole = f"start\r\nhi\r\ngot hi\r\n{LONG}".replace("\r\n", "\n")
    assert bench.devs_git("trace", "get", waited["trace_id"]).replace("\r\n", "\n") == whole
    messages = [one for one in bench.answer("conversation", "show")["messages"] if one["role"] == "tool"]
    named = [one.get("trace_ids") or [one["trace_id"]] for one in messages]
    ids = {waited["trace_id"], failed["trace_id"]}
    assert {name for names in named for name in names} == ids
    shown = "\n".join(one["tool_result"] for one in messages)
    assert {name for name in ids if f"trace get {name}" in shown} == ids
    assert [one["is_error"] for one in messages][-1]
