"""The commands that read, in a clone whose ledger a plain `git fetch` brought, as in CI: nobody ran `init` there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import task_complete, task_start
from devs_git.workspace import Workspace
from tests.support.own_calls import devs_git

Run = Callable[..., str]
REFS = (
    "refs/heads/devs/ledger:refs/heads/devs/ledger",
    "refs/devs/checkpoints/*:refs/devs/checkpoints/*",
    "refs/tags/devs/task-*:refs/tags/devs/task-*",
)


@pytest.fixture
def fetched(ledgered: Workspace, repo: Path, git: Run, tmp_path: Path) -> Path:
    """A fresh clone of a repository with one completed task, in which no command of devs-git ran yet."""
    task_start.run(ledgered, task_start.Request("1"))
    (repo / "dates.py").write_text("one\n")
    task_complete.run(ledgered, task_complete.Request("1", "done", everything=True))
    there = tmp_path / "fetched"
    git("clone", "-q", str(repo), str(there), where=tmp_path)
    git("fetch", "-q", "origin", *REFS, where=there)
    assert not (there / ".git" / "devs").exists()
    return there


@pytest.mark.quick
@pytest.mark.parametrize(
    "words",
    [
        "show task-1",
        "history",
        "trace list",
        "trace search one",
        "why dates.py:1",
        "contract show main",
        "log",
    ],
)
def test_a_command_that_reads_answers_as_the_first_one_in_the_clone(words: str, fetched: Path) -> None:
    assert json.loads(devs_git(*words.split(), "--json", where=fetched))


def test_a_trace_that_is_not_there_is_said_to_be_unknown(fetched: Path) -> None:
    devs_git("trace", "get", "0123456789abcdef", where=fetched, status=3)


def asked(fetched: Path, status: int) -> tuple[list[str], bool]:
    """The codes of what `doctor` finds, but for the policy, which the repository does not track; and whether it has the note."""
    told = json.loads(devs_git("doctor", "--json", where=fetched, status=status))
    codes = [one["code"] for one in told["findings"] if one["code"] != "POLICY_UNTRACKED"]
    return codes, any("hooks are not installed" in note for note in told["notes"])


@pytest.mark.quick
def test_doctor_asks_for_no_hooks_in_a_clone_of_ci(fetched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert asked(fetched, status=0) == ([], True)


@pytest.mark.parametrize("value", ["", "false"])
def test_doctor_asks_for_hooks_in_a_clone_of_a_person(
    value: str, fetched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", value)
    assert asked(fetched, status=1) == (["HOOK_MISSING", "EXCLUDE_MISSING"], False)


def test_doctor_asks_for_hooks_in_ci_where_init_ran(fetched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    devs_git("init", where=fetched)
    (fetched / ".git" / "hooks" / "post-commit").unlink()
    assert asked(fetched, status=1) == (["HOOK_MISSING"], False)
