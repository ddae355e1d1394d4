"""A purge that is killed, or that meets another program at the catalog: nothing is half done, and the next one finishes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import trace_list
from devs_git.errors import DevsError
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.git import refs
from devs_git.workspace import Workspace
from tests.support.planted_secret import call, gc, places, plant, run_purge


@pytest.fixture
def planted(initialised: Path, tmp_path: Path) -> Path:
    return plant(initialised, tmp_path)


# Killed: when the event is written and the catalog is not, and before the catalog's file is written anew.
KILLED = """
import os, sys
from pathlib import Path
from devs_git.commands import purge
from devs_git.entrypoints import router
from devs_git.operations.purge import own_files as purge_files
from devs_git.storage.catalog import purge_rows as purging
from devs_git.workspace import Workspace
record = purge._record
def recorded(*known):
    record(*known)
    os._exit(9)
if sys.argv[1] == "recorded":
    purge._record = recorded
else:
    purging.write_anew = lambda *known: os._exit(9)
router.call("purge", Workspace.open(Path.cwd()), purge.Request("secret.env"))
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("at", ["recorded", "deleted"])
def test_killed_after_its_event_the_next_purge_finishes(planted: Path, at: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, at], cwd=planted, check=False)
    assert done.returncode == 9
    assert next(Workspace.open(planted).ledger.events()).type == "purged"
    run_purge(planted)
    gc(planted)
    assert places(planted) == set()


def test_a_catalog_that_somebody_reads_is_told_and_the_next_purge_finishes(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Callable[..., Catalog] = Catalog.open
    monkeypatch.setattr(Catalog, "open", lambda folder, **known: opened(folder, **{**known, "patience": 0.1}))
    call(planted, "trace list", trace_list.Request())
    base = sqlite3.connect(planted / ".git/devs/catalog.db", isolation_level=None)
    base.execute("BEGIN")
    base.execute("SELECT count(*) FROM traces").fetchone()
    with pytest.raises(DevsError) as error:
        run_purge(planted)
    assert (error.value.code, "finish it" in error.value.hint) == ("BUSY", True)
    base.close()
    run_purge(planted)
    gc(planted)
    assert places(planted) == set()


def test_a_catalog_that_somebody_writes_stops_it_before_anything_is_changed(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Callable[..., Catalog] = Catalog.open
    call(planted, "trace list", trace_list.Request())
    monkeypatch.setattr(Catalog, "open", lambda folder, **known: opened(folder, **{**known, "patience": 0.1}))
    base = sqlite3.connect(planted / ".git/devs/catalog.db", isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    before = refs.list_refs(Workspace.open(planted).store_git)
    with pytest.raises(DevsError) as error:
        run_purge(planted)
    assert (error.value.code, refs.list_refs(Workspace.open(planted).store_git)) == ("BUSY", before)
    base.close()
