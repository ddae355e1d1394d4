"""`Devs-Started` and `Devs-Finished` are when a verb's work began and ended: every git that it started ran in between.

A `git` on PATH notes when it is called; the clock is the real one. The last git that an event can know of is the
`update-ref` that writes it; what comes after it, such as rendering the view, is not the work.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.commands import rewind
from devs_git.domain.ledger.events import Event
from devs_git.domain.text.times import stamp
from devs_git.entrypoints import router
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.test_events import HERE, SCENARIOS, TWO_TASKS, run

pytestmark = pytest.mark.quick

NOTING = """#!/bin/sh
echo "$(date +%s.%N) $*" >> "$GITS_NOTED"
exec {program} "$@"
"""
# A person's answer is the work; the page that is shown before is not.
ASKED = ("gate approve", "gate reject")


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which each git that is found on PATH adds a line: when it was called, and with what."""
    folder, notes = tmp_path / "noting", tmp_path / "notes"
    folder.mkdir()
    (folder / "git").write_text(NOTING.format(program=shutil.which("git")))
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GITS_NOTED", str(notes))
    return notes


def work(notes: Path) -> tuple[str, str]:
    """When the first git of ours was called, and when the one that wrote the last event was."""
    calls = [line.split(" ", 1) for line in notes.read_text().splitlines()]
    ours = [(at, words) for at, words in calls if "core.fsmonitor=false" in words]
    writing = [at for at, words in ours if " update-ref -m devs: " in words]
    return _stamp(ours[0][0]), _stamp(writing[-1])


def _stamp(seconds: str) -> str:
    return stamp(datetime.fromtimestamp(float(seconds), UTC))


def last_event(top: Path) -> Event:
    return next(Workspace.open(top).ledger.events())


@pytest.mark.parametrize("name", HERE)
def test_an_event_says_when_the_work_of_its_verb_began_and_ended(
    name: str, initialised: Path, noted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, last = SCENARIOS[name]
    for line in before:
        run(line, initialised, monkeypatch)
    noted.unlink(missing_ok=True)
    run(last, initialised, monkeypatch)
    first, written = work(noted)
    event = last_event(initialised)
    assert event.get("Devs-Verb") == name
    started, finished = event.get("Devs-Started"), event.get("Devs-Finished")
    assert started <= first or name in ASKED
    assert started < finished <= written


@pytest.mark.parametrize(
    "line", ["$ git commit -q --allow-empty -m x", "$ git commit -q --amend --allow-empty -m y"]
)
def test_so_does_one_that_a_hook_writes(
    line: str, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("task start 10 --title x", initialised, monkeypatch)
    run("$ git commit -q --allow-empty -m w", initialised, monkeypatch)
    before = stamp(datetime.now(UTC))
    run(line, initialised, monkeypatch)
    event = last_event(initialised)
    assert before < event.get("Devs-Started") < event.get("Devs-Finished") < stamp(datetime.now(UTC))


def test_what_failed_and_was_ended_by_another_command_began_with_its_own(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in (*TWO_TASKS, "$ git config core.fsync none"):
        run(line, initialised, monkeypatch)
    before = stamp(datetime.now(UTC))
    killed_at(initialised, "transaction")
    after = stamp(datetime.now(UTC))
    run("status", initialised, monkeypatch)
    event = last_event(initialised)
    assert (event.type, event.get("Devs-Code")) == ("operation.failed", "INTERRUPTED")
    assert before <= event.get("Devs-Started") < after < event.get("Devs-Finished")


def killed_at(top: Path, step: str) -> None:
    """A rewind that dies before one of its steps."""
    child = os.fork()
    if not child:

        def die(what: str, _done: int, _total: int) -> None:
            if what == step:
                os._exit(9)

        workspace = replace(Workspace.open(top), progress=die)
        router.call("rewind", workspace, rewind.Request("task-10"))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
