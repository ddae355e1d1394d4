"""`.pre-commit-hooks.yaml` offers what exists, and the real pre-commit can run it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from devs_git.domain.verbs import VERBS
from devs_git.entrypoints.git_hook import GUARDS
from devs_git.workspace import Workspace
from tests.gated import ask

Run = Callable[..., str]
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


def test_every_entry_of_the_manifest_is_a_verb_or_a_guard() -> None:
    words = [hook["entry"].removeprefix("devs-git ") for hook in hooks()]
    known = {*VERBS, *(f"hook {name}" for name in GUARDS)}
    assert [word for word in words if word not in known] == []


def test_no_hook_of_the_manifest_depends_on_which_files_are_staged() -> None:
    assert all(hook["always_run"] and not hook["pass_filenames"] for hook in hooks())


def run_stage(where: Path, stage: str, framework: str = "pre-commit", **env: str) -> tuple[int, str]:
    """The manifest's guards as a repository's own hooks, run by the framework itself."""
    rows = [{**hook, "language": "system"} for hook in hooks() if "hook " in hook["entry"]]
    for row in rows:
        row["entry"] = f"{sys.executable} -P -m devs_git {row['entry'].removeprefix('devs-git ')}"
        row.pop("minimum_pre_commit_version")
    config = where.parent / "guards.yaml"
    with config.open("w") as stream:
        YAML().dump({"repos": [{"repo": "local", "hooks": rows}]}, stream)
    program = Path(sys.executable).with_name(framework)
    words = [str(program), "run", "--config", str(config), "--all-files", "--hook-stage", stage]
    if stage == "pre-push":
        words += [
            "--remote-branch",
            env["remote"],
            "--local-branch",
            "x",
            "--remote-name",
            "o",
            "--remote-url",
            "u",
        ]
    if stage in {"commit-msg", "prepare-commit-msg"}:
        words += ["--commit-msg-filename", "a.txt"]
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("framework", ["pre-commit", "prek"])
def test_the_guards_refuse_and_allow_under_a_framework(framework: str, initialised: Path, git: Run) -> None:
    (initialised / "TAS.md").write_text("# Dates\nold\n")
    git("add", "TAS.md")
    status, said = run_stage(initialised, "pre-commit", framework)
    assert status == 0, said
    git("commit", "-qm", "tas")
    (initialised / "TAS.md").write_text("# Dates\nnew\n")
    git("add", "TAS.md")
    status, said = run_stage(initialised, "pre-commit", framework)
    assert (status, "TAS_UNAPPROVED" in said, "GATE_BLOCKED" in said) == (1, True, False)
    git("reset", "-q", "--hard")
    ask(Workspace.open(), kind="MANUAL")
    for stage in ("pre-commit", "commit-msg"):
        status, said = run_stage(initialised, stage, framework)
        assert (status, "GATE_BLOCKED" in said) == (1, True)
    assert run_stage(initialised, "pre-push", framework, remote="refs/heads/main")[0] == 1
    assert run_stage(initialised, "pre-push", framework, remote="refs/heads/devs/ledger")[0] == 0
    git("update-ref", "-d", "refs/heads/devs/ledger")
    status, said = run_stage(initialised, "pre-commit", framework)
    assert (status, "NOT_INITIALIZED" in said) == (1, True)


@pytest.mark.thorough
def test_pre_commit_runs_doctor_from_this_repository(tmp_path: Path, repo: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(TOP, source, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", ".peers"))
    for words in ("init -q", "add -A", "commit -qm x"):
        subprocess.run(["git", *words.split()], cwd=source, check=True)
    done = pre_commit("try-repo", str(source), "devs-doctor", "--hook-stage", "manual", where=repo)
    assert "devs-git init" in done.stdout  # there is no ledger, and doctor says what mends that
    assert done.returncode == 1
