"""Checkpoints of two other tools, each in a copy of the repository, made as fast as the tool can: in a process that runs already.

Both watch files in a process of their own, which makes a checkpoint when the files settle. So their start and their wait
are not counted. rewind-ai also has a command for one checkpoint; what that takes is shown, too.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bench.measure import Bench

STEPBACK, REWIND, SNAP = "stepback", "rewind-ai", "rewind-ai, rewind snap"
PEERS: Final = (STEPBACK, REWIND, SNAP)
_ENGINES: Final = {
    STEPBACK: "from stepback.engine import Engine; make = Engine(Path.cwd()).checkpoint",
    REWIND: "from rewind.checkpoint import CheckpointStore; make = CheckpointStore(Path.cwd()).create",
}
# One checkpoint for each line of standard input; its milliseconds, or `none` if there was nothing to save.
_LOOP: Final = """
import sys, time
from pathlib import Path
{engine}
for _ in sys.stdin:
    begun = time.perf_counter()
    made = make()
    print((time.perf_counter() - begun) * 1000 if made else "none", flush=True)
"""


class Checkpoints:
    """The tools at work in copies of `top`. `ways` makes one checkpoint each and returns its milliseconds."""

    def __init__(self, bench: Bench, peers: Path | None, top: Path) -> None:
        self.bench, self.peers, self.top = bench, peers, top
        self.places: dict[str, Path] = {}
        self.ways: dict[str, Callable[[], float]] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self.peers is None:
            return self
        for label in PEERS:
            place = self.bench.folder / f"{self.top.name} of {label}"
            shutil.copytree(self.top, place, symlinks=True)
            self.bench.run("git", "status", where=place)
            self.places[label] = place
        for label, engine in _ENGINES.items():
            self.ways[label] = self._running(label, self.peers / "bin" / "python", engine)
        command = (str(self.peers / "bin" / "rewind"), "snap", "-m", "prompt")
        self.ways[SNAP] = lambda: self.bench.sample(command, self.places[SNAP]).wall
        return self

    def _running(self, label: str, python: Path, engine: str) -> Callable[[], float]:
        child = self._open.enter_context(
            subprocess.Popen(
                (str(python), "-c", _LOOP.format(engine=engine)),
                cwd=self.places[label],
                env=self.bench.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )

        def make() -> float:
            assert child.stdin
            assert child.stdout
            child.stdin.write("\n")
            child.stdin.flush()
            said = child.stdout.readline().strip()
            if not said or said == "none":
                raise SystemExit(f"{label} made no checkpoint.")
            return float(said)

        return make

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Closing their input ends them. The copies stay until the end: for a minute after many files were deleted, ext4 looks at
        # each of their inodes whenever a file is made.
        self._open.close()


def names(found: Mapping[str, float]) -> list[str]:
    """The tools that were measured."""
    return [label for label in PEERS if label in found]
