"""A rewind that reads only the events since its tasks began makes the plan that the whole ledger makes."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkpoint, rewind, task_complete, task_start
from devs_git.domain.checkpoints.plan_id import Options
from devs_git.errors import DevsError
from devs_git.operations.rewind import rewind_plan
from devs_git.storage.ledger.index import NAME, index_queries, index_tables, listing
from devs_git.storage.ledger.recent import known_tasks, passed_refs
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.support.clones import Clone, make_pair
from tests.support.random_work import TASKS, RandomWork

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_PLANS", "2"))
TARGETS = [f"{task}{end}" for task in TASKS for end in ("", "@0", "@1", "@2", "@3", "^")]


class Alone(RandomWork):
    """The clones never meet, so no ledger has a merge."""

    def _meet(self, _clone: Clone) -> None:
        pass


def outcome(here: Workspace, target: str) -> dict[str, Any]:
    """The plan or the refusal, as plain values."""
    try:
        plan = rewind_plan.make_plan(here.site, Options(target, None, None, None))
    except DevsError as error:
        return {"code": error.code, "text": str(error), "hint": error.hint}
    return {
        "id": plan.plan_id,
        "effect": plan.effect,
        "state": plan.state,
        "target": plan.target,
        "commits": plan.commits,
        "others": plan.others,
        "refusals": [(error.code, str(error), error.hint) for error in plan.refusals],
    }


def folded_whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tips at which a whole ledger was folded."""
    found: list[str] = []
    whole = Ledger.history_at

    def note(ledger: Ledger, oid: str) -> Any:
        found.append(oid)
        return whole(ledger, oid)

    monkeypatch.setattr(Ledger, "history_at", note)
    return found


@pytest.mark.parametrize("kind", [RandomWork, Alone])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_plan_of_a_rewind_is_that_of_the_whole_ledger(
    kind: type[RandomWork], seed: int, initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = kind(seed + 300, make_pair(initialised, tmp_path))
    folded = folded_whole(monkeypatch)
    short = 0
    for _ in range(60):
        top = work.step().top
        (Workspace.open(top).ledger.common / NAME).touch()
        known = [
            f"{one}{end}" for one in Workspace.open(top).ledger.tip().history.tasks for end in ("@1", "@0")
        ]
        for target in {*work.random.sample(TARGETS, 3), *work.random.sample(known, min(2, len(known)))}:
            del folded[:]
            found = outcome(Workspace.open(top), target)
            short += not folded and "id" in found
            with monkeypatch.context() as without:
                without.setattr(listing, "has_index", lambda _tip: False)
                assert outcome(Workspace.open(top), target) == found, target
    assert kind is RandomWork or short > 10, work.answers


def finish(clone: Clone, task: str, name: str) -> None:
    """A task with one checkpoint, and its completion in a second commit."""
    clone.call("task start", task_start.Request(task))
    (clone.top / name).write_text("one\n")
    clone.call("checkpoint", checkpoint.Request("one", everything=True))
    (clone.top / name).write_text("two\n")
    clone.call("task complete", task_complete.Request(message="two", everything=True))


@pytest.fixture
def merged(initialised: Path) -> Clone:
    """Task 9 was finished on another branch before task 10 began, and was merged after its first checkpoint."""
    clone = Clone(initialised)
    clone.git("switch", "-q", "-c", "side")
    finish(clone, "9", "nine.txt")
    clone.git("switch", "-q", "main")
    finish(clone, "10", "ten.txt")
    clone.git("merge", "-q", "--no-edit", "side")
    clone.git("branch", "-q", "-D", "side")
    return clone


def plant(clone: Clone) -> None:
    """An index that knows no checkpoint."""
    path = clone.opened.ledger.common / NAME
    path.touch()
    tip = clone.opened.ledger.tip()
    assert index_queries.ask(tip, lambda base: index_tables.about(base, "tip")) == tip.oid
    with sqlite3.connect(path) as base:
        base.execute("DELETE FROM touches")
        base.execute("DELETE FROM points")


@pytest.mark.quick
def test_with_a_planted_index_a_rewind_undoes_what_the_whole_ledger_undoes(
    merged: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = outcome(merged.opened, "10@1")
    plant(merged)
    folded = folded_whole(monkeypatch)
    assert outcome(merged.opened, "10@1") == whole
    assert [point.name for point in whole["effect"].undone] == ["task-9@1", "task-9@2", "task-10@2"]
    assert not folded


def test_without_refs_the_index_names_the_task(merged: Clone) -> None:
    whole = outcome(merged.opened, "10@1")
    (merged.opened.ledger.common / NAME).touch()
    for number in (1, 2):
        merged.git("update-ref", "-d", f"refs/devs/checkpoints/task-9/{number}")
    assert outcome(merged.opened, "10@1") == whole


@pytest.mark.parametrize("at", ["main", "refs/devs/checkpoints/task-10/1", "main^{tree}"])
def test_with_a_planted_ref_a_rewind_undoes_what_the_whole_ledger_undoes(merged: Clone, at: str) -> None:
    """A ref of a task that there is not, and one of a task that there is."""
    (merged.opened.ledger.common / NAME).touch()
    merged.git("update-ref", "refs/devs/checkpoints/task-77/1", at)
    merged.git("update-ref", "refs/devs/checkpoints/task-9/7", at)
    found = outcome(merged.opened, "10@1")
    (merged.opened.ledger.common / NAME).unlink()
    assert outcome(merged.opened, "10@1") == found


def test_packed_refs_tell_the_same_as_loose_ones(merged: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    (merged.opened.ledger.common / NAME).touch()
    loose = outcome(merged.opened, "10@1")
    merged.git("pack-refs", "--all")
    plant(merged)
    folded = folded_whole(monkeypatch)
    assert outcome(merged.opened, "10@1") == loose
    monkeypatch.setattr(passed_refs, "_FEW", 0)
    assert outcome(merged.opened, "10@1") == loose
    assert not folded


def test_a_pipe_or_a_link_to_nothing_among_the_refs_is_no_ref(merged: Clone) -> None:
    """To read a pipe would wait for ever."""
    common = merged.opened.ledger.common
    folder = common / "refs/devs/checkpoints/task-99"
    folder.mkdir(parents=True)
    head = merged.git("rev-parse", "HEAD")
    before = passed_refs.at(merged.opened.store_git, common, {head})
    os.mkfifo(folder / "1")
    (folder / "2").symlink_to("nothing")
    assert passed_refs.at(merged.opened.store_git, common, {head}) == before


def test_a_branch_that_an_older_rewind_left_keeps_no_checkpoint(merged: Clone) -> None:
    """The event that says who left it is older than the task, so only a backup tells that there is one."""
    merged.call("rewind", rewind.Request("10@1", branch_name="kept"))
    merged.git("reset", "-q", "--hard", "kept")
    finish(merged, "11", "eleven.txt")
    finish(merged, "12", "twelve.txt")
    merged.git("branch", "-q", "other", "HEAD^^^")
    merged.git("update-ref", "refs/heads/kept", merged.git("rev-parse", "kept"))
    (merged.opened.ledger.common / NAME).touch()
    found = outcome(merged.opened, "11@1")
    (merged.opened.ledger.common / NAME).unlink()
    assert outcome(merged.opened, "11@1") == found


def test_a_history_that_a_program_rewrote_is_still_noticed(merged: Clone) -> None:
    """Such a program leaves refs that are the new commits themselves, and removes the old ones."""
    merged.git("switch", "-q", "-c", "side")
    finish(merged, "11", "eleven.txt")
    merged.git("switch", "-q", "main")
    merged.git("branch", "-q", "-D", "side")
    for number in (1, 2):
        merged.git("update-ref", f"refs/devs/checkpoints/task-11/{number}", "main")
    merged.git("update-ref", "-d", "refs/tags/devs/task-11")
    merged.git("reflog", "expire", "--expire=now", "--all")
    merged.git("gc", "-q", "--prune=now")
    (merged.opened.ledger.common / NAME).touch()
    assert outcome(merged.opened, "10@1")["code"] == "HISTORY_REWRITTEN"


def test_what_was_undone_meanwhile_is_known_from_the_tasks_alone(merged: Clone) -> None:
    """Under the lock, the tasks that are undone are read again if somebody wrote to the ledger."""
    (merged.opened.ledger.common / NAME).touch()
    here = merged.opened
    plan = rewind_plan.make_plan(here.site, Options("10@1", None, None, None))
    assert plan.tip == here.ledger.tip().oid
    tasks = {point.task_id for point in plan.effect.undone}
    assert known_tasks.history_here(here.ledger.tip(), tasks).live()
    merged.call("rewind", rewind.Request("10@1"))
    now = known_tasks.history_here(merged.opened.ledger.tip(), tasks)
    assert not any(now.checkpoints[point.tag].live for point in plan.effect.undone)
    assert set(now.tasks) == tasks
