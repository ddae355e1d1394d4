"""A writer reads the newest events for its task, and the whole ledger only if these do not tell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import newest_objects
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def devs(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "devs_git", *words], check=True, capture_output=True)


@pytest.mark.quick
def test_of_a_task_the_newest_events_tell_what_the_whole_ledger_tells(initialised: Path) -> None:
    for task in ("10", "11"):
        devs("task", "start", task, "--title", f"Task {task}")
        for text in ("one", "two"):
            (initialised / f"{task}.txt").write_text(text)
            devs("checkpoint", "--all", "-m", text)
        devs("task", "complete", "-m", "all")
    tip = Workspace.open(initialised).ledger.tip()
    found = task_files.history_of(tip, "task-11")
    assert set(found.tasks) == {"task-11"}
    assert found.tasks["task-11"] == tip.history.tasks["task-11"]
    assert found.of_task("task-11") == tip.history.of_task("task-11")
    here = task_files.history_here(tip, "task-11")
    assert here.of_task("task-11") == tip.here.of_task("task-11")
    assert set(task_files.history_of(tip, "task-10").tasks) == {"task-10"}
    assert set(task_files.history_of(tip, "task-12").tasks) == {"task-10", "task-11"}


def test_a_file_of_a_task_that_is_missing_or_too_large_is_named(initialised: Path) -> None:
    devs("task", "start", "10", "--title", "Ten")
    workspace = Workspace.open(initialised)
    tip = workspace.ledger.tip()
    assert task_files.newest(tip, "task-10")["title"] == "Ten"
    path = workspace.git.text("ls-tree", "-r", "--name-only", tip.oid, "work/")
    oid = workspace.git.text("rev-parse", f"{tip.oid}:{path}")
    tree = tip.ledger.objects.edit_tree(tip.tree, [(path, b"title: " + b"x" * limits.DOCUMENT.most)])
    commit = workspace.git.text("commit-tree", "-p", tip.oid, "-m", "large", tree)
    with pytest.raises(DevsError) as large:
        task_files.newest(Tip(tip.ledger, commit), "task-10")
    assert large.value.code == "LEDGER_MUTATED"
    (workspace.places.common / "objects" / oid[:2] / oid[2:]).unlink()
    # Else the next command restores it.
    newest_objects.forget(workspace.places.common, [oid])
    with pytest.raises(DevsError) as missing:
        task_files.newest(Workspace.open(initialised).ledger.tip(), "task-10")
    assert missing.value.code == "LEDGER_MISSING"
