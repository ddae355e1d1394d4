"""Whoever reads starts nothing that a repository names: not by its configuration, its attributes, or its submodules.

Every verb of tier 0 and every dry run is called, in each of its forms, where all that git would start is planted.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.errors import EXIT_INTERNAL
from devs_git.workspace import Workspace
from tests.support.planting import FILTERS, Git, plant
from tests.support.verb_calls import DRY_RUNS, SAMPLES, TIER0, WITH_DRY_RUN, ask, call

pytestmark = pytest.mark.quick

MORE = [
    ("diff",),
    ("diff", "--hunks"),
    ("diff", "--against", "task-10@1", "--hunks"),
    ("diff", "task-10", "--hunks"),
    ("show", "task-10@2"),
    ("log",),
    ("verify",),
    ("verify", "registry", "tas", "policy", "schemas", "tags"),
    ("trace", "search", "--in", "messages", "Say"),
    ("history",),
    ("task", "status"),
]


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Where each planted program leaves a line."""
    return tmp_path / "ran"


@pytest.fixture
def trap(tmp_path: Path, ran: Path) -> Path:
    """A program that tells by whom it was called, and lets through what it is given."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>{ran}\ncat 2>/dev/null\n')
    program.chmod(0o755)
    return program


# With all three in place git would start the next one where one of them is off.
@pytest.fixture(
    params=[pytest.param(name, marks=() if name == "all" else pytest.mark.thorough) for name in FILTERS]
)
def planted(request: pytest.FixtureRequest, lived_in: Path, git: Git, trap: Path, ran: Path) -> Path:
    plant(lived_in, git, trap, FILTERS[request.param])
    ran.unlink(missing_ok=True)
    return lived_in


def started(ran: Path) -> str:
    return ran.read_text() if ran.exists() else ""


CALLS = [
    *(pytest.param(SAMPLES[name], id=name) for name in TIER0),
    *(pytest.param(words, id=" ".join(words)) for words in MORE),
]


@pytest.mark.parametrize("words", CALLS)
def test_a_verb_that_reads_starts_nothing_that_the_repository_names(
    words: tuple[str, ...], planted: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words[0] == "gate":
        ask(Workspace.open(planted))
        ran.unlink(missing_ok=True)
    for more in ((), ("--json",)):
        assert call(monkeypatch, *words, *more) != EXIT_INTERNAL
        assert started(ran) == ""


# A dry run of sync asks the remote, by the transport that the person's git uses for it: see commands/test_sync_planted.py.
@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("name", [name for name in WITH_DRY_RUN if name != "sync"])
def test_a_dry_run_starts_nothing_that_the_repository_names(
    name: str, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in ((), ("--json",)):
        assert call(monkeypatch, *DRY_RUNS[name], *more) != EXIT_INTERNAL
        assert started(ran) == ""


@pytest.mark.parametrize("words", [("status",), ("diff", "HEAD"), ("diff", "--raw", "HEAD")])
def test_what_is_planted_is_what_git_itself_starts(words: tuple[str, ...], planted: Path, ran: Path) -> None:
    """The control arm."""
    subprocess.run(["git", *words], cwd=planted, capture_output=True, check=False)
    assert "filter." in started(ran)
