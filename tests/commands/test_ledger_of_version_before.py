"""A ledger whose events do not name their format, as the version before wrote them, is read and worked in.

`tests/examples/ledgers/before-format.bundle` holds all refs of its repository. Two tasks were completed, a gate was
approved, an amend was followed; a rewind was undone; a third task was completed, and a rewind with unsaved work ended it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.ledger import history
from devs_git.domain.ledger.event_keys import Key
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

EXAMPLE = Path(__file__).parent.parent / "examples" / "ledgers" / "before-format.bundle"
# The clone's id stands beside the refs, so no bundle has it.
CLONE = "dc55eb4639e363c0fc118d7c9d4ef121"
SAVED = "one\ntwo\nthree\nthree again\n"
Run = Callable[..., str]


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository as the version before left it."""
    top = tmp_path / "older"
    for words in (
        ("init", "-q", str(top)),
        ("-C", str(top), "fetch", "-q", "--update-head-ok", str(EXAMPLE), "refs/*:refs/*"),
        ("-C", str(top), "reset", "-q", "--hard"),
    ):
        subprocess.run(["git", *words], check=True, capture_output=True)
    (top / ".git" / "devs").mkdir()
    (top / ".git" / "devs" / "clone").write_text(f"{CLONE}\n")
    monkeypatch.chdir(top)
    return top


def devs(*words: str) -> Any:
    command = [sys.executable, "-m", "devs_git", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_an_event_without_a_format_has_the_first_one(older: Path) -> None:
    events = list(Workspace.open(older).ledger.events())[::-1]
    assert {(event.get(Key.FORMAT), event.format) for event in events} == {("", 1)}
    folded = history.fold(events)
    assert {name: task.status for name, task in folded.tasks.items()} == {
        "task-10": "completed",
        "task-11": "completed",
        "task-12": "rewound",
    }
    assert [(point.name, point.status) for point in folded.checkpoints.values()] == [
        ("task-10@1", "completed"),
        ("task-11@1", "active"),
        ("task-11@2", "replaced"),
        ("task-11@3", "completed"),
        ("task-12@1", "rewound"),
    ]
    assert [event.type for event in folded.operations] == ["rewound", "undone", "rewound"]


def test_an_older_ledger_is_verified_rewound_and_undone_in(older: Path) -> None:
    story = older / "story.txt"
    assert story.read_text() == SAVED
    assert devs("verify")["findings"] == []
    tip = Workspace.open(older).ledger.tip().oid

    devs("undo", "--yes")
    assert story.read_text() == f"{SAVED}four\nunsaved\n"
    story.write_text(f"{SAVED}four\n")
    devs("rewind", "task-10", "--yes")
    assert story.read_text() == "one\ntwo\n"
    devs("undo", "--yes")
    assert story.read_text() == f"{SAVED}four\n"

    assert devs("verify")["findings"] == []
    newer = list(Workspace.open(older).ledger.events(since=tip))
    assert [(event.type, event.get(Key.FORMAT)) for event in newer] == [
        ("undone", "2"),
        ("rewound", "2"),
        ("undone", "2"),
    ]
