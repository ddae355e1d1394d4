"""What a call of a tool costs over MCP: from start to the list of tools, memory, and calls beside git and mcp-server-git.

Both servers run all the while and are asked in turn over their own pipes; git is a whole process each time.
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.measure import Bench
from bench.report import Row
from bench.subjects import OURS, two_tasks

FILES = 20_000
CHANGED = 13
GIT = "git"
PEER = "mcp-server-git"
IMPORT = "python, import mcp"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Talker:
    """A server behind two pipes, which has listed its tools."""

    def __init__(self, bench: Bench, where: Path, *command: str) -> None:
        self.child = subprocess.Popen(
            command,
            cwd=where,
            env=bench.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.numbers = itertools.count(1)
        self.ask("initialize", **HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = {tool["name"] for tool in self.ask("tools/list")["tools"]}

    def _send(self, message: dict[str, Any]) -> None:
        assert self.child.stdin
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self.child.stdout
        while line := self.child.stdout.readline():
            told = json.loads(line)
            if told.get("id") == number:
                found: dict[str, Any] = told["result"]
                return found
        raise SystemExit("The server has ended.")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found = self.ask("tools/call", name=tool, arguments=arguments)
        if found.get("isError"):
            raise SystemExit(f"{tool} answered {found['content']}")
        return found

    @property
    def mebibytes(self) -> float:
        """The most that the server's own process has held."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def close(self) -> None:
        assert self.child.stdin
        assert self.child.stdout
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


def serving(bench: Bench, rounds: int, peers: Path | None) -> list[Row]:
    """git_status in at most 1.5 times git itself, and a start and git_status in no more than mcp-server-git takes."""
    subject = two_tasks(bench, "serving", FILES, CHANGED)
    top = subject.top
    bench.run("git", "branch", "other", subject.base, where=top)
    starts = _starts(bench, top, peers, rounds)
    with closing(Talker(bench, top, OURS, "mcp")) as ours:
        if peers is None:
            return [*starts, *_calls(bench, top, ours, None, rounds)]
        with closing(Talker(bench, top, *_peer(peers, top))) as theirs:
            rows = _calls(bench, top, ours, theirs, rounds)
            memory = ours.mebibytes
            return [
                *starts,
                *rows,
                Row("MCP, memory after these calls (MiB)", memory, PEER, theirs.mebibytes, memory, "MiB"),
            ]


def _peer(peers: Path, top: Path) -> tuple[str, ...]:
    return (str(peers / "bin" / PEER), "--repository", str(top))


def _starts(bench: Bench, top: Path, peers: Path | None, rounds: int) -> list[Row]:
    """From start to the list of tools: beside the library's bare import, and beside the peer where it is installed."""

    def start(*command: str) -> Callable[[], object]:
        return lambda: Talker(bench, top, *command).close()

    arms: dict[str, Callable[[], object]] = {
        OURS: start(OURS, "mcp"),
        IMPORT: lambda: bench.run(sys.executable, "-c", "import mcp", where=top),
    }
    if peers is not None:
        arms[PEER] = start(*_peer(peers, top))
    found = _side_by_side(arms, rounds)
    mine, name = found[OURS], "MCP, start to the list of tools"
    return [
        Row(name, mine, peer, found[peer], mine / found[peer], "x", most)
        for peer, most in ((PEER, 0.4), (IMPORT, 0.5))
        if peer in found
    ]


def _calls(bench: Bench, top: Path, ours: Talker, theirs: Talker | None, rounds: int) -> list[Row]:
    def git(*words: str) -> Callable[[], object]:
        return lambda: bench.run("git", *words, where=top)

    place = {"repo_path": str(top)}
    branches = itertools.cycle(["other", "main"])
    status: dict[str, Callable[[], object]] = {
        OURS: lambda: ours.call("git_status"),
        GIT: git("status", "--porcelain=v2", "--branch"),
    }
    switch: dict[str, Callable[[], object]] = {
        OURS: lambda: ours.call("git_checkout", branch_name=next(branches)),
        GIT: lambda: bench.run("git", "switch", "-q", next(branches), where=top),
    }
    dry: dict[str, Callable[[], object]] = {
        OURS: lambda: ours.call("preview_rewind", task_id="1"),
        GIT: git("status", "--porcelain=v2"),
    }
    if theirs is not None:
        status[PEER] = lambda: theirs.call("git_status", **place)
        switch[PEER] = lambda: theirs.call("git_checkout", branch_name=next(branches), **place)
    found = {
        name: _side_by_side(arms, rounds * 3)
        for name, arms in (("status", status), ("switch", switch), ("dry", dry))
    }
    bench.run("git", "switch", "-q", "main", where=top)
    rows = []
    for name, key, bound in (("git_status", "status", 1.5), ("git_checkout", "switch", None)):
        for peer in (GIT, PEER):
            if peer in found[key]:
                mine, other = found[key][OURS], found[key][peer]
                most = 1 if (peer, key) == (PEER, "status") else bound if peer == GIT else None
                rows.append(
                    Row(
                        f"MCP, {name}, {FILES:,} files",
                        mine,
                        _named(peer, key),
                        other,
                        mine / other,
                        "x",
                        most,
                    )
                )
    mine = found["dry"][OURS]
    rows.append(Row("MCP, preview_rewind", mine, "git status", found["dry"][GIT], mine))
    return rows


def _named(peer: str, key: str) -> str:
    return peer if peer == PEER else f"git {key}"


def _side_by_side(arms: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median of each, in milliseconds, after one round that does not count."""
    took: dict[str, list[float]] = {name: [] for name in arms}
    for turn in range(rounds + 1):
        for name, work in arms.items():
            begun = time.perf_counter()
            work()
            if turn:
                took[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(values) for name, values in took.items()}
