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
    idle = [plain, _commit(bench, "no task", top, names), *(_prek(bench, top, names, peers) if peers else ())]
    found = {label: sample.wall for label, sample in bench.side_by_side(*idle, rounds=rounds * 3).items()}
    bench.run(OURS, "task", "start", "1", "--title", "Commit", where=top)
    busy = bench.side_by_side(plain, _commit(bench, "task", top, names), rounds=rounds * 2)
    _check(bench, top, rounds * 2 + 1)
    name, with_task = "git commit, hooks, no task", "git commit, checkpoint by hook"
    plainly, busily = (PLAIN, found[PLAIN]), (PLAIN, busy[PLAIN].wall)
    rows = [_added(name, found["no task"], plainly, found[PLAIN], 10)]
    if peers:
        theirs = ("prek, one no-op hook", found["prek"])
        rows.append(_added(name, found["no task"], theirs, found[PLAIN], found["prek"] - found[PLAIN]))
    return [*rows, _added(with_task, busy["task"].wall, busily, busy[PLAIN].wall, 150)]


def _added(name: str, ours: float, neighbour: tuple[str, float], plain: float, bound: float) -> Row:
    return Row(name, ours, *neighbour, ours - plain, bound=round(bound, 1), note="added")


def _check(bench: Bench, top: Path, commits: int) -> None:
    refs = bench.run("git", "for-each-ref", "refs/devs/checkpoints/task-1", where=top).splitlines()
    if len(refs) != commits:
        raise SystemExit(f"The hooks recorded {len(refs)} checkpoints of {commits}.")


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
