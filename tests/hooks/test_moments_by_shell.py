"""What the shell does for a moment: its files are private, Python sees the person's umask, and what the shell saw is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import read_moments
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.hook_moments import kept, prompt

pytestmark = pytest.mark.quick


def test_the_hook_keeps_the_umask_so_usual_permissions_are_not_listed(initialised: Path) -> None:
    project = initialised
    client_files.install(locate(project), project, CLIENTS["claude"])
    call(project, prompt())
    kept(project)
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


def test_what_the_shell_saw_is_in_the_moment_and_its_notes_are_gone(initialised: Path) -> None:
    project = initialised
    client_files.install(locate(project), project, CLIENTS["claude"])
    call(project, prompt())
    assert len(kept(project)) == 1
    (project / "a.txt").write_text("changed\n")
    (project / "f1.txt").unlink()
    (project / 'odd "name\n').write_text("new\n")
    call(project, prompt())
    kept(project)
    call(project, prompt())
    (moment, _), workspace = kept(project)[-1], Workspace.open(project)
    assert len(kept(project)) == 2
    tree = read_moments.load(workspace.objects, moment.id)[0].worktree
    found = list_files(workspace.git, tree)
    assert "f1.txt" not in found
    assert workspace.objects.read(found["a.txt"].oid, "blob") == b"changed\n"
    assert workspace.objects.read(found['odd "name\n'].oid, "blob") == b"new\n"
    assert list((project / ".git/devs/moments").glob(".*")) == []
