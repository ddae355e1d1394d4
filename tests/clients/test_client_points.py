"""With real clients: the points of moments are places in the transcript that the client wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.recall.session_points import SessionPoint
from devs_git.operations.moments import moment_rows
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import find_point
from tests.clients.claude_code import ClaudeCode
from tests.clients.codex import Codex, CodexInCode
from tests.clients.program import Program
from tests.clients.test_client_moment_names import at_rest
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough
Line = Mapping[str, Any]


def lines_of(workbench: Workbench) -> Sequence[Line]:
    (path,) = workbench.program.transcripts(workbench.home)
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def claude_entries(lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """The uuid of each line that the model was told or said, and the line as text."""
    for line in lines:
        content = (line.get("message") or {}).get("content")
        parts = [part["type"] for part in content] if isinstance(content, list) else ["text"]
        if line["type"] in ("user", "assistant") and parts != ["thinking"]:
            yield line["uuid"], json.dumps(line)


def codex_entries(lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """Turn and number of each line that the model was told or said, and the line as text."""
    turn = ""
    for line in lines:
        if line["type"] == "turn_context":
            turn = line["payload"]["turn_id"]
        role = line["payload"].get("role")
        if line["type"] == "response_item" and role not in ("developer", "system"):
            yield f"{turn} {line['ordinal']}", json.dumps(line)


@pytest.mark.parametrize("program", [ClaudeCode(), Codex(), CodexInCode()], ids=lambda program: program.name)
def test_each_moment_has_the_place_of_the_transcript_at_which_it_was_made(
    program: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(program, folder) as workbench:
        compare(workbench)


def compare(workbench: Workbench) -> None:
    """Let the client work in two turns, and compare the points of its moments with its transcript."""
    program, top = workbench.program, workbench.top
    run = workbench.run((program.shell("echo 1 >one.txt"),), prompt="Make a file.")
    session = run.payloads[-1]["session_id"]
    workbench.run(
        (program.write(top / "two.txt", "2\n"),),
        (program.shell("echo 3 >three.txt"),),
        prompt="Now two more.",
        resume=session,
    )
    here = at_rest(top)
    entries = list((claude_entries if program.client == "claude" else codex_entries)(lines_of(workbench)))

    def before(words: str) -> str:
        at = next(at for at, (_, text) in enumerate(entries) if words in text)
        return entries[at - 1][0]

    with open_catalog(here, caught_up=True) as catalog:
        assert find_point.point_of(here, catalog, f"moment:{session}/1") is None
        second = find_point.point_of(here, catalog, f"moment:{session}/2")
        assert named(second) == before("Now two more.")
        made = {
            (one.moment.kind, one.details.occasion.words): find_point.of_moment(here, catalog, one.moment)
            for one in moment_rows.newest_first(here, moment_rows.MomentFilter(session))
        }
    found = {kind: point for (kind, words), point in made.items() if "three.txt" in words}
    # The transcript does not tell a call within a program of Codex: the point is the program, which has no result yet.
    within = program.name == "codex-code"
    written = next(name for name, text in entries if "echo 3 >three.txt" in text)
    assert named(found["call"]) == (written if within else before("echo 3 >three.txt"))
    # After the result the model said that it is done.
    assert named(found["after"]) == (written if within else entries[-2][0])
    assert {named(point) for (kind, _), point in made.items() if kind == "stop"} <= {
        name for name, _ in entries
    }


def named(point: SessionPoint | None) -> str:
    assert point is not None
    return point.entry if point.ordinal is None else f"{point.entry} {point.ordinal}"
