"""`doctor` finds what is wrong, writes nothing, and the command that it names mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.doctor import Request, Result
from devs_git.commands.init import Result as InitResult
from devs_git.domain.events import Draft
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

Run = Callable[..., str]
SetUp = Callable[..., InitResult]


def look(where: Path) -> Result:
    result: Result = router.call("doctor", Workspace.open(where), Request())
    return result


def codes(where: Path) -> list[str]:
    return [finding.code for finding in look(where).findings]


@pytest.fixture
def healthy(repo: Path, git: Run, set_up: SetUp) -> Path:
    set_up(repo)
    git("add", "devs-policy.yaml")
    git("commit", "-qm", "policy")
    return repo


def test_nothing_is_wrong_after_an_init(healthy: Path) -> None:
    assert look(healthy) == Result(ok=True, findings=())


@pytest.mark.parametrize(
    ("code", "harm"),
    [
        ("HOOK_MISSING", "rm .git/hooks/post-commit"),
        ("HOOK_MISSING", "chmod a-x .git/hooks/post-commit"),
        ("HOOK_EDITED", "echo 'exit 0' >> .git/hooks/post-commit"),
        ("EXCLUDE_MISSING", ": > .git/info/exclude"),
        ("VIEW_STALE", "rm -r .devs"),
        ("VIEW_STALE", "rm -f .devs/README.md"),
        ("VIEW_STALE", "chmod u+w .devs/policy.yaml && echo 'approvers: [me]' >> .devs/policy.yaml"),
    ],
)
def test_a_finding_names_the_command_that_mends_it(code: str, harm: str, healthy: Path) -> None:
    subprocess.run(["sh", "-ec", harm], cwd=healthy, check=True)
    found = look(healthy).findings
    assert [finding.code for finding in found] == [code]
    command = found[0].fix.replace("devs-git", f"'{sys.executable}' -m devs_git")
    subprocess.run(["sh", "-ec", command], cwd=healthy, check=True, capture_output=True)
    assert codes(healthy) == []


def test_a_repository_without_a_ledger_is_told_to_init(repo: Path) -> None:
    assert codes(repo) == ["NOT_INITIALIZED"]


def test_a_ledger_that_is_gone_is_missed(healthy: Path, git: Run) -> None:
    git("update-ref", "-d", "refs/heads/devs/ledger")
    found = look(healthy)
    assert ([finding.code for finding in found.findings], found.ok) == (["LEDGER_MISSING"], False)


def test_a_policy_that_names_another_ledger_is_a_fork(healthy: Path, git: Run) -> None:
    (healthy / "devs-policy.yaml").write_text(f"genesis: '{'0' * 40}'\n")
    git("commit", "-qam", "another")
    assert codes(healthy) == ["LEDGER_FORK"]


def test_a_broken_proposal_is_shown_with_its_line(healthy: Path, git: Run) -> None:
    with (healthy / "devs-policy.yaml").open("a") as stream:
        stream.write("backup_limit: 1GiB\n")
    git("commit", "-qam", "twice")
    finding = look(healthy).findings[0]
    assert finding.code == "POLICY_INVALID"
    assert "devs-policy.yaml:" in finding.message


def test_a_lost_object_of_the_ledger_is_found(healthy: Path, git: Run) -> None:
    oid = git("rev-parse", "refs/heads/devs/ledger:policy.yaml")
    (healthy / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    assert "LEDGER_MISSING" in codes(healthy)


def test_a_missing_identity_is_a_warning(healthy: Path) -> None:
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("")
    found = look(healthy)
    assert ([finding.code for finding in found.findings], found.ok) == (["IDENTITY_MISSING"], True)


def test_an_uncommitted_policy_is_a_warning(repo: Path, set_up: SetUp) -> None:
    set_up(repo)
    assert codes(repo) == ["POLICY_UNTRACKED"]


def test_hooks_that_others_turned_away_are_told_with_the_line(healthy: Path, git: Run) -> None:
    (healthy / ".husky").mkdir()
    (healthy / ".husky" / "pre-commit").write_text("true\n")
    git("add", ".husky")
    git("config", "core.hooksPath", ".husky")
    assert "HOOK_NOT_CALLED" in codes(healthy)


def test_an_unfit_repository_is_a_finding_and_no_trace(tmp_path: Path, git: Run) -> None:
    git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    found = look(tmp_path / "bare.git").findings
    assert [finding.code for finding in found] == ["INVALID_ARGUMENTS"]


def test_the_command_line_exits_1_when_something_is_wrong(healthy: Path) -> None:
    command = [sys.executable, "-m", "devs_git", "doctor"]
    assert subprocess.run(command, cwd=healthy, check=False, capture_output=True).returncode == 0
    shutil.rmtree(healthy / ".git" / "hooks")
    done = subprocess.run(command, cwd=healthy, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "mend it: devs-git init" in done.stdout


def test_an_interrupted_operation_is_told_even_where_it_cannot_be_recovered(healthy: Path) -> None:
    journals = healthy / ".git" / "devs" / "journal"
    journals.mkdir(exist_ok=True)
    (journals / "20010203T040506-1a2b3c4d.json").write_text('{"worktree": "another"}')
    assert "JOURNAL_OPEN" in codes(healthy)


def test_a_checked_out_ledger_is_told(healthy: Path, git: Run) -> None:
    git("switch", "-q", "devs/ledger")
    assert "LEDGER_CHECKED_OUT" in codes(healthy)


def test_a_view_that_waits_for_the_next_verb_is_in_order(healthy: Path, ledger_event: Workspace) -> None:
    assert ledger_event.ledger.tip().names("tasks") == ("x.yaml",)
    assert codes(healthy) == []
    (healthy / ".devs" / "policy.yaml").unlink()
    assert codes(healthy) == ["VIEW_STALE"]


@pytest.fixture
def ledger_event(healthy: Path) -> Workspace:
    """An event by somebody who does not render this worktree's view, such as a hook."""
    workspace = Workspace.open(healthy)
    event = workspace.event("task.started", "task: x", verb_name="task start")
    workspace.append(lambda _tip: Draft(event, (("tasks/x.yaml", b"x\n"),)))
    return workspace
