"""A verb of tier 0 changes nothing: no ref, object, ledger, index or file, not even a time of one.

The verb table names them; SAMPLES says how each is called. A new one without a sample makes this fail.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import conversation_import, snapshot_create, trace_put
from devs_git.domain import gates
from devs_git.domain.events import Draft
from devs_git.domain.verbs import READS, VERBS
from devs_git.errors import EXIT_CONFLICT, EXIT_INTERNAL
from devs_git.storage import active_task
from devs_git.storage.asking import Asking
from devs_git.values import fields, replace
from devs_git.workspace import Workspace
from tests.conftest import Moulded

Make = Callable[..., str]
TIER0 = [name for name, row in VERBS.items() if row.tier == READS]
WITH_DRY_RUN = [name for name, row in VERBS.items() if "dry_run" in fields(import_module(row.module).Request)]
GATE = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
SAMPLES = {
    "task status": ("task", "status", "10"),
    "log": ("log", "--all"),
    "history": ("history", "--task", "10"),
    "show": ("show", "task-10@1"),
    "diff": ("diff", "task-10", "--against", "HEAD", "--hunks"),
    "status": ("status",),
    "snapshot list": ("snapshot", "list"),
    "verify": ("verify", "ledger", "commits"),
    "doctor": ("doctor",),
    "gate list": ("gate", "list", "--status", "ALL"),
    "gate wait": ("gate", "wait", GATE, "--timeout", "0"),
    "gate show": ("gate", "show", GATE),
    "trace get": ("trace", "get", "t-1"),
    "trace list": ("trace", "list"),
    "trace search": ("trace", "search", "printed"),
    "conversation show": ("conversation", "show", "--session", "s1"),
    "conversation snapshots": ("conversation", "snapshots"),
    "trace export": ("trace", "export", "--output", os.devnull),
    # Writers, for the control arm.
    "branch": ("branch", "task-10", "-b", "made"),
    "snapshot create": ("snapshot", "create"),
    "checkpoint": ("checkpoint",),
}
DRY_RUNS = {
    "trace prune": ("trace", "prune", "--older-than", "0s", "--dry-run"),
    "rewind": ("rewind", "task-10@1", "--dry-run"),
    "undo": ("undo", "--dry-run"),
    "restore": ("restore", "task-9", "--dry-run"),
    "snapshot prune": ("snapshot", "prune", "--older-than", "0s", "--dry-run"),
}
# The common folder's derived or recording parts, the only ones that reading may touch.
MAY_CHANGE = ("devs", "devs/spool", "devs/catalog.db", "devs/index.db")
State = dict[str, tuple[int, int, str]]


def state(top: Path) -> State:
    """Mode, time of the last change in nanoseconds and content of everything in and below `top`."""
    return {os.fspath(path.relative_to(top)): _facts(path) for path in (top, *sorted(top.rglob("*")))}


def _facts(path: Path) -> tuple[int, int, str]:
    info = path.lstat()
    content = ""
    if path.is_symlink():
        content = os.fspath(path.readlink())
    elif path.is_file():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    return info.st_mode, info.st_mtime_ns, content


def changed(before: State, after: State) -> list[str]:
    return [
        path
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path) and not _may_change(path)
    ]


def _may_change(path: str) -> bool:
    ours = path.removeprefix(".git/")
    return ours in MAY_CHANGE or ours.startswith(("devs/spool/", "devs/catalog.db-", "devs/index.db-"))


@pytest.fixture
def lived_in(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with tasks, checkpoints, a rewind, and a tree that is dirty in every way."""
    top = moulded("lived in", lambda: request.getfixturevalue("_living"))
    os.utime(top / "f2.txt", (0, 0))  # only its time: a status that refreshes the index would write it
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
    snapshot_create.run(ledgered, snapshot_create.Request())
    trace_put.run(ledgered, trace_put.Request(b"printed", trace_id="t-1"))
    said = repo.parent / "said.jsonl"
    said.write_text('{"type":"user","uuid":"u","sessionId":"s1","message":{"content":"Say it."}}\n')
    conversation_import.run(ledgered, conversation_import.Request(said))


def ask(workspace: Workspace) -> None:
    """A gate waits, as one does whose id is known."""
    asked = gates.question({"gate_type": "MANUAL", "blocker_description": "The release waits for a person."})
    file = Asking(workspace.git, workspace.store_git, GATE, asked).file(
        workspace.ledger.tip(), workspace.started
    )
    event = workspace.event("gate.requested", "gate", verb_name="gate request")
    files = ((f"gates/{GATE}/request.yaml", file), (f"open/{GATE}", b"MANUAL\n"))
    workspace.append(lambda _tip: Draft(event, files))


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *words])
    return main()


def changes_by(name: str, top: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that the sample call of verb `name` changed and that reading must leave alone."""
    assert name in SAMPLES, f"Say in SAMPLES how '{name}' is called: it is tier 0."
    if name.startswith("gate "):
        ask(Workspace.open(top))
    before = state(top)
    for more in ((), ("--json",)):
        assert call(monkeypatch, *SAMPLES[name], *more) in {0, 1, EXIT_CONFLICT}, f"'{name}' could not run"
        found = changed(before, state(top))
        if found:
            return found
    return []


@pytest.mark.parametrize("name", TIER0)
def test_a_verb_of_tier_0_changes_nothing(name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changes_by(name, lived_in, monkeypatch) == []


@pytest.mark.parametrize("name", WITH_DRY_RUN)
def test_a_dry_run_changes_nothing_at_all(name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in DRY_RUNS, f"Say in DRY_RUNS how '{name}' is called: it has a --dry-run."
    before = state(lived_in)
    statuses = {call(monkeypatch, *DRY_RUNS[name]), call(monkeypatch, *DRY_RUNS[name], "--json")}
    assert EXIT_INTERNAL not in statuses
    assert state(lived_in) == before


@pytest.mark.parametrize("name", ["branch", "snapshot create", "checkpoint"])
def test_a_writer_that_is_declared_tier_0_is_found_out(
    name: str, lived_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERBS, name, replace(VERBS[name], tier=READS))
    with pytest.raises(AssertionError, match=r"Left contains [0-9]+ more item"):
        test_a_verb_of_tier_0_changes_nothing(name, lived_in, monkeypatch)


def _writes() -> Iterator[tuple[str, Callable[[Path], object]]]:
    yield "ref", lambda top: (top / ".git/refs/heads/new").write_text("0" * 40)
    yield "object", lambda top: (top / ".git/objects/new").mkdir()
    yield "index", lambda top: os.utime(top / ".git/index")
    yield "mode", lambda top: (top / "a.txt").chmod(0o755)
    yield "same content", lambda top: (top / "a.txt").write_text("edited\n")
    yield "lock, gone again", lambda top: (top / ".git/x.lock").touch() or (top / ".git/x.lock").unlink()  # type: ignore[func-returns-value]
    yield "journal", lambda top: (top / ".git/devs/journal").mkdir()


@pytest.mark.parametrize("write", [pytest.param(write, id=kind) for kind, write in _writes()])
def test_the_comparison_sees_every_kind_of_write(write: Callable[[Path], object], lived_in: Path) -> None:
    before = state(lived_in)
    write(lived_in)
    assert changed(before, state(lived_in))


def test_the_comparison_lets_reading_ingest_and_index(lived_in: Path) -> None:
    before = state(lived_in)
    for name in ("catalog.db", "catalog.db-wal", "index.db"):
        (lived_in / ".git/devs" / name).write_text("x")
    assert changed(before, state(lived_in)) == []
