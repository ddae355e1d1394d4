"""Sessions of 10,000 messages: what it costs to write one for its client, to read that file again, and to make a bundle."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import logs
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.operations.recall import ingest
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target
from devs_git.storage.catalog.transcripts import Source
from devs_git.workspace import Workspace

TURNS = 2_500
SESSION = "00000000-0000-4000-8000-000000000000"
VERSIONS = {"claude": "2.1.330", "codex": "0.169.0"}


def writing(bench: Bench, rounds: int) -> list[Row]:
    """A session of Claude Code with 2,500 prompts, as many calls, results and answers; the lowest of some rounds."""
    top = bench.folder / "sessions"
    top.mkdir()
    bench.run("git", "init", "-q", where=top)
    bench.run(OURS, "init", where=top)
    bench.run(OURS, "task", "start", "1", "--title", "The report", where=top)
    transcript = top.parent / "transcript.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in _lines()))
    bench.run(OURS, "conversation", "import", str(transcript), "--client", "claude", where=top)
    transcript.unlink()
    bundle = _bundle(bench, top, rounds)
    return [
        bundle,
        *(row for client, version in VERSIONS.items() for row in _rows(top, client, version, rounds)),
    ]


def _bundle(bench: Bench, top: Path, rounds: int) -> Row:
    """At most 300 ms over start-up. Most of it loads what looks for secrets in the bundle, in a thread beside the rest."""
    made = bench.run(OURS, "resume", "task-1", "--json", where=top)
    assert json.loads(made)["bundle"]["omitted"]["messages"] > TURNS
    arm = Arm("resume", ((OURS, "resume", "task-1"),), top)
    ours, start, longer = bench.over(arm, start_up(top), rounds=rounds * 2)
    name = "resume, bundle of 10,000 messages"
    return Row(name, ours, START_UP, start, longer, bound=300, note="over start-up")


def _rows(top: Path, client: str, version: str, rounds: int) -> Iterator[Row]:
    os.environ.update(
        {"CLAUDE_CONFIG_DIR": str(top.parent / "claude"), "CODEX_HOME": str(top.parent / "codex")}
    )
    workspace, times = Workspace.open(top), list[tuple[float, float, float]]()
    with open_catalog(workspace) as catalog:
        for _ in range(rounds):
            begun = time.perf_counter()
            target = Target(top, installed=version)
            file = write_session.write(workspace, catalog, Point(SESSION), target, client).file
            written = time.perf_counter()
            with file.open("rb") as stream:
                reader = Reader(CLIENTS[client], "")
                count = sum(len(reader.read(line)) for line in stream)
            assert count == 4 * TURNS, count
            read = time.perf_counter()
            attribution = ingest.current_attribution(workspace)
            ingest.ingest_transcript(workspace, catalog, Source(file, client), attribution)
            times.append((written - begun, read - written, time.perf_counter() - read))
    written, read, taken = (min(one) * 1000 for one in zip(*times, strict=True))
    note = f"{written:.0f} written, {read:.0f} read back"
    both = written + read
    yield Row(f"session of 10,000 messages, {client}", both, "", 0, both, bound=1000, note=note)
    yield Row(f"the same, taken into the catalog, {client}", taken, "", 0, taken)


def _lines() -> Iterator[dict[str, Any]]:
    """The lines of the transcript: a prompt, a call, its result and an answer for each turn."""
    outputs, before = [output.decode()[:1500] for output in logs.outputs(100)], None
    for turn in range(TURNS):
        call = {
            "type": "tool_use",
            "id": f"toolu_{turn}",
            "name": "Bash",
            "input": {"command": f"make part-{turn}"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{turn}",
            "content": outputs[turn % len(outputs)],
        }
        answer = {"type": "text", "text": f"Part {turn} is made. The dates are parsed as ISO 8601 now."}
        for number, (kind, part) in enumerate(
            (
                (
                    "user",
                    {"type": "text", "text": f"Make part {turn} of the report, and say what is missing."},
                ),
                ("assistant", call),
                ("user", result),
                ("assistant", answer),
            )
        ):
            uuid = f"{turn}-{number}"
            yield {
                "type": kind,
                "uuid": uuid,
                "parentUuid": before,
                "sessionId": SESSION,
                "version": VERSIONS["claude"],
                "timestamp": f"2026-01-{1 + turn // 200:02}T{turn % 24:02}:{turn % 60:02}:{number:02}.{turn % 1000:03}Z",
                "message": {"role": kind, "id": f"msg_{uuid}", "content": [part]},
            }
            before = uuid
