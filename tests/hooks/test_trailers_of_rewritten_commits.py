"""Trailers of commits that git makes again: amended, rebased, squashed, picked and mailed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.trailers import WORK, Commit, Run, block, ledger_trailer, message_of


@pytest.mark.quick
def test_an_amend_does_not_double_them_and_names_the_ledger_of_now(
    tip: str, git: Run, commit: Commit, ledgered: Workspace
) -> None:
    from devs_git.domain.ledger.events import Draft

    commit("-m", "one", "-m", "Signed-off-by: Ada <ada@example.org>")
    assert message_of(git) == f"one\n\nSigned-off-by: Ada <ada@example.org>\n{block(tip)}"
    ledgered.ledger.append(lambda _tip: Draft(ledgered.event("x", "x", verb_name="init")))
    now = git("rev-parse", "refs/heads/devs/ledger")
    assert commit("--amend", "--no-edit") == 0
    assert message_of(git) == f"one\n\nSigned-off-by: Ada <ada@example.org>\n{block(now)}"
    assert commit("--amend", editor="sed -i 1s/one/two/") == 0
    assert message_of(git) == f"two\n\nSigned-off-by: Ada <ada@example.org>\n{block(now)}"


def test_an_amended_commit_of_another_task_stays_its(tip: str, git: Run, commit: Commit) -> None:
    commit("-m", "nine", "-m", "Devs-Task: task-9\nDevs-Agent: reviewer")
    assert message_of(git) == f"nine\n\n{block(tip, Work('task-9', 'reviewer'))}"
    commit("--amend", "--no-edit")
    assert message_of(git) == f"nine\n\n{block(tip, Work('task-9', 'reviewer'))}"


def rebase(repo: Path, todo: str, base: str = "HEAD~2", editor: str = "true") -> None:
    env = os.environ | {"GIT_SEQUENCE_EDITOR": f"sed -i '{todo}'", "GIT_EDITOR": editor}
    done = subprocess.run(
        ["git", "rebase", "-q", "-i", base], cwd=repo, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("word", ["squash", "fixup"])
def test_rebase_i_squashes_without_losing_or_doubling(
    word: str, tip: str, git: Run, commit: Commit, repo: Path
) -> None:
    commit("-m", "one")
    commit("-m", "two")
    rebase(repo, f"2s/pick/{word}/")
    middle = "\n\ntwo" if word == "squash" else ""
    assert message_of(git) == f"one{middle}\n\n{block(tip)}"


def test_rebase_i_rewords_without_doubling(tip: str, git: Run, commit: Commit, repo: Path) -> None:
    commit("-m", "one")
    commit("-m", "two")
    rebase(repo, "1s/pick/reword/", editor="sed -i 1s/one/ONE/")
    assert [message_of(git, rev) for rev in ("HEAD~1", "HEAD")] == [
        f"ONE\n\n{block(tip)}",
        f"two\n\n{block(tip)}",
    ]


def test_a_rebase_does_not_claim_commits_of_before_the_task(
    tip: str, git: Run, commit: Commit, repo: Path
) -> None:
    rebase(repo, "1s/pick/reword/", editor="sed -i 1s/c2/C2/")
    assert [message_of(git, rev) for rev in ("HEAD~1", "HEAD")] == [
        f"C2\n\n{ledger_trailer(tip)}",
        f"c3\n\n{ledger_trailer(tip)}",
    ]
    assert commit("-m", "mine") == 0
    rebase(repo, "1s/pick/squash/;1s/squash/pick/;2s/pick/squash/")
    assert message_of(git) == f"c3\n\nmine\n\n{block(tip)}"


def test_a_picked_commit_becomes_the_tasks(tip: str, git: Run, workspace: Workspace, commit: Commit) -> None:
    active_task.write(workspace.places, "")
    git("checkout", "-qb", "side")
    commit("-m", "picked")
    git("checkout", "-q", "main")
    active_task.write(workspace.places, WORK.lines())
    git("cherry-pick", "-x", "side")
    assert (
        message_of(git) == f"picked\n\n(cherry picked from commit {git('rev-parse', 'side')})\n{block(tip)}"
    )
    git("revert", "--no-edit", "HEAD")
    assert message_of(git).endswith(f"\n\n{block(tip)}")


def test_a_mailed_patch_and_a_rebase_by_patches_are_bound_too(
    tip: str, git: Run, commit: Commit, workspace: Workspace
) -> None:
    active_task.write(workspace.places, "")
    commit("-n", "-m", "one", "-m", "Why.")
    patch = git("format-patch", "-1", "--stdout")
    git("reset", "-q", "--hard", "HEAD~1")
    git("am", "-q", stdin=patch + "\n")
    assert message_of(git) == f"one\n\nWhy.\n\n{ledger_trailer(tip)}"
    git("rebase", "-q", "--apply", "--force-rebase", "HEAD~2")
    assert [message_of(git, rev) for rev in ("HEAD~1", "HEAD")] == [
        f"c3\n\n{ledger_trailer(tip)}",
        f"one\n\nWhy.\n\n{ledger_trailer(tip)}",
    ]
    active_task.write(workspace.places, WORK.lines())
    git("reset", "-q", "--hard", "HEAD~1")
    git("am", "-q", stdin=patch + "\n")
    assert message_of(git) == f"one\n\nWhy.\n\n{block(tip)}"


def test_a_squashed_merge_has_them_once_at_its_end(tip: str, git: Run, commit: Commit) -> None:
    git("checkout", "-qb", "side")
    commit("-m", "one")
    commit("-m", "two")
    git("checkout", "-q", "main")
    git("merge", "-q", "--squash", "side")
    assert commit("--no-edit", change=False) == 0
    assert message_of(git).endswith(f"\n\n{block(tip)}")
    assert git("log", "-1", "--format=%(trailers)") == block(tip)
