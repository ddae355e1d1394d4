"""An approved TAS lands on the branch that was named, in one transaction with the decision; files and index follow."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_show
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.gate_scene import CHANGES, NEW, TAS, ask, commit, decision, in_force

Run = Callable[..., str]
Approve = gate_approve.Request


def yes(_text: str) -> None:
    """A person who answers y."""


def approve(workspace: Workspace, gate_id: str, answer: Callable[[str], None] = yes) -> gate_approve.Result:
    return gate_approve.run(Workspace.open(workspace.top), Approve(gate_id, ask=answer))


def refused(workspace: Workspace, gate_id: str, answer: Callable[[str], None] = yes) -> str:
    """The code of the refusal, after which nothing is decided and no commit was made."""
    heads = workspace.git.text("for-each-ref", "refs/heads", "--format=%(refname) %(objectname)")
    with pytest.raises(DevsError) as caught:
        approve(workspace, gate_id, answer)
    assert gate_id in workspace.ledger.open_gates()
    assert caught.value.code != "CONFLICT" or "TAS.md" in caught.value.details["paths"]
    after = workspace.git.text("for-each-ref", "refs/heads", "--format=%(refname) %(objectname)")
    if "reason" not in caught.value.details and answer is yes:
        assert after == heads
    return caught.value.code


@pytest.fixture
def asked(ledgered: Workspace) -> tuple[Workspace, str]:
    """A TAS, and a gate that would change it."""
    commit(ledgered.top, {"TAS.md": TAS})
    return ledgered, ask(ledgered, text=NEW)


@pytest.mark.quick
def test_approving_makes_one_commit_and_files_and_index_follow(
    asked: tuple[Workspace, str], git: Run
) -> None:
    workspace, gate_id = asked
    before, ledger = git("rev-parse", "HEAD"), workspace.ledger.tip().oid
    (workspace.top / "a.txt").write_text("local work\n")
    (workspace.top / "f1.txt").write_text("staged work\n")
    git("add", "f1.txt")
    done = approve(workspace, gate_id)
    assert (done.commit, done.branch) == (git("rev-parse", "HEAD"), "main")
    assert git("rev-parse", "HEAD^") == before
    assert git("diff", "--name-only", "HEAD^", "HEAD") == "TAS.md"
    assert (workspace.top / "TAS.md").read_text() == NEW
    # The fixture strips the space at the beginning of the first line.
    assert git("status", "--porcelain") == "M a.txt\nM  f1.txt"
    trailers = git("log", "-1", "--format=%(trailers:only)").splitlines()
    assert trailers == [f"Gate-Id: {gate_id}", f"Devs-Ledger: {ledger}"]
    event = next(workspace.ledger.events())
    assert (event.get("Devs-Commit"), event.get("Devs-From")) == (done.commit, before)
    assert workspace.git.text("rev-parse", f"refs/devs/backup/{event.get('Devs-Op')}^{{commit}}")
    assert decision(workspace, gate_id)["tas_after"] == git("rev-parse", "HEAD:TAS.md")


def test_a_tas_that_was_not_there_comes_into_being(ledgered: Workspace, git: Run) -> None:
    in_force(ledgered, tas={"path": "docs/deep/TAS.md"})
    gate_id = ask(ledgered, text=NEW)
    approve(ledgered, gate_id)
    assert (ledgered.top / "docs" / "deep" / "TAS.md").read_text() == NEW
    assert git("status", "--porcelain") == ""


def test_an_untracked_file_in_the_way_is_not_overwritten(ledgered: Workspace) -> None:
    gate_id = ask(ledgered, text=NEW)
    (ledgered.top / "TAS.md").write_text("mine\n")
    assert refused(ledgered, gate_id) == "CONFLICT"
    assert (ledgered.top / "TAS.md").read_text() == "mine\n"


def test_bytes_land_as_they_were_proposed_and_the_mode_stays(ledgered: Workspace, git: Run) -> None:
    commit(ledgered.top, {"TAS.md": "a\r\n"})
    (ledgered.top / "TAS.md").chmod(0o755)
    git("commit", "-qam", "mode")
    text = "# TAS \r\n\r\nü\tx"
    approve(ledgered, ask(ledgered, text=text))
    assert (ledgered.top / "TAS.md").read_bytes() == text.encode()
    assert git("ls-tree", "HEAD", "TAS.md").split()[0] == "100755"


def test_where_another_worktree_has_the_branch_its_file_and_index_follow(
    asked: tuple[Workspace, str], git: Run, tmp_path: Path
) -> None:
    workspace, gate_id = asked
    git("checkout", "-qb", "elsewhere")
    git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    head = git("rev-parse", "HEAD")
    done = approve(workspace, gate_id)
    assert (tmp_path / "linked" / "TAS.md").read_text() == NEW
    assert git("status", "--porcelain", where=tmp_path / "linked") == ""
    assert git("rev-parse", "HEAD", where=tmp_path / "linked") == done.commit
    assert (git("rev-parse", "HEAD"), git("status", "--porcelain")) == (head, "")
    assert (workspace.top / "TAS.md").read_text() == TAS


def test_a_callers_index_does_not_reach_another_worktree(
    asked: tuple[Workspace, str], git: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, gate_id = asked
    git("checkout", "-qb", "elsewhere")
    git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    monkeypatch.setenv("GIT_INDEX_FILE", str(workspace.places.git_dir / "index"))
    approve(workspace, gate_id)
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert git("status", "--porcelain", where=tmp_path / "linked") == ""
    assert git("status", "--porcelain") == ""


@pytest.mark.quick
def test_a_branch_that_no_worktree_has_is_moved_without_files(asked: tuple[Workspace, str], git: Run) -> None:
    workspace, gate_id = asked
    git("checkout", "-qb", "elsewhere")
    done = approve(workspace, gate_id)
    assert git("rev-parse", "main") == done.commit
    assert git("show", "main:TAS.md") == NEW.strip()
    assert (workspace.top / "TAS.md").read_text() == TAS
    assert git("status", "--porcelain") == ""


@pytest.mark.parametrize("where", ["here", "on a branch that no worktree has"])
def test_a_tas_that_changed_since_makes_the_request_stale(
    where: str, asked: tuple[Workspace, str], git: Run
) -> None:
    workspace, gate_id = asked
    commit(workspace.top, {"TAS.md": TAS + "more\n"})
    if where != "here":
        git("checkout", "-qb", "elsewhere", "HEAD^")
    assert refused(workspace, gate_id) == "STALE_REQUEST"


def test_other_commits_on_the_branch_do_not_make_it_stale(asked: tuple[Workspace, str], git: Run) -> None:
    workspace, gate_id = asked
    commit(workspace.top, {"a.txt": "more\n"})
    approve(workspace, gate_id)
    assert git("show", "HEAD:TAS.md") == NEW.strip()


def test_a_branch_that_is_gone_makes_it_stale(asked: tuple[Workspace, str], git: Run) -> None:
    workspace, gate_id = asked
    git("checkout", "-qb", "elsewhere")
    git("branch", "-qD", "main")
    assert refused(workspace, gate_id) == "STALE_REQUEST"


def test_a_link_in_place_of_the_tas_makes_it_stale(asked: tuple[Workspace, str], git: Run) -> None:
    workspace, gate_id = asked
    (workspace.top / "TAS.md").unlink()
    (workspace.top / "TAS.md").symlink_to("a.txt")
    git("commit", "-qam", "link")
    assert refused(workspace, gate_id) == "STALE_REQUEST"


@pytest.mark.parametrize("where", ["here", "on a branch that no worktree has"])
def test_a_tas_that_changes_while_the_person_thinks_makes_it_stale(
    where: str, asked: tuple[Workspace, str], git: Run
) -> None:
    workspace, gate_id = asked

    def slowly(_text: str) -> None:
        commit(workspace.top, {"TAS.md": TAS + "more\n"})
        if where != "here":
            git("checkout", "-qb", "elsewhere", "HEAD^")

    assert refused(workspace, gate_id, slowly) == "STALE_REQUEST"
    assert git("log", "-1", "--format=%s", "main") == "files"


@pytest.mark.parametrize("how", ["edited", "staged", "deleted", "unreadable mode"])
def test_a_dirty_tas_is_refused_wherever_the_branch_is(
    how: str, asked: tuple[Workspace, str], git: Run, tmp_path: Path
) -> None:
    workspace, gate_id = asked
    for top in (workspace.top, tmp_path / "linked"):
        if top != workspace.top:
            git("checkout", "-q", "--", "TAS.md") if how != "staged" else git("reset", "-q", "--hard")
            git("checkout", "-qb", "elsewhere")
            git("worktree", "add", "-q", str(top), "main")
        file = top / "TAS.md"
        if how == "deleted":
            file.unlink()
        elif how == "unreadable mode":
            file.chmod(0o755)
        else:
            file.write_text("edited\n")
        if how == "staged":
            git("add", "TAS.md", where=top)
        assert refused(workspace, gate_id) == "CONFLICT"
        assert not file.exists() or file.read_text() in ("edited\n", TAS)
        git("checkout", "-q", "HEAD", "--", "TAS.md", where=top)


def test_what_cannot_land_is_told_before_anybody_is_asked_or_a_terminal_is_missed(
    asked: tuple[Workspace, str],
) -> None:
    workspace, gate_id = asked
    heard: list[str] = []
    (workspace.top / "TAS.md").write_text("edited\n")
    assert refused(workspace, gate_id, heard.append) == "CONFLICT"
    with pytest.raises(DevsError) as caught:
        gate_approve.run(workspace, Approve(gate_id))
    assert caught.value.code == "CONFLICT"
    commit(workspace.top, {"TAS.md": "edited\n"})
    assert refused(workspace, gate_id, heard.append) == "STALE_REQUEST"
    with pytest.raises(DevsError) as caught:
        gate_approve.run(workspace, Approve(gate_id))
    assert (caught.value.code, heard) == ("STALE_REQUEST", [])


def test_a_branch_under_rebase_is_not_moved(asked: tuple[Workspace, str], git: Run) -> None:
    workspace, gate_id = asked
    commit(workspace.top, {"a.txt": "conflict\n"})
    git("checkout", "-qb", "other", "HEAD^")
    commit(workspace.top, {"a.txt": "other\n"})
    git("checkout", "-q", "main")
    subprocess.run(["git", "rebase", "-q", "other"], cwd=workspace.top, capture_output=True, check=False)
    assert refused(workspace, gate_id) == "CONFLICT"


def test_a_ref_that_cannot_move_leaves_neither_decision_nor_commit(
    asked: tuple[Workspace, str], git: Run
) -> None:
    workspace, gate_id = asked
    head = git("rev-parse", "HEAD")
    hook = workspace.places.common / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] || exit 0\n! grep -q refs/heads/main\n')
    hook.chmod(0o755)
    assert refused(workspace, gate_id) == "CONFLICT"
    assert (git("rev-parse", "HEAD"), git("status", "--porcelain")) == (head, "")
    assert (workspace.top / "TAS.md").read_text() == TAS


def test_a_text_that_is_there_already_is_decided_without_a_commit(ledgered: Workspace, git: Run) -> None:
    head = commit(ledgered.top, {"TAS.md": TAS})
    assert approve(ledgered, ask(ledgered, text=TAS)).commit == ""
    assert git("rev-parse", "HEAD") == head


def test_the_rationale_forges_no_trailer(ledgered: Workspace, git: Run) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    changes: dict[str, Any] = {
        **CHANGES,
        "rationale": "Because it is needed.\n\nDevs-Task: task-1",
        "proposed_text": NEW,
    }
    gate_id = ask(ledgered, proposed_changes=changes)
    approve(ledgered, gate_id)
    assert git("log", "-1", "--format=%(trailers:key=Devs-Task)") == ""
    assert git("log", "-1", "--format=%(trailers:key=Gate-Id,valueonly)") == gate_id


def test_a_proposal_that_changes_more_than_it_names_says_so(ledgered: Workspace) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    gate_id = ask(ledgered, text=NEW.replace("\nx\n", "\ny\n"))
    notes = gate_show.run(ledgered, gate_show.Request(gate_id)).notes
    assert any("4 More" in note for note in notes)
