"""A repository that is frozen, and one where only Ada's signature counts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.ledger import devs_folder
from devs_git.workspace import Workspace
from tests.support import clones
from tests.support.clones import Pair
from tests.support.gate_scene import Key, ask, in_force, make_key
from tests.support.git_calls import git


@pytest.fixture
def frozen(initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The id of a gate that is open in the current repository, which has all our hooks."""
    mould = tmp_path_factory.getbasetemp() / "frozen"
    if not mould.exists():
        ask(Workspace.open(), kind="MANUAL")
        # The command line does this after each command.
        devs_folder.refresh(Workspace.open().places, Workspace.open().ledger)
        shutil.copytree(initialised, mould, symlinks=True)
    else:
        shutil.rmtree(initialised)
        shutil.copytree(mould, initialised, symlinks=True)
        os.chdir(initialised)
    return git("ls-tree", "--name-only", f"{LEDGER}:open")


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return {name: make_key(folder, name) for name in ("ada", "rogue", "bot")}


@pytest.fixture
def policy(keys: dict[str, Key]) -> dict[str, Any]:
    """Ada approves, with her signature; bot is known to be an agent."""
    return {
        "approvers": [{"principal": "ada@example.org", "key": keys["ada"].public}],
        "agents": [{"principal": "bot@example.org", "key": keys["bot"].public}],
        "approval": {"minimum": "signed"},
    }


@pytest.fixture
def signed(ledgered: Workspace, policy: dict[str, Any]) -> Workspace:
    """A ledger whose policy asks for signatures; no hooks."""
    in_force(ledgered, **policy)
    return ledgered


@pytest.fixture
def pair(
    initialised: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Pair:
    monkeypatch.chdir(tmp_path)
    return clones.copy_pair(initialised, tmp_path_factory.getbasetemp() / "pair", tmp_path)
