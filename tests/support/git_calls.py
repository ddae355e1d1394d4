"""git as a test calls it: the program on PATH, with the hooks of the repository and without our code."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


def git(
    *words: str,
    where: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    ok: tuple[int, ...] = (0,),
) -> str:
    """The standard output of a git command, without line ends after it. Its exit status must be one of `ok`.

    It runs in the folder `where`, or in the current one, and `env` is added to the environment.
    """
    done = _run(words, where, env, stdin)
    assert done.returncode in ok, (words, os.fsdecode(done.stderr))
    return os.fsdecode(done.stdout).rstrip("\n")


def attempt(
    *words: str, where: Path | None = None, env: Mapping[str, str] | None = None, stdin: str | None = None
) -> tuple[int, str]:
    """The exit status of a git command, and all that it wrote to standard output and standard error."""
    done = _run(words, where, env, stdin)
    return done.returncode, os.fsdecode(done.stdout + done.stderr)


def _run(
    words: tuple[str, ...], where: Path | None, env: Mapping[str, str] | None, stdin: str | None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *words],
        cwd=where,
        env={**os.environ, **(env or {})},
        input=None if stdin is None else os.fsencode(stdin),
        capture_output=True,
        check=False,
    )
