"""What our hooks add to `git commit`, with and without an active task, and what another hook runner's one no-op adds."""

from __future__ import annotations

from pathlib import Path

from bench import repositories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

PLAIN = "git commit without hooks"
NO_OP = """repos:
  - repo: local
    hooks:
      - {id: noop, name: noop, entry: "true", language: system, always_run: true, pass_filenames: false}
"""


def hooks(bench: Bench, rounds: int, peers: Path | None) -> list[Row]:
    """At most 10 ms with no task, at most 150 ms with one, in a repository of 20,000 files."""
    top, names = repositories.make(bench, "hooks", 20_000)
    bench.run(OURS, "init", where=top)
    plain = _commit(bench, PLAIN, top, names, "-c", "core.hooksPath=/dev/null")
    ours = _commit(bench, "no task", top, names)
    found = bench.side_by_side(
        plain, ours, *(_prek(bench, top, names, peers) if peers else ()), rounds=rounds * 3
    )
    added = found["no task"].wall - found[PLAIN].wall
    rows = [
        Row(
            "git commit, hooks, no task",
            found["no task"].wall,
            PLAIN,
            found[PLAIN].wall,
            added,
            bound=10,
            note=ADDED,
        )
    ]
    if peers:
        theirs = found["prek"].wall
        rows.append(
            Row(
                "git commit, hooks, no task",
                found["no task"].wall,
                "prek, one no-op hook",
                theirs,
                added,
                bound=theirs - found[PLAIN].wall,
                note=ADDED,
            )
        )
    bench.run(OURS, "task", "start", "1", "--title", "Commit", where=top)
    found = bench.side_by_side(plain, _commit(bench, "task", top, names), rounds=rounds * 2)
    added = found["task"].wall - found[PLAIN].wall
    rows.append(
        Row(
            "git commit, checkpoint by hook",
            found["task"].wall,
            PLAIN,
            found[PLAIN].wall,
            added,
            bound=150,
            note=ADDED,
        )
    )
    return rows


ADDED = "added"


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
    top = bench.folder / "prek"
    bench.run("git", "clone", "-q", "--local", str(source), str(top), where=bench.folder)
    (top / ".pre-commit-config.yaml").write_text(NO_OP)
    bench.run(str(peers / "bin" / "prek"), "install", where=top)
    return (_commit(bench, "prek", top, names),)
