"""One git compares many pairs of trees."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git.comparisons.tree_changes import compare_trees
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

Run = Callable[..., str]


def test_each_pair_has_its_own_changes_and_odd_names_stay_whole(
    workspace: Workspace, git: Run, repo: Path
) -> None:
    odd = ("a\nb", ":100644 x", "Grün\t", os.fsdecode(b"\xff"))
    before = git("rev-parse", "HEAD^{tree}")
    (repo / "a.txt").chmod(0o755)
    (repo / "f1.txt").unlink()
    for name in odd:
        (repo / name).write_text(repr(name))
    git("add", "-A")
    after = git("write-tree")
    pairs = [(before, after), (after, after), (after, before), (EMPTY_TREE, EMPTY_TREE), (EMPTY_TREE, before)]
    there, none, back, empty, all_new = compare_trees(workspace.store_git, pairs)
    assert {one.path for one in there} == {"a.txt", "f1.txt", *odd}
    facts = {one.path: (one.old.mode, one.new.mode) for one in there}
    assert (facts["a.txt"], facts["f1.txt"], facts[odd[0]]) == (
        ("100644", "100755"),
        ("100644", "000000"),
        ("000000", "100644"),
    )
    assert {(one.path, one.new, one.old) for one in back} == {(one.path, one.old, one.new) for one in there}
    assert (none, empty, len(all_new)) == ((), (), 4)
