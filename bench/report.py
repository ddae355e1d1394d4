"""A row is one bound of ours beside its neighbour, measured in the same run; a report is the table of them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

HEAD = """# Results

The last run of `python -m bench --peers --results`. Each row was measured in one run with its neighbour, in turn (A B A B), whole
processes, medians. `measured` is what the bound speaks of; a row without a bound is for comparison. "added" means to a plain
`git commit`; "without start-up" means less `devs-git --version`.
"""


@dataclass(frozen=True)
class Row:
    """`value` is what the bound speaks of (milliseconds or a ratio); without a bound it is for comparison."""

    name: str
    ours: float
    neighbour: str
    theirs: float
    value: float
    unit: str = "ms"
    bound: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else 0.0

    @property
    def met(self) -> bool | None:
        return None if self.bound is None else self.value <= self.bound


@dataclass(frozen=True)
class Report:
    """The rows of one run, and where and when it ran."""

    rows: tuple[Row, ...]
    machine: dict[str, str] = field(default_factory=dict)

    def missed(self) -> list[Row]:
        return [row for row in self.rows if row.met is False]

    def markdown(self) -> str:
        head = ("what", "devs-git ms", "neighbour", "its ms", "ratio", "measured", "bound", "met")
        body = [_cells(row) for row in self.rows]
        widths = [max(len(line[at]) for line in (head, *body)) for at in range(len(head))]
        lines = [head, tuple("-" * width for width in widths), *body]
        return "\n".join(
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
            for line in lines
        )

    def page(self) -> str:
        """The report as `RESULTS.md` keeps it."""
        facts = "\n".join(f"- {key}: {value}" for key, value in self.machine.items())
        return f"{HEAD}\n{facts}\n\n{self.markdown()}\n"

    def save(self, path: Path) -> None:
        rows = [{**asdict(row), "ratio": row.ratio, "met": row.met} for row in self.rows]
        path.write_text(
            json.dumps({"machine": self.machine, "rows": rows}, indent=2) + "\n", encoding="utf-8"
        )


def _cells(row: Row) -> tuple[str, ...]:
    value = f"{row.value:.2f} x" if row.unit == "x" else f"{_figure(row.value)} {row.unit}"
    bound = "" if row.bound is None else f"<= {row.bound:g} {row.unit}"
    met = {None: "", True: "yes", False: "NO"}[row.met]
    beside = (_figure(row.theirs), f"{row.ratio:.2f}") if row.neighbour else ("", "")
    numbers = (_figure(row.ours), row.neighbour, *beside)
    return (row.name, *numbers, f"{value}{' ' + row.note if row.note else ''}", bound, met)


def _figure(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def machine(versions: Sequence[str]) -> dict[str, str]:
    """What a reader needs to judge the numbers by."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} cores",
        "load": f"{os.getloadavg()[0]:.1f} when it ended",
        "python": platform.python_version(),
        "versions": ", ".join((git, *versions)),
    }
