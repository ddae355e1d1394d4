"""Names of remotes are read as git reads them, from the repository's own configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git.remotes import remote_names
from devs_git.workspace import Workspace

Make = Callable[..., str]


@pytest.mark.quick
def test_every_configured_remote_is_found(workspace: Workspace, git: Make, repo: Path) -> None:
    for name in ("origin", "up", "team/fork"):
        git("remote", "add", name, "nowhere")
    with (repo / ".git/config").open("a") as stream:
        stream.write('\t[REMOTE "odd\\\\name"] # comment\n\turl = x\n[branch "remote"]\n\tremote = up\n')
    assert list(remote_names.names(workspace.places)) == ["origin", "up", "team/fork", "odd\\name"]
    assert set(git("config", "--get-regexp", "--name-only", r"^remote\..*\.url$").splitlines()) == {
        f"remote.{name}.url" for name in remote_names.names(workspace.places)
    }


def test_without_remotes_there_are_none(workspace: Workspace) -> None:
    assert remote_names.names(workspace.places) == ()
