"""In a partial clone that lacks parts of the ledger, each command says the same, and the command that fetches them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.scene import Scene

COMMANDS = (
    ("show", "task-10"),
    ("gate", "list"),
    ("rewind", "task-10", "--dry-run"),
    ("verify",),
    ("doctor",),
)
SAID = "This partial clone does not have all objects that this command reads, and devs-git fetches none."
FETCH = "git fetch --refetch --no-filter"


@pytest.fixture
def there(initialised: Path, tmp_path: Path) -> Path:
    """A partial clone with the ledger, fetched as the page about CI says."""
    Scene(Workspace.open(initialised)).task("10", {"a.txt": "a\n"})
    git("config", "uploadpack.allowFilter", "true", where=initialised)
    git("clone", "-q", "--filter=blob:none", f"file://{initialised}", "there", where=tmp_path)
    for refs in ("refs/heads/devs/ledger", "refs/devs/checkpoints/*", "refs/tags/devs/*"):
        git("fetch", "-q", "origin", f"{refs}:{refs}", where=tmp_path / "there")
    return tmp_path / "there"


def call(top: Path, *words: str) -> tuple[int, str]:
    program = (sys.executable, "-m", "devs_git", *words)
    done = subprocess.run(program, cwd=top, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.quick
@pytest.mark.parametrize("words", COMMANDS)
def test_each_command_says_that_objects_were_not_fetched_and_how_to_fetch_them(
    words: tuple[str, ...], there: Path
) -> None:
    status, said = call(there, *words)
    assert status != 0
    assert SAID in said
    assert FETCH in said
    assert "damaged" not in said
    assert "LEDGER_MISSING" not in said
    subprocess.run(FETCH.split(), cwd=there, check=True, capture_output=True)
    assert SAID not in call(there, *words)[1]


def test_an_object_that_no_clone_left_out_is_missing_and_not_damaged(initialised: Path) -> None:
    with pytest.raises(DevsError, match="is missing from the object store"):
        Workspace.open(initialised).objects.read("0" * 39 + "1", "blob")
