"""Each installed hook is run by itself, so that no other hook can do its work."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import init, task_start
from devs_git.domain.ledger.history import Checkpoint
from devs_git.entrypoints import router
from devs_git.storage.hooks import installation
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support.gate_scene import NEW, TAS, ask, commit

pytestmark = pytest.mark.quick
Run = Callable[..., str]
NONE = "0" * 40
# With which arguments and input git calls them.
FREEZING = {
    "applypatch-msg": (("message",), ""),
    "commit-msg": (("message",), ""),
    "pre-applypatch": ((), ""),
    "pre-commit": ((), ""),
    "pre-merge-commit": ((), ""),
    "pre-push": (("origin", "../origin.git"), f"refs/heads/main {{new}} refs/heads/main {NONE}\n"),
    "pre-rebase": (("main",), ""),
    "prepare-commit-msg": (("message", "message"), ""),
    "reference-transaction": (("prepared",), f"{NONE} {{new}} refs/heads/made\n"),
}
RECORDING = ("post-commit", "post-merge", "post-rewrite")


@pytest.fixture
def top(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with all our hooks, the strict one, too, and task-10 active."""

    def make() -> None:
        request.getfixturevalue("initialised")
        commit(Path(), {"TAS.md": TAS})
        router.call("init", Workspace.open(), init.Request(strict=True))
        router.call("task start", Workspace.open(), task_start.Request("10", title="Parse dates"))

    return moulded("every hook", make)


def hook(top: Path, name: str, *words: str, given: str = "") -> tuple[int, str]:
    """The exit status and standard error of a hook."""
    program = str(top / ".git/hooks" / name)
    done = subprocess.run(
        [program, *words], cwd=top, input=given, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def points(top: Path) -> list[Checkpoint]:
    return [*Workspace.open(top).ledger.tip().history.live()]


def test_every_hook_that_is_installed_is_tested_here() -> None:
    assert {*FREEZING, *RECORDING} == set(installation.hook_sources(strict=True))


@pytest.mark.parametrize("name", FREEZING)
def test_it_refuses_while_a_gate_is_open_and_not_before(name: str, top: Path, git: Run) -> None:
    words, given = FREEZING[name]
    (top / "message").write_text("A message\n")
    given = given.format(new=git("commit-tree", "-m", "new", "HEAD^{tree}"))
    assert hook(top, name, *words, given=given) == (0, "")
    (top / "message").write_text("A message\n")
    gate = ask(Workspace.open(), kind="MANUAL")
    status, said = hook(top, name, *words, given=given)
    assert status != 0
    assert f"GATE_BLOCKED: this repository is frozen, because gate {gate} waits" in said, said


@pytest.mark.parametrize("name", FREEZING)
def test_it_refuses_where_the_ledger_is_gone(name: str, top: Path, git: Run) -> None:
    words, given = FREEZING[name]
    (top / "message").write_text("A message\n")
    given = given.format(new=git("commit-tree", "-m", "new", "HEAD^{tree}"))
    (top / ".git/hooks/reference-transaction").rename(top / "aside")
    git("update-ref", "-d", "refs/heads/devs/ledger")
    (top / "aside").rename(top / ".git/hooks/reference-transaction")
    status, said = hook(top, name, *words, given=given)
    assert status != 0
    assert "LEDGER_MISSING: this repository is frozen" in said, said


@pytest.mark.parametrize("name", ["applypatch-msg", "commit-msg", "prepare-commit-msg"])
def test_it_puts_the_ledger_and_the_task_into_the_message(name: str, top: Path, git: Run) -> None:
    (top / "message").write_text("A message\n")
    assert hook(top, name, *FREEZING[name][0]) == (0, "")
    tip = git("rev-parse", "refs/heads/devs/ledger")
    assert f"\nDevs-Ledger: {tip}\n" in (top / "message").read_text()
    assert "\nDevs-Task: task-10\n" in (top / "message").read_text()


def test_pre_commit_refuses_a_tas_that_nobody_approved(top: Path, git: Run) -> None:
    (top / "TAS.md").write_text(NEW)
    git("add", "TAS.md")
    status, said = hook(top, "pre-commit")
    assert (status != 0, "TAS_UNAPPROVED" in said) == (True, True), said


def test_pre_push_lets_the_ledger_and_checkpoints_go_while_a_gate_is_open(top: Path, git: Run) -> None:
    ask(Workspace.open(), kind="MANUAL")
    tip = git("rev-parse", "refs/heads/devs/ledger")
    refs = ("refs/heads/devs/ledger", "refs/devs/checkpoints/task-10/1", "refs/tags/devs/task-10")
    given = "".join(f"{ref} {tip} {ref} {NONE}\n" for ref in refs)
    assert hook(top, "pre-push", "origin", "../origin.git", given=given) == (0, "")


def test_pre_push_does_not_let_the_ledger_be_deleted_while_a_gate_is_open(top: Path) -> None:
    ask(Workspace.open(), kind="MANUAL")
    given = f"(delete) {NONE} refs/heads/devs/ledger {'1' * 40}\n"
    status, said = hook(top, "pre-push", "origin", "../origin.git", given=given)
    assert (status != 0, "GATE_BLOCKED" in said) == (True, True), said


def test_the_strict_hook_refuses_that_the_ledger_is_deleted_or_goes_back(top: Path, git: Run) -> None:
    tip, before = git("rev-parse", "refs/heads/devs/ledger", "refs/heads/devs/ledger~1").split()
    for new, code in ((NONE, "LEDGER_MISSING"), (before, "LEDGER_ROLLBACK")):
        given = f"{tip} {new} refs/heads/devs/ledger\n"
        status, said = hook(top, "reference-transaction", "prepared", given=given)
        assert (status != 0, f"devs-git: {code}: " in said) == (True, True), said


def test_post_commit_and_post_merge_record_a_checkpoint(top: Path, git: Run) -> None:
    quiet = ("-c", "core.hooksPath=/dev/null")
    for name, words in (
        ("post-commit", ("commit", "-q", "--allow-empty", "-m", "one")),
        ("post-merge", ("merge", "-q", "--no-ff", "--no-edit", "side")),
    ):
        git(*quiet, "branch", "-f", "side", git("commit-tree", "-p", "HEAD", "-m", "side", "HEAD^{tree}"))
        before = len(points(top))
        git(*quiet, *words)
        assert hook(top, name) == (0, "")
        assert [point.commit for point in points(top)[before:]] == [git("rev-parse", "HEAD")]


def test_post_rewrite_lets_a_checkpoint_follow_its_commit(top: Path, git: Run) -> None:
    git("commit", "-q", "--allow-empty", "-m", "one")
    old = git("rev-parse", "HEAD")
    assert [point.commit for point in points(top)] == [old]
    git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "--allow-empty", "-m", "better")
    new = git("rev-parse", "HEAD")
    assert hook(top, "post-rewrite", "amend", given=f"{old} {new}\n") == (0, "")
    assert [point.commit for point in points(top)] == [new]


def test_a_hook_that_stood_there_before_is_called_first_and_can_refuse(top: Path) -> None:
    for name, (words, _) in FREEZING.items():
        other = top / ".git/hooks" / f"{name}.before-devs"
        other.write_text("#!/bin/sh\necho not me >&2\nexit 1\n")
        other.chmod(0o755)
        status, said = hook(top, name, *words)
        assert (status, said) == (1, "not me\n"), name
