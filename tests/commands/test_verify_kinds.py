"""`verify` ends with a line that counts the commits by kind, in each of its forms."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git import __main__ as program
from devs_git.domain.audit import commit_kinds
from devs_git.domain.ledger.events import LEDGER
from devs_git.workspace import Workspace
from tests.support.attacker import commit as past_the_hooks
from tests.support.gate_scene import approve, ask

Run = Callable[..., str]


def last(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["devs-git", "verify", *words])
    program.main()
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def mixed(initialised: Path, git: Run) -> Path:
    """A commit of each kind that one clone can make."""
    before = git("rev-parse", LEDGER)
    git("commit", "-q", "--allow-empty", "-m", "bound")
    gate = ask(Workspace.open(initialised), kind="MANUAL")
    past_the_hooks(message=f"frozen\n\nDevs-Ledger: {git('rev-parse', LEDGER)}")
    approve(Workspace.open(initialised), gate)
    git("commit", "-q", "--allow-empty", "-m", "bound again")
    past_the_hooks(message="on the web page")
    past_the_hooks(message="by a bot")
    past_the_hooks(message=f"unseen\n\nDevs-Ledger: {before}")
    past_the_hooks(message=f"unknown\n\nDevs-Ledger: {'f' * 40}")
    return initialised


WORDS = (
    "3 bound to an event, 1 made without knowing of a gate, 1 made while a gate was open, "
    "1 bound to an event that is not here, 2 bound to no event, 3 from before devs-git"
)


@pytest.mark.quick
@pytest.mark.usefixtures("mixed")
def test_the_last_line_counts_the_commits_by_kind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert last(monkeypatch, capsys, "commits")[-1].endswith(f"11 commits: {WORDS})")
    notice, line = last(monkeypatch, capsys, "commits", "--format", "github")[-2:]
    assert notice == f"::notice title=devs-git verify::{line}"
    assert line.endswith(f"11 commits: {WORDS})")
    told = json.loads("\n".join(last(monkeypatch, capsys, "commits", "--json")))["commits"]
    assert told == {
        "bound": 3,
        "landed": 0,
        "unseen": 1,
        "regressed": 0,
        "frozen": 1,
        "unknown": 1,
        "unbound": 2,
        "early": 3,
    }
    assert tuple(told) == tuple(commit_kinds.KINDS)


@pytest.mark.usefixtures("initialised")
def test_none_that_is_bound_to_no_event_is_said_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = last(monkeypatch, capsys, "--range", "HEAD~1..HEAD")[-1]
    assert line.endswith("1 commit: 1 bound to an event, 0 bound to no event)")
    assert "bound" not in last(monkeypatch, capsys, "ledger")[-1]


@pytest.mark.quick
@pytest.mark.usefixtures("mixed")
def test_from_whatever_base_the_commits_from_before_the_policy_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], git: Run
) -> None:
    added = git("log", "--format=%H", "--diff-filter=A", "--", "devs-policy.yaml")
    before = set(git("rev-list", f"{added}^").split())
    for base in git("rev-list", "HEAD").split():
        told = last(monkeypatch, capsys, "commits", "--json", "--range", f"{base}..HEAD")
        early = before & set(git("rev-list", f"{base}..HEAD").split())
        assert json.loads("\n".join(told))["commits"]["early"] == len(early), base
