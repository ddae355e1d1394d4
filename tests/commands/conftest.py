"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.init import Request, Result
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

SetUp = Callable[..., Result]


@pytest.fixture
def set_up() -> SetUp:
    """`set_up(folder)` runs `init` there through the router; `uninstall=True` takes it out again."""

    def run(where: Path, *, uninstall: bool = False) -> Result:
        result: Result = router.call("init", Workspace.open(where), Request(uninstall=uninstall))
        return result

    return run
