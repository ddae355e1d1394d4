"""A moment before a call of a shell, where the one before it was made before a prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import TIPS, Kind
from devs_git.storage.git import refs
from devs_git.storage.moments import moment_store
from devs_git.workspace import Workspace
from tests.support.moment_scene import moment

Run = Callable[..., str]


@pytest.mark.quick
def test_a_call_after_a_prompt_asks_git_nothing_more_than_a_call_after_a_call(
    workspace: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A moment before a prompt records no branches, but refs of the day still keep them."""
    git("commit", "--allow-empty", "-qm", "more")
    git("branch", "other", "HEAD^")
    branches = {git("rev-parse", "HEAD"), git("rev-parse", "other")}

    def gits(kind: Kind, text: str) -> int:
        (workspace.top / "a.txt").write_text(text)
        log = tmp_path / f"{text}.log"
        monkeypatch.setenv("GIT_TRACE", str(log))
        moment(workspace, kind, keep_refs=kind == "call")
        monkeypatch.delenv("GIT_TRACE")
        return log.read_text().count(" trace: built-in: git")

    gits("call", "first")
    after_call = gits("call", "second")
    gits("prompt", "third")
    assert after_call
    assert gits("call", "fourth") == after_call
    store = moment_store.refs_of(workspace.store_git, workspace.places.common)
    assert branches <= {*refs.list_refs(store, TIPS.rstrip("/")).values()}
