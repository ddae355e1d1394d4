"""What our hooks add to `git commit`, with and without an active task, and what another hook runner's one no-op adds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bench import repositories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, empty_hooks

PLAIN, EMPTY, IDLE, PREK = "git commit without hooks", "four empty hooks", "no task", "prek, one no-op hook"
NO_OP = """repos:
  - repo: local
    hooks:
      - {id: noop, name: noop, entry: "true", language: system, always_run: true, pass_filenames: false}
"""


def hooks(bench: Bench, rounds: int, peers: Path | None) -> list[Row]:
    """At most 10 ms with no task, at most 150 ms with one.

    git reads the index again after any pre-commit hook, and writes nothing meanwhile: what four empty hooks take says
    how much of ours that is. The bound of 10 ms names no size; it is held to where that part is small.
    """
    usual, big = (repositories.make(bench, f"hooks {files}", files) for files in (2_000, 20_000))
    rows: list[Row] = []
    for top, names in (usual, big):
        bench.run(OURS, "init", where=top)
        arms = [_plain(bench, top, names), _empty(bench, top, names), _commit(bench, IDLE, top, names)]
        arms += _prek(bench, top, names, peers) if peers else ()
        found = {label: sample.wall for label, sample in bench.side_by_side(*arms, rounds=rounds * 3).items()}
        rows += _idle(found, len(names), bounded=top == usual[0])
    return [*rows, *_busy(bench, rounds, *big)]


def _idle(found: Mapping[str, float], files: int, *, bounded: bool) -> list[Row]:
    name, ours, plain = f"git commit, hooks, no task, {files:,} files", found[IDLE], found[PLAIN]
    rows = [
        _added(name, ours, (PLAIN, plain), plain, 10 if bounded else None),
        _added(name, ours, (EMPTY, found[EMPTY]), found[EMPTY], None),
    ]
    if PREK in found:
        rows.append(_added(name, ours, (PREK, found[PREK]), plain, found[PREK] - plain))
    return rows


def _busy(bench: Bench, rounds: int, top: Path, names: list[str]) -> list[Row]:
    """The hook records a checkpoint; once without a conversation, once with one that grew by 30 messages since the last."""
    bench.run(OURS, "task", "start", "1", "--title", "Commit", where=top)
    transcript = bench.folder / "talk.jsonl"
    _say(transcript, 30)
    bench.run(OURS, "conversation", "import", str(transcript), where=top)
    talking = _commit(bench, "talk", top, names)

    def speak() -> None:
        talking.before()
        _say(transcript, 30)

    arms = (_plain(bench, top, names), _commit(bench, "task", top, names), replace(talking, before=speak))
    found = {label: sample.wall for label, sample in bench.side_by_side(*arms, rounds=rounds * 2).items()}
    _check(bench, top, 2 * (rounds * 2 + 1))
    plain = found[PLAIN]
    return [
        _added("git commit, checkpoint by hook", found["task"], (PLAIN, plain), plain, 150),
        _added("git commit, checkpoint, 30 new messages", found["talk"], (PLAIN, plain), plain, 150),
    ]


def _say(transcript: Path, messages: int) -> None:
    """Add messages to a transcript of Claude Code."""
    message = {"role": "user", "content": "word " * 100}
    line = {"type": "user", "sessionId": "s-1", "timestamp": "2026-01-01T00:00:00.000Z", "message": message}
    with transcript.open("a") as stream:
        for _ in range(messages):
            stream.write(json.dumps({**line, "uuid": os.urandom(8).hex()}) + "\n")


def _added(name: str, ours: float, neighbour: tuple[str, float], least: float, bound: float | None) -> Row:
    note = "added to the empty ones" if neighbour[0] == EMPTY else "added"
    most = None if bound is None else round(bound, 1)
    return Row(name, ours, *neighbour, ours - least, bound=most, note=note)


def _check(bench: Bench, top: Path, commits: int) -> None:
    refs = bench.run("git", "for-each-ref", "refs/devs/checkpoints/task-1", where=top).splitlines()
    if len(refs) != commits:
        raise SystemExit(f"The hooks recorded {len(refs)} checkpoints of {commits}.")


def _plain(bench: Bench, top: Path, names: list[str]) -> Arm:
    return _commit(bench, PLAIN, top, names, "-c", "core.hooksPath=/dev/null")


def _empty(bench: Bench, top: Path, names: list[str]) -> Arm:
    """As many hooks as ours have in a commit, which do nothing."""
    folder = empty_hooks(
        bench.folder / "empty", "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"
    )
    return _commit(bench, EMPTY, top, names, "-c", f"core.hooksPath={folder}")


def _commit(bench: Bench, label: str, top: Path, names: list[str], *options: str) -> Arm:
    """A commit of one changed file, staged beforehand."""
    turn = iter(range(10**6))

    def stage() -> None:
        number = next(turn)
        path = top / names[number * 37 % len(names)]
        with path.open("a") as stream:
            stream.write(f"# {label} {number}\n")
        bench.run("git", "add", "--all", where=top)

    return Arm(label, (("git", *options, "commit", "-q", "-m", label),), top, stage)


def _prek(bench: Bench, source: Path, names: list[str], peers: Path) -> tuple[Arm]:
    """The same repository without our hooks, with prek's shim and one hook that does nothing."""
    top = bench.folder / f"prek {len(names)}"
    bench.run("git", "clone", "-q", "--local", str(source), str(top), where=bench.folder)
    (top / ".pre-commit-config.yaml").write_text(NO_OP)
    bench.run(str(peers / "bin" / "prek"), "install", where=top)
    return (_commit(bench, PREK, top, names),)
