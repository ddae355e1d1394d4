"""`.pre-commit-hooks.yaml` offers what exists, and the real pre-commit can run it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from devs_git.domain.verbs import VERBS

TOP = Path(__file__).parent.parent
MANIFEST = TOP / ".pre-commit-hooks.yaml"


def hooks() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = YAML(typ="safe").load(MANIFEST.read_text())
    return loaded


def pre_commit(*args: str, where: Path = TOP) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("pre-commit")
    assert program.exists(), "pre-commit is missing: .venv/bin/pip install --group dev"
    return subprocess.run([program, *args], cwd=where, capture_output=True, text=True, check=False)


def test_pre_commit_accepts_the_manifest() -> None:
    assert pre_commit("validate-manifest", str(MANIFEST)).returncode == 0


def test_every_entry_of_the_manifest_is_a_verb() -> None:
    assert [hook["entry"].removeprefix("devs-git ") in VERBS for hook in hooks()] == [True] * len(hooks())


@pytest.mark.thorough
def test_pre_commit_runs_doctor_from_this_repository(tmp_path: Path, repo: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(TOP, source, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", ".peers"))
    for words in ("init -q", "add -A", "commit -qm x"):
        subprocess.run(["git", *words.split()], cwd=source, check=True)
    done = pre_commit("try-repo", str(source), "devs-doctor", "--hook-stage", "manual", where=repo)
    assert "devs-git init" in done.stdout  # there is no ledger, and doctor says what mends that
    assert done.returncode == 1
