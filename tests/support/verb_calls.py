"""A repository with all kinds of content, and an example of a call of each verb that reads and of each dry run.

The verb table lists the verbs. If a new verb has no example here, the tests that call all verbs fail.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import contract_start, conversation_import, snapshot_create, trace_put
from devs_git.domain.gates import gate_model
from devs_git.domain.ledger.events import Draft
from devs_git.domain.verbs import READS, VERBS
from devs_git.operations.gates.request_gate import GateRequest
from devs_git.storage.worktree import active_task
from devs_git.values import fields
from devs_git.workspace import Workspace

Make = Callable[..., str]
Moulded = Callable[[str, Callable[[], object]], Path]
TIER0 = [name for name, row in VERBS.items() if row.tier == READS]
WITH_DRY_RUN = [name for name, row in VERBS.items() if "dry_run" in fields(import_module(row.module).Request)]
GATE = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
SAMPLES = {
    "task status": ("task", "status", "10"),
    "contract show": ("contract", "show", "main"),
    "directive list": ("directive", "list"),
    "log": ("log", "--all"),
    "history": ("history", "--task", "10"),
    "why": ("why", "f2.txt:1"),
    "show": ("show", "task-10@1"),
    "diff": ("diff", "task-10", "--against", "HEAD", "--hunks"),
    "status": ("status",),
    "snapshot list": ("snapshot", "list"),
    "verify": ("verify", "ledger", "commits"),
    "doctor": ("doctor",),
    "du": ("du",),
    "gate list": ("gate", "list", "--status", "ALL"),
    "gate wait": ("gate", "wait", GATE, "--timeout", "0"),
    "gate show": ("gate", "show", GATE),
    "trace get": ("trace", "get", "t-1"),
    "trace list": ("trace", "list"),
    "trace search": ("trace", "search", "printed"),
    "conversation show": ("conversation", "show", "--session", "s1"),
    "conversation snapshots": ("conversation", "snapshots"),
    "trace export": ("trace", "export", "--output", os.devnull),
    "report": ("report", "--output", os.devnull),
    # Writers, for the control arm.
    "branch": ("branch", "task-10", "-b", "made"),
    "snapshot create": ("snapshot", "create"),
    "checkpoint": ("checkpoint",),
}
DRY_RUNS = {
    "prune": ("prune", "--dry-run"),
    "archive": ("archive", "--older-than", "0s", "--tags", "--dry-run"),
    "purge": ("purge", "f1.txt", "--text", "printed", "--dry-run"),
    "history-rewritten": ("history-rewritten", "--dry-run"),
    "trace prune": ("trace", "prune", "--older-than", "0s", "--dry-run"),
    "rewind": ("rewind", "task-10@1", "--dry-run"),
    "undo": ("undo", "--dry-run"),
    "conversation rewind": ("conversation", "rewind", "--by-messages", "1", "--dry-run"),
    "drop": ("drop", "task-9", "--dry-run"),
    "restore": ("restore", "task-9", "--dry-run"),
    "snapshot prune": ("snapshot", "prune", "--older-than", "0s", "--dry-run"),
    "sync": ("sync", "--dry-run"),
    "task abandon": ("task", "abandon", "task-12", "--dry-run"),
}


@pytest.fixture
def lived_in(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with tasks, checkpoints, a rewind, and all kinds of uncommitted changes."""
    top = moulded("lived in", lambda: request.getfixturevalue("_living"))
    # Only the time of this file differs: a status that refreshes the index would write the index.
    os.utime(top / "f2.txt", (0, 0))
    return top


@pytest.fixture
def _living(ledgered: Workspace, mark: Make, rewound: Make, git: Make, repo: Path) -> None:
    mark(9, 1, completed=True)
    git("commit", "-q", "--allow-empty", "-m", "x")
    mark(10, 1)
    mark(10, 2, completed=True)
    rewound(mark(11, 1))
    mark(12, 1)
    active_task.write(ledgered.places, "Devs-Task: task-12\n")
    (repo / "a.txt").write_text("staged\n")
    git("add", "a.txt")
    (repo / "a.txt").write_text("edited\n")
    (repo / "f1.txt").unlink()
    (repo / "new").mkdir()
    (repo / "new" / "x.txt").write_text("untracked\n")
    (repo / "link").symlink_to("a.txt")
    contract_start.run(ledgered, contract_start.Request("main"))
    snapshot_create.run(ledgered, snapshot_create.Request())
    trace_put.run(ledgered, trace_put.Request(b"printed", trace_id="t-1"))
    said = repo.parent / "said.jsonl"
    line = '{{"type":"user","uuid":"{}","sessionId":"s1","message":{{"content":"Say it."}}}}\n'
    said.write_text(line.format("u") + line.format("v"))
    conversation_import.run(ledgered, conversation_import.Request(said))


def ask(workspace: Workspace) -> None:
    """Open a gate with the id GATE."""
    asked = gate_model.question(
        {"gate_type": "MANUAL", "blocker_description": "The release waits for a person."}
    )
    file = GateRequest(workspace.git, workspace.store_git, GATE, asked).file(
        workspace.ledger.tip(), workspace.started
    )
    event = workspace.event("gate.requested", "gate", verb_name="gate request")
    files = ((f"gates/{GATE}/request.yaml", file), (f"open/{GATE}", b"MANUAL\n"))
    workspace.append(lambda _tip: Draft(event, files))


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *words])
    return main()
