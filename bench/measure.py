"""Whole processes, timed side by side: A B A B, so that what disturbs the machine disturbs both."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Command = Sequence[str]


@dataclass(frozen=True)
class Sample:
    """Milliseconds of one process and the children that it waited for."""

    wall: float
    user: float
    system: float

    def __add__(self, other: Sample) -> Sample:
        return Sample(self.wall + other.wall, self.user + other.user, self.system + other.system)


def nothing() -> None:
    pass


@dataclass(frozen=True)
class Arm:
    """What is timed: `commands` one after the other. `before` and `after` are not timed."""

    label: str
    commands: tuple[Command, ...]
    where: Path
    before: Callable[[], None] = nothing
    after: Callable[[], None] = nothing


@dataclass(frozen=True)
class Bench:
    """An environment of its own for everything that runs: HOME, identity, no caller's GIT_* variables."""

    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def below(cls, folder: Path, programs: Path) -> Bench:
        home = folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
        )
        kept = {name: os.environ[name] for name in ("TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
        path = os.pathsep.join((str(programs), os.environ.get("PATH", os.defpath)))
        return cls(
            folder, {**kept, "PATH": path, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        )

    def run(self, *command: str, where: Path, stdin: bytes | None = None) -> str:
        """Run a command outside the measurement; its standard output."""
        done = subprocess.run(
            command,
            cwd=where,
            env=self.env,
            stdin=subprocess.DEVNULL if stdin is None else None,
            input=stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} exited {done.returncode}: {done.stderr.decode()[-2000:]}")
        return done.stdout.decode().strip()

    def sample(self, command: Command, where: Path) -> Sample:
        """Time one process from its start to its end."""
        with tempfile.TemporaryFile() as output:
            begun = time.perf_counter()
            child = subprocess.Popen(
                command, cwd=where, env=self.env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
            _, status, used = os.wait4(child.pid, 0)
            wall = time.perf_counter() - begun
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                output.seek(0)
                said = output.read().decode("utf-8", "replace")[-2000:]
                raise SystemExit(f"{' '.join(command)} exited {child.returncode}: {said}")
        return Sample(wall * 1000, used.ru_utime * 1000, used.ru_stime * 1000)

    def once(self, arm: Arm) -> Sample:
        arm.before()
        total = Sample(0, 0, 0)
        for command in arm.commands:
            total += self.sample(command, arm.where)
        arm.after()
        return total

    def side_by_side(self, *arms: Arm, rounds: int) -> dict[str, Sample]:
        """The median of each arm over `rounds`, after one warm-up round that does not count."""
        return {label: median(samples) for label, samples in self._samples(arms, rounds).items()}

    def over(self, arm: Arm, base: Arm, *, rounds: int) -> tuple[float, float, float]:
        """What `arm` takes, `base`, and the median of how much longer it took in each round (wall, ms).

        A machine that changes its speed between two rounds changes the difference of two medians, and not this.
        """
        found = self._samples((arm, base), rounds)
        pairs = zip(found[arm.label], found[base.label], strict=True)
        longer = statistics.median(one.wall - other.wall for one, other in pairs)
        return median(found[arm.label]).wall, median(found[base.label]).wall, longer

    def _samples(self, arms: Sequence[Arm], rounds: int) -> dict[str, list[Sample]]:
        found: dict[str, list[Sample]] = {arm.label: [] for arm in arms}
        for turn in range(rounds + 1):
            for arm in arms:
                sample = self.once(arm)
                if turn:
                    found[arm.label].append(sample)
        return found


def median(samples: Sequence[Sample]) -> Sample:
    return Sample(
        statistics.median(sample.wall for sample in samples),
        statistics.median(sample.user for sample in samples),
        statistics.median(sample.system for sample in samples),
    )
