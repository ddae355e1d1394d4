"""`python -m bench [--peers] [--only NAME …]`: measure, print the table, write bench/last.json."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import devs_git
from bench import (
    capturing,
    committing,
    forking,
    indexing,
    large_ledgers,
    large_reading,
    lengthening,
    moment_refs,
    moments,
    moving,
    plain_git,
    reading,
    rebasing,
    reporting,
    saving,
    serving,
    sessions,
    syncing,
    traces,
    verifying,
)
from bench.measure import Bench
from bench.report import Report, Row, machine

HERE = Path(__file__).parent
PEERS = HERE / ".peers"


def parts(bench: Bench, rounds: int, peers: Path | None) -> dict[str, Callable[[], list[Row]]]:
    return {
        "start": lambda: reading.help_and_start_up(bench, rounds),
        "often": lambda: reading.without_click(bench, rounds),
        "log": lambda: reading.log(bench, rounds),
        "history": lambda: reading.history(bench, rounds),
        "hooks": lambda: committing.hooks(bench, rounds, peers),
        "rebase": lambda: rebasing.rebase(bench, min(rounds, 5)),
        "frozen": lambda: rebasing.frozen(bench, rounds),
        "small": lambda: moving.small(bench, rounds, peers),
        "fork": lambda: forking.fork(bench, rounds),
        "drop": lambda: moving.drop(bench, rounds),
        "carrying": lambda: moving.carrying(bench, rounds),
        "branches": lambda: moving.branches(bench, rounds),
        "saving": lambda: saving.large_file(bench, rounds),
        "verify": lambda: verifying.verify(bench, rounds),
        "syncing": lambda: syncing.sync(bench, rounds),
        "report": lambda: reporting.report(bench, min(rounds, 5)),
        "copies": lambda: lengthening.copies(bench, rounds),
        "getting": lambda: traces.getting(bench, rounds),
        "sessions": lambda: sessions.writing(bench, rounds),
        "searching": lambda: traces.searching(bench),
        "capturing": lambda: capturing.hooks(bench, rounds),
        "ingesting": lambda: capturing.ingest(bench),
        "moments": lambda: [
            *moments.unchanged(bench, rounds),
            *moments.changed(bench, rounds, peers),
            *moments.first(bench, rounds),
        ],
        "beside": lambda: moment_refs.beside_git(bench, rounds),
        "plain": lambda: plain_git.plain(bench, rounds),
        "serving": lambda: serving.serving(bench, rounds, peers),
        "large": lambda: moving.large(bench, min(rounds, 3)),
        "indexing": lambda: indexing.indexing(bench, min(rounds, 5)),
        "writing": lambda: large_ledgers.writing(bench, min(rounds, 3)),
        "reading": lambda: large_reading.reading(bench, min(rounds, 5)),
        "judging": lambda: [*large_ledgers.judging(bench, 1), *verifying.verify_many(bench)],
    }


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench")
    options.add_argument("--peers", action="store_true", help="measure beside the tools in bench/peers.txt")
    options.add_argument(
        "--only",
        action="append",
        default=[],
        help="one of: start log history hooks rebase frozen small fork drop carrying branches saving verify report syncing copies getting sessions searching capturing ingesting moments beside plain serving large indexing writing reading judging",
    )
    options.add_argument("--results", action="store_true", help="write bench/RESULTS.md, too")
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    peers = PEERS if given.peers else None
    with tempfile.TemporaryDirectory(prefix="devs-git-bench-") as folder:
        bench = Bench.below(Path(folder), Path(sys.executable).parent)
        rows: list[Row] = []
        for name, part in parts(bench, given.rounds, peers).items():
            if not given.only or name in given.only:
                print(f"measuring: {name}", file=sys.stderr, flush=True)
                rows += part()
    report = Report(tuple(rows), machine((f"devs-git {devs_git.__version__}", *_versions(peers))))
    report.save(HERE / "last.json")
    if given.results:
        (HERE / "RESULTS.md").write_text(report.page(), encoding="utf-8")
    print(report.markdown())
    print("\n" + "\n".join(f"{key}: {value}" for key, value in report.machine.items()))
    missed = report.missed()
    print(f"\n{len(missed)} bounds missed" if missed else "\nevery bound is met")
    return 0


def _versions(peers: Path | None) -> list[str]:
    if peers is None:
        return []
    freeze = [str(peers / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "freeze"]
    lines = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout.splitlines()
    return [
        line.replace("==", " ")
        for line in lines
        if line.startswith(("stepback", "rewind", "prek", "mcp-server-git"))
    ]


if __name__ == "__main__":
    sys.exit(main())
