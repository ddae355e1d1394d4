"""Random histories: whatever a person and git delete, the commits of each moment come back with all that they reach."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import NO_OID
from devs_git.storage.git import refs
from devs_git.storage.moments import kept_commits, read_moments, store_packing
from devs_git.storage.moments.kept_commits import Most
from devs_git.workspace import Workspace
from tests.storage.moments.test_kept_commits import all_objects, prune_all, settle
from tests.support.moment_scene import moment

Run = Callable[..., str]

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
@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_random_histories_give_back_every_moment_whatever_git_deleted(
    workspace: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch, seed: int, most: int
) -> None:
    """The oracle is what git listed at the time of each moment."""
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(most, 2_000, 1 << 20))
    monkeypatch.setattr(kept_commits, "_MANY", 12)
    dice, top = random.Random(f"{seed} {most}"), workspace.top
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
    end = "git rebase -q --abort; git merge -q --abort; git reset -q --hard; git clean -qfd"
    subprocess.run(["sh", "-c", f"{words}; {end}"], cwd=top, check=False, capture_output=True)
    return None
