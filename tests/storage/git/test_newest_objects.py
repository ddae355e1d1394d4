"""`git prune --expire=now` beside us takes no event."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.ledger.events import Draft
from devs_git.storage.git import newest_objects, refs
from devs_git.workspace import Workspace

Run = Callable[..., str]
ROUNDS = int(os.environ.get("DEVS_TEST_COUNT_PRUNED_BESIDE", "4"))


def write(workspace: Workspace) -> str:
    event = workspace.event("checkpoint.created", "x", verb_name="checkpoint")
    return workspace.ledger.append(lambda _tip: Draft(event, (("tasks/x/1.yaml", b"title: x\n"),))).oid


def prune_as_if_unseen(top: Path, event: str) -> None:
    """What a prune does that listed what can be reached before the event was written."""
    for line in subprocess.check_output(
        ("git", "rev-list", "--objects", f"{event}~1..{event}"), cwd=top, text=True
    ).splitlines():
        (top / ".git/objects" / line[:2] / line[2:40]).unlink()


@pytest.mark.quick
def test_an_event_that_a_prune_took_is_there_for_the_next_reader(ledgered: Workspace) -> None:
    event = write(ledgered)
    prune_as_if_unseen(ledgered.top, event)
    again = Workspace.open(ledgered.top).ledger
    assert next(again.events(again.tip().oid)).oid == event
    assert again.tip().read("tasks/x/1.yaml") == b"title: x\n"


def test_a_commit_after_a_prune_that_took_an_event_is_not_refused(initialised: Path, git: Run) -> None:
    prune_as_if_unseen(initialised, write(Workspace.open(initialised)))
    git("commit", "-q", "--allow-empty", "-m", "after the prune")
    assert git("log", "-1", "--format=%s") == "after the prune"


def test_an_event_whose_objects_are_gone_before_the_refs_move_is_written_again(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, taken = refs.transaction, list[str]()

    def transaction(git: Any, updates: Any, message: str) -> None:
        if not taken:
            taken.append(updates[-1].new)
            prune_as_if_unseen(ledgered.top, taken[0])
        real(git, updates, message)

    monkeypatch.setattr(refs, "transaction", transaction)
    event = write(ledgered)
    assert taken
    assert ledgered.store_git.text("cat-file", "-t", event) == "commit"


def test_second_names_are_few_and_those_of_packed_objects_go(ledgered: Workspace, git: Run) -> None:
    for _ in range(20):
        write(ledgered)
    folder = ledgered.places.common / "devs/newest"
    assert 0 < len(list(folder.iterdir())) <= newest_objects.KEPT
    git("gc", "-q", "--prune=now")
    ledgered.ledger.tip()
    assert list(folder.iterdir()) == []


def test_events_are_written_beside_a_prune_that_never_ends(ledgered: Workspace) -> None:
    done = threading.Event()

    def prune() -> None:
        while not done.is_set():
            subprocess.run(("git", "prune", "--expire=now"), cwd=ledgered.top, check=False)

    beside = threading.Thread(target=prune)
    beside.start()
    try:
        written = [write(ledgered) for _ in range(ROUNDS)]
    finally:
        done.set()
        beside.join()
    again = Workspace.open(ledgered.top).ledger
    kept = [event.oid for event in again.events(again.tip().oid)]
    assert kept[:ROUNDS] == written[::-1]
