"""Pushes to a server with our hook that bring an archive, delete one, or delete refs because one is said to have them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import archive, init
from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.event_upkeep import CheckpointsArchived, CheckpointsUnarchived
from devs_git.domain.ledger.events import LEDGER, Draft
from devs_git.entrypoints import router
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace
from tests.commands.conftest import pair
from tests.support.archiving import archive_all, collect, numbered
from tests.support.clones import Pair, refs_of
from tests.support.git_calls import attempt, git

__all__ = ("pair",)
ONE, TAG = "refs/devs/checkpoints/task-10/1", "refs/tags/devs/task-10"


@pytest.fixture
def served(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A server with our hook that has task-10. The current folder is Ann's clone."""
    pair.ann.task("10")
    git("push", "-q", "origin", "main", where=pair.ann.top)
    pair.meet()
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    monkeypatch.chdir(pair.ann.top)
    return pair


def refused(code: str, *words: str) -> None:
    status, said = attempt("push", "--no-verify", "origin", *words, where=Path.cwd())
    assert status != 0, said
    assert code in said, said


def _same(draft: Draft, _tip: Tip) -> Draft:
    return draft


def told(*contents: CheckpointsArchived | CheckpointsUnarchived) -> None:
    """Events about archives, as somebody writes them who can push."""
    for content in contents:
        opened = Workspace.open()
        draft = Draft(opened.event_of(content, "archive: forged", verb_name="archive"))
        opened.append(partial(_same, draft))


def forged(made: str, *parents: str) -> str:
    """An archive with the files of another one, whose history has only `parents`; an event names it."""
    words = [word for parent in parents for word in ("-p", parent)]
    oid = git("commit-tree", *words, "-m", "forged", f"{made}^{{tree}}")
    told(CheckpointsArchived(oid))
    return oid


@pytest.mark.quick
def test_a_pushed_archive_that_no_event_of_the_servers_ledger_names(served: Pair) -> None:
    oid = git("commit-tree", "-m", "x", "main^{tree}")
    refused("TAG_MOVED", f"{oid}:{archive_ref(oid)}")
    assert archive_ref(oid) not in refs_of(served.origin)


def test_a_pushed_archive_whose_commits_are_not_kept(served: Pair) -> None:
    tip = git("rev-parse", "main~1")
    made = archive_all(served.ann.top)
    oid = forged(made, tip)
    before = refs_of(served.origin)
    refused("TAG_MISSING", LEDGER, f"{oid}:{archive_ref(oid)}")
    assert refs_of(served.origin) == before


def test_refs_of_checkpoints_deleted_under_the_pretence_of_an_archive(served: Pair) -> None:
    before = refs_of(served.origin)
    refused("TAG_MISSING", f":{ONE}")
    oid = git("commit-tree", "-p", "main", "-m", "archive", git("mktree", stdin=""))
    told(CheckpointsArchived(oid))
    refused("TAG_MISSING", LEDGER, f"{oid}:{archive_ref(oid)}", f":{ONE}", f":{TAG}")
    refused("TAG_MISSING", LEDGER, f":{ONE}")
    assert refs_of(served.origin) == before


@pytest.mark.quick
def test_an_archive_deleted_on_the_server_before_its_checkpoints_have_refs_again(served: Pair) -> None:
    made = archive_all(served.ann.top)
    assert set(served.ann.sync().deleted) == {ONE, TAG}
    collect(served.origin)
    refused("TAG_MISSING", f":{archive_ref(made)}")
    told(CheckpointsUnarchived((made,)))
    refused("TAG_MISSING", LEDGER, f":{archive_ref(made)}")
    router.call("archive", Workspace.open(), archive.Request(undo=True))
    assert archive_ref(made) in served.ann.sync().deleted
    assert {ONE, TAG} <= set(numbered(served.origin))


def brought(served: Pair, oid: str) -> None:
    """An archive that the server got before it had our hook."""
    git("fetch", "-q", str(served.ann.top), f"{oid}:{archive_ref(oid)}", where=served.origin)


def test_refs_of_checkpoints_deleted_because_an_archive_with_a_fault_has_them(served: Pair) -> None:
    before = git("rev-parse", "main~1")
    made = archive_all(served.ann.top)
    brought(served, forged(made, before))
    refused("TAG_MISSING", LEDGER, f":{ONE}")
    assert {ONE, TAG} <= set(numbered(served.origin))
    served.ann.sync()
    told(CheckpointsUnarchived((made,)))
    brought(served, forged(made, before))
    refused("must not be deleted yet", LEDGER, f":{archive_ref(made)}")
    assert archive_ref(made) in refs_of(served.origin)
