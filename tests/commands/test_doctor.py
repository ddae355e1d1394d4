"""`doctor` finds what is wrong, writes nothing, and the command that it names mends it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands.doctor import Request, Result
from devs_git.commands.init import Result as InitResult
from devs_git.domain.ledger.events import Draft
from devs_git.entrypoints import router
from devs_git.storage.git import locks
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.lost_objects import lose
from tests.test_tier0 import state

Run = Callable[..., str]
SetUp = Callable[..., InitResult]


def look(where: Path) -> Result:
    result: Result = router.call("doctor", Workspace.open(where), Request())
    return result


def codes(where: Path) -> list[str]:
    return [finding.code for finding in look(where).findings]


@pytest.mark.quick
def test_nothing_is_wrong_after_an_init(initialised: Path) -> None:
    assert replace(look(initialised), notes=()) == Result(ok=True, findings=())


@pytest.mark.parametrize(
    ("code", "harm"),
    [
        ("HOOK_MISSING", "rm .git/hooks/post-commit"),
        ("HOOK_MISSING", "chmod a-x .git/hooks/post-commit"),
        ("HOOK_EDITED", "echo 'exit 0' >> .git/hooks/post-commit"),
        ("EXCLUDE_MISSING", ": > .git/info/exclude"),
        ("VIEW_STALE", "rm -r .git/devs"),
        ("VIEW_STALE", "rm -f .devs/README.md"),
        ("VIEW_STALE", "chmod u+w .devs/policy.yaml && echo 'approvers: [me]' >> .devs/policy.yaml"),
    ],
)
def test_a_finding_names_the_command_that_mends_it(
    code: str, harm: str, initialised: Path, set_up: SetUp
) -> None:
    subprocess.run(["sh", "-ec", harm], cwd=initialised, check=True)
    found = look(initialised).findings
    assert [finding.code for finding in found] == [code]
    assert found[0].fix.endswith("devs-git init")
    subprocess.run(["sh", "-ec", found[0].fix.replace("devs-git init", "true")], cwd=initialised, check=True)
    set_up(initialised)
    assert codes(initialised) == []


def test_a_repository_without_a_ledger_is_told_to_init(repo: Path) -> None:
    assert codes(repo) == ["NOT_INITIALIZED"]


@pytest.mark.quick
def test_a_ledger_that_is_gone_is_missed(initialised: Path, git: Run) -> None:
    git("update-ref", "-d", "refs/heads/devs/ledger")
    found = look(initialised)
    assert ([finding.code for finding in found.findings], found.ok) == (["LEDGER_MISSING"], False)


def test_a_policy_that_names_another_ledger_is_a_fork(initialised: Path, git: Run) -> None:
    (initialised / "devs-policy.yaml").write_text(f"genesis: '{'0' * 40}'\n")
    git("commit", "-qam", "another", "--no-verify")
    assert codes(initialised) == ["LEDGER_FORK"]


def test_a_broken_proposal_is_shown_with_its_line(initialised: Path, git: Run) -> None:
    with (initialised / "devs-policy.yaml").open("a") as stream:
        stream.write("backup_limit: 1GiB\n")
    git("commit", "-qam", "twice", "--no-verify")  # the hook refuses it
    [finding] = look(initialised).findings
    assert finding.code == "POLICY_INVALID"
    assert "devs-policy.yaml:" in finding.message


@pytest.mark.quick
def test_a_lost_object_of_the_ledger_is_found(initialised: Path, git: Run) -> None:
    oid = git("rev-parse", "refs/heads/devs/ledger:policy.yaml")
    lose(initialised, oid)
    assert "LEDGER_MISSING" in codes(initialised)


def test_a_missing_identity_is_a_warning(initialised: Path) -> None:
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("")
    found = look(initialised)
    assert ([finding.code for finding in found.findings], found.ok) == (["IDENTITY_MISSING"], True)


@pytest.mark.quick
def test_where_the_users_configuration_is_set_aside_the_missing_name_goes_into_the_repository(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Gemini CLI sets it. `git config --global` would write there: for root, a file in the place of the device."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (found,) = look(initialised).findings
    assert found.code == "IDENTITY_MISSING"
    assert found.fix == "git config user.name '<name>' && git config user.email '<mail>'"


def test_an_uncommitted_policy_is_a_warning(repo: Path, set_up: SetUp) -> None:
    set_up(repo)
    assert codes(repo) == ["POLICY_UNTRACKED"]


def test_hooks_that_others_turned_away_are_told_with_the_line(initialised: Path, git: Run) -> None:
    (initialised / ".husky").mkdir()
    (initialised / ".husky" / "pre-commit").write_text("true\n")
    git("add", ".husky")
    git("config", "core.hooksPath", ".husky")
    assert "HOOK_NOT_CALLED" in codes(initialised)


def test_a_ledger_that_was_set_back_is_noticed_and_brought_back(initialised: Path, git: Run) -> None:
    before = git("rev-parse", "refs/heads/devs/ledger")
    git("branch", "-f", "devs/ledger", "devs/ledger~1")
    found = look(initialised)
    assert (found.findings[0].code, found.ok) == ("LEDGER_ROLLBACK", False)
    subprocess.run(["sh", "-ec", found.findings[0].fix], cwd=initialised, check=True)
    assert git("rev-parse", "refs/heads/devs/ledger") == before
    assert codes(initialised) == []


def test_a_ledger_that_was_set_back_without_a_trace_is_noticed_by_view_and_commits(
    initialised: Path, git: Run
) -> None:
    git("branch", "-f", "devs/ledger", "devs/ledger~1")
    (initialised / ".git/logs/refs/heads/devs/ledger").unlink()
    assert "(known from the view .devs/)" in look(initialised).findings[0].message
    (initialised / ".git/devs/view").unlink()
    assert f"(known from commit {git('rev-parse', 'HEAD')[:12]})" in look(initialised).findings[0].message


def test_an_event_that_only_another_clone_has_is_a_warning(initialised: Path, git: Run) -> None:
    text = f"theirs\n\nDevs-Ledger: {'1' * 40}"
    git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", text)
    found = look(initialised).findings
    assert [(finding.code, finding.severity) for finding in found] == [("LEDGER_BEHIND", "warning")]


def test_a_ledger_that_was_deleted_is_named_by_what_is_known_of_it(initialised: Path, git: Run) -> None:
    before = git("rev-parse", "refs/heads/devs/ledger")
    git("branch", "-D", "devs/ledger")
    found = look(initialised).findings
    assert [finding.code for finding in found] == ["LEDGER_MISSING"]
    subprocess.run(["sh", "-ec", found[0].fix], cwd=initialised, check=True)
    assert git("rev-parse", "refs/heads/devs/ledger") == before


@pytest.mark.quick
def test_an_unfit_repository_is_a_finding_and_no_trace(tmp_path: Path, git: Run) -> None:
    git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    found = look(tmp_path / "bare.git").findings
    assert [finding.code for finding in found] == ["INVALID_ARGUMENTS"]


def test_the_command_line_exits_1_when_something_is_wrong(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["devs-git", "doctor"])
    assert main() == 0
    assert capsys.readouterr().out.startswith(
        "No problems were found.\nnote: The policy names no approver yet"
    )
    shutil.rmtree(initialised / ".git" / "hooks")
    assert main() == 1
    assert "fix: devs-git init" in capsys.readouterr().out


def test_an_interrupted_operation_is_told_even_where_it_cannot_be_recovered(initialised: Path) -> None:
    journals = initialised / ".git" / "devs" / "journal"
    journals.mkdir(exist_ok=True)
    (journals / "20010203T040506-1a2b3c4d.json").write_text('{"worktree": "another"}')
    assert "JOURNAL_OPEN" in codes(initialised)


def test_a_checked_out_ledger_is_told(initialised: Path, git: Run) -> None:
    git("switch", "-q", "devs/ledger")
    found = codes(initialised)
    assert "LEDGER_CHECKED_OUT" in found
    assert "POLICY_UNTRACKED" not in found  # its mend would commit the policy on the ledger's branch


def test_a_view_that_waits_for_the_next_verb_is_in_order(initialised: Path, ledger_event: Workspace) -> None:
    assert ledger_event.ledger.tip().names("tasks") == ("x.yaml",)
    assert codes(initialised) == []
    (initialised / ".devs" / "policy.yaml").unlink()
    assert codes(initialised) == ["VIEW_STALE"]


@pytest.fixture
def ledger_event(initialised: Path) -> Workspace:
    """An event by somebody who does not render this worktree's view, such as a hook."""
    workspace = Workspace.open(initialised)
    event = workspace.event("task.started", "task: x", verb_name="task start")
    workspace.append(lambda _tip: Draft(event, (("tasks/x.yaml", b"x\n"),)))
    return workspace


def test_letting_git_run_a_hook_for_a_trial_writes_nothing(initialised: Path) -> None:
    before = state(initialised)
    assert codes(initialised) == []
    ask(Workspace.open(), kind="MANUAL")
    frozen = state(initialised)
    assert codes(initialised) == []
    assert state(initialised) == frozen != before


def test_a_ledger_that_is_another_branchs_name_is_given_back_by_what_doctor_says(
    initialised: Path, git: Run
) -> None:
    tip = git("rev-parse", "refs/heads/devs/ledger")
    git("symbolic-ref", "refs/heads/devs/ledger", "refs/heads/main")
    named = next(
        finding for finding in look(initialised).findings if "another name of main" in finding.message
    )
    git(*named.fix.partition(": git ")[2].partition(";")[0].split())
    gone = next(finding for finding in look(initialised).findings if finding.code == "LEDGER_MISSING")
    git(*shlex.split(gone.fix)[1:])
    assert git("rev-parse", "refs/heads/devs/ledger") == tip
    assert git("rev-parse", "--verify", "main")
    assert not [finding for finding in look(initialised).findings if finding.severity == "error"]


def test_events_that_others_write_meanwhile_are_none_that_were_left_out(initialised: Path) -> None:
    done = threading.Event()

    def work() -> None:
        workspace = Workspace.open(initialised)
        while not done.is_set():
            workspace.append(lambda _tip: Draft(workspace.event("task.started", "x", verb_name="task start")))

    writer = threading.Thread(target=work)
    writer.start()
    try:
        found = {code for _ in range(12) for code in codes(initialised)}
    finally:
        done.set()
        writer.join()
    assert "LEDGER_ROLLBACK" not in found


def test_a_command_that_runs_in_another_worktree_is_not_called_interrupted(
    initialised: Path, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "beside"))
    journal = initialised / ".git/devs/journal/20010203T040506-1a2b3c4d.json"
    journal.parent.mkdir(exist_ok=True)
    told = {"op_id": journal.stem, "verb": "checkpoint", "worktree": "beside", "kind": "commit", "work": {}}
    told |= {"head": git("rev-parse", "HEAD"), "ledger": git("rev-parse", "devs/ledger")}
    journal.write_text(json.dumps(told))
    lock = initialised / ".git/worktrees/beside/devs/lock"
    with locks.hold(lock, wait=0):
        assert "JOURNAL_OPEN" not in codes(initialised)
    assert "JOURNAL_OPEN" in codes(initialised)
