"""What our hooks add to a rebase of 30 commits, and whether decided gates slow the question whether any is open."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench import repositories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, empty_hooks

COMMITS = 30
GATES = 10_000
PLAIN, EMPTY = "git rebase without hooks", "the same hooks, empty"
PER_PICK = ("prepare-commit-msg", "post-commit", "reference-transaction")
LEDGER = "refs/heads/devs/ledger"


def rebase(bench: Bench, rounds: int) -> list[Row]:
    """At most 2.5 times a rebase without hooks, 3 times with those of `init --strict`, in 20,000 files.

    git starts the strict hook ten times for each commit that it picks. In 2,000 files a pick is so short that empty
    hooks alone take longer than 3 times: there the strict ones stand beside those.
    """
    big, usual = (_rows(bench, rounds, files) for files in (20_000, 2_000))
    return [*big, *usual]


def _rows(bench: Bench, rounds: int, files: int) -> list[Row]:
    top, names = repositories.make(bench, f"rebase {files}", files)
    folders = {"hooks": _hooks(bench, top), "strict hooks": _hooks(bench, top, "--strict")}
    folders |= {PLAIN: Path("/dev/null"), EMPTY: empty_hooks(bench.folder / "empty strict", *PER_PICK)}
    _branches(bench, top, names)
    arms = (_arm(bench, label, top, folder) for label, folder in folders.items())
    found = {label: sample.wall for label, sample in bench.side_by_side(*arms, rounds=rounds).items()}
    name, plain, strict = f"rebase of {COMMITS} commits, {files:,} files", found[PLAIN], found["strict hooks"]
    bound, beside = (3.0, PLAIN) if files == 20_000 else (None, EMPTY)
    return [
        Row(name, found["hooks"], PLAIN, plain, found["hooks"] / plain, "x", 2.5),
        Row(f"{name}, --strict", strict, beside, found[beside], strict / found[beside], "x", bound),
    ]


def _hooks(bench: Bench, top: Path, *options: str) -> Path:
    """Our hooks, in a folder of their own."""
    bench.run(OURS, "init", *options, where=top)
    folder = bench.folder / f"hooks of {top.name}{''.join(options)}"
    shutil.copytree(top / ".git" / "hooks", folder)
    return folder


def _branches(bench: Bench, top: Path, names: list[str]) -> None:
    """`work` is 30 commits behind `onto`; a task was finished before both, and commits since then have no checkpoint."""

    def commit(name: str, message: str) -> None:
        with (top / name).open("a") as stream:
            stream.write(f"# {message}\n")
        bench.run("git", "commit", "-qam", message, where=top)

    bench.run(OURS, "task", "start", "1", "--title", "Begin", where=top)
    bench.run(OURS, "task", "complete", "--all", where=top)
    bench.run("git", "checkout", "-q", "-b", "onto", where=top)
    commit(names[0], "Read the dates of all reports")
    bench.run("git", "checkout", "-q", "-b", "work", "HEAD~1", where=top)
    for number in range(COMMITS):
        why = "\n\nThey were read as local time before,\nwhich moved them by a day." if number % 2 else ""
        commit(names[7 + number * 11], f"Parse the dates of report {number}{why}")


def _arm(bench: Bench, label: str, top: Path, hooks: Path) -> Arm:
    def before() -> None:
        bench.run("git", "-c", "core.hooksPath=/dev/null", "checkout", "-q", "-B", "turn", "work", where=top)
        bench.run("git", "status", "--porcelain", where=top)

    def after() -> None:
        if bench.run("git", "rev-list", "--count", "onto..HEAD", where=top) != str(COMMITS):
            raise SystemExit("The rebase did not pick every commit.")

    return Arm(label, (("git", "-c", f"core.hooksPath={hooks}", "rebase", "-q", "onto"),), top, before, after)


def frozen(bench: Bench, rounds: int) -> list[Row]:
    """Whether anything is frozen among 10,000 decided gates: no longer than among none. A hook asks, 50 times."""
    arms = []
    for label, gates in (("none", 0), ("many", GATES)):
        top, _names = repositories.make(bench, f"{label} decided", 20)
        bench.run(OURS, "init", where=top)
        _decided(bench, top, gates)
        ask = "i=0; while [ $i -lt 50 ]; do .git/hooks/pre-rebase main || exit; i=$((i + 1)); done"
        arms.append(Arm(label, (("sh", "-c", ask),), top))
    found = {
        label: sample.wall / 50 for label, sample in bench.side_by_side(*arms, rounds=rounds * 3).items()
    }
    ratio = found["many"] / found["none"]
    name = f"is anything frozen, {GATES:,} decided gates"
    return [Row(name, found["many"], "the same without gates", found["none"], ratio, "x", 1.15)]


def _decided(bench: Bench, top: Path, gates: int) -> None:
    """The ledger's tree as that many decided gates leave it, in one commit: the answer is in the tip alone."""
    if not gates:
        return
    head = (
        f"commit {LEDGER}\ncommitter Ada <ada@example.org> 981173106 +0000\ndata 5\ngates\nfrom {LEDGER}^0\n"
    )
    parts = [head.encode()]
    for number in range(gates):
        for name in ("request", "decision"):
            path = f"gates/00000000-0000-4000-8000-{number:012x}/{name}.yaml"
            text = f"{name}: {number}\n"
            parts.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n".encode())
    bench.run("git", "fast-import", "--quiet", where=top, stdin=b"".join(parts))
    # As verbs that decide leave it: they note up to where the ledger is believed.
    tip = bench.run("git", "rev-parse", LEDGER, where=top)
    (top / ".git/devs/checked-tip").write_text(f"{tip}\n")
