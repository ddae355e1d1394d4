"""Every command behaves the same whether a checkpoint has a ref of its own or is archived."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.archive_story import ArchiveStory
from tests.support.archive_twins import Twins

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_ARCHIVES", "4"))
STEPS = 30

READS = (
    ("log", "--all"),
    ("log", "--all", "--task", "10"),
    ("status",),
    ("task", "status"),
    ("task", "status", "10"),
    ("show", "task-10"),
    ("show", "task-10@1"),
    ("diff", "task-10@1", "--against", "task-11"),
    ("history",),
    ("history", "--task", "10"),
    ("why", "a.txt:1"),
    ("rewind", "task-10", "--dry-run"),
    ("rewind", "task-10@1", "--dry-run"),
    ("rewind", "task-10^", "--dry-run"),
    ("rewind", "task-11", "--dry-run"),
    ("undo", "--dry-run"),
    ("restore", "task-10@1", "--dry-run"),
    ("drop", "task-11", "--dry-run"),
    ("doctor",),
)


def reads(twins: Twins) -> None:
    for words in READS:
        twins.verb(*words)
    twins.compare()


def finish(twins: Twins, task: str, *names: str) -> None:
    """A task with a checkpoint and a completion, each of which changes the files."""
    twins.verb("task", "start", task)
    for at, name in enumerate(names):
        twins.write({name: f"{task} {at}\n"})
        twins.git("add", "-A")
        if at + 1 < len(names):
            twins.verb("checkpoint", "-m", f"{task} {at}")
        else:
            twins.verb("task", "complete", "-m", f"{task} {at}")


@pytest.mark.quick
@pytest.mark.parametrize("indexed", [False, True])
def test_a_story_with_an_archive_is_the_story_without(
    indexed: bool, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(initialised, monkeypatch, indexed=indexed)
    finish(twins, "10", "a.txt", "a.txt")
    finish(twins, "11", "b.txt", "a.txt")
    twins.archive()
    reads(twins)
    finish(twins, "12", "c.txt", "d.txt")
    twins.verb("rewind", "task-11")
    reads(twins)
    twins.verb("undo")
    reads(twins)
    twins.verb("rewind", "task-10@1")
    twins.archive()
    reads(twins)
    twins.verb("undo")
    twins.archive("--tags")
    reads(twins)
    twins.verb("undo")
    reads(twins)
    twins.take_back()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_work_with_archives_is_the_same_work_without(
    seed: int, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = Twins(initialised, monkeypatch, indexed=seed % 2 == 1)
    story = ArchiveStory(seed, twins)
    try:
        for _ in range(STEPS):
            story.step()
        twins.take_back()
    finally:
        print(story.said)  # noqa: T201 - shown where it failed
    assert {"start", "complete"} <= set(story.said), twins.answers
