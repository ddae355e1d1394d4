"""Which checkpoints are at some commits, by the files of their refs: what git says of each ref."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git.program import Git
from devs_git.storage.ledger.lines_of_work import FOLDER
from devs_git.storage.ledger.recent import passed_refs

Run = Callable[..., str]


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(4))
def test_the_files_say_which_refs_are_at_the_commits_loose_or_packed(seed: int, repo: Path, git: Run) -> None:
    chance, commits = random.Random(seed), git("rev-list", "HEAD").split()
    for number, commit in enumerate(commits):
        git("tag", "-a", "-m", "one", f"annotated-{number}", commit)
    oids = [*commits, *(git("rev-parse", f"annotated-{number}") for number in range(len(commits)))]
    names = [f"{FOLDER}/task-{task}/{number}" for task in (1, 2) for number in (1, 2)]
    for _ in range(12):
        name = chance.choice(names)
        steps = [
            ("update-ref", name, chance.choice(oids)),
            ("update-ref", "-d", name),
            ("pack-refs", "--all"),
        ]
        git(*chance.choices(steps, (6, 1, 2))[0])
        lines = git("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", FOLDER).splitlines()
        rows = [line.split() for line in lines]
        for wanted in ({commits[0]}, set(commits[1:]), {*commits, *("0" * 39 + str(n) for n in range(9))}):
            found = passed_refs.at(Git(repo), repo / ".git", wanted)
            assert found is not None
            assert found.tags == {row[0]: row[1] for row in rows if len(row) > 2 and row[2] in wanted}
            assert sorted(found.bare) == [row[0] for row in rows if len(row) == 2 and row[1] in wanted]
