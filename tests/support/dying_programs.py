"""Kill one call of git, or of another program that a hook of ours starts: before it begins, or after its end."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HELPERS = ("git", "awk", "cat", "grep", "sed", "mkdir", "cp", "rm")  # what our hooks start
# Each call adds a line to the file DYING_COUNT. The call that adds line number DYING_AT is killed.
WRAPPER = """#!/bin/sh
echo >> "$DYING_COUNT"
n=$(wc -l < "$DYING_COUNT")
[ "$n" = "$DYING_AT" ] || exec {program} "$@"
[ "$DYING_BEFORE" ] || {program} "$@"
kill -9 $$
"""


def dying_git(folder: Path, *, at: int, before: bool) -> dict[str, str]:
    """An environment in which call number `at` of git or ssh-keygen is killed (the first is 1; 0: none). `gits_run` counts them."""
    folder.mkdir(exist_ok=True)
    for name in ("git", "ssh-keygen"):
        _wrap(folder, name)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **_variables(folder, at=at, before=before)}


def dying_helper(folder: Path, *, at: int, before: bool) -> dict[str, str]:
    """The same for programs that hooks start. Git puts its own folder of programs first in PATH, so this folder replaces it."""
    if not folder.exists():
        folder.mkdir()
        listed = ["git", "--exec-path"]
        programs = Path(subprocess.run(listed, check=True, capture_output=True, text=True).stdout.strip())
        for program in programs.iterdir():
            if program.name not in HELPERS:
                (folder / program.name).symlink_to(program)
        for name in HELPERS:
            _wrap(folder, name)
    return {"GIT_EXEC_PATH": str(folder), **_variables(folder, at=at, before=before)}


def _wrap(folder: Path, name: str) -> None:
    wrapper = folder / name
    if not wrapper.exists():
        wrapper.write_text(WRAPPER.format(program=shutil.which(name)))
        wrapper.chmod(0o755)


def _variables(folder: Path, *, at: int, before: bool) -> dict[str, str]:
    (folder / "count").write_bytes(b"")
    return {
        "DYING_COUNT": str(folder / "count"),
        "DYING_AT": str(at),
        "DYING_BEFORE": "yes" if before else "",
    }


def gits_run(folder: Path) -> int:
    return (folder / "count").read_bytes().count(b"\n")
