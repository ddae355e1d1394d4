"""A model of conversations that are rewound, with code and without, undone and redone, with kills between all steps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.model_conversations import Conversations
from tests.support.model_runs import run_world

pytestmark = pytest.mark.thorough

RUNS = int(os.environ.get("DEVS_TEST_COUNT_CONVERSATION_RUNS", "6"))


def test_marks_and_files_are_as_the_record_of_the_model_says(tmp_path: Path) -> None:
    run_world(Conversations, tmp_path, (RUNS, 20))
    assert {"rewound", "rewound with code"} & Conversations.answers.keys(), Conversations.answers


def test_an_undone_rewind_is_not_undone_again_and_the_next_undo_moves_no_file(tmp_path: Path) -> None:
    """An event that takes nothing back would look like that of an operation that moved files."""
    Conversations.base, Conversations.answers = tmp_path, {}
    world = Conversations()
    try:
        world.start()
        world.rewind(code=False, count=1, killed_at=None)
        world.edit(name="a", text=0)
        world.undo(at=None, killed_at=None)
        world.undo(at=0, killed_at=None)
        assert Conversations.answers["NOTHING_TO_UNDO"] == 1
        world.undo(at=None, killed_at=None)
        world.what_is_taken_back_is_marked_and_nothing_else()
    finally:
        world.teardown()
