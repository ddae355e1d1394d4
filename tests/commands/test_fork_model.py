"""A model of forks: random work in the source and in forks, rewinds and kills, by `fork`, `rewind` and `resume`. Each fork has
exactly the state of its point, and neither the source nor another fork changes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkpoint, fork, resume, rewind, status, task_start
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.operations.fork import fork_worktree
from devs_git.workspace import Workspace
from tests.support import killed_work
from tests.support.moment_stage import moment
from tests.support.rewind_cases import Case
from tests.support.scene import contents

Files = Mapping[str, tuple[str, bytes]]
STEPS = 30
CLEAN: Mapping[str, Any] = {"preserve": "branch", "untracked": "remove"}


class Model:
    """What is known: the files of each point that can be forked, and those of each fork."""

    def __init__(self, case: Case, folder: Path, seed: int) -> None:
        self.case, self.folder, self.random = case, folder, random.Random(seed)
        self.points: dict[str, Files] = {}
        self.forks: dict[Path, Files] = {}
        self.made = self.killed = 0
        task_start.run(case.workspace, task_start.Request("0"))
        self.began = files_of(case.top)
        self.checkpoint()

    def edit(self) -> None:
        name = self.random.choice(["a.txt", "b.txt", "sub/c.txt"])
        self.case.write({name: self.random.randbytes(8).hex().encode()})

    def checkpoint(self) -> None:
        self.edit()
        done = checkpoint.run(self.case.workspace, checkpoint.Request("work", everything=True))
        self.points[f"task-0@{done.number}"] = files_of(self.case.top)

    def moment(self) -> None:
        self.edit()
        self.points[moment(self.case)] = files_of(self.case.top)

    def live(self) -> list[str]:
        """The checkpoints to which the source can be rewound."""
        workspace = Workspace.open(self.case.top)
        # The branch of a fork keeps a checkpoint live that HEAD does not have.
        here = [
            point.name
            for point in workspace.ledger.tip().here.live()
            if workspace.git.says("merge-base", "--is-ancestor", point.commit, "HEAD")
        ]
        return [one for one in here if one in self.points]

    def rewind(self) -> None:
        if live := self.live():
            asked = rewind.Request(self.random.choice(live), preserve="branch", untracked="save")
            rewind.run(self.case.workspace, asked)

    def restart(self, killed_at: int = -1) -> None:
        before, asked = self.case.look(), resume.Request("0", mode="clean_restart", **CLEAN)
        self.killed += killed_work.run(lambda: router.call("resume", self.case.workspace, asked), killed_at)
        router.call("status", self.case.workspace, status.Request())
        if killed_at < 0 or files_of(self.case.top) == self.began:
            assert files_of(self.case.top) == self.began
            assert self.live() == []
        else:
            self.case.look().must_equal(before)

    def restart_killed(self) -> None:
        self.restart(self.random.randrange(140))

    def work_in_fork(self) -> None:
        if self.forks:
            place = self.random.choice(list(self.forks))
            (place / "mine.txt").write_text(self.random.randbytes(8).hex())
            checkpoint.run(Workspace.open(place), checkpoint.Request("mine", everything=True))
            self.forks[place] = files_of(place)

    def fork(self, killed_at: int = -1) -> None:
        self.made += 1
        name, place = self.random.choice(list(self.points)), self.folder / f"fork{self.made}"
        asked = fork.Request(name, f"f{self.made}", worktree=str(place), conversation=False)
        self.make("fork", asked, name, (place, killed_at))

    def resume(self, killed_at: int = -1) -> None:
        if live := self.live():
            self.made += 1
            name, task = self.random.choice(live), f"f{self.made}"
            asked = resume.Request("0", mode="from_checkpoint", checkpoint=name, name=task, plan="More.")
            place = fork_worktree.default_place(self.case.workspace, f"task-{task}")
            self.make("resume", asked, name, (place, killed_at))

    def make(self, verb: str, asked: VerbRequest, name: str, how: tuple[Path, int]) -> None:
        """Make a fork, or be killed before that step; -1 for no kill."""
        (place, killed_at), before, task = how, self.case.look(), f"task-f{self.made}"
        self.killed += killed_work.run(lambda: router.call(verb, self.case.workspace, asked), killed_at)
        router.call("status", self.case.workspace, status.Request())
        self.case.look().must_equal(before)
        known = Workspace.open(self.case.top).ledger.tip().here.tasks
        assert place.exists() == (task in known)
        assert killed_at >= 0 or place.exists()
        if place.exists():
            assert files_of(place) == self.points[name], name
            self.forks[place] = self.points[name]

    def fork_killed_early(self) -> None:
        self.fork(20)

    def fork_killed(self) -> None:
        self.fork(self.random.randrange(140))

    def resume_killed(self) -> None:
        self.resume(self.random.randrange(140))

    def check(self) -> None:
        for place, files in self.forks.items():
            assert files_of(place) == files, place


def files_of(top: Path) -> Files:
    return {name: one for name, one in contents(top).items() if name != ".git"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(4))
def test_each_fork_has_the_state_of_its_point_and_changes_no_other(
    case: Case, tmp_path: Path, seed: int
) -> None:
    model = Model(case, tmp_path, seed)
    steps = (model.edit, model.checkpoint, model.moment, model.rewind, model.work_in_fork, model.fork)
    resumes = (model.restart, model.restart_killed, model.resume, model.resume_killed)
    begin = (model.fork, model.resume, model.fork_killed_early)
    for step in (*begin, *model.random.choices((*steps, model.fork_killed, *resumes), k=STEPS)):
        before = files_of(case.top)
        step()
        if step in (*begin, model.fork_killed, model.resume_killed, model.work_in_fork):
            assert files_of(case.top) == before
        model.check()
    assert model.forks
    assert model.killed
    assert case.git("fsck", "--no-dangling", "--no-progress") == ""
