"""Which ignored files a command may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.moments import dangers
from devs_git.storage.moments import takable
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick


@pytest.fixture
def here(repo: Path) -> Workspace:
    """A repository with ignored files: one log, and two outputs of a build."""
    (repo / ".gitignore").write_text("build/\n*.log\n")
    (repo / "build").mkdir()
    for name in ("run.log", "build/out", "build/a.txt"):
        (repo / name).write_text(name)
    return Workspace.open(repo)


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("rm -rf build", {"build/out", "build/a.txt"}),
        ("rm run.log", {"run.log"}),
        # Into a folder: only the file of the same name is overwritten.
        ("mv a.txt build", {"build/a.txt"}),
        ("mv a.txt run.log", {"run.log"}),
        ("git clean -fdX", {"run.log", "build/out", "build/a.txt"}),
        ("git clean -fd", set()),
    ],
)
def test_a_command_takes_these_ignored_files(command: str, taken: set[str], here: Workspace) -> None:
    reached = takable.find_reached(
        dangers.of_command(command).takings, str(here.top), here.places, (here.places,)
    )
    sizes, repositories = takable.ignored_files(here.git, here.top, reached[here.places])
    assert sizes == {path: len(path) for path in taken}
    assert repositories == ()
