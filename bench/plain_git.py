"""What the user's own git feels of 100,000 checkpoints: the same repository with all refs of devs-git, with its visible tags alone, and with none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench import histories
from bench.measure import Arm, Bench
from bench.report import Row

CHECKPOINTS, FEWER = 100_000, 10_000
MORE = 1.2
NONE, TAGS, ALL = "no refs of devs-git", "its visible tags", "all its refs"
BRANCH = "refs/heads/main:refs/heads/pushed"
# What git does with refs takes longer with more refs, whoever made them: decision 79.
BOUNDED = (("status",), ("log", "-20", "--no-decorate"), ("commit", "-q", "--allow-empty", "-m", "work"))
COMPARED = (
    ("log", "-20", "--decorate"),
    ("for-each-ref", "--format=%(refname:strip=2)", "refs/heads", "refs/tags", "refs/remotes"),
    ("fetch", "-q"),
    ("push", "-q", "origin", BRANCH),
    ("gc", "-q"),
)


@dataclass(frozen=True)
class Copies:
    """The same history three times, each with a remote that has the same refs."""

    bench: Bench
    top: Path
    kinds: dict[str, Path]

    def arm(self, kind: str, words: tuple[str, ...]) -> Arm:
        def before() -> None:
            # Each push brings one new commit.
            if words[0] == "push":
                self.bench.run("git", "commit", "-q", "--allow-empty", "-m", "work", where=self.kinds[kind])

        return Arm(kind, (("git", *words),), self.kinds[kind], before=before)


def plain(bench: Bench, rounds: int) -> list[Row]:
    """status, commit and a log without names take at most 1.2 times as long; of what lists refs, the figures."""
    rows = []
    for count in (CHECKPOINTS, FEWER):
        copies = _make(bench, count)
        rows += [_bounded(copies, words, count, rounds) for words in BOUNDED if count == CHECKPOINTS]
        for words in COMPARED:
            rows += _compared(copies, words, count, 3 if words[0] == "gc" else rounds)
    return rows


def _bounded(copies: Copies, words: tuple[str, ...], count: int, rounds: int) -> Row:
    more, base = copies.arm(ALL, words), copies.arm(NONE, words)
    ours, theirs, longer = copies.bench.over(more, base, rounds=rounds * 3)
    return Row(_name(words, count, ALL), ours, NONE, theirs, 1 + longer / theirs, "x", MORE)


def _compared(copies: Copies, words: tuple[str, ...], count: int, rounds: int) -> list[Row]:
    seen = copies.bench.side_by_side(*(copies.arm(kind, words) for kind in (ALL, TAGS, NONE)), rounds=rounds)
    base = seen[NONE].wall
    return [
        Row(_name(words, count, kind), seen[kind].wall, NONE, base, seen[kind].wall / base, "x")
        for kind in (ALL, TAGS)
    ]


def _name(words: tuple[str, ...], count: int, kind: str) -> str:
    shown = " ".join(words[: 3 if words[0] == "log" else 1])
    return f"git {shown}, {count:,} checkpoints, {kind}"


def _make(bench: Bench, count: int) -> Copies:
    made = histories.make(bench, f"plain-{count}", count)
    bench.run("git", "gc", "-q", "--prune=now", where=made)
    kinds = {}
    for number, (kind, patterns) in enumerate(
        {ALL: ("refs/*",), TAGS: ("refs/heads/*", "refs/tags/*"), NONE: ("refs/heads/main",)}.items()
    ):
        remote, kinds[kind] = (bench.folder / f"plain-{count}-{number}{end}" for end in (".git", ""))
        _copy(bench, made, remote, patterns)
        bench.run("git", "clone", "-q", "-o", "origin", str(remote), str(kinds[kind]), where=bench.folder)
        specs = [f"{pattern}:{pattern}" for pattern in patterns if pattern != "refs/heads/main"]
        if specs:
            own = [spec for spec in specs if spec != "refs/heads/*:refs/heads/*"]
            bench.run("git", "fetch", "-q", "--update-head-ok", "origin", *own, where=kinds[kind])
        bench.run("git", "gc", "-q", "--prune=now", where=kinds[kind])
    return Copies(bench, made, kinds)


def _copy(bench: Bench, made: Path, remote: Path, patterns: tuple[str, ...]) -> None:
    bench.run("git", "init", "-q", "--bare", str(remote), where=bench.folder)
    specs = [f"{pattern}:{pattern}" for pattern in patterns]
    bench.run("git", "fetch", "-q", "--no-tags", str(made), *specs, where=remote)
    bench.run("git", "gc", "-q", "--prune=now", where=remote)
