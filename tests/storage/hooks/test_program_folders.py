"""Which program `codex` on the PATH is asked: none that this repository brought, or one around it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.clients import trust
from devs_git.domain.clients.codex import CODEX
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_trust, program_folders

Run = Callable[..., str]
Started = Callable[[Path, Path], bool]


def asked(top: Path) -> trust.Trust:
    return client_trust.of(CODEX, locate(top), top)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    """`started(folder, top)`: whether Codex in this folder, which is the first on the PATH, is started from `top`."""

    def tried(folder: Path, top: Path) -> bool:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "codex").write_text(f"#!/bin/sh\necho >{tmp_path}/started\n")
        (folder / "codex").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        (tmp_path / "started").unlink(missing_ok=True)
        assert asked(top).state == "unknown"
        return (tmp_path / "started").exists()

    return tried


@pytest.mark.quick
def test_in_a_submodule_no_program_is_started_that_the_superproject_brought(
    repo: Path, git: Run, tmp_path: Path, started: Started
) -> None:
    sup, linked = tmp_path / "sup", tmp_path / "linked"
    git("init", "-q", "--separate-git-dir", str(tmp_path / "sup.git"), str(sup))
    for name in ("sub", "other"):
        git("submodule", "--quiet", "add", str(repo), name, where=sup)
    git("commit", "-qm", "both", where=sup)
    git("worktree", "add", "-q", str(linked), where=sup)
    git("submodule", "--quiet", "update", "--init", where=linked)
    for place in (sup / "node_modules/.bin", sup / "other/bin", linked / "bin"):
        assert not started(place, sup / "sub"), place
    assert not started(sup / "bin", linked / "sub")
    assert f"and in the repository around it, {linked}, do not count)." not in asked(linked / "sub").text
    assert not started(linked / "bin", linked / "sub")
    assert f"and in the repository around it, {linked}, do not count)." in asked(linked / "sub").text


@pytest.mark.quick
def test_from_a_linked_worktree_no_program_of_a_main_worktree_with_its_git_directory_elsewhere_is_started(
    repo: Path, git: Run, tmp_path: Path, started: Started
) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    git("clone", "-q", "--separate-git-dir", str(tmp_path / "main.git"), str(repo), str(main))
    git("worktree", "add", "-q", str(linked), where=main)
    assert not started(main / "nm", linked)
    (tmp_path / "main.git/worktrees/linked/gitdir").write_text("../../../elsewhere/.git\n")
    assert not started(tmp_path / "elsewhere/bin", main)
    assert not started(linked / "bin", main)


@pytest.mark.quick
def test_a_program_in_another_repository_is_started_unless_that_one_is_around_ours(
    repo: Path, git: Run, tmp_path: Path, started: Started
) -> None:
    """So it is for nvm, which is a clone, and for a home that is a repository."""
    git("init", "-q", str(tmp_path / "home/.nvm"))
    assert started(tmp_path / "home/.nvm/bin", repo)
    assert started(tmp_path / "home/.local/bin", repo)
    os.mkfifo(tmp_path / ".git")
    assert not started(tmp_path / "home/.local/bin", repo)
    assert asked(repo).text.endswith(
        f"(programs in this repository and in the repository around it, {tmp_path}, do not count)."
    )


@pytest.mark.quick
def test_a_pipe_in_the_place_of_a_file_of_git_keeps_nobody_waiting(
    repo: Path, tmp_path: Path, started: Started
) -> None:
    (repo / ".git/worktrees/x").mkdir(parents=True)
    for pipe in (
        repo / ".git/worktrees/x/gitdir",
        tmp_path / "tools/.git",
        tmp_path / "others/.git/commondir",
    ):
        pipe.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(pipe)
    assert started(tmp_path / "tools/bin", repo)
    assert started(tmp_path / "others/bin", repo)


@pytest.mark.quick
def test_a_folder_of_this_repository_by_another_name_is_known_by_its_number(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that ignores case gives a folder several names; here it is a link that nobody follows."""
    places = locate(repo)
    (tmp_path / "REPO").symlink_to(repo)
    monkeypatch.setattr(os.path, "realpath", os.path.abspath)
    assert not program_folders.Foreign(places).has(tmp_path / "REPO/bin")
