"""Random steps in three clones with two remotes. After each step, each clone and remote has the states that the rule gives."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import log, rewind, undo
from devs_git.errors import DevsError
from tests.support.clones import Clone, Trio
from tests.support.git_calls import git
from tests.support.sync_oracle import LedgerFacts, Oracle, branches

pytestmark = pytest.mark.thorough  # test_sync_rewinds shows the rule with one history

HISTORIES = int(os.environ.get("DEVS_TEST_COUNT_SYNC_REWINDS", "2"))
STEPS = 25 if HISTORIES > 2 else 15
# The histories of the first two seeds find a program that ignores the remotes' branches, or a pull of rewound commits.
SEEDS = [2 + 5 * n for n in range(HISTORIES)]
REFUSED = {
    "NOTHING_TO_UNDO",
    "NO_CHECKPOINT",
    "GIT_RESET_FAILED",
    "TASK_EXISTS",
    "CHECKPOINT_NOT_FOUND",
    "TASK_NOT_FOUND",
}


class Story:
    """Random steps of the clones. All work is on `main`, and each task is completed once."""

    def __init__(self, trio: Trio, seed: int, folder: Path) -> None:
        self.trio, self.dice, self.count = trio, random.Random(seed), 0
        self.remotes = {"origin": trio.origin, "spare": trio.spare}
        trio.cat.git("remote", "add", "spare", "../spare.git")
        self.all_commits = folder / "all-commits.git"
        git("init", "-q", "--bare", os.fspath(self.all_commits), where=folder)
        self.oracle = Oracle(self.all_commits)
        self.done: list[str] = []
        for clone in trio.every:
            self.oracle.branches_seen_by(clone.top).record_fetch("origin", branches(trio.origin))
        self.begin()

    def begin(self) -> None:
        """Make three tasks. `origin` has all of them and `spare` has two. Two or three of the clones have all of them."""
        ann, bob, cat = self.trio.every
        for remote in ("", "spare", "origin"):
            self.work(ann, "")
            self.push(ann, remote) if remote else None
        for clone in (ann, bob, *((cat,) if self.dice.random() < 0.5 else ())):
            self.pull(clone, "origin")
        for clone, remote in ((ann, "spare"), (ann, "origin"), (bob, "origin"), (cat, "origin")):
            clone.sync(remote)

    def step(self) -> None:
        clone, remote = self.dice.choice(self.trio.every), self.dice.choice(("origin", "origin", "spare"))
        steps: tuple[Callable[[Clone, str], str], ...] = (
            self.work, self.work, self.rewind, self.rewind, self.rewind, self.undo, self.undo, self.sync, self.sync,
            self.sync, self.sync, self.sync, self.pull, self.pull, self.push, self.force, self.fetch,
        )  # fmt: skip
        step = self.dice.choice(steps)
        self.done.append(f"{clone.top.name} {step.__name__} {remote}")
        self.done[-1] += f": {step(clone, remote)}"
        for each in self.trio.every:
            git("fetch", "-q", os.fspath(each.top), f"+refs/*:refs/{each.top.name}/*", where=self.all_commits)
        for each in self.trio.every:
            self.compare(each)

    def compare(self, clone: Clone) -> None:
        """`log` shows for each completion the state that the rule gives."""
        rows = clone.call("log", log.Request(limit=1000)).checkpoints
        shown = {row.task_id: row.state.removesuffix(", not on HEAD") for row in rows}
        facts = LedgerFacts.of(clone.top)
        expected = {
            facts.tasks[tag]: self.oracle.expected_state(clone.top, facts, tag) for tag in facts.commits
        }
        assert shown == expected, f"{clone.top.name}: {self.done[-1]}"

    def work(self, clone: Clone, _remote: str) -> str:
        self.count += 1
        return clone.task(str(self.count))[:8]

    def rewind(self, clone: Clone, _remote: str) -> str:
        head = set(clone.git("rev-list", "HEAD").split())
        points = [p for p in clone.opened.ledger.tip().here.live() if p.commit in head][:-1]
        if not points:
            return "nothing"
        name = self.dice.choice(points).name
        return self.refused(lambda: clone.call("rewind", rewind.Request(name))) or name

    def undo(self, clone: Clone, _remote: str) -> str:
        return self.refused(lambda: clone.call("undo", undo.Request(preserve="branch")))

    def refused(self, does: Callable[[], object]) -> str:
        try:
            does()
        except DevsError as error:
            if error.code not in REFUSED:
                raise
            return error.code
        return ""

    def sync(self, clone: Clone, remote: str) -> str:
        done = clone.sync(remote)
        top, facts = self.remotes[remote], LedgerFacts.of(clone.top)
        git("fetch", "-q", os.fspath(clone.top), f"+refs/*:refs/{clone.top.name}/*", where=self.all_commits)
        git("fetch", "-q", os.fspath(top), f"+refs/*:refs/{remote}/*", where=self.all_commits)
        self.oracle.record_sync(clone.top, remote, branches(top), facts)
        assert self.tasks(top) == self.oracle.expected_tasks(top, facts), f"tags on {remote}: {self.done[-1]}"
        live = {
            facts.tasks[tag]
            for tag in facts.commits
            if self.oracle.expected_state(clone.top, facts, tag) == "completed"
        }
        assert self.tasks(clone.top) == live, f"tags in {clone.top.name}: {self.done[-1]}"
        again = clone.sync(remote)
        assert (again.fetched, again.pushed, again.deleted, again.merged) == ((), (), (), None)
        return f"rewound {done.rewound}, revived {done.revived}"

    @staticmethod
    def tasks(top: Path) -> set[str]:
        return set(git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/tags/devs", where=top).split())

    def pull(self, clone: Clone, remote: str) -> str:
        if "main" not in branches(self.remotes[remote]):
            return "nothing"
        clone.git("pull", "-q", "--no-rebase", "--no-edit", remote, "main")
        self.record_fetch(clone, remote)
        return clone.git("rev-parse", "--short=8", "HEAD")

    def fetch(self, clone: Clone, remote: str) -> str:
        clone.git("fetch", "-q", remote)
        self.record_fetch(clone, remote)
        return ""

    def push(self, clone: Clone, remote: str, *options: str) -> str:
        try:
            clone.git("push", "-q", *options, remote, "main")
        except AssertionError as error:
            if "fetch first" not in str(error) and "non-fast-forward" not in str(error):
                raise
            return "rejected"
        self.record_fetch(clone, remote)
        return clone.git("rev-parse", "--short=8", "main")

    def force(self, clone: Clone, remote: str) -> str:
        return self.push(clone, remote, "--force")

    def record_fetch(self, clone: Clone, remote: str) -> None:
        self.oracle.branches_seen_by(clone.top).record_fetch(remote, branches(self.remotes[remote]))


@pytest.mark.parametrize("seed", SEEDS)
def test_each_clone_sees_the_rewinds_of_all_as_its_own_branches_say(
    seed: int, trio: Trio, tmp_path: Path
) -> None:
    story = Story(trio, seed, tmp_path)
    try:
        for _ in range(STEPS):
            story.step()
    except (AssertionError, DevsError) as error:
        raise AssertionError(f"seed {seed}: {error}\n" + "\n".join(story.done)) from error
