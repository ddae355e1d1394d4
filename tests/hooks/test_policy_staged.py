"""git's hook refuses to commit a devs-policy.yaml that no gate could take, and starts Python only if the file changes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.gates.policy import PROPOSED

Run = Callable[..., str]


def attempt(*words: str) -> tuple[int, str]:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.fixture
def policy(initialised: Path) -> Path:
    return initialised / PROPOSED


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("tas:", "approval: {minimum: signed}\ntas:", "the key 'approval' occurs twice."),
        ("approvers: []", "approver: []", "approver"),
        ("minimum: unsigned", "minimum: signed", "requires signed decisions, but names no key."),
    ],
)
def test_a_commit_of_a_policy_that_is_not_valid_is_refused_and_its_correction_is_not(
    old: str, new: str, words: str, policy: Path, git: Run
) -> None:
    valid, head = policy.read_text(), git("rev-parse", "HEAD")
    policy.write_text(valid.replace(old, new))
    status, said = attempt("commit", "-q", "-am", "wrong")
    assert (status, git("rev-parse", "HEAD")) == (1, head)
    assert "devs-git: POLICY_INVALID: " in said
    assert words in said
    assert f"Then: git add {PROPOSED}" in said
    policy.write_text(valid.replace("unsigned", "unsigned # as before"))
    assert attempt("commit", "-q", "-am", "right") == (0, "")


def test_an_edit_that_is_not_staged_a_removal_and_other_files_are_committed(policy: Path, git: Run) -> None:
    policy.write_text("approvers: [")
    (policy.parent / "other.txt").write_text("other\n")
    git("add", "other.txt")
    assert attempt("commit", "-q", "-m", "other") == (0, "")
    assert attempt("rm", "-q", "-f", PROPOSED) == (0, "")
    assert attempt("commit", "-q", "-m", "without a policy") == (0, "")
