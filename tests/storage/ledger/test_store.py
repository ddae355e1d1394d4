"""The ledger is append-only, and no writer's event is ever lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace
from tests.support.dying_programs import dying_git
from tests.support.gate_scene import ask
from tests.support.lost_objects import lose
from tests.support.refusals import refusal


@pytest.mark.quick
def test_an_event_that_was_written_is_read_back_as_it_was(ledgered: Workspace) -> None:
    event = ledgered.event(
        "task.started", "task: start\n10", ("Devs-Task", "task-10"), verb_name="task start", body="x"
    )
    written = ledgered.ledger.append(lambda _tip: Draft(event, (("tasks/task-10/1.yaml", b"title: x\n"),)))
    read = next(ledgered.ledger.events())
    assert (read.subject, read.get("Devs-Task"), read.body, read.oid) == (
        "task: start 10",
        "task-10",
        "x",
        written.oid,
    )
    assert ledgered.ledger.tip().read("tasks/task-10/1.yaml") == b"title: x\n"
    assert ledgered.ledger.tip().read("README.md") == b"The ledger.\n"


def test_the_state_grown_event_by_event_is_the_state_folded_anew(ledgered: Workspace) -> None:
    grown = ledgered.ledger
    for number in range(1, 4):
        facts = (("Devs-Task", "task-10"), ("Devs-Number", str(number)), ("Devs-Tag", f"{number:040x}"))
        event = ledgered.event("checkpoint.created", "x", *facts, verb_name="checkpoint")
        grown.append(lambda _tip, event=event: Draft(event))  # type: ignore[misc]
        anew = Workspace.open(ledgered.top).ledger
        assert grown.tip().history == anew.tip().history
    older = grown.tip().history.checkpoints[f"{2:040x}"].event
    assert grown.history_at(older) == Workspace.open(ledgered.top).ledger.history_at(older)


def test_what_a_killed_git_told_of_the_ledger_is_no_shorter_history(
    ledgered: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in dying_git(tmp_path / "bin", at=1, before=True).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(GitFailed):
        list(ledgered.ledger.events())


def test_a_ledger_with_an_event_missing_is_missing_and_not_shorter(ledgered: Workspace) -> None:
    parent = ledgered.ledger.tip().oid
    event = ledgered.event("checkpoint.created", "x", verb_name="checkpoint")
    ledgered.ledger.append(lambda _tip: Draft(event))
    lose(ledgered.places.common.parent, parent)
    with pytest.raises(DevsError) as caught:
        list(Workspace.open(ledgered.top).ledger.events())
    assert caught.value.code == "LEDGER_MISSING"


def test_open_gates_whose_list_is_missing_are_not_none_and_no_bug(ledgered: Workspace) -> None:
    ask(ledgered, kind="MANUAL")
    oid = ledgered.store_git.text("rev-parse", "refs/heads/devs/ledger:open")
    lose(ledgered.places.common.parent, oid)
    assert refusal(Workspace.open(ledgered.top).ledger.open_gates).code == "LEDGER_MISSING"
