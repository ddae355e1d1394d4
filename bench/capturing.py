"""What a tool call of an agent pays: one capture, one look for an open gate; and taking 10,000 captures into the catalog."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from bench import logs
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.operations.recall import open_catalog
from devs_git.workspace import Workspace

PAYLOADS = 10_000
BARE = "python3 -I -S -c pass"
HOOKS = "agent hook, one capture"
# Clients that run lines of a shell. OpenCode loads a plug-in instead, which no process of ours stands for.
HOOKED = tuple(client for client in CLIENTS.values() if client.plugin is None)


def hooks(bench: Bench, rounds: int) -> list[Row]:
    """Whole processes, from the shell that a client starts to its end, beside a Python that does nothing."""
    top = _project(bench, "capturing")
    payload = bench.folder / "payload.json"
    payload.write_text(_payload(0, next(logs.outputs(1)).decode()))
    python = (os.path.realpath(sys.executable), "-I", "-S", "-c", "pass")
    captures = [_arm(top, client, client.answered[0], payload) for client in HOOKED]
    first = HOOKED[0]
    looks = _arm(top, first, first.before, payload)
    arms = [Arm(BARE, (python,), top), *captures, looks]
    found = {label: sample.wall for label, sample in bench.side_by_side(*arms, rounds=rounds * 10).items()}
    kept = len(list((top / ".git/devs/spool").iterdir()))
    if kept != (rounds * 10 + 1) * len(HOOKED):
        raise SystemExit(f"The hooks kept {kept} payloads.")
    idle = found[BARE]
    rows = []
    for client, capture in zip(HOOKED, captures, strict=True):
        ours, name = found[capture.label], f"{HOOKS}, {client.name}"
        rows += [
            Row(name, ours, BARE, idle, ours, bound=5),
            Row(name, ours, BARE, idle, ours / idle, "x", 0.5),
        ]
    before = found[looks.label]
    return [*rows, Row("agent hook, before a tool, nothing open", before, BARE, idle, before)]


def ingest(bench: Bench) -> list[Row]:
    """10,000 payloads of about a kilobyte, as most tools print it; and as many with outputs of 10 kB on average."""
    return [_ingest(bench, "1 kB", 1000, bound=0.5), _ingest(bench, "10 kB", 200_000, bound=None)]


def _ingest(bench: Bench, name: str, most: int, bound: float | None) -> Row:
    top = _project(bench, f"ingesting {name}")
    spool = top / ".git/devs/spool"
    for number, output in enumerate(_outputs(most)):
        lines = f"claude PostToolUse\nHEAD {'1' * 40}\nDevs-Task: task-10\n\n"
        (spool / f"{uuid.uuid4()}.claude.PostToolUse").write_text(lines + _payload(number, output))
    workspace = Workspace.open(top)
    begun = time.perf_counter()
    with open_catalog.open_catalog(workspace):
        pass
    each = (time.perf_counter() - begun) * 1000 / PAYLOADS
    if list(spool.iterdir()):
        raise SystemExit("Some payloads were not taken in.")
    told = f"each of {PAYLOADS:,}, {1000 / each:,.0f} a second"
    return Row(f"trace ingest, outputs of {name}", each, "", 0, each, bound=bound, note=told)


def _outputs(most: int) -> Iterator[str]:
    return itertools.islice(
        (text[:most].decode("utf-8", "replace") for text in logs.outputs(PAYLOADS)), PAYLOADS
    )


def _payload(number: int, output: str) -> str:
    return json.dumps(
        {
            "session_id": "s",
            "transcript_path": "/home/ada/.claude/projects/repo/s.jsonl",
            "cwd": "/home/ada/repo",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": "make test", "description": "Run the tests"},
            "tool_response": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
        }
    )


def _project(bench: Bench, name: str) -> Path:
    top = bench.folder / name
    top.mkdir()
    bench.run("git", "init", "-q", where=top)
    bench.run(OURS, "init", where=top)
    for client in CLIENTS:
        bench.run(OURS, "agent", "install", client, where=top)
    return top


def _arm(top: Path, client: Client, event: str, payload: Path) -> Arm:
    file = json.loads((top / client.hooks_file).read_text())
    line = file["hooks"][event][0]["hooks"][0]["command"]
    # The payload is a file here, not a pipe; braces start no process.
    return Arm(f"{client.name} {event}", (("sh", "-c", f"{{ {line}\n}} <'{payload}'"),), top)
