"""References: read from their own file where that says what git says, and moved as one or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick
Run = Callable[..., str]


def test_the_tip_is_the_same_loose_packed_and_through_a_symbolic_ref(ledgered: Workspace, git: Run) -> None:
    common, tip = ledgered.places.common, git("rev-parse", LEDGER)
    assert refs.loose(common, LEDGER) == ledgered.ledger.tip().oid == tip
    git("pack-refs", "--all")
    assert (refs.loose(common, LEDGER), ledgered.ledger.tip().oid) == ("", tip)
    git("update-ref", "-d", LEDGER)
    git("update-ref", "refs/heads/other", tip)
    git("symbolic-ref", LEDGER, "refs/heads/other")
    assert (refs.loose(common, LEDGER), ledgered.ledger.tip().oid) == ("", tip)


def test_what_is_no_oid_in_a_refs_file_is_left_to_git(tmp_path: Path) -> None:
    (tmp_path / "torn").write_text("0123abc")
    assert (refs.loose(tmp_path, "torn"), refs.loose(tmp_path, "missing")) == ("", "")


def test_a_ref_that_moved_and_one_that_is_locked_are_told_apart_and_nothing_has_moved(
    workspace: Workspace, git: Run
) -> None:
    head, before = git("rev-parse", "HEAD", "HEAD~1").split()
    new = RefUpdate("refs/x/new", head, NO_OID)
    with pytest.raises(refs.RefMoved):
        refs.transaction(workspace.git, (new, RefUpdate("refs/heads/main", before, before)), "x")
    (workspace.places.common / "refs/heads/main.lock").touch()
    with pytest.raises(refs.RefLocked):
        refs.transaction(workspace.git, (new, RefUpdate("refs/heads/main", before, head)), "x")
    (workspace.places.common / "refs/heads/main.lock").unlink()
    with pytest.raises(GitFailed):
        refs.transaction(workspace.git, (new, RefUpdate("refs/heads/main", "f" * 40, head)), "x")
    assert refs.list_refs(workspace.git, "refs/x", "refs/heads") == {"refs/heads/main": head}
    refs.transaction(workspace.git, (new, RefUpdate("refs/heads/main", NO_OID, head)), "x")
    assert refs.list_refs(workspace.git, "refs/x", "refs/heads") == {"refs/x/new": head}


@pytest.mark.parametrize("deleted", [True, False])
def test_a_ref_that_moved_since_it_was_read_is_neither_deleted_nor_moved(
    workspace: Workspace, git: Run, deleted: bool
) -> None:
    head, before = git("rev-parse", "HEAD", "HEAD~1").split()
    git("update-ref", "refs/x/moved", head)
    update = RefUpdate("refs/x/moved", NO_OID if deleted else git("rev-parse", "HEAD~2"), before)
    with pytest.raises(refs.RefMoved):
        refs.transaction(workspace.git, (update,), "x")
    assert git("rev-parse", "refs/x/moved") == head


def test_the_last_move_of_head_is_the_last_line_of_its_reflog(workspace: Workspace, git: Run) -> None:
    head, before = git("rev-parse", "HEAD", "HEAD~1").split()
    assert refs.last_move(workspace.places.git_dir) == refs.HeadMove(before, head, "commit: c3")
    (workspace.places.git_dir / "logs" / "HEAD").unlink()
    assert refs.last_move(workspace.places.git_dir) == refs.HeadMove()


def test_the_branch_that_a_rebase_moves_is_told_by_its_folder_or_by_where_it_began(
    workspace: Workspace, git: Run
) -> None:
    where = workspace.places.git_dir
    assert refs.branch(where) == "main"
    git("branch", "other", "HEAD~1")
    git("checkout", "-q", "--detach")
    assert (refs.branch(where), refs.rebased_branch(workspace.git, where)) == ("", "")
    git("update-ref", "ORIG_HEAD", "HEAD")
    (where / "rebase-apply").mkdir()
    assert refs.rebased_branch(workspace.git, where) == ""  # git am has no branch to move
    (where / "rebase-apply" / "rebasing").touch()
    assert refs.rebased_branch(workspace.git, where) == "main"
    git("branch", "twin", "main")
    assert refs.rebased_branch(workspace.git, where) == ""  # nothing tells which
    git("checkout", "-q", "twin")
    git("checkout", "-q", "--detach")
    git("checkout", "-q", "twin")
    assert refs.rebased_branch(workspace.git, where) == "twin"
    (where / "rebase-apply" / "head-name").write_text("refs/heads/other\n")
    assert refs.rebased_branch(workspace.git, where) == "other"
    (where / "rebase-merge").mkdir()
    (where / "rebase-merge" / "head-name").write_text("detached HEAD\n")
    assert refs.rebased_branch(workspace.git, where) == ""


def test_a_line_of_a_reflog_ends_where_git_ends_it(repo: Path, git: Run) -> None:
    before, now = git("rev-parse", "HEAD~1", "HEAD").split()
    git("update-ref", "-m", f"x\u2028{'0' * 41}{'1' * 40} y\u0085z", "refs/heads/main", before, now)
    assert list(refs.reflog(repo / ".git", "refs/heads/main"))[:2] == [before, now]
