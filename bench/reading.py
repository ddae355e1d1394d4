"""Start-up, help, and the newest of ten thousand checkpoints."""

from __future__ import annotations

import sys
from pathlib import Path

from bench import histories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up

PYTHON = "python -c pass"
GIT_LOG = "git log -20 devs/ledger"
GIT_GRAPH = "git log --graph --oneline"
CHECKPOINTS = 10_000
DOOR = "devs_git.entrypoints.cli.without_click.often"
OFTEN = ("status", "log", "gate list", "task status 1")


def help_and_start_up(bench: Bench, rounds: int) -> list[Row]:
    """`--help` in at most 60 ms of user time; start-up for comparison."""
    here = bench.folder
    python = Arm(PYTHON, ((sys.executable, "-c", "pass"),), here)
    help_ = Arm("help", ((OURS, "--help"),), here)
    found = bench.side_by_side(help_, start_up(here), python, rounds=rounds * 3)
    bare = found[PYTHON]
    return [
        Row(
            "devs-git --help",
            found["help"].wall,
            PYTHON,
            bare.wall,
            found["help"].user,
            bound=60,
            note="user time",
        ),
        Row("devs-git --version (start-up)", found[START_UP].wall, PYTHON, bare.wall, found[START_UP].wall),
    ]


def without_click(bench: Bench, rounds: int) -> list[Row]:
    """The start of what agents and prompts call most, until its words are read: at most 2 times a bare Python.

    The whole command has no bound: most of the rest are modules of Python itself, and what git answers.
    """
    top = histories.make(bench, "start", 10)
    bench.run(OURS, "status", where=top)
    start = Arm("start", ((sys.executable, "-c", f"import devs_git.__main__, {DOOR}"),), top)
    python = Arm(PYTHON, ((sys.executable, "-c", "pass"),), top)
    whole = [Arm(f"devs-git {words}", ((OURS, *words.split()),), top) for words in OFTEN]
    found = bench.side_by_side(start, python, *whole, rounds=rounds * 5)
    bare, begun = found[PYTHON].wall, found["start"].wall
    rows = [
        Row(
            "start of status and log", begun, PYTHON, bare, begun / bare, "x", 2.0, "until the words are read"
        )
    ]
    return rows + [
        Row(arm.label, found[arm.label].wall, PYTHON, bare, found[arm.label].wall / bare, "x")
        for arm in whole
    ]


def log(bench: Bench, rounds: int) -> list[Row]:
    """The last 20 of 10,000 checkpoints: at most 80 ms over start-up, also as a graph. The graph of all beside git's own."""
    top = histories.make(bench, "log", CHECKPOINTS)
    _check(bench, top)
    ours = Arm("log", ((OURS, "log", "--limit", "20"),), top)
    git = Arm(GIT_LOG, (("git", "log", "-20", histories.LEDGER),), top)
    log, _, longer = bench.over(ours, start_up(top), rounds=rounds * 2)
    theirs = bench.side_by_side(git, rounds=rounds * 2)[GIT_LOG].wall
    name = f"log, last 20 of {CHECKPOINTS:,}"
    listed = Row(name, log, GIT_LOG, theirs, longer, bound=80, note="over start-up")
    return [listed, *_graph(bench, top, rounds)]


def _graph(bench: Bench, top: Path, rounds: int) -> list[Row]:
    count = str(CHECKPOINTS)
    page = Arm("page", ((OURS, "log", "--graph", "-n", "20"),), top)
    whole = Arm("whole", ((OURS, "log", "--graph", "-n", count),), top)
    git = Arm(GIT_GRAPH, (("git", "log", "--graph", "--oneline", "-n", count),), top)
    first, start, longer = bench.over(page, start_up(top), rounds=rounds * 2)
    found = bench.side_by_side(whole, git, rounds=rounds)
    ours, theirs = found["whole"].wall, found[GIT_GRAPH].wall
    return [
        Row("log --graph, first page", first, START_UP, start, longer, bound=80, note="over start-up"),
        Row(f"log --graph of {CHECKPOINTS:,}", ours, GIT_GRAPH, theirs, ours),
    ]


def history(bench: Bench, rounds: int) -> list[Row]:
    """The first page of the history of everything takes as long with ten times as many events: at most 1.1 times."""
    arms = {}
    for count in (CHECKPOINTS // 10, CHECKPOINTS):
        top = histories.make(bench, f"history-{count}", count)
        arms[count] = Arm(f"history {count}", ((OURS, "history", "--json"),), top)
        _note_judged(bench, top)
        bench.run(OURS, "history", where=top)  # the catalog reads the ledger once
    found = bench.side_by_side(*arms.values(), rounds=rounds * 2)
    few, many = (found[arm.label].wall for arm in arms.values())
    name = f"history, first page: {CHECKPOINTS:,} events against {CHECKPOINTS // 10:,}"
    return [Row(name, many, "fewer events", few, many / few, unit="x", bound=1.1)]


def _check(bench: Bench, top: Path) -> None:
    newest = f"task-{CHECKPOINTS // histories.PER_TASK + 1}"
    _note_judged(bench, top)
    if newest not in bench.run(OURS, "log", "--limit", "20", where=top):
        raise SystemExit("The ledger made for this row is not read as one.")


def _note_judged(bench: Bench, top: Path) -> None:
    note = top / ".git/devs/checked-tip"
    note.parent.mkdir(exist_ok=True)
    note.write_text(
        f"{bench.run('git', 'rev-parse', histories.LEDGER, where=top).strip()}\n"
    )  # as the verbs leave it
