"""The ledger is append-only, and no writer's event is ever lost."""

from __future__ import annotations

from devs_git.domain.events import Draft
from devs_git.workspace import Workspace


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
