"""What reads in a ledger of 100,000 checkpoints, against the same command in one of 1,000; and what one more event costs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from bench import histories
from bench.histories import Written
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up

SMALL, LARGE = 1_000, 100_000
# Newest events that the commands themselves write.
EVENTS = 1_000
LONGER, ADDED, LATER = 1.5, 100, 300
GATE = "Somebody has to look at the dates of the reports."


@dataclass(frozen=True)
class Place:
    """One of the repositories, and what the words of the commands name in it."""

    top: Path
    names: dict[str, str]

    def arm(self, bench: Bench, words: str) -> Arm:
        def after() -> None:
            if words.startswith("branch"):
                bench.run("git", "branch", "-q", "-D", "tried", where=self.top)

        command = (OURS, *words.format(**self.names).split())
        return Arm(f"{words} in {self.top}", (command,), self.top, after=after)


# In braces: the newest task; one a hundred tasks before it; the cursor of a second page; a checkpoint, an event and a time in the middle; a gate. Task 1 is the
# oldest one.
READS = (
    "status",
    "task status 1",
    "task status {last}",
    "show task-1",
    "show {last}",
    "log --limit 20",
    "log --limit 20 --cursor {page}",
    "log --limit 20 --cursor {point}",
    "log --limit 20 --task 1",
    "history --limit 20",
    "history --limit 20 --cursor {next}",
    "history --limit 20 --cursor {event}",
    "history --limit 20 --task 1",
    "history --limit 20 --contract main",
    "history --limit 20 --contract rare",
    "history --limit 20 --phase review",
    "history --limit 20 --type checkpoint",
    "history --limit 20 --type file",
    "history --limit 20 --subtype deleted",
    "history --limit 20 --agent developer",
    "history --limit 20 --actor Ada",
    "history --limit 20 --from {time}",
    "history --limit 20 --to {time}",
    "rewind --dry-run {last}@1",
    "branch {last}@1 -b tried",
    "branch task-1@2 -b tried",
    "diff {last} --stat",
    "diff task-1 --stat",
    "why work.py:1",
    "resume task-1",
    "resume {last}",
)


def reading(bench: Bench, rounds: int) -> list[Row]:
    """Each command that reads takes at most 1.5 times as long, or at most 100 ms more than start-up.

    For the newest events, which the commands wrote, the bytes of loose objects and the milliseconds of one event.
    """
    made = [histories.make_and_work(bench, f"reading-{count}", count, EVENTS) for count in (SMALL, LARGE)]
    places = [_prepare(bench, top) for top, _ in made]
    found = [*_events(*(written for _, written in made))]
    found += [_row(bench, words, places, rounds) for words in READS]
    found += [_marking(bench, places, rounds, last) for last in ("rewind", "undo")]
    found.append(_walking(bench, places[-1], rounds))
    found += _archived(bench, places, rounds)
    for place in places:
        # An open gate freezes some of the commands above.
        asked = bench.run(
            OURS, "gate", "request", "--type", "MANUAL", "--blocker", GATE, "--json", where=place.top
        )
        place.names["gate"] = json.loads(asked)["gate_id"]
    return [*found, _row(bench, "gate show {gate}", places, rounds)]


def _events(few: Written, many: Written) -> list[Row]:
    name = f"one event of the newest {EVENTS:,}: {LARGE:,} checkpoints against {SMALL:,}"
    size = many.size / few.size
    return [
        Row(name, many.wall, "fewer checkpoints", few.wall, many.wall / few.wall, unit="x"),
        Row("the same, bytes of loose objects", many.size, "fewer checkpoints", few.size, size, unit="x"),
    ]


def _prepare(bench: Bench, top: Path) -> Place:
    """A contract with one task, in a phase of its own, that deletes a file; and the names for the commands."""

    def run(*words: str) -> str:
        return bench.run(*words, where=top)

    run(OURS, "contract", "start", "rare")
    run(OURS, "task", "start", "rare", "--title", "Read the dates", "--contract", "rare", "--phase", "review")
    (top / "old.py").write_text("old = 1\n")
    run(OURS, "checkpoint", "--all", "-m", "One part")
    (top / "old.py").unlink()
    run(OURS, "task", "complete", "--all", "-m", "Every part")
    bench.run(OURS, "trace", "put", "--task", "rare", where=top, stdin=b"All dates are read.\n")
    # The index and the catalog are made by the first commands that need them.
    run(OURS, "history", "--limit", "20", "--subtype", "deleted")
    middle = int(run("git", "rev-list", "--count", histories.LEDGER)) // 2
    event = run("git", "rev-list", "-1", f"--skip={middle}", histories.LEDGER)
    names = {
        "last": "task-rare",
        "old": f"by-hand-{EVENTS // (histories.PER_TASK + 1) - 100}",
        "page": json.loads(run(OURS, "log", "--limit", "20", "--json"))["next_cursor"],
        "next": json.loads(run(OURS, "history", "--limit", "20", "--json"))["next_cursor"],
        "point": run(
            "git", "log", "-1", "--format=%(trailers:key=Devs-Tag,valueonly)", "--grep=^Devs-Tag: ", event
        ),
        "event": event,
        "time": run("git", "log", "-1", "--format=%cI", event),
    }
    return Place(top, names)


def _marking(bench: Bench, places: list[Place], rounds: int, last: str) -> Row:
    """The first search after a rewind or an undo: it brings the marks of rewound work up to date."""
    search, back = (OURS, "trace", "search", "dates"), (OURS, "undo", "--yes")

    def arm(place: Place) -> Arm:
        there = (OURS, "rewind", f"{place.names['last']}@1", "--yes")
        steps = (there,) if last == "rewind" else (there, search, back)

        def run(*commands: tuple[str, ...]) -> None:
            for command in commands:
                bench.run(*command, where=place.top)

        after = (back, search) if last == "rewind" else ()
        label = f"{last} in {place.top}"
        return Arm(label, (search,), place.top, before=lambda: run(*steps), after=lambda: run(*after))

    few, many = map(arm, places)
    found = bench.side_by_side(few, many, rounds=rounds)
    short, long = found[few.label].wall, found[many.label].wall
    name = f"trace search, the first after {last}: {LARGE:,} checkpoints against {SMALL:,}"
    if long > LONGER * short:
        return Row(name, long, "fewer checkpoints", short, long - short, bound=LATER, note="over fewer")
    return Row(name, long, "fewer checkpoints", short, long / short, unit="x", bound=LONGER)


def _walking(bench: Bench, place: Place, rounds: int) -> Row:
    """A task of old checkpoints while no walk from a HEAD is noted yet, against git's walk."""

    def forget() -> None:
        with closing(sqlite3.connect(place.top / ".git/devs/index.db")) as index, index:
            index.execute("DELETE FROM reached")

    first = replace(place.arm(bench, "task status 1"), label="the first walk", before=forget)
    git = Arm("git", (("git", "rev-list", "--count", "HEAD"),), place.top)
    found = bench.side_by_side(first, git, rounds=rounds)
    ours, walk = found[first.label].wall, found[git.label].wall
    return Row(
        f"task status 1, no walk noted yet: {LARGE:,} checkpoints",
        ours,
        "git rev-list HEAD",
        walk,
        ours / walk,
        unit="x",
    )


def _archived(bench: Bench, places: list[Place], rounds: int) -> list[Row]:
    """A rewind past a hundred tasks and its undo, after an archive took all refs of checkpoints."""
    for place in places:
        bench.run(OURS, "archive", "--older-than", "0s", "--tags", where=place.top)
        bench.run("git", "gc", "-q", "--prune=now", where=place.top)
    there, back = "rewind --yes {old}@2", "undo --yes"

    def arm(words: str, place: Place) -> Arm:
        def run(wanted: str) -> None:
            for command in place.arm(bench, wanted).commands:
                bench.run(*command, where=place.top)

        if words == there:
            return replace(place.arm(bench, there), after=lambda: run(back))
        return replace(place.arm(bench, back), before=lambda: run(there))

    rows = [_row(bench, "rewind --dry-run {old}@2", places, rounds)]
    for words in (there, back):
        few, many = (arm(words, place) for place in places)
        found = bench.side_by_side(few, many, rounds=rounds)
        short, long = found[few.label].wall, found[many.label].wall
        name = f"{words.partition(' ')[0]}: {LARGE:,} checkpoints against {SMALL:,}"
        rows.append(Row(name, long, "fewer checkpoints", short, long / short, unit="x", bound=LONGER))
    return [replace(row, name=f"all archived, a hundred tasks back, {row.name}") for row in rows]


def _row(bench: Bench, words: str, places: list[Place], rounds: int) -> Row:
    few, many = (place.arm(bench, words) for place in places)
    start = start_up(places[0].top)
    found = bench.side_by_side(few, many, start, rounds=rounds)
    short, long, begun = (found[arm.label].wall for arm in (few, many, start))
    name = f"{words.replace('{', '').replace('}', '')}: {LARGE:,} checkpoints against {SMALL:,}"
    if long > LONGER * short and long - begun <= ADDED:
        return Row(name, long, START_UP, begun, long - begun, bound=ADDED, note="over start-up")
    return Row(name, long, "fewer checkpoints", short, long / short, unit="x", bound=LONGER)
