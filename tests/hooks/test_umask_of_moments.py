"""The agent hook writes private files, and Python still sees the umask of the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.hook_moments import kept, prompt

pytestmark = pytest.mark.quick


def test_the_hook_keeps_the_umask_so_usual_permissions_are_not_listed(initialised: Path) -> None:
    project = initialised
    client_files.install(locate(project), project, CLIENTS["claude"])
    call(project, prompt())
    for number, payload in enumerate((before("Bash", command="make"), after())):
        (project / "a.txt").write_text(f"{number}\n")
        call(project, payload)
    workspace = Workspace.open(project)
    found = kept(project)
    assert [moment.kind for moment, _ in found] == ["prompt", "call", "after"]
    for moment, _ in found:
        assert read_moments.look_up(workspace.objects, moment.id)[0].modes == {}
    private = [
        project / ".git/devs/moments",
        project / ".git/devs/spool",
        *(project / ".git/devs/spool").iterdir(),
    ]
    assert [path for path in private if path.stat().st_mode & 0o077] == []
