"""A git that is killed once: before it did anything, or when it has done and said all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# Each git adds a line to the count; the one whose line is the DYING_AT-th dies.
WRAPPER = """#!/bin/sh
echo >> "$DYING_COUNT"
n=$(wc -l < "$DYING_COUNT")
[ "$n" = "$DYING_AT" ] || exec {git} "$@"
[ "$DYING_BEFORE" ] || {git} "$@"
kill -9 $$
"""


def dying_git(folder: Path, *, at: int, before: bool) -> dict[str, str]:
    """The environment in which the `at`-th git (from 1 on; 0: none) is killed; `gits_run` counts them."""
    folder.mkdir(exist_ok=True)
    wrapper = folder / "git"
    if not wrapper.exists():
        wrapper.write_text(WRAPPER.format(git=shutil.which("git")))
        wrapper.chmod(0o755)
    (folder / "count").write_bytes(b"")
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "DYING_COUNT": str(folder / "count"),
        "DYING_AT": str(at),
        "DYING_BEFORE": "yes" if before else "",
    }


def gits_run(folder: Path) -> int:
    return (folder / "count").read_bytes().count(b"\n")
