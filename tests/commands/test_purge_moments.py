"""`purge` takes a secret out of moments, and keeps the moments without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.git import refs
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import moment
from tests.support.planted_secret import SECRET, TEXT, WORD, gc, places, run_purge

pytestmark = pytest.mark.thorough


def test_only_the_moments_with_the_secret_go(initialised: Path) -> None:
    here = Workspace.open(initialised)
    harmless = moment(here).moment_id
    (initialised / "secret.env").write_text(SECRET)
    moment(here)
    (initialised / "secret.env").unlink()
    later = moment(here).moment_id
    run_purge(initialised)
    held = [one.id for one in read_moments.list_moments(here.store_git, here.objects)]
    assert held == [later, harmless]
    gc(initialised)
    assert places(initialised) == set()
    assert moment(Workspace.open(initialised)).made


def test_a_moment_whose_words_have_the_secret_goes(initialised: Path) -> None:
    here = Workspace.open(initialised)
    moment(here, words=f"use {WORD}")
    run_purge(initialised, TEXT)
    assert read_moments.list_moments(here.store_git, here.objects) == ()
    assert refs.list_refs(here.store_git, "refs/devs/moments/states") == {}


def test_a_commit_with_the_secret_that_only_moments_keep_goes(initialised: Path, git: Run) -> None:
    here = Workspace.open(initialised)
    (initialised / "secret.env").write_text(SECRET)
    git("add", "secret.env")
    git("commit", "-qm", "by mistake")
    (initialised / "secret.env").unlink()
    moment(here)
    git("reset", "-q", "--hard", "HEAD~1")
    later = moment(here).moment_id
    assert places(initialised) != set()
    run_purge(initialised)
    gc(initialised)
    assert places(initialised) == set()
    assert later in {one.id for one in read_moments.list_moments(here.store_git, here.objects)}
    assert moment(Workspace.open(initialised)).made
