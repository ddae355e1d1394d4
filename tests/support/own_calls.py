"""devs-git as a person calls it: the program in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def devs_git(
    *words: str, where: Path | None = None, status: int = 0, env: Mapping[str, str] | None = None
) -> str:
    """What a command of ours prints on standard output. It runs in the folder `where`, or in the current one."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *words],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout
