"""Random histories: whatever a person and git delete, the commits of each moment come back with all that they reach."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import NO_OID
from devs_git.domain.moments.moment import COMMITS
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import kept_commits, read_moments, store_packing
from devs_git.storage.moments.kept_commits import Most
from devs_git.workspace import Workspace
from tests.storage.moments.test_kept_commits import all_objects, commit, prune_all, settle
from tests.support.dying_programs import dying_git, gits_run
from tests.support.moment_scene import moment

Run = Callable[..., str]

# Each commit has more bytes than a hook copies, so it is the base itself.
NONE = Most(7, 2_000, 10)
ACTS = (
    "commit",
    "commit",
    "amend",
    "rebase",
    "reset",
    "branch",
    "drop",
    "merge",
    "stash",
    "back",
    "pack",
    "settle",
)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "most", [Most(1, 2_000, 1 << 20), Most(2, 2_000, 1 << 20), Most(5, 2_000, 1 << 20), NONE]
)
@pytest.mark.parametrize("seed", range(4))
def test_random_histories_give_back_every_moment_whatever_git_deleted(
    workspace: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch, seed: int, most: Most
) -> None:
    """The oracle is what git listed at the time of each moment."""
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", most)
    monkeypatch.setattr(kept_commits, "_MANY", 12)
    dice, top = random.Random(f"{seed} {most.commits}"), workspace.top
    known: dict[str, tuple[str, list[str]]] = {}
    for step in range(20):
        act(dice, workspace, f"{step}\n")
        if dice.random() < 0.6:
            (top / "untracked.txt").write_text(f"{step}\n")
            made = moment(Workspace.open(top), "call", keep_refs=dice.random() < 0.3)
            head = git("rev-parse", "HEAD")
            known[made.moment_id] = head, sorted(all_objects(top, head))
        if dice.random() < 0.25:
            prune_all(git)
    assert known
    destroy(top, git)
    for moment_id, (head, objects) in known.items():
        state, _ = read_moments.load(Workspace.open(top).objects, moment_id)
        assert state.head == head
        assert sorted(all_objects(top, head)) == objects, moment_id
        assert "untracked.txt" in git("ls-tree", "--name-only", state.worktree)
        prune_all(git)
    assert refs.read(workspace.store_git, "refs/heads/main") in ("", NO_OID)


def destroy(top: Path, git: Run) -> None:
    """All that a shell can do after the last moment."""
    subprocess.run(["git", "clean", "-qfdx"], cwd=top, check=True)
    git("reset", "-q", "--hard")
    git("switch", "-q", "--orphan", "empty")
    for ref in git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/stash").split():
        git("update-ref", "-d", ref)
    prune_all(git)


def act(dice: random.Random, workspace: Workspace, text: str) -> None:
    """One step of a person. What git refuses is not done."""
    top, kind = workspace.top, dice.choice(ACTS)
    branch = f"b{dice.randrange(3)}"
    if kind == "pack":
        return store_packing.pack(workspace.store_git, workspace.places.common, 0.0)
    if kind == "settle":
        return settle(workspace)
    (top / "a.txt").write_text(text)
    back = f"HEAD~{dice.randrange(1, 6)}"
    words = {
        "commit": "git add -A && git commit -qm x",
        "amend": "git commit -qa --amend -m y",
        "rebase": f"git commit -qam z; git rebase -q --force-rebase {back}",
        "reset": f"git reset -q --hard {back}",
        "branch": f"git stash -q; git switch -q -C {branch} {back}; git commit -q --allow-empty -m b",
        "drop": f"git stash -q; git switch -q main && git branch -q -D {branch}",
        "merge": f"git commit -qam m; git merge -q -X ours --no-edit {branch}",
        "stash": "git stash -q; git stash drop -q",
        "back": "git reset -q --hard; git switch -q main",
    }[kind]
    end = "git rebase --abort || git rebase --quit; git merge -q --abort; git reset -q --hard; git clean -qfd"
    subprocess.run(["sh", "-c", f"{words}; {end}"], cwd=top, check=False, capture_output=True)
    return None


@pytest.mark.quick
@pytest.mark.parametrize("before", [True, False])
def test_a_kill_while_the_base_moves_loses_nothing(
    workspace: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    """At each call of git. The refs of an older version are there, too, and a deep reset left the base on no branch."""
    top, folder, path = workspace.top, workspace.top.with_name("bin"), os.environ["PATH"]
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(2, 2_000, 1 << 20))
    for number in range(8):
        commit(top, git, f"{number}\n")
    made, head = moment(workspace), git("rev-parse", "HEAD")
    everything = sorted(all_objects(top, head))
    git("reset", "-q", "--hard", "HEAD~6")
    git("update-ref", f"{COMMITS}main/2001-02-03/{head}", head)
    at, gits = 0, 1
    while at <= gits:
        here = top.with_name(f"copy {at}")
        shutil.copytree(top, here, symlinks=True)
        for name, value in dying_git(folder, at=at, before=before).items():
            monkeypatch.setenv(name, value if name != "PATH" else f"{folder}{os.pathsep}{path}")
        with contextlib.suppress(DevsError, GitFailed):
            settle(Workspace.open(here))
        gits = max(gits, gits_run(folder))
        monkeypatch.setenv("PATH", path)
        prune_all(lambda *words, at=here: git(*words, where=at))
        settle(Workspace.open(here))
        assert git("for-each-ref", COMMITS.rstrip("/"), where=here) == ""
        prune_all(lambda *words, at=here: git(*words, where=at))
        read_moments.load(Workspace.open(here).objects, made.moment_id)
        assert sorted(all_objects(here, head)) == everything, at
        shutil.rmtree(here)
        at += 1
    assert gits > 5


@pytest.mark.quick
@pytest.mark.parametrize("depth", [1, 3])
def test_in_a_shallow_clone_a_dropped_commit_comes_back(
    workspace: Workspace, git: Run, tmp_path: Path, depth: int
) -> None:
    for number in range(8):
        commit(workspace.top, git, f"{number}\n")
    top = tmp_path / "shallow"
    git("clone", "-q", f"--depth={depth}", f"file://{workspace.top}", str(top))
    moment(Workspace.open(top))
    head = commit(top, git, "new\n")
    everything = all_objects(top, head)
    made = moment(Workspace.open(top))
    git("reset", "-q", "--hard", "HEAD~1", where=top)
    prune_all(lambda *words: git(*words, where=top))
    assert git("log", "--all", "--format=%H", where=top) == git("log", "--format=%H", where=top)
    store_packing.pack(Workspace.open(top).store_git, Workspace.open(top).places.common, 0.0)
    read_moments.load(Workspace.open(top).objects, made.moment_id)
    assert all_objects(top, head) == everything
