"""`.pre-commit-hooks.yaml` offers what exists, and the real pre-commit can run it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from devs_git.domain.verbs import VERBS
from devs_git.entrypoints.hooks.git_hook import GUARDS
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.git_calls import attempt

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


@pytest.mark.quick
def test_pre_commit_accepts_the_manifest() -> None:
    assert pre_commit("validate-manifest", str(MANIFEST)).returncode == 0


@pytest.mark.quick
def test_every_entry_of_the_manifest_is_a_verb_or_a_guard() -> None:
    words = [hook["entry"].removeprefix("devs-git ") for hook in hooks()]
    known = {*VERBS, *(f"hook {name}" for name in GUARDS)}
    assert [word for word in words if word not in known] == []


@pytest.mark.quick
def test_only_what_looks_at_files_gets_their_names_or_is_left_out_without_them() -> None:
    named = {hook["id"]: hook["stages"] for hook in hooks() if hook["pass_filenames"]}
    assert set(named) == {"devs-policy-schema", "devs-commit-trailers"}
    assert named["devs-commit-trailers"] == ["commit-msg"]  # the only stage whose name is that of a message
    assert [hook["id"] for hook in hooks() if not hook.get("always_run")] == ["devs-policy-schema"]


@pytest.mark.quick
def test_the_manifest_has_the_hooks_that_it_promises() -> None:
    known = {"devs-gate-guard", "devs-tas-lock", "devs-policy-schema", "devs-commit-trailers", "devs-verify"}
    assert known <= {hook["id"] for hook in hooks()}


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
    assert (status, "LEDGER_MISSING" in said) == (1, True)


TYPES = ("pre-commit", "commit-msg", "pre-push")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository as others get it: a commit of its files."""
    folder = tmp_path_factory.mktemp("published") / "devs-git"
    left = (".git", ".venv", ".*_cache", ".peers", "__pycache__", ".hypothesis", ".coverage*")
    shutil.copytree(TOP, folder, ignore=shutil.ignore_patterns(*left))
    for words in ("init -q", "add -A", "-c user.name=x -c user.email=x@y commit -qm x"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    return folder


def framework(name: str, *args: str, **env: str) -> tuple[int, str]:
    program = str(Path(sys.executable).with_name(name))
    done = subprocess.run(
        [program, *args], capture_output=True, text=True, check=False, env={**os.environ, **env}
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_all_hooks_allow_and_refuse_real_commits_and_pushes(
    name: str, source: Path, initialised: Path, git: Run, tmp_path: Path
) -> None:
    head = git("rev-parse", "HEAD", where=source)
    rows = [{"id": hook["id"]} for hook in hooks()]
    with (initialised / ".pre-commit-config.yaml").open("w") as stream:
        YAML().dump({"repos": [{"repo": str(source), "rev": head, "hooks": rows}]}, stream)
    git("add", "-A")
    git("commit", "-qm", "configuration")
    assert framework(name, "install", *(word for kind in TYPES for word in ("-t", kind)))[0] == 0
    git("init", "-q", "--bare", str(tmp_path / "remote"))
    git("remote", "add", "origin", str(tmp_path / "remote"))
    (initialised / "a.txt").write_text("allowed\n")
    status, said = attempt("commit", "-qam", "allowed")
    assert (status, git("log", "-1", "--format=%s")) == (0, "allowed"), said
    assert attempt("push", "-q", "origin", "main")[0] == 0

    policy = (initialised / "devs-policy.yaml").read_text()
    (initialised / "devs-policy.yaml").write_text(policy + "unknown: key\n")
    status, said = attempt("commit", "-qam", "policy")
    assert (status, "POLICY_INVALID" in said, "unknown is not known" in said) == (1, True, True)
    git("checkout", "-q", "HEAD", "devs-policy.yaml")

    forged = f"x\n\nDevs-Ledger: {'f' * 40}"
    git("reset", "-q", git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", forged))
    status, said = attempt("push", "-q", "origin", "main")
    assert (status, "LEDGER_ROLLBACK" in said) == (1, True)
    git("reset", "-q", "--hard", "HEAD~1")

    (initialised / ".git/hooks/prepare-commit-msg").unlink()
    (initialised / ".git/hooks/commit-msg.legacy").unlink()
    status, said = attempt("commit", "-q", "--allow-empty", "-m", "unbound")
    assert (status, "UNBOUND_COMMIT" in said, "devs-git init" in said) == (1, True, True)

    ask(Workspace.open(), kind="MANUAL")
    (initialised / ".git/hooks/pre-commit.legacy").unlink()
    status, said = attempt("commit", "-q", "--allow-empty", "-m", "frozen")
    assert (status, "GATE_BLOCKED" in said) == (1, True)


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_every_hook_can_be_tried_from_this_repository(name: str, source: Path, initialised: Path) -> None:
    words = ("try-repo", str(source), "--all-files", "--hook-stage")
    status, said = framework(name, *words, "manual")
    assert (status, said.count("Passed")) == (0, 4), said  # doctor, gate-guard, policy-schema, verify
    ask(Workspace.open(), kind="MANUAL")
    (initialised / "devs-policy.yaml").write_text("genesis: x\n")
    status, said = framework(name, *words, "pre-commit")
    assert (status, "GATE_BLOCKED" in said, "POLICY_INVALID" in said) == (1, True, True)
    assert said.count("Passed") == 1  # the TAS is as it was


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_where_the_tool_is_missing_nothing_passes(name: str, source: Path, repo: Path) -> None:
    """Not installed, for there is no package index; then installed where `devs-git init` never ran."""
    assert repo == Path.cwd()
    nowhere = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "",
        "PIP_CONFIG_FILE": os.devnull,
        "UV_OFFLINE": "1",
        "UV_NO_CACHE": "1",
    }
    words = ("try-repo", str(source), "devs-gate-guard", "--all-files")
    status, said = framework(name, *words, **nowhere)
    assert (status != 0, "Passed" in said) == (True, False)
    status, said = framework(name, *words)
    assert (status, "NOT_INITIALIZED" in said, "devs-git init" in said) == (1, True, True)
