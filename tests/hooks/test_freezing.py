"""While a gate is open, the hooks refuse to commit and to push, and no move of the tree removes the gate."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import gate_request
from devs_git.domain.ledger.events import Draft
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace

Run = Callable[..., str]
ASKED = gate_request.Request(gate_type="MANUAL", blocker_description="May the old format go away?")


def asked() -> str:
    return gate_request.run(Workspace.open(), ASKED).gate_id


def decided(gate_id: str) -> None:
    """What hooks see of a decision in the ledger's tree."""
    workspace = Workspace.open()
    event = workspace.event(
        "gate.resolved", "gate: approved", ("Devs-Gate", gate_id), verb_name="gate approve"
    )
    workspace.append(lambda _tip: Draft(event, ((gate_files.marker_path(gate_id), None),)))


def attempt(*words: str, where: Path | None = None, **env: str) -> tuple[int, str]:
    """Exit status and standard error of `git words`."""
    done = subprocess.run(
        ["git", *words],
        cwd=where,
        env={**os.environ, "GIT_EDITOR": "true", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def refused(gate_id: str, *words: str, where: Path | None = None, **env: str) -> None:
    status, said = attempt(*words, where=where, **env)
    assert status != 0, words
    assert f"devs-git: GATE_BLOCKED: this repository is frozen, because gate {gate_id} waits" in said, said
    assert f"devs-git gate show {gate_id}" in said


@pytest.fixture
def work(initialised: Path, git: Run) -> Path:
    """A repository with something for each kind of work, and a `python` that says when a hook starts it."""
    git("checkout", "-qb", "side", "HEAD~2")
    (initialised / "side.txt").write_text("side\n")
    git("add", "side.txt")
    git("commit", "-qm", "side")
    git("format-patch", "-q", "-1", "-o", "..")
    git("checkout", "-q", "main")
    (initialised / "staged.txt").write_text("staged\n")
    git("add", "staged.txt")
    for hook in (initialised / ".git/hooks").iterdir():
        if f"{sys.executable} -P" in hook.read_text():
            hook.write_text(hook.read_text().replace(sys.executable, "echo PYTHON STARTED >&2; false"))
    return initialised


WORK = [
    ("commit", "-m", "x"),
    ("commit", "--no-verify", "-m", "x"),
    ("commit", "-a", "-m", "x"),
    ("commit", "-m", "x", "staged.txt"),
    ("commit", "--amend", "--no-edit"),
    ("merge", "--no-edit", "side"),
    ("merge", "--no-edit", "--no-verify", "side"),
    ("cherry-pick", "side"),
    ("revert", "--no-edit", "HEAD"),
    ("am", "../0001-side.patch"),
]


@pytest.mark.quick(1)
@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("words", WORK, ids=" ".join)
def test_work_is_refused_while_a_gate_is_open_and_goes_on_after_the_decision(
    words: tuple[str, ...], git: Run
) -> None:
    before = git("rev-parse", "HEAD")
    if words[0] != "commit":
        git("reset", "-q", "--hard")
    gate = asked()
    refused(gate, *words)
    assert git("rev-parse", "HEAD") == before
    if words[0] != "commit":
        attempt(words[0], "--abort")
        git("reset", "-q", "--hard")
    decided(gate)
    status, said = attempt(*words)
    assert status == 0, said
    assert "PYTHON" not in said
    assert git("rev-parse", "HEAD") != before
    tip = git("rev-parse", "refs/heads/devs/ledger")
    assert git("log", "-1", "--format=%(trailers:key=Devs-Ledger,valueonly)") == tip


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("backend", ["--merge", "--apply"])
@pytest.mark.parametrize("check", ["--no-verify", "--verify"])
def test_a_rebase_is_refused(backend: str, check: str, git: Run) -> None:
    git("reset", "-q", "--hard")
    gate = asked()
    before = git("rev-parse", "main")
    refused(gate, "rebase", backend, check, "side")
    attempt("rebase", "--abort")
    assert git("rev-parse", "main") == before
    decided(gate)
    status, said = attempt("rebase", backend, check, "side")
    assert status == 0, said
    assert git("rev-parse", "main") != before


@pytest.mark.parametrize("opened", ["before", "in the middle"])
def test_patches_are_not_gone_on_with(opened: str, work: Path, git: Run) -> None:
    """`am --continue` asks no hook that sees a message: it would commit what the refused `am` left to be resolved."""
    git("reset", "-q", "--hard")
    if opened == "in the middle":
        (work / "side.txt").write_text("in the way\n")
        assert attempt("am", "../0001-side.patch")[0] == 128
        (work / "side.txt").unlink()
    gate_id = asked()
    if opened == "before":
        refused(gate_id, "am", "../0001-side.patch")
    before = git("rev-parse", "HEAD")
    git("apply", "--index", "../0001-side.patch")
    refused(gate_id, "am", "--continue")
    assert git("rev-parse", "HEAD") == before
    decided(gate_id)
    assert attempt("am", "--continue")[0] == 0
    assert git("log", "-1", "--format=%s") == "side"


@pytest.mark.usefixtures("work")
def test_a_push_carries_only_the_ledger_and_checkpoints_while_frozen(git: Run, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git("init", "-q", "--bare", str(remote))
    git("remote", "add", "origin", str(remote))
    for ref in ("refs/devs/checkpoints/task-1/1", "refs/tags/devs/task-1", "refs/tags/v1"):
        git("update-ref", ref, "HEAD")
    gate = asked()
    ours = ("refs/heads/devs/ledger", "refs/devs/checkpoints/task-1/1", "refs/tags/devs/task-1")
    git("push", "-q", "origin", *ours)
    refused(gate, "push", "-q", "origin", "main")
    refused(gate, "push", "-q", "origin", "refs/tags/v1")
    refused(gate, "push", "-q", "origin", *ours, "side")
    refused(gate, "push", "-q", "origin", ":refs/heads/devs/ledger")
    refused(gate, "push", "-q", "origin", "HEAD^{/c2| x refs/devs/a}:refs/heads/main")
    git("push", "-q", "origin", ":refs/tags/devs/task-1")
    assert sorted(git("for-each-ref", "--format=%(refname)", where=remote).split()) == sorted(ours[:2])
    decided(gate)
    git("push", "-q", "origin", "main", "refs/tags/v1")


@pytest.mark.usefixtures("work")
def test_the_gate_opens_while_the_editor_is_up(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        f'#!/bin/sh\necho written >"$1"\n{sys.executable} -P -m devs_git gate request --type MANUAL '
        f'--blocker "May the old format go away?"\n'
    )
    editor.chmod(0o755)
    status, said = attempt("commit", GIT_EDITOR=str(editor))
    (gate,) = Workspace.open().ledger.open_gates()
    assert status != 0
    assert f"gate {gate} waits" in said


def test_every_hook_works_in_a_linked_worktree_and_from_a_subfolder(
    work: Path, git: Run, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    git("worktree", "add", "-q", "-b", "more", str(second), "side")
    (second / "sub").mkdir()
    (second / "sub/new.txt").write_text("new\n")
    git("add", ".", where=second)
    git("remote", "add", "origin", str(work))
    gate = asked()
    for where in (second, second / "sub"):
        refused(gate, "commit", "-m", "x", where=where)
        refused(gate, "commit", "-nm", "x", where=where)
        refused(gate, "commit", "-m", "x", "--", str(second / "sub/new.txt"), where=where)
        refused(gate, "push", "-q", "origin", "HEAD:refs/heads/other", where=where)
    git("reset", "-q", "--hard", where=second)
    refused(gate, "merge", "--no-edit", "main", where=second)
    git("merge", "--abort", where=second)
    refused(gate, "rebase", "main", where=second)
    (work / "deep").mkdir()
    refused(gate, "commit", "-m", "x", where=work / "deep")
    words = (f"--git-dir={work}/.git", f"--work-tree={work}", "commit", "-m", "x")
    refused(gate, *words, where=tmp_path)
    refused(gate, "commit", "-m", "x", where=tmp_path, GIT_DIR=f"{work}/.git", GIT_WORK_TREE=str(work))
    decided(gate)
    assert attempt("merge", "--no-edit", "main", where=second)[0] == 0
    assert attempt(*words, where=tmp_path)[0] == 0


@pytest.mark.usefixtures("work")
def test_without_a_ledger_work_is_refused_with_the_reason(git: Run) -> None:
    git("update-ref", "-d", "refs/heads/devs/ledger")
    for words in (("commit", "-m", "x"), ("commit", "-nm", "x"), ("rebase", "--autostash", "side")):
        status, said = attempt(*words)
        assert status != 0
        assert "LEDGER_MISSING: this repository is frozen, because its ledger" in said
        assert "devs-git doctor" in said


def test_a_tag_or_a_file_of_the_ledgers_short_name_unfreezes_nothing(work: Path, git: Run) -> None:
    gate = asked()
    earlier = git("rev-parse", "refs/heads/devs/ledger~1")
    for ref in ("refs/tags/devs/ledger", "refs/devs/ledger", "refs/heads/refs/heads/devs/ledger"):
        git("update-ref", ref, earlier)
    (work / ".git/devs").joinpath("ledger").write_text(f"{earlier}\n")
    refused(gate, "commit", "-m", "x")
    git("replace", "refs/heads/devs/ledger^{commit}", earlier)
    refused(gate, "commit", "-m", "x")


def test_an_empty_folder_of_open_gates_freezes_nothing(work: Path, git: Run) -> None:
    empty = git("mktree", stdin="")
    whole = git("ls-tree", "refs/heads/devs/ledger")
    tree = git("mktree", stdin=f"{whole}\n040000 tree {empty}\topen\n")
    git("update-ref", "refs/heads/devs/ledger", git("commit-tree", "-m", "x", tree))
    (work / ".git/devs/checked-tip").write_text(git("rev-parse", "refs/heads/devs/ledger"))
    assert attempt("commit", "-m", "x") == (0, "")


LOSING = {
    "reset --hard": "git reset -q --hard HEAD~1",
    "a branch switch": "git switch -q --discard-changes side",
    "an orphan branch": "git switch -q --orphan empty",
    "stash": "git stash -q -u && git stash drop -q",
    "clean": "git clean -qffdx",
    "the view deleted": "chmod -R u+w .devs; rm -rf .devs",
    "the view and the registers of ours deleted": "chmod -R u+w .devs; rm -rf .devs .git/devs",
    "checkout of an older commit": "git checkout -q -f HEAD~2",
}


@pytest.mark.parametrize("how", LOSING)
def test_the_gate_outlives(how: str, work: Path, git: Run) -> None:
    gate = asked()
    subprocess.run(["sh", "-ec", LOSING[how]], cwd=work, check=True)
    (work / "again.txt").write_text("again\n")
    git("add", "again.txt")
    refused(gate, "commit", "-m", "x")
    refused(gate, "commit", "--no-verify", "-m", "x")
    assert Workspace.open().ledger.open_gates() == (gate,)


@pytest.mark.usefixtures("work")
def test_the_gate_holds_in_every_worktree_of_the_repository(git: Run, tmp_path: Path) -> None:
    older = tmp_path / "older"
    git("worktree", "add", "-q", str(older))
    gate = asked()
    newer = tmp_path / "newer"
    git("worktree", "add", "-q", str(newer))
    for where in (older, newer):
        refused(gate, "commit", "--allow-empty", "-m", "x", where=where)
        refused(gate, "commit", "--allow-empty", "-nm", "x", where=where)
    git("worktree", "remove", "--force", str(older))
    refused(gate, "commit", "-m", "x")


@pytest.mark.usefixtures("work")
def test_what_loses_nothing_goes_on_while_frozen(git: Run) -> None:
    asked()
    git("stash", "-q")
    git("stash", "pop", "-q")
    git("branch", "new", "side")
    git("switch", "-q", "new")
    git("fetch", "-q", ".", "main")
    git("tag", "v2")
    git("gc", "-q")
    assert git("symbolic-ref", "--short", "HEAD") == "new"
    assert git("stash", "list") == ""
