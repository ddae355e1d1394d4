"""Rewind beside git, and beside two other tools that restore files, doing the same in the same repository."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.measure import Arm, Bench, Sample
from bench.report import Row
from bench.subjects import OURS, START_UP, Subject, start_up, two_tasks

GIT = "git status + reset --hard + status"
REVERT = "git revert --no-edit"
SWITCH = "git switch"
CHECKOUT = "git checkout FILE && git commit FILE"


def small(bench: Bench, rounds: int, peers: Path | None) -> list[Row]:
    """13 files of 20,000: at most 300 ms for the whole process, and ahead of the other tools."""
    subject = two_tasks(bench, "small", 20_000, 13)
    arms = [subject.ours(), _git(subject), *(_peers(subject, peers) if peers else ())]
    found = bench.side_by_side(*arms, rounds=rounds)
    ours = found["devs-git"].wall
    name = "rewind, 13 of 20,000 files"
    rows = [Row(name, ours, GIT, found[GIT].wall, ours, bound=300)]
    for label in ("stepback", "rewind-ai"):
        if label in found:
            theirs = found[label].wall
            rows.append(Row(name, ours, label, theirs, ours / theirs, "x", 1.0))
    return rows


def large(bench: Bench, rounds: int) -> list[Row]:
    """20,000 files of 50,000: at most 1.3 times what git needs to do it and to look, start-up aside."""
    subject = two_tasks(bench, "large", 50_000, 20_000)
    found = bench.side_by_side(subject.ours(), _git(subject), start_up(subject.top), rounds=rounds)
    ours, git = found["devs-git"].wall, found[GIT].wall
    value = (ours - found[START_UP].wall) / git
    return [Row("rewind, 20,000 of 50,000 files", ours, GIT, git, value, "x", 1.3, "without start-up")]


def branches(bench: Bench, rounds: int) -> list[Row]:
    """Beside 10 merged and 10 unmerged branches: at most 1.5 times what the same rewind takes without them."""
    subject = two_tasks(bench, "branches", 20_000, 13)
    for number in range(3, 23):
        subject.run(OURS, "task", "start", str(number))
        subject.run("git", "commit", "-q", "--allow-empty", "-m", f"work on {number}")
        subject.run(OURS, "task", "complete", "-m", f"Finish {number}")
    tips = subject.run("git", "rev-list", "--max-count=20", "HEAD~2").split()
    own = [subject.run("git", "commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "own") for tip in tips[::2]]
    names = [f"refs/heads/bench/{number}" for number in range(20)]
    oids = dict(zip(names, [*tips[1::2], *own], strict=True))
    subject = replace(subject, tip=subject.run("git", "rev-parse", "HEAD"))
    without, beside = subject.ours("without branches"), subject.ours()

    def make() -> None:
        for name, oid in oids.items():
            subject.run("git", "update-ref", name, oid)
        subject.refresh()

    def remove() -> None:
        for name in names:
            subject.run("git", "update-ref", "-d", name)
        subject.refresh()

    found = bench.side_by_side(replace(without, before=remove), replace(beside, before=make), rounds=rounds)
    ours, theirs = found["devs-git"].wall, found["without branches"].wall
    name = "rewind, 10 merged and 10 unmerged branches"
    return [Row(name, ours, "the same without branches", theirs, ours / theirs, "x", 1.5)]


def drop(bench: Bench, rounds: int) -> list[Row]:
    """A task of 13 files below another one, in 20,000 files, beside the revert of its commit without hooks."""
    subject = two_tasks(bench, "drop", 20_000, 13)
    dropped = subject.tip
    subject.run(OURS, "task", "start", "3")
    with (subject.top / subject.names[-1]).open("a") as stream:
        stream.write("# later\n")
    subject.run(OURS, "task", "complete", "--all", "-m", "Finish 3")
    subject = replace(subject, tip=subject.run("git", "rev-parse", "HEAD"))

    def check() -> None:
        if subject.run("git", "diff", "--name-only", subject.base) != subject.names[-1]:
            raise SystemExit("An arm did not take task-2 back.")

    def undo() -> None:
        check()
        subject.run(OURS, "undo", "--yes")

    def reset() -> None:
        check()
        subject.run("git", "reset", "-q", "--hard", subject.tip)

    revert = ("git", "-c", "core.hooksPath=/dev/null", "revert", "--no-edit", dropped)
    arms = (
        Arm("devs-git", ((OURS, "drop", "task-2", "--yes"),), subject.top, subject.refresh, undo),
        Arm(REVERT, (revert,), subject.top, subject.refresh, reset),
    )
    found = bench.side_by_side(*arms, start_up(subject.top), rounds=rounds)
    ours, git = found["devs-git"].wall, found[REVERT].wall
    value = (ours - found[START_UP].wall) / git
    return [Row("drop of 13 of 20,000 files", ours, REVERT, git, value, "x", note="without start-up")]


def carrying(bench: Bench, rounds: int) -> list[Row]:
    """What keeps local changes, in 20,000 files, start-up aside: a switch of branches at most 2 times `git switch`, and a file
    of a checkpoint at most 3 times a checkout and a commit of it.
    """
    subject = two_tasks(bench, "carrying", 20_000, 13)
    subject.run("git", "branch", "other", subject.base)
    subject.run("git", "switch", "-q", "-c", "bench")
    return [_switching(subject, rounds), _restoring(subject, rounds)]


def _switching(subject: Subject, rounds: int) -> Row:
    def back() -> None:
        if subject.run("git", "rev-parse", "HEAD") != subject.base:
            raise SystemExit("An arm did not switch.")
        subject.run("git", "switch", "-q", "bench")

    arms = [
        Arm(label, (words,), subject.top, subject.refresh, back)
        for label, words in {
            OURS: (OURS, "checkout", "other"),
            SWITCH: ("git", "switch", "-q", "other"),
        }.items()
    ]
    found = subject.bench.side_by_side(*arms, start_up(subject.top), rounds=rounds)
    return _without_start_up("checkout, 13 of 20,000 files", found, SWITCH, 2)


def _restoring(subject: Subject, rounds: int) -> Row:
    path = subject.run("git", "diff", "--name-only", "--diff-filter=M", subject.base, subject.tip).split(
        "\n"
    )[0]

    def back() -> None:
        if subject.run("git", "diff", "--name-only", subject.base, "HEAD", "--", path):
            raise SystemExit("An arm did not restore the file.")
        subject.run("git", "reset", "-q", "--hard", subject.tip)

    words = (
        ("git", "checkout", "-q", subject.base, "--", path),
        ("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Back", "--", path),
    )
    arms = (
        Arm(OURS, ((OURS, "restore", "task-1", "--", path),), subject.top, subject.refresh, back),
        Arm(CHECKOUT, words, subject.top, subject.refresh, back),
    )
    found = subject.bench.side_by_side(*arms, start_up(subject.top), rounds=rounds)
    return _without_start_up("restore of one of 20,000 files", found, CHECKOUT, 3)


def _without_start_up(name: str, found: dict[str, Sample], neighbour: str, bound: float) -> Row:
    ours, theirs = found[OURS].wall, found[neighbour].wall
    value = (ours - found[START_UP].wall) / theirs
    return Row(name, ours, neighbour, theirs, value, "x", bound, "without start-up")


def _git(subject: Subject) -> Arm:
    status = ("git", "status", "--porcelain")
    return subject.arm(GIT, status, ("git", "reset", "-q", "--hard", subject.base), status)


def _peers(subject: Subject, peers: Path) -> tuple[Arm, Arm]:
    """Both tools with a checkpoint of task-1's files, which is the first one that each of them has."""
    stepback, rewind = str(peers / "bin" / "stepback"), str(peers / "bin" / "rewind")
    subject.run("git", "reset", "-q", "--hard", subject.base)
    subject.run(stepback, "run", "--", "true")
    subject.run(rewind, "snap", "-m", "task 1")
    subject.run("git", "reset", "-q", "--hard", subject.tip)
    return (
        subject.arm("stepback", (stepback, "rewind", "1", "--yes")),
        subject.arm("rewind-ai", (rewind, "jump", "0", "--yes")),
    )
