"""A report has the chosen tasks with their patches, each gate with who decided, the timeline, and the findings of verify."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_reject, rewind, task_start, undo
from devs_git.errors import DevsError
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support import attacker, gate_scene, ledgers, reports
from tests.support.credentials import credentials

WORK: dict[str, dict[str, str | None]] = {
    "9": {"nine.txt": "nine\n"},
    "10": {"ten.txt": "ten\n", "a.txt": None},
}
SECRET = next(secret for name, _, secret in credentials() if name == "GitHub classic")


def article(made: reports.Made, name: str) -> str:
    """The words of the task or gate with this name."""
    found = [one.to_text() for one in made.document.query("article") if name in one.query("h3")[0].to_text()]
    assert len(found) == 1, found
    return " ".join(found[0].split())


def cli(top: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "devs_git", *words]
    return subprocess.run(command, cwd=top, stdin=subprocess.DEVNULL, capture_output=True, check=False)


@pytest.mark.quick
def test_a_task_has_its_title_its_files_with_their_sums_and_its_patch(tasks: Tasks) -> None:
    made = reports.make(tasks(WORK).top)
    said = article(made, "task-10")
    assert "task-10 : task 10 completed" in said
    assert "2 files, 1 line added, 3 removed" in said
    assert "Patch from task-10@0 to task-10@1" in said
    assert "+ten" in said
    assert "-line 1" in said
    assert "nine" not in said
    assert (made.result.tasks, made.result.cut, made.result.ok) == (2, (), True)
    assert "Verified: " in made.text


def test_the_patch_of_an_undone_task_is_that_of_its_newest_checkpoint(tasks: Tasks) -> None:
    top = tasks(WORK).top
    rewind.run(Workspace.open(top), rewind.Request("task-9"))
    said = article(reports.make(top), "task-10")
    assert "task 10 rewound" in said
    assert "+ten" in said


def test_a_task_without_a_checkpoint_says_that_nothing_is_recorded(tasks: Tasks) -> None:
    top = tasks(WORK).top
    task_start.run(Workspace.open(top), task_start.Request("11", title="Just begun"))
    assert "nothing of its work is recorded" in article(reports.make(top), "Just begun")


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ({"task": "10"}, ["task-10"]),
        ({"contract": "main"}, ["task-9", "task-10"]),
        ({"range": "HEAD~1..HEAD"}, ["task-10"]),
    ],
    ids=["task", "contract", "range"],
)
def test_only_the_chosen_tasks_are_on_the_page(tasks: Tasks, how: dict[str, str], shown: list[str]) -> None:
    made = reports.make(tasks(WORK).top, **how)
    heads = [one.to_text().split(":")[0].strip() for one in made.document.query("section#tasks article h3")]
    assert heads == shown


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"task": "77"}, "TASK_NOT_FOUND"),
        ({"contract": "none"}, "CONTRACT_NOT_FOUND"),
        ({"range": "HEAD"}, "INVALID_ARGUMENTS"),
        ({"range": "nowhere..HEAD"}, "INVALID_ARGUMENTS"),
        ({"task": "9", "range": "HEAD~1..HEAD"}, "INVALID_ARGUMENTS"),
    ],
    ids=["task", "contract", "no range", "no commit", "two"],
)
def test_what_is_not_there_is_refused(tasks: Tasks, how: dict[str, str], code: str) -> None:
    with pytest.raises(DevsError) as refused:
        reports.make(tasks(WORK).top, **how)
    assert refused.value.code == code


@pytest.mark.quick
def test_a_rewind_and_its_undo_are_rows_of_the_timeline_with_the_way_back(tasks: Tasks) -> None:
    top = tasks(WORK).top
    rewind.run(Workspace.open(top), rewind.Request("task-9"))
    one = reports.make(top)
    assert "rewind to task-9" in one.text
    assert len(one.document.query("svg path.b")) == 1
    undo.run(Workspace.open(top), undo.Request())
    both = reports.make(top)
    struck = [row.to_text().strip() for row in both.document.query(".time .undone")]
    assert struck == ["rewind to task-9"]
    assert "undo of the rewind to task-9" in both.text
    assert len(both.document.query("svg path.b")) == 2


@pytest.mark.quick
def test_a_gate_says_who_decided_why_and_with_which_key(tasks: Tasks, tmp_path: Path) -> None:
    top = tasks(WORK).top
    key = gate_scene.make_key(tmp_path, "ada")
    ledgers.put_policy_in_force(
        Workspace.open(top), approvers=[{"principal": "ada@example.org", "key": key.public}]
    )
    asked = gate_scene.ask(Workspace.open(top), kind="MANUAL", task_id="task-10")
    assert "PENDING_APPROVAL" in article(reports.make(top), asked)
    request = gate_reject.Request(asked, reason="Not on a Friday.", sign=True, key=str(key.path))
    gate_reject.run(Workspace.open(top), request)
    said = article(reports.make(top, task="10"), asked)
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(key.path)], capture_output=True, text=True, check=True
    ).stdout.split()[1]
    for part in (
        "REJECTED",
        gate_scene.BLOCKER,
        "Not on a Friday.",
        "ada@example.org",
        printed,
        "It counts.",
    ):
        assert part in said
    assert "verify found nothing about it" in said


@pytest.mark.quick
def test_a_forged_decision_is_shown_as_one_that_does_not_count_with_its_finding(
    tasks: Tasks, tmp_path: Path
) -> None:
    top = tasks(WORK).top
    key = gate_scene.make_key(tmp_path, "ada")
    ledgers.put_policy_in_force(
        Workspace.open(top),
        approvers=[{"principal": "ada@example.org", "key": key.public}],
        approval={"minimum": "signed"},
    )
    asked = gate_scene.ask(Workspace.open(top), kind="MANUAL")
    forge(asked)
    made = reports.make(top)
    said = article(made, asked)
    assert "PENDING_APPROVAL" in said
    assert "It does not count. BAD_SIGNATURE" in said
    assert "Findings of verify about it: F1" in said
    assert not made.result.ok
    assert "NOT verified: 1 error" in made.text
    assert "BAD_SIGNATURE" in article(made, "F1")
    assert "Way out" in article(made, "F1")


def forge(gate_id: str) -> None:
    """Write an unsigned approval by hand."""
    from devs_git.storage.documents import yaml_documents

    tip = Workspace.open().ledger.tip()
    gate = gate_files.find(tip, gate_id)
    record: dict[str, Any] = {
        "gate_id": gate_id,
        "decision": "APPROVED",
        "resolution_reason": None,
        "reviewer_id": "ada@example.org",
        "resolved_at": "2001-02-03T04:05:06.789Z",
        "approval": "unsigned",
        "request": gate.request_oid,
        "tas_before": None,
        "tas_after": None,
        "nonce": "0" * 32,
    }
    data = yaml_documents.dump(record, "decision", comment="")
    attacker.by_hand(*attacker.decision_files(gate_id, data))


def test_what_looks_like_a_secret_is_masked_unless_somebody_asks_for_it(tasks: Tasks) -> None:
    top = tasks({"9": {"token.txt": f"token = {SECRET}\n"}}).top
    masked = reports.make(top, raw=False)
    assert SECRET.encode() not in masked.data
    assert b"[masked:" in masked.data
    assert "What looks like a secret is masked." in masked.text
    assert SECRET.encode() in reports.make(top).data


@pytest.mark.quick
def test_a_file_of_the_work_is_never_replaced_and_a_report_is(tasks: Tasks) -> None:
    top = tasks(WORK).top
    with pytest.raises(DevsError) as refused:
        reports.make(top, output=top / "nine.txt")
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "output")
    assert (top / "nine.txt").read_text() == "nine\n"
    for task in ("9", "10"):
        reports.make(top, output=top / "page.html", task=task)
    assert b"About</dt><dd><bdi>task-10" in (top / "page.html").read_bytes()
    assert not list(top.glob(".devs-report-*"))


def test_the_command_names_its_file_and_says_what_is_on_the_page(tasks: Tasks) -> None:
    top = tasks(WORK).top
    said = cli(top, "report", "--task", "10", "--raw", "--yes").stdout.decode()
    assert said.startswith("Wrote devs-git-report-task-10.html (")
    assert said.endswith(
        "): 1 task, 0 gates; verified (4 warnings).\n"
        "git does not ignore this file, so task complete --all would commit it.\n"
    )
    (top / ".git/info/exclude").write_text("*.html\n")
    ignored = cli(top, "report", "--task", "10", "--raw", "--yes").stdout.decode()
    outside = cli(top, "report", "-o", "../page.html", "--raw", "--yes").stdout.decode()
    assert (len(ignored.splitlines()), len(outside.splitlines())) == (1, 1)
    piped = cli(top, "report", "-o", "-", "--raw", "--yes")
    assert piped.stdout.startswith(b"<!DOCTYPE html>")
    assert piped.stderr.decode() == "2 tasks, 0 gates; verified (4 warnings).\n"
    refused = cli(top, "report", "-o", "-", "--json")
    assert b'"field": "output"' in refused.stdout


def test_while_a_gate_is_open_the_page_goes_to_standard_output_and_into_no_file(tasks: Tasks) -> None:
    top = tasks(WORK).top
    asked = gate_scene.ask(Workspace.open(top), kind="MANUAL")
    refused = cli(top, "report", "--raw", "--yes")
    assert b"GATE_BLOCKED" in refused.stderr
    assert not list(top.glob("*.html"))
    assert asked.encode() in cli(top, "report", "-o", "-", "--raw", "--yes").stdout
    gate_approve.run(Workspace.open(top), gate_approve.Request(asked, ask=gate_scene.yes))
    assert cli(top, "report", "--raw", "--yes").returncode == 0
