"""Fixtures of the tests of crashes: a repository with work in it, and the driver that kills verbs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support.kills import Driver, driver
from tests.support.scene import Scene


@pytest.fixture(scope="session")
def drive() -> Iterator[Driver]:
    with driver() as opened:
        yield opened


@pytest.fixture
def worked(request: pytest.FixtureRequest, moulded: Moulded) -> Scene:
    """Tasks that add, change and remove files, and turn a folder into a file."""
    top = moulded("worked", lambda: _work(Scene(request.getfixturevalue("ledgered"))))
    return Scene(Workspace.open(top))


def _work(scene: Scene) -> None:
    scene.task("10", {"b.txt": "b\n", "d/x.txt": "x\n", "d/y.txt": "y\n"})
    scene.task("11", {"b.txt": "b\nb2\n", "c.txt": "c\n", "d/x.txt": None})
    scene.git("pack-refs", "--all")  # so that deleting a tag rewrites packed-refs
    scene.write({"d/y.txt": None})
    (scene.top / "d").rmdir()
    scene.task("12", {"b.txt": None, "a.txt": "rewritten\n", "d": "now a file\n"})


@pytest.fixture
def dirtied(worked: Scene) -> Scene:
    """All kinds of uncommitted work, and an untracked file at a path of the checkpoint."""
    worked.write({"c.txt": "work\n", "staged.txt": "staged\n", "intended.txt": "intended\n"})
    worked.git("add", "staged.txt")
    worked.git("add", "-N", "intended.txt")
    worked.write({"staged.txt": "staged\nand more\n", "f1.txt": None, "b.txt": "in the way\n"})
    worked.write({"kept.txt": "untracked\n"})
    (worked.top / "f2.txt").chmod(0o755)
    return worked
