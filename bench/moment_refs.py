"""10,000 moments, written in the form that devs-git gives them: what git pays for their presence, and what a list of them takes."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bench import repositories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up
from devs_git.domain.moments.moment import BASE, Details, Occasion, day_of, entry_of, states_ref, tip_ref
from devs_git.storage.moments import kept_commits, moment_store
from devs_git.storage.worktree.backups import State
from devs_git.values import as_mapping

FILES: Final = 2_000
COMMITS: Final = 3_000
MOMENTS: Final = 10_000
DAYS: Final = 14
LAST_DAY: Final = datetime(2026, 11, 23, tzinfo=UTC)
SCRATCH: Final = "refs/heads/bench"
WITH, WITHOUT = "with", "without"
BESIDE: Final = (
    ("git", "status", "--porcelain"),
    ("git", "fetch", "-q"),
    ("git", "log", "--all", "--oneline"),
    ("git", "gc", "-q"),
)


def beside_git(bench: Bench, rounds: int) -> list[Row]:
    """The user's git with 10,000 moments in the repository takes at most 1.05 times as long as without them."""
    origin, names = repositories.make(bench, "moments origin", FILES)
    _commit(bench, origin, names)
    bench.run("git", "gc", "-q", "--prune=now", where=origin)
    tops = {}
    for label in (WITHOUT, WITH):
        tops[label] = bench.folder / f"{label} moments"
        bench.run("git", "clone", "-q", str(origin), str(tops[label]), where=bench.folder)
        bench.run(OURS, "init", where=tops[label])
    write(bench, tops[WITH], names, MOMENTS)
    # So that in both all objects and refs are packed.
    for top in tops.values():
        bench.run("git", "gc", "-q", "--prune=now", where=top)
    rows = []
    for words in BESIDE:
        more, base = (Arm(label, (words,), tops[label]) for label in (WITH, WITHOUT))
        few = rounds if "gc" in words else rounds * 5
        ours, theirs, longer = bench.over(more, base, rounds=few)
        name = f"{' '.join(words)}, {MOMENTS:,} moments"
        rows.append(Row(name, ours, "the same without moments", theirs, 1 + longer / theirs, "x", 1.05))
    return [*rows, *_listing(bench, rounds, tops[WITH])]


def _listing(bench: Bench, rounds: int, top: Path) -> list[Row]:
    """The list of the last moments, without the start of the program."""
    words = (OURS, "log", "--moments")
    ours, start, longer = bench.over(Arm("log", (words,), top), start_up(top), rounds=rounds)
    return [Row(f"log --moments, {MOMENTS:,} moments", ours, START_UP, start, longer, note="over start-up")]


def _commit(bench: Bench, top: Path, names: list[str]) -> None:
    """A history, so that git has something to read without moments, too."""
    _import(bench, top, "refs/heads/main", names, COMMITS)
    bench.run("git", "reset", "-q", "--hard", where=top)


def write(bench: Bench, top: Path, names: list[str], count: int) -> None:
    """Moments of 14 days: each changes three files against the one before."""
    moment_store.prepare(top / ".git")
    env = _env(top)
    head = bench.run("git", "rev-parse", "HEAD", where=top)
    base = bench.run("git", "rev-parse", "HEAD^{tree}", where=top)
    _import(bench, top, SCRATCH, names, count)
    log = bench.run(*env, "git", "log", "--reverse", "--format=%T", f"{head}..{SCRATCH}", where=top)
    bench.run(*env, "git", "update-ref", "-d", SCRATCH, where=top)
    trees = log.splitlines()
    metas = _blobs(bench, top, env, (_meta(number, head, base, tree) for number, tree in enumerate(trees)))
    moments = _make_trees(
        bench,
        top,
        (
            [
                ("040000", "tree", base, "index"),
                ("100644", "blob", meta, "meta.json"),
                ("040000", "tree", tree, "worktree"),
            ]
            for tree, meta in zip(trees, metas, strict=True)
        ),
    )
    _refs(bench, top, head, moments)
    own = os.fspath(moment_store.folder(top / ".git"))
    bench.run(*env, f"GIT_DIR={own}", "git", "gc", "-q", "--prune=now", where=top)


def _env(top: Path) -> tuple[str, ...]:
    """With these words before it, a command writes objects into the store of moments."""
    own = moment_store.folder(top / ".git") / "objects"
    return ("env", f"GIT_OBJECT_DIRECTORY={own}", f"GIT_ALTERNATE_OBJECT_DIRECTORIES={top / '.git/objects'}")


def _import(bench: Bench, top: Path, ref: str, names: list[str], count: int) -> None:
    """`count` commits on `ref` after HEAD, each with three changed files. Those of the scratch ref go into the store."""
    head = bench.run("git", "rev-parse", "HEAD", where=top)
    env = _env(top) if ref == SCRATCH else ()
    dice, parts = random.Random(count), []
    for number in range(count):
        start = f"from {head}\n" if not number else ""
        parts.append(
            f"commit {ref}\ncommitter Ada <ada@example.org> 981173107 +0000\ndata 1\nx\n{start}".encode()
        )
        for name in dice.sample(names, 3):
            data = f"# {name}\n# changed {number}\n".encode() + dice.randbytes(700).hex().encode()
            parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data))
    load = (*env, "git", "-c", "core.compression=1", "fast-import", "--quiet")
    bench.run(*load, where=top, stdin=b"".join(parts))


def _meta(number: int, head: str, index: str, tree: str) -> bytes:
    occasion = Occasion("prompt", f"session-{number // 30}", "claude", "", f"Please do number {number}.")
    details = Details(occasion, _time(number), ".")
    state = State(head, "refs/heads/main", index, tree)
    return json.dumps({"state": as_mapping(state), "moment": details.record()}, indent=1).encode()


def _time(number: int) -> str:
    at = LAST_DAY - timedelta(days=DAYS) + timedelta(days=DAYS) / MOMENTS * number
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"


def _blobs(bench: Bench, top: Path, env: Sequence[str], contents: Iterator[bytes]) -> list[str]:
    marks = top / ".git" / "bench-marks"
    parts = [
        b"blob\nmark :%d\ndata %d\n%s\n" % (number, len(data), data)
        for number, data in enumerate(contents, 1)
    ]
    words = (*env, "git", "fast-import", "--quiet", f"--export-marks={marks}")
    bench.run(*words, where=top, stdin=b"".join(parts))
    found = dict(line.split() for line in marks.read_text().splitlines())
    marks.unlink()
    return [found[f":{number}"] for number in range(1, len(parts) + 1)]


def _make_trees(bench: Bench, top: Path, trees: Iterable[list[tuple[str, str, str, str]]]) -> list[str]:
    lines = ["".join(f"{mode} {kind} {oid}\t{name}\n" for mode, kind, oid, name in tree) for tree in trees]
    words = (*_env(top), "git", "mktree", "--batch")
    return bench.run(*words, where=top, stdin="\n".join(lines).encode()).splitlines()


def _refs(bench: Bench, top: Path, head: str, moments: list[str]) -> None:
    days: dict[str, dict[str, list[tuple[str, str, str, str]]]] = {}
    for number, oid in enumerate(moments):
        created_at = _time(number)
        hour, name = entry_of(created_at, "prompt")
        days.setdefault(day_of(created_at), {}).setdefault(hour, []).append(("040000", "tree", oid, name))
    own = (*_env(top), f"GIT_DIR={moment_store.folder(top / '.git')}", "git", "update-ref")
    for day, hours in days.items():
        found = _make_trees(bench, top, hours.values())
        entries = [("040000", "tree", oid, hour) for oid, hour in zip(found, hours, strict=True)]
        (tree,) = _make_trees(bench, top, [entries])
        bench.run(*own, states_ref(".", day), tree, where=top)
        bench.run(*own, tip_ref(".", day, head), head, where=top)
    # As a first moment leaves it: the newest commits are in the store, and a ref keeps the others.
    older = bench.run("git", "rev-parse", f"{head}~{kept_commits.IN_A_HOOK.commits}", where=top)
    bench.run("git", "update-ref", f"{BASE}{older}", older, where=top)
