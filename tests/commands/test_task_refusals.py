"""Bad input to tasks and checkpoints: a code, one line, and nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from devs_git.commands import task_complete, task_start
from devs_git.domain.ledger import ids
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

Run = Callable[..., str]
BAD_IDS = [
    "",
    "..",
    "a..b",
    "-10",
    "--all=1",
    "x" * 200,
    "a\nb",
    "a\x1b[0mb",
    "a b",
    "10.lock",
    "task-task-10",
    "refs/heads/x",
]


def refused(args: list[str]) -> DevsError:
    """The refusal of `devs-git args`, called in this process."""
    with pytest.raises(DevsError) as caught:
        cli.main(args, prog_name="devs-git", standalone_mode=False)
    return caught.value


def everything(repo: Path) -> dict[str, bytes]:
    """Every file of the repository, working tree and all of .git, lock files aside."""
    return {
        str(path.relative_to(repo)): path.read_bytes()
        for path in repo.rglob("*")
        if path.is_file() and path.name not in ("lock", "ledger.lock", "view.lock")
    }


@pytest.mark.quick(1)
@pytest.mark.parametrize("bad", BAD_IDS, ids=repr)
@pytest.mark.usefixtures("ledgered")
def test_a_bad_id_is_refused_by_every_verb_and_writes_nothing(bad: str, repo: Path) -> None:
    before = everything(repo)
    for verb in (["task", "start"], ["task", "complete"], ["task", "status"]):
        error = refused([*verb, "--", bad])
        assert (error.code, error.details["field"]) == ("INVALID_ARGUMENTS", "task_id")
        assert len(error.message.splitlines()) == 1
        assert error.message.isprintable()
    assert everything(repo) == before


def test_a_live_id_is_refused_and_writes_nothing(ledgered: Workspace, repo: Path) -> None:
    task_start.run(ledgered, task_start.Request("10"))
    task_complete.run(ledgered, task_complete.Request())
    before = everything(repo)
    for args in (
        ["task", "start", "10"],
        ["task", "complete", "10"],
        ["task", "complete", "--all", "task-10"],
    ):
        error = refused(args)
        assert (error.code, error.details["task_id"]) == ("TASK_EXISTS", "task-10")
    assert refused(["task", "complete", "11"]).code == "TASK_NOT_FOUND"
    assert refused(["checkpoint"]).code == "TASK_NOT_FOUND"
    assert everything(repo) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "two\nlines"), ("title", "x" * 201), ("title", "\x1b[31mred"), ("title", "\udcff"),
        ("agent", "wizard"), ("phase", "done"), ("contract", "a\0b"), ("client", "a\tb"), ("plan", "\udcff"),
        ("plan", "x" * 100_001),
    ],
)  # fmt: skip
def test_a_bad_value_names_its_field(field: str, value: str) -> None:
    with pytest.raises(DevsError) as caught:
        task_start.Request("10", **{field: value})
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", field)


@pytest.mark.parametrize("message", ["a\0b", "\udcff", "x" * 100_001], ids=["NUL", "bytes", "long"])
def test_a_bad_message_is_refused_before_anything_is_staged(message: str) -> None:
    with pytest.raises(DevsError) as caught:
        task_complete.Request(message=message)
    assert caught.value.details["field"] == "message"


def test_a_plan_is_text_or_a_file(ledgered: Workspace, repo: Path) -> None:
    (repo / "plan.md").write_text("First.\n\nThen: # not a comment\n")
    for args in (["task", "start", "10", "--plan", "@plan.md"], ["task", "status"]):
        cli.main(args, prog_name="devs-git", standalone_mode=False)
    folder = ids.task_folders("task-10")[1]
    name = ledgered.ledger.tip().names(folder)[0]
    stored = (ledgered.ledger.tip().read(f"{folder}/{name}") or b"").decode()
    assert "  First.\n\n  Then: # not a comment\n" in stored
    assert refused(["task", "start", "11", "--plan", "@missing.md"]).details["field"] == "plan"


def test_a_missing_id_is_a_usage_error() -> None:
    with pytest.raises(click.UsageError):
        cli.main(["task", "start"], prog_name="devs-git", standalone_mode=False)


def test_a_failing_commit_tells_gits_reason_as_json(ledgered: Workspace, repo: Path, git: Run) -> None:
    task_start.run(ledgered, task_start.Request("10"))
    git("config", "commit.gpgSign", "true")
    git("config", "gpg.program", "false")
    (repo / "new.txt").write_text("new\n")
    words = [sys.executable, "-m", "devs_git", "checkpoint", "--all", "-m", "signed", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"]) == (4, "CONFLICT")
    assert "gpg" in answer["message"]
    assert git("status", "--porcelain") == "?? new.txt"


@pytest.mark.quick
@pytest.mark.usefixtures("ledgered")
def test_an_id_whose_tag_a_plain_fetch_brought_is_taken_and_sync_is_named(git: Run) -> None:
    git("tag", "-a", "devs/task-20", "-m", "completed in another clone")
    error = refused(["task", "start", "20"])
    assert error.code == "TASK_EXISTS"
    assert "another clone" in error.message
    assert error.hint.endswith("devs-git sync")
    assert refused(["task", "status", "20"]).code == "TASK_NOT_FOUND"
