"""`trace ingest`, and every command that reads traces, takes in what the hooks have left."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import doctor, task_start, trace_get, trace_ingest, trace_list
from devs_git.domain.clients.claude import CLAUDE
from devs_git.entrypoints import router
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import EXAMPLES, after, call
from tests.support.gate_scene import ask

Run = Callable[..., str]


@pytest.fixture
def project(initialised: Path) -> Path:
    client_files.install(locate(initialised), initialised, CLAUDE)
    return initialised


@pytest.mark.quick
def test_what_a_hook_captured_is_listed_and_read_whole_with_its_task_and_payload(
    project: Path, git: Run
) -> None:
    router.call("task start", Workspace.open(), task_start.Request(task_id="10", title="Dates"))
    payload = {**EXAMPLES["claude-bash"]["payload"], "tool_response": {"stdout": "x" * 100_000, "stderr": ""}}
    call(project, payload)
    ask(Workspace.open(), kind="MANUAL")  # recording goes on while a gate is open
    rows = router.call("trace list", Workspace.open(), trace_list.Request()).traces
    assert [(row.task_id, row.tool_name, row.client, row.commit) for row in rows] == [
        ("task-10", "Bash", "claude", git("rev-parse", "HEAD"))
    ]
    found = router.call("trace get", Workspace.open(), trace_get.Request(rows[0].trace_id))
    assert found.fullOutput == "x" * 100_000
    found = router.call("trace get", Workspace.open(), trace_get.Request(rows[0].trace_id, payload=True))
    assert json.loads(found.fullOutput) == payload


@pytest.mark.quick
def test_by_hand_it_says_how_many_and_doctor_shows_what_cannot_be_read(project: Path) -> None:
    for number in range(3):
        call(project, after(number))
    call(project, b"no payload", event="PostToolUse")
    done = router.call("trace ingest", Workspace.open(), trace_ingest.Request())
    assert done == trace_ingest.Result(ingested=3, rejected=1)
    assert router.call("trace ingest", Workspace.open(), trace_ingest.Request()) == trace_ingest.Result(0, 0)
    codes = [finding.code for finding in doctor.run(Workspace.open(), doctor.Request()).findings]
    assert "SPOOL_REJECTED" in codes


@pytest.mark.parametrize("field", ["cwd", "transcript_path"])
def test_a_payload_that_names_no_possible_file_stops_nobody(project: Path, field: str) -> None:
    call(project, {**after(1), "transcript_path": str(project / "a"), field: f"{project}/\0"})
    for _ in range(2):
        assert len(router.call("trace list", Workspace.open(), trace_list.Request()).traces) == 1
        call(project, after(1))


def test_doctor_writes_out_what_a_file_name_would_do_to_a_terminal(project: Path) -> None:
    call(project, after())
    (project / ".git/devs/spool/\x1b[31m.claude.PostToolUse").write_bytes(b"x")
    router.call("trace ingest", Workspace.open(), trace_ingest.Request())
    found = doctor.run(Workspace.open(), doctor.Request()).findings
    said = next(one.message for one in found if one.code == "SPOOL_REJECTED")
    assert said.endswith("the first is \\x1b[31m.claude.PostToolUse.")


def test_it_leaves_no_event(project: Path, git: Run) -> None:
    call(project, after())
    tip = git("rev-parse", "refs/heads/devs/ledger")
    router.call("trace ingest", Workspace.open(), trace_ingest.Request())
    assert git("rev-parse", "refs/heads/devs/ledger") == tip


def test_on_a_full_disk_what_is_there_is_read_and_what_waits_stays(project: Path) -> None:
    call(project, after(1))
    router.call("trace ingest", Workspace.open(), trace_ingest.Request())
    call(project, after(2))
    there = sorted(Workspace.open().places.spool.iterdir())
    for words, status, said in (
        ("list", 0, "Bash"), ("search out", 0, "Bash"), ("list --json", 0, '"traces"'), ("ingest", 4, ""), ("put", 4, ""),
        ("prune --older-than 0d --yes", 4, ""),
    ):  # fmt: skip
        child = [
            "sh",
            "-c",
            'ulimit -f 0; exec "$@"',
            "sh",
            sys.executable,
            "-m",
            "devs_git",
            "trace",
            *words.split(),
        ]
        done = subprocess.run(child, cwd=project, capture_output=True, text=True, check=False, input="x")
        assert (done.returncode, said in done.stdout) == (status, True), done.stderr
        assert "cannot be written" in done.stderr
    assert sorted(Workspace.open().places.spool.iterdir()) == there
    assert len(router.call("trace list", Workspace.open(), trace_list.Request()).traces) == 2


def test_on_a_disk_that_was_full_from_the_beginning_nobody_is_told_of_an_older_devs_git(
    initialised: Path,
) -> None:
    for words in ("put", "get x", "search x"):
        child = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "devs_git", "trace"]
        done = subprocess.run(
            [*child, *words.split()], cwd=initialised, capture_output=True, text=True, check=False, input="x"
        )
        assert (done.returncode, "is the disk full" in done.stderr.lower()) == (4, True), done.stderr
    assert router.call("trace list", Workspace.open(initialised), trace_list.Request()).traces == ()
