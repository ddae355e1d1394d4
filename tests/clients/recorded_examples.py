"""`make client-examples`: run each client's usual session, and keep what it told its hooks and wrote in its transcript.

The files are `tests/examples/clients/<client>/<version>/<program>.hooks.jsonl` and `<program>.transcript.jsonl`. Of
another session and of a fork of it, `<program>.forked.jsonl` and `<program>.fork.jsonl` are the transcripts. Paths are
replaced. What is the client's own (its instructions, its tools) and every long text are cut.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tests.clients import installation
from tests.clients.asides_run import Asides
from tests.clients.claude_code import ClaudeCode
from tests.clients.conftest import PROGRAMS
from tests.clients.everyday_run import Everyday
from tests.clients.program import Program
from tests.clients.workbench import Workbench

FOLDER: Final = Path(__file__).parent.parent / "examples" / "clients"
LONGEST: Final = 300  # characters of a text that is kept whole
# Such a text names the file with the output of a command in the background, or with the answer of an MCP tool.
NOTICES: Final = ("<task-notification>", "Error: result (")
# Under these keys a client writes its own instructions and tools.
OWN: Final = frozenset({"shape", "system", "systemPrompt", "tools"})


def main(names: list[str]) -> int:
    """Record the named programs, or all."""
    for program in (one for one in PROGRAMS if not names or one.name in names):
        with (
            tempfile.TemporaryDirectory(prefix="client-examples-") as folder,
            Workbench(program, Path(folder)) as bench,
        ):
            record(program, Everyday(bench))
        if program.forks:
            record_fork(program)
    if not names or ClaudeCode.name in names:
        record_asides()
    return 0


def record_asides() -> None:
    """Write what Claude Code told and wrote of what happens beside a conversation: `claude.asides-….jsonl`."""
    program = ClaudeCode()
    with (
        tempfile.TemporaryDirectory(prefix="client-examples-") as folder,
        Workbench(program, Path(folder)) as bench,
    ):
        asides = Asides(bench)
        (subagent,) = asides.transcript.with_suffix("").glob("subagents/*.jsonl")
        _write(program, "asides-hooks", asides.run.payloads, bench)
        _write(program, "asides-transcript", _lines(asides.transcript), bench)
        _write(program, "asides-subagent", _lines(subagent), bench)


def record_fork(program: Program) -> None:
    """Write the transcripts of a session and of its fork. The session goes on after it was forked."""
    with (
        tempfile.TemporaryDirectory(prefix="client-examples-") as folder,
        Workbench(program, Path(folder)) as bench,
    ):
        _record_fork(program, bench)


def _record_fork(program: Program, bench: Workbench) -> None:
    origin = bench.run((program.shell("echo one"),), prompt="Do as planned.")
    session = str(origin.payloads[0]["session_id"])
    fork = bench.run((program.shell("echo two"),), prompt="Go another way.", fork=session)
    bench.run((program.shell("echo three"),), prompt="Go on.", resume=session)
    for name, known in (("forked", session), ("fork", str(fork.payloads[0]["session_id"]))):
        (transcript,) = (path for path in program.transcripts(bench.home) if known in path.name)
        _write(program, name, _lines(transcript), bench)


def record(program: Program, everyday: Everyday) -> None:
    """Write the two files of this program."""
    (transcript,) = program.transcripts(everyday.bench.home)
    # Where the client makes no payloads, those of our plug-in are kept.
    spooled = [payload for _, payload in everyday.spooled_payloads()]
    told = everyday.run.payloads if program.tells_payloads else spooled
    _write(program, "hooks", told, everyday.bench)
    _write(program, "transcript", _lines(transcript), everyday.bench)


def _lines(transcript: Path) -> list[Any]:
    return [json.loads(line) for line in transcript.read_text().splitlines()]


def _write(program: Program, name: str, values: Iterable[Any], bench: Workbench) -> None:
    folder = FOLDER / program.client / installation.VERSIONS[program.package]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{program.name}.{name}.jsonl"
    file.write_text("".join(example_lines(values, bench)))
    sys.stdout.write(f"{file.relative_to(FOLDER.parent.parent.parent)}\n")


def example_lines(values: Iterable[Any], bench: Workbench) -> Iterable[str]:
    """The values as lines of JSON, cut, with made-up paths."""
    places = {str(bench.top): "/work/repo", str(bench.home): "/home/ada", str(bench.top.parent): "/tmp"}
    # Claude Code names a folder by its path with each other character replaced.
    slugs = {
        re.sub(r"[^A-Za-z0-9]", "-", path): re.sub(r"[^A-Za-z0-9]", "-", to) for path, to in places.items()
    }
    replaced = {**places, **slugs, bench.model.address: "http://127.0.0.1:1"}
    for value in values:
        line = json.dumps(value, ensure_ascii=False)
        for path, to in replaced.items():
            line = line.replace(path, to)
        yield json.dumps(cut(json.loads(line)), ensure_ascii=False) + "\n"


def cut(value: Any, key: str = "") -> Any:
    """The value that stands under `key` without what is long."""
    if isinstance(value, dict | list) and key in OWN and (size := len(json.dumps(value))) > LONGEST:
        return f"[{size} characters]"
    if isinstance(value, dict):
        return {name: cut(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [cut(inner) for inner in value]
    if isinstance(value, str) and len(value) > LONGEST and not value.startswith(NOTICES):
        return f"{value[:60]} [{len(value)} characters]"
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
