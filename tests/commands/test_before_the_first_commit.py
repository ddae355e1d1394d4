"""Moments from before the first commit: one goes there, brings files back, and undoes both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import init, restore, rewind, undo
from devs_git.errors import DevsError
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.moments import make_moment
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.net_scene import Net, picture

Destroy = Callable[[Path], None]
pytestmark = pytest.mark.quick(1)


@pytest.fixture
def unborn(tmp_path: Path) -> Path:
    """A repository without a commit, with staged, edited, intended and untracked files, a moment of them, and other files."""
    top = tmp_path / "unborn"
    git("init", "-q", "-b", "main", str(top), where=tmp_path)
    git("config", "user.name", "A Person", where=top)
    git("config", "user.email", "person@example.com", where=top)
    init.run(Workspace.open(top), init.Request())
    (top / "a").write_text("staged")
    git("add", "a", where=top)
    (top / "a").write_text("edited")
    (top / "run").write_text("#!")
    (top / "run").chmod(0o755)
    git("add", "-N", "run", where=top)
    (top / "link").symlink_to("a")
    (top / "sub").mkdir()
    (top / "sub/new").write_text("new")
    make_moment.make(maker_of(Workspace.open(top)), Net.occasion("call", "rm"))
    return top


def lose(top: Path) -> None:
    git("rm", "-qf", "--cached", "a", where=top)
    for name in ("a", "run", "link", "sub/new"):
        (top / name).unlink()
    (top / "sub").rmdir()


def test_a_rewind_goes_there_to_the_byte_and_is_undone(unborn: Path) -> None:
    then = picture(unborn)
    lose(unborn)
    (unborn / "run").write_text("another")
    now = picture(unborn)
    rewind.run(Workspace.open(unborn), rewind.Request("moment:-1", preserve="branch"))
    assert picture(unborn) == then
    undo.run(Workspace.open(unborn), undo.Request())
    assert picture(unborn) == now


def test_a_restore_brings_the_files_back_and_is_undone(unborn: Path) -> None:
    lose(unborn)
    now = picture(unborn)
    restore.run(Workspace.open(unborn), restore.Request("moment:-1"))
    assert (unborn / "a").read_text() == "edited"
    assert (unborn / "run").stat().st_mode & 0o777 == 0o755
    assert (unborn / "link").readlink() == Path("a")
    undo.run(Workspace.open(unborn), undo.Request())
    assert picture(unborn) == now


def test_an_intent_to_add_without_a_file_is_undone(tmp_path: Path) -> None:
    top = tmp_path / "empty"
    git("init", "-q", "-b", "main", str(top), where=tmp_path)
    git("config", "user.name", "A Person", where=top)
    git("config", "user.email", "person@example.com", where=top)
    init.run(Workspace.open(top), init.Request())
    (top / "devs-policy.yaml").unlink()
    (top / "n").write_text("n")
    git("add", "-N", "n", where=top)
    (top / "n").unlink()
    make_moment.make(maker_of(Workspace.open(top)), Net.occasion("call", "rm"))
    then = picture(top)
    git("rm", "-qf", "--cached", "n", where=top)
    now = picture(top)
    rewind.run(Workspace.open(top), rewind.Request("moment:-1", preserve="branch"))
    assert picture(top) == then
    undo.run(Workspace.open(top), undo.Request())
    assert picture(top) == now


@pytest.mark.parametrize("commit", [False, True])
def test_the_line_about_a_loss_names_a_command_that_works(commit: bool, unborn: Path) -> None:
    more = "; git commit -q --allow-empty --no-verify -m first" if commit else ""
    (line,) = Net(unborn).run(f"rm a sub/new{more}")
    assert ("devs-git restore moment:" if commit else "devs-git rewind moment:") in line


def test_after_the_first_commit_only_the_files_come_back(unborn: Path) -> None:
    lose(unborn)
    restore.run(Workspace.open(unborn), restore.Request("moment:-1"))
    git("commit", "-q", "--allow-empty", "--no-verify", "-m", "first", where=unborn)
    for act in (
        lambda: rewind.run(Workspace.open(unborn), rewind.Request("moment:-1", preserve="branch")),
        lambda: undo.run(Workspace.open(unborn), undo.Request(preserve="branch")),
    ):
        with pytest.raises(DevsError, match="before the first commit"):
            act()
