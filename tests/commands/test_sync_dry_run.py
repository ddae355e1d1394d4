"""`sync --dry-run` tells what `sync` does, and writes nothing: no ref, no object, no note, here or there."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import init, rewind, sync
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.clones import LEDGER, Clone, Pair
from tests.support.git_calls import git


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def everything_below(folder: Path) -> dict[str, str]:
    """Each file and folder below `folder`, with the digest of its bytes and its time of change.

    Without the time of an object: git gives a new one to an object that it fetches and that is here already.
    """
    found: dict[str, str] = {}
    for place, folders, files in os.walk(folder):
        for name in folders:
            found[str(Path(place, name))] = "folder"
        for name in files:
            path = Path(place, name)
            time = 0 if "objects" in path.parts else path.stat().st_mtime_ns
            found[str(path)] = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {time}"
    return found


def tried(clone: Clone, remote: str = "") -> sync.Result:
    """The result of a dry run, which changes no file of the clone or of its remote, and leaves no temporary folder."""
    before = everything_below(clone.top) | everything_below(clone.top.parent / "origin.git")
    result: sync.Result = router.call("sync", clone.opened, sync.Request(remote, dry_run=True))
    after = everything_below(clone.top) | everything_below(clone.top.parent / "origin.git")
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert result.dry_run
    return result


def without_oids(result: sync.Result) -> sync.Result:
    """The result without the oids of a merge, which each run writes anew, and without the count that only a dry run has."""
    return replace(result, dry_run=False, ledger="", merged=result.merged and "merged", commits=0)


@pytest.mark.quick
def test_a_dry_run_tells_what_sync_then_does_and_writes_nothing(pair: Pair) -> None:
    pair.ann.task("10")
    pair.bob.task("11")
    pair.bob.sync()
    told = tried(pair.ann)
    assert told.merged
    assert LEDGER in told.fetched
    assert LEDGER in told.pushed
    assert "refs/tags/devs/task-10" in told.pushed
    assert told.commits == 1
    assert without_oids(told) == without_oids(pair.ann.sync())
    assert tried(pair.ann).pushed == tried(pair.ann).fetched == ()


def test_a_fast_forward_a_renumbering_and_a_rewind_are_told_before_they_happen(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.sync()
    assert without_oids(tried(pair.bob)) == without_oids(pair.bob.sync())
    pair.ann.task("12")
    pair.bob.task("12")
    pair.ann.sync()
    told = tried(pair.bob)
    assert told.renumbered
    assert told.outdone
    assert without_oids(told) == without_oids(pair.bob.sync())
    pair.ann.sync()
    router.call("rewind", pair.ann.opened, rewind.Request("10"))
    told = tried(pair.ann)
    assert "refs/tags/devs/task-12" in told.pushed
    assert without_oids(told) == without_oids(pair.ann.sync())


def test_what_sync_refuses_its_dry_run_refuses_too(pair: Pair) -> None:
    pair.ann.task("10")
    pair.meet()
    git("update-ref", LEDGER, f"{LEDGER}~1", where=pair.origin)
    before = everything_below(pair.ann.top)
    with pytest.raises(DevsError) as caught:
        router.call("sync", pair.ann.opened, sync.Request(dry_run=True))
    assert caught.value.code == "LEDGER_ROLLBACK"
    assert everything_below(pair.ann.top) == before


def test_a_linked_worktree_a_shallow_and_a_packed_clone_have_dry_runs_too(pair: Pair, tmp_path: Path) -> None:
    pair.ann.task("10")
    pair.ann.git("worktree", "add", "-q", str(tmp_path / "linked"))
    pair.ann.git("pack-refs", "--all")
    told = router.call("sync", Workspace.open(tmp_path / "linked"), sync.Request(dry_run=True))
    assert "refs/tags/devs/task-10" in told.pushed
    pair.ann.sync()
    pair.ann.git("push", "-q", "origin", "main")
    git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{pair.origin}", "other", where=tmp_path)
    router.call("init", Workspace.open(tmp_path / "other"), init.Request())
    pair.ann.task("11")
    pair.ann.sync()
    assert LEDGER in tried(Clone(tmp_path / "other")).fetched


def test_on_the_command_line_the_plan_is_words_or_json(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.ann.task("10")
    monkeypatch.chdir(pair.ann.top)
    monkeypatch.setattr("sys.argv", ["devs-git", "sync", "--dry-run"])
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "origin (../origin.git): would fetch 0 refs and push 3 refs"
    assert "  push            refs/tags/devs/task-10" in lines
    monkeypatch.setattr("sys.argv", ["devs-git", "sync", "--dry-run", "--json"])
    assert main() == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dry_run"], told["url"], told["merged"]) == (True, "../origin.git", None)
    assert LEDGER in told["pushed"]
