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
