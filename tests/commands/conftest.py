"""What the tests of commands share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.init import Request, Result
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.cases import Case, begin

SetUp = Callable[..., Result]


@pytest.fixture
def set_up() -> SetUp:
    """`set_up(folder)` runs `init` there through the router; `uninstall=True` takes it out again."""

    def run(where: Path, *, uninstall: bool = False) -> Result:
        result: Result = router.call("init", Workspace.open(where), Request(uninstall=uninstall))
        return result

    return run


@pytest.fixture
def case(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A repository with a ledger and one commit, copied from one that is made once."""
    mould = tmp_path_factory.getbasetemp() / "mould"
    if not mould.exists():
        begin(mould)
    top = tmp_path / "repo"
    shutil.copytree(mould, top, symlinks=True)
    monkeypatch.chdir(top)
    return Case(top)
