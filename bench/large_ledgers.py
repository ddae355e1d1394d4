"""What writes, and what judges, in a ledger of 100,000 checkpoints, against the same command in a smaller one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import histories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

SMALL, MIDDLE, LARGE = 1_000, 10_000, 100_000
LONGER = 1.5
GROWTH = 12
# Checkpoints of a ledger that costs a range nothing, and the milliseconds that a large one may add.
FEW, RANGE = 100, 3_000


@dataclass
class Person:
    """Who works in one of the repositories. Each task has an id of its own."""

    bench: Bench
    top: Path
    count: int = 0
    texts: int = 0

    @property
    def task(self) -> str:
        return f"own{self.count}"

    def run(self, *words: str) -> None:
        self.bench.run(OURS, *words, where=self.top)

    def write(self) -> None:
        self.texts += 1
        (self.top / "work.py").write_text(f"text = {self.texts}\n")

    def start(self) -> None:
        self.count += 1
        self.run("task", "start", self.task, "--title", "Read the dates")

    def save(self) -> None:
        self.write()
        self.run("checkpoint", "--all", "-m", "One part")
        self.write()

    def finish(self) -> None:
        self.write()
        self.run("task", "complete", "--all", "-m", "Every part")

    def whole(self) -> None:
        """A task with one checkpoint, and its completion."""
        self.start()
        self.save()
        self.finish()


def writing(bench: Bench, rounds: int) -> list[Row]:
    """Each command that writes: at most 1.5 times as long with a hundred times as many checkpoints."""
    people = [Person(bench, histories.make(bench, f"writing-{count}", count)) for count in (SMALL, LARGE)]
    for one in people:
        one.whole()  # the first command judges the ledger that was made here
    return [_row(bench, verb, people, rounds) for verb in _ARMS]


def _row(bench: Bench, verb: str, people: list[Person], rounds: int) -> Row:
    arms = [_ARMS[verb](one) for one in people]
    found = bench.side_by_side(*arms, rounds=rounds)
    few, many = (found[arm.label].wall for arm in arms)
    name = f"{verb}: {LARGE:,} checkpoints against {SMALL:,}"
    return Row(name, many, "fewer checkpoints", few, many / few, unit="x", bound=LONGER)


def _start(one: Person) -> Arm:
    # The id is new in each round, and the words of an arm are not.
    script = 'exec "$0" task start "own$(cat .git/next)" --title "Read the dates"'

    def before() -> None:
        one.count += 1
        (one.top / ".git/next").write_text(str(one.count))

    return Arm(f"start {one.top}", (("sh", "-c", script, OURS),), one.top, before, one.finish)


def _checkpoint(one: Person) -> Arm:
    def before() -> None:
        one.start()
        one.write()

    words = (OURS, "checkpoint", "--all", "-m", "One part")
    return Arm(f"checkpoint {one.top}", (words,), one.top, before, one.finish)


def _commit(one: Person) -> Arm:
    def before() -> None:
        one.start()
        one.write()

    words = ("git", "commit", "-q", "-a", "-m", "One part")
    return Arm(f"commit {one.top}", (words,), one.top, before, one.finish)


def _complete(one: Person) -> Arm:
    def before() -> None:
        one.start()
        one.save()

    words = (OURS, "task", "complete", "--all", "-m", "Every part")
    return Arm(f"complete {one.top}", (words,), one.top, before)


def _going_back(verb: str, prepare: Callable[[Person], None]) -> Callable[[Person], Arm]:
    script = {
        "restore": 'exec "$0" restore --yes "own$(cat .git/next)@1"',
        "rewind": 'exec "$0" rewind --yes "own$(cat .git/next)@1"',
        "undo": 'exec "$0" undo --yes',
        "task result": 'echo Done. | "$0" task result "own$(cat .git/next)"',
        "fork": 'exec "$0" fork --yes --no-worktree "own$(cat .git/next)@1" --name "fork$(cat .git/next)"',
    }[verb]

    def arm(one: Person) -> Arm:
        def before() -> None:
            one.whole()
            (one.top / ".git/next").write_text(str(one.count))
            prepare(one)

        def after() -> None:
            if verb == "rewind":
                one.finish()

        return Arm(f"{verb} {one.top}", (("sh", "-c", script, OURS),), one.top, before, after)

    return arm


def _rewound(one: Person) -> None:
    one.run("rewind", "--yes", f"{one.task}@1")


def _nothing(_one: Person) -> None:
    pass


_ARMS: dict[str, Callable[[Person], Arm]] = {
    "task start": _start,
    "checkpoint": _checkpoint,
    "git commit with hooks": _commit,
    "task complete": _complete,
    "restore": _going_back("restore", _nothing),
    "rewind": _going_back("rewind", _nothing),
    "undo": _going_back("undo", _rewound),
    "fork": _going_back("fork", _nothing),
    "task result": _going_back("task result", _nothing),
}


def judging(bench: Bench, rounds: int) -> list[Row]:
    """`verify`, `doctor` and the list of `resume` grow with the work: at most 12 times as long with ten times as many checkpoints.

    `verify --range --judged` takes what the range costs, as in a ledger of 100 checkpoints, and at most 3 s.
    """
    tops = {count: histories.make(bench, f"judging-{count}", count) for count in (MIDDLE, LARGE)}
    found = []
    for verb in ("verify", "doctor", "resume"):
        arms = [_check(f"{verb} {count}", verb, top) for count, top in tops.items()]
        seen = bench.side_by_side(*arms, rounds=rounds)
        few, many = (seen[arm.label].wall for arm in arms)
        name = f"{verb}: {LARGE:,} checkpoints against {MIDDLE:,}"
        found.append(Row(name, many, "fewer checkpoints", few, many / few, unit="x", bound=GROWTH))
    return [*found, *_range(bench, tops[LARGE], rounds)]


def _check(label: str, words: str, top: Path) -> Arm:
    """A command that may have findings: then its exit status is 1."""
    return Arm(label, (("sh", "-c", f'"$0" {words}; [ $? -le 1 ]', OURS),), top)


def _range(bench: Bench, large: Path, rounds: int) -> list[Row]:
    """With `--judged`, as CI calls it for a pull request, and the whole ledger."""
    # The events of ten tasks came since.
    known = f'--judged "$(git rev-parse {histories.LEDGER}~{10 * (histories.PER_TASK + 1)})"'
    tops = {"few": histories.make(bench, "judging-range", FEW), "many": large}
    found = []
    for how, more, bound in ((" --judged", known, RANGE), (", the whole ledger", "", None)):
        words = f"verify --range HEAD~10..HEAD {more}"
        arms = [_check(label, words, top) for label, top in tops.items()]
        seen = bench.side_by_side(*arms, rounds=rounds)
        few, many = (seen[label].wall for label in tops)
        name = f"verify --range{how}, ten commits: {LARGE:,} checkpoints against {FEW:,}"
        found.append(Row(name, many, "fewer checkpoints", few, many - few, bound=bound, note="added"))
    return found
