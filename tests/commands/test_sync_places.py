"""Clones of other kinds: shallow, partial, bare, with a worktree beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.clones import Clone, Pair, refs_of
from tests.support.git_calls import git


@pytest.mark.parametrize(
    "options", [("--depth=1", "--no-single-branch"), ("--filter=blob:none",), ("--single-branch",)]
)
def test_a_clone_that_leaves_something_out_syncs_the_whole_ledger(
    options: tuple[str, ...], pair: Pair, tmp_path: Path
) -> None:
    git("config", "uploadpack.allowFilter", "true", where=pair.origin)
    pair.ann.task("10")
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    git("clone", "-q", *options, f"file://{pair.origin}", "other", where=tmp_path)
    other = Clone(tmp_path / "other")
    router.call("init", Workspace.open(other.top), init.Request())
    gate = pair.ann.ask()
    pair.ann.sync()
    other.sync()
    assert other.status(gate) == "PENDING_APPROVAL"
    assert (other.top / ".devs" / "open" / gate).exists()
    other.approve(gate)
    other.task("11")
    pair.ann.reject(gate)
    pair.ann.sync()
    other.sync()
    pair.ann.sync()
    assert refs_of(pair.ann.top) == refs_of(other.top) == refs_of(pair.origin)
    assert other.trouble("ledger", "tags") == pair.ann.trouble("ledger", "tags") == []


def test_a_linked_worktree_and_a_bare_place_sync_the_same_ledger(pair: Pair, tmp_path: Path) -> None:
    pair.bob.task("11")
    pair.bob.sync()
    pair.ann.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert Clone(tmp_path / "linked").sync().ledger == pair.ann.tip == pair.bob.tip
    git("clone", "-q", "--mirror", "origin.git", "bare.git", where=tmp_path)
    pair.bob.task("12")
    pair.bob.sync()
    assert Clone(tmp_path / "bare.git").sync().ledger == pair.bob.tip
    assert refs_of(tmp_path / "bare.git") == refs_of(pair.origin)


@pytest.mark.quick
def test_two_remotes_get_the_same(pair: Pair, tmp_path: Path) -> None:
    git("init", "-q", "--bare", "backup.git", where=tmp_path)
    pair.ann.git("remote", "add", "backup", "../backup.git")
    pair.ann.task("10")
    pair.bob.task("11")
    pair.ann.sync("backup")
    pair.meet()
    pair.ann.sync("backup")
    assert refs_of(tmp_path / "backup.git") == refs_of(pair.origin)
    pair.assert_same()
