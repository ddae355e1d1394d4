"""What the catalog notes of contracts and phases is what the fold of the ledger says."""

from __future__ import annotations

import random

import pytest

from devs_git.commands import contract_start, phase_set, task_complete, task_start
from devs_git.domain.ledger.event_keys import PHASES
from devs_git.domain.recall.conversation import Message
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.storage.catalog import bodies, database, message_stream, migrations, steering
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.timeline_scene import say

pytestmark = pytest.mark.thorough


@pytest.mark.quick
def test_contract_and_phase_of_each_task_are_those_of_the_ledger(ledgered: Workspace) -> None:
    chance = random.Random(3)
    for number in range(6):
        name = chance.choice(("a", "b/c"))
        contract_start.run(ledgered, contract_start.Request(name))
        own = chance.choice(("", "", *PHASES))
        task_start.run(ledgered, task_start.Request(str(number), contract=name, phase=own))
        phase_set.run(ledgered, phase_set.Request(chance.choice(PHASES), contract=name))
        if chance.random() < 0.4:
            phase_set.run(ledgered, phase_set.Request(chance.choice(PHASES), task_id=str(number)))
        task_complete.run(ledgered, task_complete.Request(str(number), "done"))
    history = ledgered.ledger.tip().history
    with open_catalog(ledgered, caught_up=True) as catalog:
        for task in history.tasks.values():
            contract = steering.contract_of(catalog, task.task_id)
            assert contract == task.contract
            assert steering.phase_at(catalog, task.task_id, contract, "9") == history.phase_of(task)
            phases = steering.phases_of(catalog, task.task_id)
            assert (phases[-1][0] if phases else "") == history.phase_of(task)


def test_a_catalog_of_before_tells_its_messages_and_reads_the_ledger_again(ledgered: Workspace) -> None:
    task_start.run(ledgered, task_start.Request("1", contract="c"))
    with pytest.MonkeyPatch.context() as before:
        before.setattr(database, "STEPS", migrations.STEPS[:5])
        with Catalog.open(ledgered.places.shared) as catalog, catalog.transaction() as base:
            catalog.set("ledger", ledgered.ledger.tip().oid)
            base.execute(
                "INSERT INTO messages (session_id, message_id, turn_id, task_id, agent, role, tool_name, is_error, body, created_at) "
                "SELECT 's', 'm', '', 'task-1', '', 'user', '', 0, ?, '2001-01-01T00:00:00.000Z'",
                (bodies.pack(b"{}"),),
            )
    with open_catalog(Workspace.open(ledgered.top), caught_up=True) as catalog:
        assert catalog.rows("SELECT recorded_at FROM messages") == [("2001-01-01T00:00:00.000Z",)]
        assert steering.contract_of(catalog, "task-1") == "c"


def test_messages_are_read_in_the_order_of_recording_in_both_directions(ledgered: Workspace) -> None:
    for session in ("b", "a"):
        say(ledgered, session, 3)
    with Catalog.open(ledgered.places.shared) as catalog:
        wanted = message_stream.MessageFilter()
        onward = [one.message for one in message_stream.onward(catalog, 0, wanted)]
        assert [message.id for message in onward] == ["b-0", "b-1", "b-2", "a-0", "a-1", "a-2"]
        newest = message_stream.newest(catalog)
        assert [one.message for one in message_stream.back(catalog, newest + 1, wanted)] == onward[::-1]
        assert isinstance(onward[0], Message)
