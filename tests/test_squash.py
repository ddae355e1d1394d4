"""The worked example of docs/ci.md: what `verify` says of a squash commit, by the message that a forge gives it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.domain.audit.commit_kinds import KINDS
from devs_git.workspace import Workspace
from tests.support.attacker import commit as past_the_hooks
from tests.support.gate_scene import approve, ask
from tests.support.ledgers import put_policy_in_force
from tests.test_ci_page import TOP

pytestmark = pytest.mark.quick

Run = Callable[..., str]
PAGE = (TOP / "docs/ci.md").read_text(encoding="utf-8")


def judged(span: str) -> tuple[bool, dict[str, int]]:
    """Whether `verify` is content, and the kinds that it counts."""
    found = verify.run(Workspace.open(), verify.Request(range=span))
    return found.ok, {kind: number for kind, number in found.commits.items() if number}


@pytest.fixture
def pull_request(initialised: Path, git: Run) -> Path:
    """A branch with three commits that were made with the hooks; HEAD is on main."""
    return branched(initialised, git)


def branched(top: Path, git: Run) -> Path:
    git("checkout", "-qb", "topic")
    for number in range(3):
        (top / f"{number}.txt").write_text("x\n")
        git("add", "-A")
        git("commit", "-qm", f"Step {number}")
    git("checkout", "-q", "main")
    return top


def squashed(git: Run, message: str) -> None:
    """One commit on main with all that the branch changed, made without our hooks."""
    git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--squash", "topic")
    past_the_hooks(message=message)


def details(git: Run, *commits: str) -> str:
    """What GitHub writes of several commits."""
    return "\n\n".join(f"* {git('log', '-1', '--format=%B', commit)}" for commit in commits)


@pytest.mark.parametrize("severity", ["warning", "error"])
def test_the_commits_of_the_pull_request_are_bound(severity: str, initialised: Path, git: Run) -> None:
    put_policy_in_force(Workspace.open(initialised), verify={"unbound_commit": severity})
    branched(initialised, git)
    assert judged("main..topic") == (True, {"bound": 3})
    squashed(git, "Three steps (#12)\n\nThey belong together.")
    git("checkout", "-qb", "next", "main")
    git("commit", "-q", "--allow-empty", "-m", "work")
    assert judged("main..next") == (True, {"bound": 1})
    assert judged("main~1..main") == (severity == "warning", {"unbound": 1})


@pytest.mark.usefixtures("pull_request")
@pytest.mark.parametrize("form", ["one", "several", "authors", "title"])
def test_a_squash_commit_is_bound_as_the_page_says(form: str, git: Run) -> None:
    names = ("topic~2", "topic~1", "topic")
    messages = {
        "one": git("log", "-1", "--format=%B", "topic").replace("Step 2", "Step 2 (#12)", 1),
        "several": f"Three steps (#12)\n\n{details(git, *names)}",
        "authors": f"Three steps (#12)\n\n{details(git, *names)}\n\n---------\n\nCo-authored-by: B <b@c.d>",
        "title": "Three steps (#12)",
    }
    squashed(git, messages[form])
    kind = {"one": "bound", "several": "bound", "authors": "unbound", "title": "unbound"}[form]
    assert judged("main~1..main") == (True, {kind: 1})


def test_a_step_stops_the_button_while_a_gate_is_open(pull_request: Path) -> None:
    step = re.search(r"run: (test -z .*)", PAGE)
    assert step

    def status() -> int:
        return subprocess.run(["bash", "-ec", step[1]], cwd=pull_request, check=False).returncode

    assert status() == 0
    gate = ask(Workspace.open(pull_request), kind="MANUAL")
    assert status() == 1
    approve(Workspace.open(pull_request), gate)
    assert status() == 0


def test_the_page_names_every_kind_and_every_setting() -> None:
    for kind, words in KINDS.items():
        assert f"| `{kind}` | {words} |" in PAGE
    for setting in ("warning", "error", "ignore"):
        assert f"`verify: {{unbound_commit: {setting}}}`" in PAGE
