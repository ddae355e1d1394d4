"""While a gate is open, no git starts in a tracked folder that is itself a repository: its configuration names programs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.discovery import bare_repository_around
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call
from tests.support.gate_scene import ask

Run = Callable[..., str]


@pytest.fixture
def embedded(initialised: Path, git: Run) -> Path:
    """A folder of the worktree whose configuration makes each `git status` and `git devs` run a program."""
    folder = initialised / "docs/data"
    git("init", "-q", "--bare", str(folder))
    (folder / "sub").mkdir()
    for name, value in (("core.bare", "false"), ("core.worktree", "."), ("alias.devs", "!touch ran")):
        git("config", "--file", str(folder / "config"), name, value)
    git("config", "--file", str(folder / "config"), "core.fsmonitor", f"touch {folder}/ran; false")
    return folder


def denied(top: Path, command: str, where: Path, client: str = "claude", **given: str) -> str:
    payload = before(min(CLIENTS[client].shells), command=command, **given) | {"cwd": os.fspath(where)}
    return call(top, payload, client=client).denied


def test_git_runs_programs_of_an_embedded_repository(embedded: Path) -> None:
    """The reason for the refusal: without it, git would do this."""
    for words in (("status",), ("devs", "status")):
        subprocess.run(["git", *words], cwd=embedded, capture_output=True, check=False)
        assert (embedded / "ran").exists(), words
        (embedded / "ran").unlink()


@pytest.mark.quick(1)
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_no_git_starts_in_an_embedded_repository_or_below_it(
    client: str, initialised: Path, embedded: Path
) -> None:
    client_files.install(locate(initialised), initialised, CLIENTS[client])
    assert denied(initialised, "git status", embedded, client) == ""
    ask(Workspace.open(), kind="MANUAL")
    for command in ("git status", "git devs status", "devs-git status", "git --no-pager log"):
        said = denied(initialised, command, embedded, client)
        assert "GATE_BLOCKED" in said, command
        assert "No git runs here" in said
        assert denied(initialised, command, embedded / "sub", client)
        assert denied(initialised, command, initialised, client) == ""
        assert denied(initialised, command, initialised / "docs", client) == ""
    assert denied(initialised, "cat HEAD", embedded, client) == ""


@pytest.mark.parametrize("name", ["workdir", "dir_path", "directory"])
def test_a_folder_that_the_call_names_counts_too(name: str, initialised: Path, embedded: Path) -> None:
    client_files.install(locate(initialised), initialised, CLIENTS["claude"])
    ask(Workspace.open(), kind="MANUAL")
    (initialised / "way").symlink_to(embedded)
    for place in ("docs/data", "docs/../docs/data/sub", str(embedded), "way", "way/../docs/data"):
        for command in ("git status", "git devs status"):
            assert "No git runs here" in denied(initialised, command, initialised, **{name: place})
    assert denied(initialised, "git status", initialised, **{name: "docs"}) == ""


def test_a_repository_whose_parts_are_elsewhere_is_found_and_one_with_a_worktree_is_none(
    initialised: Path, embedded: Path, git: Run
) -> None:
    split = initialised / "split"
    split.mkdir()
    (split / "HEAD").symlink_to("refs/heads/none")
    (split / "commondir").write_text("../docs/data\n")
    assert bare_repository_around(str(split / "new")) == split
    assert bare_repository_around(str(embedded)) == embedded
    git("init", "-q", str(embedded / "own"))
    git("worktree", "add", "-q", str(embedded / "linked"))
    (embedded / "empty/.git").mkdir(parents=True)
    assert bare_repository_around(str(embedded / "empty")) == embedded
    places = (".", ".git", ".git/refs", "docs", "docs/data/own", "docs/data/linked", "no/such")
    assert [name for name in places if bare_repository_around(str(initialised / name))] == []
