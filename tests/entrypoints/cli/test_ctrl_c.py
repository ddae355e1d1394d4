"""Ctrl-C at a terminal, while one git after the other of a command runs: what the command then says is so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from devs_git.workspace import CLOCK
from tests.conftest import Tasks
from tests.support import photograph, repository_copy
from tests.support.clones import LEDGER, refs_of
from tests.support.git_calls import git
from tests.support.interrupting_person import calls_of, interrupted
from tests.support.photograph import Photograph
from tests.support.scene import Scene

# How many moments of each command are tried; 0 for each git that it starts.
MOMENTS = int(os.environ.get("DEVS_TEST_COUNT_CTRL_C", "3"))
WORK: dict[str, dict[str, str | None]] = {
    task: {f"{task}.txt": f"{task}\n", "shared.txt": f"{task}\n"} for task in ("10", "11", "12")
}


def _nothing(_scene: Scene) -> None:
    pass


def _devs(top: Path, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "devs_git", *words], cwd=top, check=True, capture_output=True, text=True
    ).stdout


def _rewound(scene: Scene) -> None:
    _devs(scene.top, "rewind", "10", "--yes")


def _old_branch(scene: Scene) -> None:
    scene.git("branch", "old", "HEAD~2")


def _alone(scene: Scene) -> None:
    scene.task("13", {"alone.txt": "13\n"})


def _staged(scene: Scene) -> None:
    _devs(scene.top, "task", "start", "13", "--title", "more")
    scene.write({"13.txt": "13\n"})
    scene.git("add", "13.txt")


def _remote(scene: Scene) -> None:
    git("init", "-q", "--bare", "remote.git", where=scene.top.parent)
    scene.git("remote", "add", "origin", "../remote.git")


CASES: dict[str, tuple[Callable[[Scene], None], tuple[str, ...]]] = {
    "rewind": (_nothing, ("rewind", "10", "--yes")),
    "undo": (_rewound, ("undo", "--yes")),
    "restore": (_nothing, ("restore", "10", "--yes")),
    "checkout": (_old_branch, ("checkout", "old")),
    "drop": (_alone, ("drop", "13", "--yes")),
    "fork": (_nothing, ("fork", "10", "--name", "20", "--yes")),
    "task complete": (_staged, ("task", "complete", "-m", "done")),
    "checkpoint": (_staged, ("checkpoint", "-m", "more")),
    "verify": (_nothing, ("verify",)),
    "prune": (_rewound, ("prune", "--yes")),
    "sync": (_remote, ("sync", "--yes")),
}


@dataclass(frozen=True)
class Seen:
    """The repository at one moment, as a person and as git see it."""

    photo: Photograph
    ledger: str
    shared: dict[str, str]
    remote: dict[str, str]
    worktrees: tuple[str, ...]

    @classmethod
    def of(cls, top: Path) -> Seen:
        remote = top.parent / "remote.git"
        listed = git("worktree", "list", "--porcelain", where=top).split("\n")
        return cls(
            photograph.take(top),
            git("rev-parse", LEDGER, where=top),
            refs_of(top),
            refs_of(remote) if remote.exists() else {},
            tuple(line for line in listed if line.startswith(("worktree", "branch"))),
        )

    def must_equal(self, other: Seen, note: str) -> None:
        self.photo.must_equal(other.photo, note)
        assert (self.ledger, self.shared, self.worktrees) == (other.ledger, other.shared, other.worktrees), (
            note
        )


def _check_words(verb: str, shown: str, top: Path, before: Seen, now: Seen) -> None:
    """What the terminal showed is what git and the files show."""
    note = f"{verb}: {shown}"
    subject = git("log", "-1", "--format=%B", LEDGER, where=top)
    if said := re.search(r"sync changed (\w+) refs? here(?: and pushed (\w+) refs? to origin)?", shown):
        changed = [ref for ref, oid in now.shared.items() if before.shared.get(ref) != oid]
        assert said[1] == str(len(changed) or "no"), note
        if "was ended" not in shown:
            assert said[2] == str(len(now.remote) or "no"), note
    elif "was done. Only the view" in shown:
        assert (now.ledger, now.remote) != (before.ledger, before.remote), note
    elif "so this was done" in shown:
        assert now.ledger != before.ledger, note
        assert "Devs-Outcome: ok" in subject, note
    elif "was taken back. The ledger" in shown:
        assert "Devs-Outcome: failed" in subject, note
        now.photo.must_equal(before.photo, note)
    elif "in the middle of a move" in shown or "while git made the commit" in shown:
        assert list((top / ".git/devs/journal").glob("*.json")), note
    else:
        # `wrote no event`, or nothing, because the command had not begun.
        now.must_equal(before, note)
        assert now.remote == before.remote, note


def _moments(count: int) -> list[int]:
    if not MOMENTS or count <= MOMENTS:
        return list(range(1, count + 1))
    return [1 + at * (count - 1) // (MOMENTS - 1) for at in range(MOMENTS)]


@pytest.mark.quick(1)
@pytest.mark.parametrize("verb", sorted(CASES, reverse=True, key=lambda verb: verb == "sync"))
def test_what_an_interrupted_command_says_is_so_and_the_next_command_works(
    verb: str, tasks: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, (prepare, words) = tasks(WORK), CASES[verb]
    prepare(scene)
    if verb == "prune":
        # By then the policy keeps no backup any more.
        monkeypatch.setenv(CLOCK, "2060-01-01T00:00:00+00:00")
    world = tmp_path / "world"
    world.mkdir()
    for name in ("repo", "remote.git"):
        if (tmp_path / name).exists():
            repository_copy.folder(tmp_path / name, world / name)
    count = calls_of(scene.top, tmp_path / "gits", *words)
    assert count
    for at in _moments(count):
        here = tmp_path / f"at{at}"
        here.mkdir()
        for name in ("repo", "remote.git"):
            if (world / name).exists():
                repository_copy.folder(world / name, here / name)
        top = here / "repo"
        git("update-index", "-q", "--refresh", where=top)
        before = Seen.of(top)
        status, shown = interrupted(top, tmp_path / "gits", *words, at=at)
        assert status in (0, 130), shown
        if status:
            _check_words(verb, shown, top, before, Seen.of(top))
        _devs(top, "status")
        assert not list((top / ".git/devs/journal").glob("*.json"))
        assert not list((top / ".git/devs/forks").glob("*.json"))
        after = Seen.of(top)
        if (after.ledger, after.remote) == (before.ledger, before.remote):
            after.must_equal(before, f"{verb} at git {at}: {shown}")
