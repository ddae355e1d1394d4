"""After Ctrl-C a command says what it did: nothing, something that the ledger has, or something that is not finished."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints.cli.texts import interruption
from devs_git.storage.git import refs
from devs_git.workspace import Workspace
from tests.conftest import Tasks

pytestmark = pytest.mark.quick


def test_what_an_interrupted_command_did_is_told_by_the_ledger(tasks: Tasks) -> None:
    scene = tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}})
    opened = Workspace.open(scene.top)
    before = refs.loose(opened.places.common, LEDGER)
    nothing = interruption.tell("rewind", opened, before)
    assert nothing == "rewind wrote no event. Branch, index and files are as before."
    assert interruption.tell("sync", opened, before) == "sync wrote no event."
    rewind.run(Workspace.open(scene.top), rewind.Request("10"))
    done = interruption.tell("rewind", Workspace.open(scene.top), before)
    assert done == "The ledger has a new event, so this was done: rewind: to task-10 (undoes task-11)"
