"""What the user's own git feels of 100,000 checkpoints: the same repository with all refs of devs-git, with these refs in an archive, and without them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from bench import histories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

CHECKPOINTS, FEWER = 100_000, 10_000
MORE = 1.2
NONE, TAGS, ALL = "no refs of devs-git", "its visible tags", "all its refs"
LEDGER = "its ledger alone"
# The least that any branch with a commit for each event costs.
COMMITS = "as many commits without files as it has events"
NUMBERED, WHOLE = "numbered refs in an archive", "all refs in an archive"
BRANCH = "refs/heads/main:refs/heads/pushed"
# What does not list refs takes as long with all of them.
SAME: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("log", "-20", "--no-decorate"),
    ("commit", "-q", "--allow-empty", "-m", "work"),
)
# What lists refs takes longer with more of them, whoever made them: decision 79.
LISTING: tuple[tuple[str, ...], ...] = (
    ("log", "-20", "--decorate"),
    ("for-each-ref", "--format=%(refname:strip=2)", "refs/heads", "refs/tags", "refs/remotes"),
    ("fetch", "-q"),
    ("push", "-q", "origin", BRANCH),
)
# It reads every object, and the ledger has some for each event.
COLLECTING = ("gc", "-q")


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
    """With all refs in an archive, at most 1.2 times as long as without; with refs of their own, the figures."""
    rows = []
    for count in (CHECKPOINTS, FEWER):
        copies = _make(bench, count)
        for words in SAME if count == CHECKPOINTS else ():
            rows += [_bounded(copies, words, count, rounds, (kind, NONE)) for kind in (ALL, WHOLE)]
        for words in LISTING:
            rows.append(_bounded(copies, words, count, rounds, (WHOLE, NONE)))
            rows += _compared(copies, words, count, rounds, (ALL, TAGS, NUMBERED))
        rows += _compared(copies, COLLECTING, count, 3, (COMMITS, LEDGER, ALL, TAGS, NUMBERED, WHOLE))
        rows.append(_bounded(copies, COLLECTING, count, 1, (WHOLE, LEDGER)))
    return rows


def _bounded(copies: Copies, words: tuple[str, ...], count: int, rounds: int, kinds: tuple[str, str]) -> Row:
    kind, beside = kinds
    more, base = copies.arm(kind, words), copies.arm(beside, words)
    ours, theirs, longer = copies.bench.over(more, base, rounds=rounds * 3)
    return Row(_name(words, count, kind), ours, beside, theirs, 1 + longer / theirs, "x", MORE)


def _compared(
    copies: Copies, words: tuple[str, ...], count: int, rounds: int, kinds: tuple[str, ...]
) -> list[Row]:
    arms = [copies.arm(kind, words) for kind in (*kinds, NONE)]
    seen = copies.bench.side_by_side(*arms, rounds=rounds)
    base = seen[NONE].wall
    return [
        Row(_name(words, count, kind), seen[kind].wall, NONE, base, seen[kind].wall / base, "x")
        for kind in kinds
    ]


def _name(words: tuple[str, ...], count: int, kind: str) -> str:
    shown = " ".join(words[: 3 if words[0] == "log" else 1])
    return f"git {shown}, {count:,} checkpoints, {kind}"


def _make(bench: Bench, count: int) -> Copies:
    made = histories.make(bench, f"plain-{count}", count)
    bench.run("git", "gc", "-q", "--prune=now", where=made)
    kinds = {
        ALL: _copy(bench, made, "all", ("refs/*",)),
        TAGS: _copy(bench, made, "tags", ("refs/heads/*", "refs/tags/*")),
        LEDGER: _copy(bench, made, "ledger", ("refs/heads/*",)),
        NONE: _copy(bench, made, "none", ("refs/heads/main",)),
    }
    for kind, name, words in ((NUMBERED, "numbered", ()), (WHOLE, "whole", ("--tags",))):
        archived = bench.folder / f"{made.name}-{name}-archived"
        shutil.copytree(made, archived, symlinks=True)
        bench.run(OURS, "archive", "--older-than", "0s", *words, where=archived)
        bench.run("git", "gc", "-q", "--prune=now", where=archived)
        kinds[kind] = _copy(bench, archived, name, ("refs/*",))
    kinds[COMMITS] = bench.folder / f"{made.name}-commits"
    shutil.copytree(kinds[NONE], kinds[COMMITS], symlinks=True)
    events = int(bench.run("git", "rev-list", "--count", histories.LEDGER, where=made))
    histories.commits_without_files(bench, kinds[COMMITS], events)
    bench.run("git", "gc", "-q", "--prune=now", where=kinds[COMMITS])
    return Copies(bench, made, kinds)


def _copy(bench: Bench, made: Path, name: str, patterns: tuple[str, ...]) -> Path:
    """A clone of a remote that has the refs of `made` with these patterns; both have them."""
    top, remote = (bench.folder / f"{made.name}-{name}{end}" for end in ("", ".git"))
    bench.run("git", "init", "-q", "--bare", str(remote), where=bench.folder)
    specs = [f"{pattern}:{pattern}" for pattern in patterns]
    bench.run("git", "fetch", "-q", "--no-tags", str(made), *specs, where=remote)
    bench.run("git", "gc", "-q", "--prune=now", where=remote)
    bench.run("git", "clone", "-q", "-o", "origin", str(remote), str(top), where=bench.folder)
    own = {
        "refs/*": (
            "refs/devs/*:refs/devs/*",
            "refs/heads/devs/*:refs/heads/devs/*",
            "refs/tags/*:refs/tags/*",
        )
    }
    for pattern in patterns:
        for spec in own.get(pattern, ()):
            bench.run("git", "fetch", "-q", "--update-head-ok", "origin", spec, where=top)
    bench.run("git", "gc", "-q", "--prune=now", where=top)
    return top
