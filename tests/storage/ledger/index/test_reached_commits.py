"""Whether a commit reaches the commits of old checkpoints: the index says what git says."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest

from devs_git.storage.git import locks
from devs_git.storage.ledger.index import NAME, index_check, index_file, listing, reached_commits
from devs_git.storage.ledger.store import Tip
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.random_ledger import Story

SEEDS = int(os.environ.get("DEVS_TEST_COUNT_INDEXED_LEDGERS", "6"))


def grown(story: Story, workspace: Workspace, events: int) -> Tip:
    """The tip of clone a, whose ledger has so many more events."""
    for _ in range(events):
        story.add(story.random.choice("ab"))
    story.show("a")
    return workspace.ledger.tip()


def said_by_git(story: Story, head: str, commits: list[str]) -> dict[str, bool]:
    reached = set(story.git("rev-list", head).split())
    return {oid: oid in reached for oid in commits}


@pytest.fixture
def everything_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real ledger is small here: each checkpoint is asked of the noted walk."""
    monkeypatch.setattr(reached_commits, "OLD", -1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_index_says_of_old_checkpoints_what_a_commit_reaches(
    seed: int, ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Story(seed, ledgered.places.common)
    (ledgered.places.common / NAME).touch()
    # More lines of work than one, with checkpoints on each; two of them meet.
    heads = story.make_commits()
    for parents in ((2,), (7,), (4, 8)):
        words = [word for parent in parents for word in ("-p", heads[parent])]
        heads.append(story.git("commit-tree", *words, f"{heads[0]}^{{tree}}", text="more"))
    story.commits[:-1] = heads
    for _ in range(12):
        tip = grown(story, ledgered, story.random.randint(0, 4))
        points = {point.commit for point in tip.history.checkpoints.values()}
        for _ in range(3):
            old = story.random.choice((-1, 3))
            monkeypatch.setattr(reached_commits, "OLD", old)
            monkeypatch.setattr(reached_commits, "APART", story.random.choice((0, 2, 5)))
            head = story.random.choice(heads)
            found = listing.reaches(tip, head, points)
            assert found == said_by_git(story, head, list(found))
            assert old > 0 or found.keys() == points
        assert list(index_check.findings(tip)) == []


@pytest.mark.usefixtures("everything_is_old")
def test_one_walk_answers_for_the_commits_before_and_after_it(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = Story(1, ledgered.places.common)
    (ledgered.places.common / NAME).touch()
    tip = grown(story, ledgered, 30)
    points = [oid for oid in story.commits if oid in {p.commit for p in tip.history.checkpoints.values()}]
    first, *_, last = points[:-1]
    assert listing.reaches(tip, last, points) == said_by_git(story, last, points)
    without = replace(tip, ledger=replace(tip.ledger, keeps_index=False))
    # A dry run notes nothing, so this comes from the note.
    assert listing.reaches(without, first, points) == said_by_git(story, first, points)
    monkeypatch.setattr(reached_commits, "APART", 0)
    assert listing.reaches(without, last, points) == said_by_git(story, last, points)
    assert listing.reaches(without, first, points) == {}


def indexed(seed: int, ledgered: Workspace) -> tuple[Story, Tip, set[str]]:
    """A story of 30 events with an index, its tip, and the commits of its checkpoints."""
    story = Story(seed, ledgered.places.common)
    (ledgered.places.common / NAME).touch()
    tip = grown(story, ledgered, 30)
    return story, tip, {point.commit for point in tip.history.checkpoints.values()}


@pytest.mark.usefixtures("everything_is_old")
def test_what_a_shallow_clone_does_not_reach_is_not_noted(ledgered: Workspace) -> None:
    story, tip, points = indexed(2, ledgered)
    head = story.commits[6]
    shallow = ledgered.places.common / "shallow"
    shallow.write_text(f"{story.commits[5]}\n")
    assert story.git("rev-list", "--count", head) == "2"
    assert listing.reaches(tip, head, points) == {}
    shallow.unlink()
    found = listing.reaches(tip, head, points)
    assert found == said_by_git(story, head, list(points - {story.missing})) | {story.missing: False}


@pytest.mark.usefixtures("everything_is_old")
def test_the_note_of_a_walk_that_no_longer_has_its_commit_is_not_used(ledgered: Workspace) -> None:
    story, tip, points = indexed(3, ledgered)
    head = story.commits[3]
    before = listing.reaches(tip, head, points)
    for noted in (story.missing, "--all", "", "HEAD"):
        with closing(sqlite3.connect(tip.ledger.common / NAME, isolation_level=None)) as base:
            base.execute("UPDATE about SET value = ? WHERE name = 'walked'", (noted,))
        assert listing.reaches(tip, head, points) == before


@pytest.mark.usefixtures("everything_is_old")
def test_a_walk_is_not_noted_while_another_process_writes_the_index(ledgered: Workspace) -> None:
    story, tip, points = indexed(4, ledgered)
    listing.of_tasks(tip, "task-1")
    before = (ledgered.places.common / NAME).read_bytes()
    head = story.commits[3]
    with locks.hold(ledgered.places.common / index_file.LOCK, wait=0.0):
        found = listing.reaches(tip, head, points)
    assert (ledgered.places.common / NAME).read_bytes() == before
    assert found == listing.reaches(tip, head, points)
    assert found == said_by_git(story, head, list(points))
