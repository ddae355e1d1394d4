"""What the shell does for a moment: its files are private, Python sees the person's umask, and what the shell saw is used."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import prompted, read_moments
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.hanging_git import hanging_git
from tests.support.hook_moments import kept, prompt, stop

pytestmark = pytest.mark.quick


@pytest.fixture
def project(initialised: Path) -> Path:
    """A repository with the hook of one client."""
    client_files.install(locate(initialised), initialised, CLIENTS["claude"])
    return initialised


def test_the_hook_keeps_the_umask_so_usual_permissions_are_not_listed(project: Path) -> None:
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


def test_what_the_shell_saw_is_in_the_moment_and_its_notes_are_gone(project: Path) -> None:
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


def test_variables_of_the_client_are_not_taken_for_those_of_the_hook(project: Path, tmp_path: Path) -> None:
    """The hook deletes what it wrote, and a client may have a variable of any name."""
    mine = tmp_path / "mine"
    files = [mine, *(tmp_path / f"mine.{end}" for end in ("new", "files", "sum", "refs"))]
    for file in files:
        file.write_text("mine\n")
    odd: dict[str, Any] = {"seen": str(mine), "file": str(mine), "saved": "1", "why": "said"}
    for payload in (prompt(), before("Bash", command="make"), after(), stop()) * 2:
        call(project, payload, **odd)
        kept(project)
    assert [file.read_text() for file in files] == ["mine\n"] * 5


@pytest.mark.parametrize("command", ["git commit -q --allow-empty -m empty", "git reset -q --soft HEAD~1"])
def test_a_prompt_notices_a_commit_that_changes_no_file(command: str, project: Path) -> None:
    call(project, prompt())
    assert len(kept(project)) == 1
    subprocess.run(["sh", "-c", command], cwd=project, check=True)
    call(project, prompt())
    assert len(kept(project)) == 2


def test_what_a_git_did_not_tell_in_time_is_looked_up_again(project: Path, tmp_path: Path) -> None:
    call(project, prompt())
    assert len(kept(project)) == 1
    (project / "a.txt").write_text("changed\n")
    (project / "new.txt").write_text("new\n")
    slow: dict[str, Any] = {**hanging_git(tmp_path / "slow", at=1)}
    call(project, prompt(), **slow)
    (moment, _), workspace = kept(project)[-1], Workspace.open(project)
    found = list_files(workspace.git, read_moments.load(workspace.objects, moment.id)[0].worktree)
    assert workspace.objects.read(found["a.txt"].oid, "blob") == b"changed\n"
    assert workspace.objects.read(found["new.txt"].oid, "blob") == b"new\n"


def test_the_shell_writes_through_no_link(project: Path, tmp_path: Path) -> None:
    call(project, prompt())
    own, victim, elsewhere = project / ".git/devs/moments", tmp_path / "victim", tmp_path / "elsewhere"
    victim.write_text("theirs\n")
    (own / "prompted").unlink()
    (own / "prompted").symlink_to(victim)
    call(project, prompt())
    assert victim.read_text() == "theirs\n"
    # No process may work behind a prompt when its folder goes.
    kept(project)
    elsewhere.mkdir()
    shutil.rmtree(own)
    own.symlink_to(elsewhere)
    for payload in (prompt(), before("Bash", command="rm x")):
        assert call(project, payload).status == 0
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("session", ["", "a b", "a\nb", 'a"b', "../b"])
def test_an_odd_name_of_a_session_is_not_noted(session: str, project: Path) -> None:
    call(project, prompt(session_id=session))
    assert not (project / ".git/devs/moments/prompted").exists()


def test_the_session_of_the_newest_prompt_is_noted_whatever_was_noted_before(project: Path) -> None:
    for session in ("5f1d3d8e-0b0c", "s2", "s2", "5f1d3d8e"):
        call(project, prompt(session_id=session))
        assert prompted.read(locate(project))[1] == session


def test_before_a_command_that_may_destroy_something_python_takes_what_the_shell_saw(
    project: Path,
) -> None:
    (project / ".gitignore").write_text("*.log\n")
    (project / "x.log").write_text("a log\n")
    call(project, prompt())
    assert len(kept(project)) == 1
    (project / "a.txt").write_text("changed\n")
    for _ in range(2):
        call(project, before("Bash", command="rm x.log"))
        (moment, details), workspace = kept(project)[-1], Workspace.open(project)
        assert (moment.kind, bool(details.ignored)) == ("call", True)
        found = list_files(workspace.git, read_moments.load(workspace.objects, moment.id)[0].worktree)
        assert workspace.objects.read(found["a.txt"].oid, "blob") == b"changed\n"
        assert len(kept(project)) == 2
        assert list((project / ".git/devs/moments").glob(".*")) == []
