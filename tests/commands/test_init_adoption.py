"""A clone whose policy names a ledger takes that one over, and never begins a second."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.init import Result
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace
from tests.support.gate_scene import approve, ask, commit

Run = Callable[..., str]
SetUp = Callable[..., Result]


@pytest.fixture
def origin(initialised: Path, git: Run) -> Path:
    """A repository with a ledger, its policy committed, and one checkpoint."""
    git("tag", "-am", "done", "devs/task-1")
    git("update-ref", "refs/devs/checkpoints/task-1/1", "refs/tags/devs/task-1")
    return initialised


def clone(origin: Path, git: Run, *options: str, source: str = "") -> Path:
    there = origin.parent / "clone"
    git("clone", "-q", *options, source or str(origin), str(there))
    return there


def lines(git: Run, where: Path, *patterns: str) -> list[str]:
    return git("for-each-ref", "--format=%(refname)", *patterns, where=where).splitlines()


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "options", [[], ["--single-branch", "-b", "main"], ["--no-tags"], ["-o", "upstream"]]
)
def test_a_clone_adopts_the_ledger_with_its_checkpoints(
    options: list[str], origin: Path, git: Run, set_up: SetUp
) -> None:
    there = clone(origin, git, *options)
    result = set_up(there)
    assert git("rev-list", "--max-parents=0", "refs/heads/devs/ledger", where=there) == result.genesis
    assert result.genesis in (origin / "devs-policy.yaml").read_text()
    assert lines(git, there, "refs/devs", "refs/tags") == [
        "refs/devs/checkpoints/task-1/1",
        "refs/tags/devs/task-1",
    ]
    assert git("log", "-1", "--format=%s", "refs/heads/devs/ledger", where=there).startswith("init: prepare")
    assert (there / ".devs" / "policy.yaml").exists()
    assert git("status", "--porcelain", where=there) == ""


def test_no_tags_are_taken_over_but_those_of_tasks(origin: Path, git: Run, set_up: SetUp) -> None:
    git("tag", "devs/ledger", "HEAD")  # git would show it in the ledger's place
    there = clone(origin, git, "--no-tags")
    set_up(there)
    assert lines(git, there, "refs/tags") == ["refs/tags/devs/task-1"]


def test_what_an_adopted_policy_will_run_here_is_told(origin: Path, git: Run, set_up: SetUp) -> None:
    workspace = Workspace.open(origin)
    policy = (origin / "devs-policy.yaml").read_text() + "notify: touch owned\n"
    commit(origin, {"devs-policy.yaml": policy})
    approve(workspace, ask(workspace, kind="POLICY_CHANGE"))
    there = clone(origin, git)
    assert [text for text in set_up(there).advice if text.endswith(": touch owned")]
    assert not [text for text in set_up(there).advice if "touch owned" in text]


def test_a_shallow_clone_adopts_the_whole_ledger(origin: Path, git: Run, set_up: SetUp) -> None:
    there = clone(origin, git, "--depth=1", "--no-single-branch", source=f"file://{origin}")
    result = set_up(there)
    assert git("rev-list", "--max-parents=0", "refs/heads/devs/ledger", where=there) == result.genesis


def test_a_partial_clone_adopts_a_ledger_that_can_be_read(origin: Path, git: Run, set_up: SetUp) -> None:
    git("config", "uploadpack.allowFilter", "true")
    there = clone(origin, git, "--filter=blob:none", source=f"file://{origin}")
    set_up(there)
    assert (there / ".devs" / "policy.yaml").exists()


def test_a_clone_whose_policy_was_not_committed_still_makes_no_second_root(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    first = set_up(repo)
    assert set_up(clone(repo, git)).genesis == first.genesis


def no_ledger(there: Path, git: Run, set_up: SetUp, code: str = "LEDGER_MISSING") -> DevsError:
    before = lines(git, there)
    with pytest.raises(DevsError) as caught:
        set_up(there)
    assert caught.value.code == code
    assert lines(git, there) == before
    assert not (there / ".devs").exists()
    return caught.value


@pytest.mark.quick
def test_a_remote_without_the_ledger_is_refused_with_the_command(
    origin: Path, git: Run, set_up: SetUp
) -> None:
    there = clone(origin, git, "--single-branch", "-b", "main")
    git("update-ref", "-d", "refs/heads/devs/ledger")
    error = no_ledger(there, git, set_up)
    assert "git fetch origin refs/heads/devs/ledger:refs/heads/devs/ledger" in error.hint


def test_a_clone_without_any_remote_is_refused_with_the_command(
    origin: Path, git: Run, set_up: SetUp
) -> None:
    there = clone(origin, git, "--single-branch", "-b", "main")
    git("remote", "remove", "origin", where=there)
    assert "no remote" in no_ledger(there, git, set_up).message


def test_a_remote_with_another_ledger_is_not_adopted(origin: Path, git: Run, set_up: SetUp) -> None:
    there = clone(origin, git)
    git("rm", "-q", "devs-policy.yaml")
    git("commit", "-qm", "drop")
    git("update-ref", "-d", "refs/heads/devs/ledger")
    shutil.rmtree(origin / ".git" / "devs")
    other = set_up(origin).genesis
    assert other in no_ledger(there, git, set_up).message


@pytest.mark.quick
def test_a_remote_that_cannot_be_reached_is_no_reason_for_a_second_root(
    origin: Path, git: Run, set_up: SetUp
) -> None:
    there = clone(origin, git)
    genesis = git("rev-list", "--max-parents=0", "refs/heads/devs/ledger")
    shutil.rmtree(origin)
    result = set_up(there)
    assert result.genesis == genesis
    assert "without its checkpoints" in result.actions[0].detail


def test_a_ledger_that_is_not_the_named_one_is_a_fork(origin: Path, git: Run, set_up: SetUp) -> None:
    there = clone(origin, git, "--single-branch", "-b", "main")
    workspace = Workspace.open(there)
    event = workspace.event("ledger.created", "ledger: begin", verb_name="init")
    workspace.ledger.append(lambda _tip: Draft(event, (("README.md", b"another\n"),)))
    no_ledger(there, git, set_up, "LEDGER_FORK")


def test_a_branch_of_that_name_that_is_no_ledger_is_not_adopted(repo: Path, git: Run, set_up: SetUp) -> None:
    git("branch", "devs/ledger")
    there = clone(repo, git)
    set_up(there)
    assert git("ls-tree", "--name-only", "refs/heads/devs/ledger", where=there).split() == [
        "README.md",
        "policy.yaml",
    ]


def test_an_adoption_that_was_cut_off_before_its_end_is_begun_again(
    origin: Path, git: Run, set_up: SetUp
) -> None:
    there = clone(origin, git, "--no-tags")
    hook = there / ".git" / "hooks" / "reference-transaction"
    hook.write_text(
        "#!/bin/sh\nwhile read -r line; do case $line in *refs/heads/devs/ledger) exit 1 ;; esac; done\n"
    )
    hook.chmod(0o755)
    with pytest.raises(GitFailed):
        set_up(there)
    assert git("for-each-ref", "refs/heads/devs", "refs/devs/incoming", where=there) == ""
    hook.unlink()
    set_up(there)
    assert lines(git, there, "refs/devs/checkpoints") == ["refs/devs/checkpoints/task-1/1"]
