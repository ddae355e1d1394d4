"""The order of the events of a ledger with merges, whatever the clocks of its clones said."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from devs_git.domain.ledger.indexing import unread_events
from devs_git.storage.git.objects import EMPTY_TREE
from tests.support.git_calls import git

pytestmark = pytest.mark.quick

HISTORIES = 25


def draw(dice: random.Random, count: int) -> str:
    """The last of `count` commits with at most three parents. It has all others in its history."""
    commits: list[str] = []
    heads: list[str] = []
    for number in range(count):
        near = commits[-6:]
        parents = dice.sample(near, min(len(near), dice.choice((0, 1, 1, 1, 2, 3))))
        if number == count - 1:
            parents = dice.sample(heads, len(heads))
        words = [word for parent in parents for word in ("-p", parent)]
        date = f"@{dice.randint(1, 40)} +0000"
        made = git("commit-tree", *words, "-m", f"{number}", EMPTY_TREE, env={"GIT_COMMITTER_DATE": date})
        heads = [one for one in heads if one not in parents] + [made]
        commits.append(made)
    return commits[-1]


def listed(*words: str) -> list[str]:
    return git("rev-list", *words).split("\n")


def test_events_are_sorted_as_git_sorts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q", os.fspath(tmp_path))
    monkeypatch.chdir(tmp_path)
    git("hash-object", "-t", "tree", "-w", os.devnull)
    dice = random.Random(7)
    in_other_order = 0
    for count in range(1, HISTORIES + 1):
        tip = draw(dice, count)
        read = [line.split() for line in listed("--parents", tip)]
        events = [unread_events.unread(oid, tuple(parents), "") for oid, *parents in read]
        wanted = listed("--topo-order", "--reverse", tip)
        assert [event.oid for event in unread_events.parents_first(events)] == wanted
        in_other_order += wanted != [oid for oid, *_ in reversed(read)]
    assert in_other_order > HISTORIES // 3
