"""Three clones and two remotes, at random: after each step every clone and remote shows what its own branches say."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import log, rewind, undo
from devs_git.errors import DevsError
from tests.support.clones import Clone, Trio, git
from tests.support.sync_oracle import Claims, Oracle, branches

pytestmark = pytest.mark.thorough  # test_sync_rewinds tells the rule with one history

HISTORIES = int(os.environ.get("DEVS_TEST_COUNT_SYNC_REWINDS", "2"))
STEPS = 25 if HISTORIES > 2 else 15
# The first two notice if the remotes' branches, or a pull of what was rewound, count for nothing.
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
    """What the clones do, drawn from one seed. All work is on `main`, each task is one completion."""

    def __init__(self, trio: Trio, seed: int, folder: Path) -> None:
        self.trio, self.dice, self.count = trio, random.Random(seed), 0
        self.places = {"origin": trio.origin, "spare": trio.spare}
        trio.cat.git("remote", "add", "spare", "../spare.git")
        self.every = folder / "every.git"
        git(folder, "init", "-q", "--bare", os.fspath(self.every))
        self.oracle = Oracle(self.every)
        self.done: list[str] = []
        for clone in trio.every:
            self.oracle.of(clone.top).git_saw("origin", branches(trio.origin))
        self.begin()

    def begin(self) -> None:
        """Three tasks that origin has; spare has two of them, and of the clones two or three have all."""
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
        does: tuple[Callable[[Clone, str], str], ...] = (
            self.work, self.work, self.rewind, self.rewind, self.rewind, self.undo, self.undo, self.sync, self.sync,
            self.sync, self.sync, self.sync, self.pull, self.pull, self.push, self.force, self.fetch,
        )  # fmt: skip
        does_it = self.dice.choice(does)
        self.done.append(f"{clone.top.name} {does_it.__name__} {remote}")
        self.done[-1] += f": {does_it(clone, remote)}"
        for each in self.trio.every:
            git(self.every, "fetch", "-q", os.fspath(each.top), f"+refs/*:refs/{each.top.name}/*")
        for each in self.trio.every:
            self.compare(each)

    def compare(self, clone: Clone) -> None:
        """What `log` says of each completion, and what the rule says of it."""
        rows = clone.call("log", log.Request(limit=1000)).checkpoints
        told = {row.task_id: row.state.removesuffix(", not on HEAD") for row in rows}
        claims = Claims.of(clone.top)
        wanted = {claims.tasks[tag]: self.oracle.state(clone.top, claims, tag) for tag in claims.commits}
        assert told == wanted, f"{clone.top.name}: {self.done[-1]}"

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
        there, claims = self.places[remote], Claims.of(clone.top)
        git(self.every, "fetch", "-q", os.fspath(clone.top), f"+refs/*:refs/{clone.top.name}/*")
        git(self.every, "fetch", "-q", os.fspath(there), f"+refs/*:refs/{remote}/*")
        self.oracle.sync_saw(clone.top, remote, branches(there), claims)
        assert self.tasks(there) == self.oracle.tags_of(there, claims), f"tags on {remote}: {self.done[-1]}"
        live = {
            claims.tasks[tag]
            for tag in claims.commits
            if self.oracle.state(clone.top, claims, tag) == "completed"
        }
        assert self.tasks(clone.top) == live, f"tags in {clone.top.name}: {self.done[-1]}"
        again = clone.sync(remote)
        assert (again.fetched, again.pushed, again.deleted, again.merged) == ((), (), (), None)
        return f"rewound {done.rewound}, revived {done.revived}"

    @staticmethod
    def tasks(place: Path) -> set[str]:
        return set(git(place, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/tags/devs").split())

    def pull(self, clone: Clone, remote: str) -> str:
        if "main" not in branches(self.places[remote]):
            return "nothing"
        clone.git("pull", "-q", "--no-rebase", "--no-edit", remote, "main")
        self.saw(clone, remote)
        return clone.git("rev-parse", "--short=8", "HEAD")

    def fetch(self, clone: Clone, remote: str) -> str:
        clone.git("fetch", "-q", remote)
        self.saw(clone, remote)
        return ""

    def push(self, clone: Clone, remote: str, *options: str) -> str:
        try:
            clone.git("push", "-q", *options, remote, "main")
        except AssertionError as error:
            if "fetch first" not in str(error) and "non-fast-forward" not in str(error):
                raise
            return "rejected"
        self.saw(clone, remote)
        return clone.git("rev-parse", "--short=8", "main")

    def force(self, clone: Clone, remote: str) -> str:
        return self.push(clone, remote, "--force")

    def saw(self, clone: Clone, remote: str) -> None:
        self.oracle.of(clone.top).git_saw(remote, branches(self.places[remote]))


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
