"""The ten commands of README run as they stand, in a repository where somebody works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import real_repository

pytestmark = pytest.mark.thorough
README = Path(__file__).parent.parent / "README.md"


def test_the_ten_commands_run_as_they_stand(git: Callable[..., str], tmp_path: Path) -> None:
    section = README.read_text(encoding="utf-8").partition("## Ten commands\n")[2]
    block = section.partition("```sh\n")[2].partition("```")[0]
    assert len(set(re.findall(r"^devs-git (task \w+|\w+)", block, re.MULTILINE))) == 10
    top = tmp_path / "your" / "repository"
    real_repository.make(top)
    script = re.sub("^# .*$", real_repository.WORK, block, flags=re.MULTILINE)
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No problems were found." in done.stdout
    subjects = git("log", "--format=%s", where=top).splitlines()
    assert subjects[1:5] == ["Times are parsed", "Dates are parsed", "ISO dates", "Set up devs-git"], subjects
