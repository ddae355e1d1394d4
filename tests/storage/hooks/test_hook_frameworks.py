"""With the real pre-commit and the real prek, installed in any order, each hook runs exactly once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.hook_stage import HookStage, picture, script

Run = Callable[..., str]
CONFIG = """\
repos:
- repo: local
  hooks:
  - id: say
    name: say
    language: system
    entry: sh -c 'echo framework post-commit >>"$RAN"'
    always_run: true
    pass_filenames: false
    stages: [post-commit]
"""
ORDERS = (
    "ours tool",
    "tool ours",
    "ours tool ours",
    "tool ours tool",
    "theirs ours tool",
    "theirs tool ours",
    "theirs tool ours tool",
    "theirs ours tool ours tool",
)
TOOLS = ("pre-commit", "prek")


def tool(name: str, *args: str) -> None:
    program = Path(sys.executable).with_name(name)
    assert program.exists(), f"{name} is missing: .venv/bin/pip install --group dev"
    subprocess.run([program, *args], check=True, capture_output=True)


def arrange(steps: str, name: str, repo: Path, stage: HookStage) -> None:
    for step in steps.split():
        if step == "ours":
            stage.install(repo)
        elif step == "theirs":
            script(repo / ".git/hooks/post-commit", '#!/bin/sh\necho "theirs post-commit" >>"$RAN"\n')
        else:
            tool(name, "install", "-t", "post-commit")


@pytest.fixture
def configured(repo: Path, git: Run) -> Path:
    (repo / ".pre-commit-config.yaml").write_text(CONFIG)
    git("add", "-A")
    git("commit", "-qm", "configuration")
    return repo


def in_order(lines: list[str]) -> list[str]:
    return sorted(line.removesuffix(".legacy") for line in lines)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("steps", ORDERS)
def test_every_hook_runs_exactly_once(steps: str, name: str, configured: Path, stage: HookStage) -> None:
    arrange(steps, name, configured, stage)
    wanted = ["framework post-commit", "ours post-commit", "theirs post-commit"]
    assert in_order(stage.commit()) == wanted[: 3 if "theirs" in steps else 2]
    assert stage.codes(configured) == []


@pytest.mark.parametrize("name", TOOLS)
def test_uninstalling_leaves_what_the_framework_alone_would_have_left(
    name: str, configured: Path, stage: HookStage
) -> None:
    hooks = configured / ".git/hooks"
    arrange("theirs tool", name, configured, stage)
    alone = picture(hooks)
    for steps in ("ours", "ours tool", "ours tool ours"):
        arrange(steps, name, configured, stage)
        assert picture(hooks) != alone
        stage.uninstall(configured)
        assert picture(hooks) == alone


@pytest.mark.parametrize("name", TOOLS)
def test_the_framework_uninstalls_from_beside_ours(name: str, configured: Path, stage: HookStage) -> None:
    arrange("theirs tool ours", name, configured, stage)
    tool(name, "uninstall", "-t", "post-commit")
    assert in_order(stage.commit()) == ["ours post-commit", "theirs post-commit"]
    assert stage.codes(configured) == []


def test_a_forced_install_that_drops_our_hook_is_found_and_repaired(
    configured: Path, stage: HookStage
) -> None:
    arrange("ours", "prek", configured, stage)
    tool("prek", "install", "-f", "-t", "post-commit")
    assert stage.codes(configured) == ["HOOK_MISSING"]
    stage.install(configured)
    assert in_order(stage.commit()) == ["framework post-commit", "ours post-commit"]


def test_two_frameworks_that_would_call_each_other_in_a_circle_do_not(
    configured: Path, stage: HookStage
) -> None:
    tool("pre-commit", "install", "-t", "post-commit")
    tool("prek", "install", "-t", "post-commit")  # prek moves pre-commit's script, and would call it
    before = picture(configured / ".git/hooks")
    assert "not called" in stage.install(configured)["hook post-commit"].detail
    assert in_order(stage.commit()) == ["framework post-commit", "ours post-commit"]
    stage.uninstall(configured)
    assert picture(configured / ".git/hooks") == before


@pytest.mark.parametrize("name", TOOLS)
def test_post_rewrite_learns_what_was_rewritten_though_pre_commit_hands_no_input_on(
    name: str, configured: Path, git: Run, stage: HookStage, tmp_path: Path
) -> None:
    told_to = tmp_path / "in_order"
    python = script(tmp_path / "python", f"#!/bin/sh\ncat >>'{told_to}'\n")
    stage.install(configured, str(python))
    tool(name, "install", "-t", "post-rewrite")
    for folder in (configured / ".git/devs/journal", configured / ".git/devs"):
        folder.mkdir(parents=True, exist_ok=True)
    (configured / ".git/devs/task").write_text("Devs-Task: task-1\n")
    old = git("rev-parse", "HEAD")
    git("commit", "-q", "--amend", "-m", "other words")
    assert told_to.read_text() == f"{old} {git('rev-parse', 'HEAD')}\n"
    told_to.unlink()
    middle = git("rev-parse", "HEAD")
    git("update-ref", "refs/devs/checkpoints/task-1/1", middle)
    git("-c", "user.name=Eve", "rebase", "-q", "--force-rebase", "HEAD^")
    assert told_to.read_text() == f"{middle} {git('rev-parse', 'HEAD')}\n"
