"""Run the real `git filter-repo`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAP = ".git/filter-repo/commit-map"


def filter_repo(top: Path, *options: str) -> None:
    """Rewrite the whole history of the repository, with `--force`, because the repository is not a fresh clone."""
    command = [sys.executable, "-m", "git_filter_repo", "--force", "--quiet", *options]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
