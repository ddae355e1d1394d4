"""Checkpoints for the verbs that read: real tag objects, refs and events, without the verbs that make them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain import ids
from devs_git.domain.events import NO_OID, Draft, RefUpdate
from devs_git.workspace import Workspace

Mark = Callable[..., str]


@pytest.fixture
def mark(ledgered: Workspace) -> Mark:
    """`mark(10, 2, completed=True)` records HEAD as task-10@2 and returns the oid of its tag."""

    def make(task: int | str, number: int = 1, *, completed: bool = False, message: str = "work") -> str:
        name, top = ids.task_id(str(task)), ledgered.top
        commit, tree = _git(top, "rev-parse", "HEAD", "HEAD^{tree}").split()
        words = f"{name}@{number}: {message}\n\nDevs-Task: {name}\nDevs-Checkpoint: {number}\n"
        text = (
            f"object {commit}\ntype commit\ntag {name}@{number}\ntagger A <a@b.c> 978307200 +0000\n\n{words}"
        )
        tag = ledgered.objects.write("tag", text.encode())
        event = ledgered.event(
            "task.completed" if completed else "checkpoint.created",
            f"checkpoint: {name}@{number}",
            ("Devs-Task", name),
            ("Devs-Number", str(number)),
            ("Devs-Tag", tag),
            ("Devs-Commit", commit),
            ("Devs-Tree", tree),
            ("Devs-Branch", "main"),
            ("Devs-Message", message),
            ("Devs-Stat", "1 2 3"),
            verb_name="checkpoint",
        )
        update = RefUpdate(ids.checkpoint_ref(name, number), tag, NO_OID)
        ledgered.append(lambda _tip: Draft(event, updates=(update,)))
        return tag

    return make


@pytest.fixture
def rewound(ledgered: Workspace) -> Mark:
    """`rewound(tag, …)` records a rewind that undid these checkpoints."""

    def make(*tags: str) -> str:
        fields = tuple(("Devs-Undone", tag) for tag in tags)
        event = ledgered.event("rewound", "rewind: back to task-10", *fields, verb_name="rewind")
        return ledgered.append(lambda _tip: Draft(event)).oid

    return make


def _git(top: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=top, check=True, capture_output=True, text=True).stdout
