"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import snapshot_create
from devs_git.commands.init import Request, Result
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support import clones
from tests.support.clones import Pair, Trio
from tests.support.rewind_cases import Case, begin
from tests.support.snapshot_scene import Snap

SetUp = Callable[..., Result]


@pytest.fixture
def set_up() -> SetUp:
    """`set_up(folder)` runs `init` there through the router; `uninstall=True` takes it out again."""

    def run(where: Path, *, uninstall: bool = False) -> Result:
        result: Result = router.call("init", Workspace.open(where), Request(uninstall=uninstall))
        return result

    return run


@pytest.fixture
def case(tmp_path: Path, moulded: Moulded) -> Case:
    """A repository with a ledger and one commit."""
    return Case(moulded("case", lambda: begin(tmp_path / "repo")))


@pytest.fixture
def pair(
    initialised: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Pair:
    monkeypatch.chdir(tmp_path)
    return clones.copy_pair(initialised, tmp_path_factory.getbasetemp() / "pair", tmp_path)


@pytest.fixture
def trio(pair: Pair, tmp_path: Path) -> Trio:
    return clones.make_trio(pair, tmp_path)


@pytest.fixture
def snap(ledgered: Workspace) -> Snap:
    """Take a snapshot the way a new process would, with a fresh workspace."""
    return lambda: snapshot_create.run(Workspace.open(ledgered.top), snapshot_create.Request())
