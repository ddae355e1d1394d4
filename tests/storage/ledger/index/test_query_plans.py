"""What the index is asked takes as long in a large ledger as in a small one: no question reads a whole table."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from devs_git.storage.ledger.index import NAME, index_queries, index_tables, listing, reached_commits
from tests.conftest import Tasks


@pytest.mark.quick
def test_a_question_about_a_task_or_a_contract_reads_no_whole_table(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})
    tip = scene.workspace.ledger.tip()
    path, open_file = tip.ledger.common / NAME, index_tables.open_file
    path.touch()
    assert index_queries.ask(tip, lambda base: index_tables.about(base, "tip")) == tip.oid
    monkeypatch.setattr(reached_commits, "OLD", -1)
    head = scene.git("rev-parse", "HEAD")
    # The first question walks, and notes the result for all checkpoints.
    assert listing.reaches(tip, head, [head]) == {head: True}
    asked: list[str] = []

    def opened(path: Path, *, writable: bool) -> sqlite3.Connection:
        base = open_file(path, writable=writable)
        base.set_trace_callback(asked.append)
        return base

    monkeypatch.setattr(index_tables, "open_file", opened)
    listing.of_tasks(tip, "task-10", "task-11")
    listing.contract(tip, "main")
    listing.undone(tip)
    listing.tasks_at(tip, [head])
    assert listing.reaches(tip, head, [head]) == {head: True}
    questions = {words for words in asked if words.startswith("SELECT")}
    assert any("e.contract" in words for words in questions)
    with sqlite3.connect(path) as base:
        plans = [row[3] for words in questions for row in base.execute(f"EXPLAIN QUERY PLAN {words}")]
    # The list of tables is compared with ours. It has as many rows in a large ledger as in a small one.
    whole = {plan for plan in plans if plan.startswith("SCAN") and " USING " not in plan}
    assert whole == {"SCAN sqlite_master"}
    # All events of a branch have one contract.
    assert [plan for plan in plans if "(contract=?" in plan and "flags=?" not in plan] == []
