"""Repositories shaped like production ones: nested folders, sizes as source files have them, the same in every run.

They are written with `git fast-import`, which takes seconds where 50,000 `git add` would take minutes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Bench

FOLDERS = (
    "api",
    "auth",
    "billing",
    "cache",
    "client",
    "core",
    "data",
    "docs",
    "events",
    "forms",
    "graph",
    "http",
    "i18n",
    "jobs",
    "lib",
    "mail",
    "models",
    "net",
)
WORDS = (
    "parse",
    "build",
    "read",
    "write",
    "merge",
    "find",
    "list",
    "make",
    "check",
    "send",
    "load",
    "store",
    "route",
    "render",
    "token",
    "user",
    "date",
    "index",
)
ENDINGS = (".py", ".py", ".py", ".ts", ".ts", ".tsx", ".go", ".md", ".json", ".yaml", ".css", ".sql")
MEDIAN_BYTES, SPREAD, MOST_BYTES = 2000, 1.2, 150_000
DEEPEST = 7
BEGIN = 981173106


def paths(count: int, dice: random.Random) -> list[str]:
    """`count` different paths, some nine to a folder, up to seven folders deep."""
    folders, found = ["src"], []
    for number in range(count):
        if number % 9 == 0:
            parent = dice.choice(folders[-200:])
            top = f"{dice.choice(FOLDERS)}_{number // 9}"
            folders.append(f"{parent}/{top}" if parent.count("/") < DEEPEST - 1 else f"packages/{top}")
        folder = folders[-1] if dice.random() < 0.8 else dice.choice(folders)
        found.append(f"{folder}/{dice.choice(WORDS)}_{dice.choice(WORDS)}_{number}{dice.choice(ENDINGS)}")
    return found


def contents(names: list[str], dice: random.Random) -> Iterator[bytes]:
    """Text for each path: its name, so that no two are the same, then lines up to a log-normal size."""
    lines = (
        "    " * dice.randrange(4) + " ".join(dice.choices(WORDS, k=dice.randrange(2, 12)))
        for _ in range(20000)
    )
    text = "\n".join(lines).encode()
    for name in names:
        size = min(int(dice.lognormvariate(math.log(MEDIAN_BYTES), SPREAD)), MOST_BYTES)
        start = dice.randrange(len(text) - size)
        yield f"# {name}\n".encode() + text[start : start + size] + b"\n"


def make(bench: Bench, name: str, files: int) -> tuple[Path, list[str]]:
    """A repository of `files` files in one commit, checked out; its folder and its paths."""
    top = bench.folder / name
    top.mkdir()
    bench.run("git", "init", "-q", where=top)
    dice = random.Random(files)
    names = paths(files, dice)
    parts = [
        f"commit refs/heads/main\ncommitter Ada <ada@example.org> {BEGIN} +0000\ndata 5\nbase\n".encode()
    ]
    for path, data in zip(names, contents(names, dice), strict=True):
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    load = ("git", "-c", "core.compression=1", "fast-import", "--quiet", "--depth=1")
    bench.run(*load, where=top, stdin=b"".join(parts))
    bench.run("git", "reset", "-q", "--hard", where=top)
    return top, names


def change(top: Path, names: list[str], count: int) -> None:
    """Change `count` files spread over the tree: of ten, eight get a line, one goes and one comes."""
    step = len(names) // count
    for number, name in enumerate(names[: step * count : step]):
        path = top / name
        if number % 10 == 8:
            path.unlink()
        elif number % 10 == 9:
            path.with_name(f"new_{path.name}").write_text(f"new beside {name}\n")
        else:
            with path.open("a") as stream:
                stream.write(f"# changed {number}\n")
