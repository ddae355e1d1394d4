"""What the tests of commands share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import snapshot_create
from devs_git.commands.init import Request, Result
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests import clones
from tests.cases import Case, begin
from tests.clones import Clone, Pair, Trio
from tests.conftest import Moulded
from tests.snapping import Snap

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
    """Made once, copied for each test; the remote is named by a path that is right in each copy."""
    monkeypatch.chdir(tmp_path)
    mould = tmp_path_factory.getbasetemp() / "pair"
    if not mould.exists():
        mould.mkdir()
        made = clones.make(initialised, mould)
        for clone in (made.ann, made.bob):
            clone.git("remote", "set-url", "origin", "../origin.git")
    for name in ("origin.git", "ann", "bob"):
        shutil.copytree(mould / name, tmp_path / name, symlinks=True)
        if name != "origin.git":
            clones.git(tmp_path / name, "update-index", "-q", "--refresh")
    return Pair(tmp_path / "origin.git", Clone(tmp_path / "ann"), Clone(tmp_path / "bob"))


@pytest.fixture
def trio(pair: Pair, tmp_path: Path) -> Trio:
    return clones.three(pair, tmp_path)


@pytest.fixture
def snap(ledgered: Workspace) -> Snap:
    """Take a snapshot the way a new process would, with a fresh workspace."""
    return lambda: snapshot_create.run(Workspace.open(ledgered.top), snapshot_create.Request())
