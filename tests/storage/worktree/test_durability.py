"""Whatever must survive a power failure is on disk before we rely on it. The tests look at each fsync.

git itself syncs what it writes, because we set `core.fsync`. What we write ourselves is synced with `os.fsync`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pygit2
import pytest

from devs_git.commands import rewind
from devs_git.entrypoints import router
from devs_git.storage.git import loose_objects
from devs_git.storage.git.objects import Objects
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.scene import Scene

pytestmark = pytest.mark.quick
Synced = list[str]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Synced:
    """The names of the synced files and folders, in order."""
    names: Synced = []
    sync = os.fsync

    def watched(descriptor: int) -> None:
        sync(descriptor)
        names.append(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115 - it sometimes ends with ` (deleted)`

    monkeypatch.setattr(os, "fsync", watched)
    return names


def ends(synced: Synced, *parts: str) -> bool:
    """Whether a synced path has all these parts."""
    return any(all(part in f"{name}/" for part in parts) for name in synced)


def test_a_journal_and_what_it_speaks_of_are_on_disk_before_the_first_file_moves(
    dirtied: Scene, synced: Synced
) -> None:
    at: dict[str, Synced] = {}
    workspace = Workspace.open(dirtied.top)

    def progress(name: str, _done: int, _total: int) -> None:
        at.setdefault(name, [*synced])

    request = rewind.Request("10", preserve="stash", untracked="save")
    result = router.call("rewind", replace(workspace, progress=progress), request)
    folder = f"/devs/op/{result.rewind_id}/"
    before = at["index lock"]
    for name in ("index.user", "index.old", "listing"):
        assert ends(before, f"{folder}{name}/"), (name, before)
    assert any(f"{name}/".endswith(folder) for name in before), before
    # The temporary file, and then the folder with its name.
    assert ends(before, "/devs/journal/."), before
    assert any(name.endswith("/devs/journal") for name in before), before
    assert [name for name in at["verify"][len(at["files"]) :] if f"{name}/".endswith(folder)], at["verify"]
    assert ends(at["verify"], f"{folder}aside-0/"), at["verify"]


def test_an_object_and_the_folder_that_names_it_are_on_disk_when_its_oid_is_known(
    tmp_path: Path, synced: Synced
) -> None:
    oid = loose_objects.write(tmp_path, "blob", b"text\n")
    assert [Path(name).name.partition("_")[0] for name in synced] == ["tmp", oid[:2]]


def test_the_library_that_stores_large_objects_syncs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: list[bool] = []
    monkeypatch.setattr(pygit2, "settings", SimpleNamespace(enable_fsync_gitdir=settings.append))
    Objects(tmp_path).write("blob", bytes(loose_objects.SMALL + 1))
    assert settings == [True]


def test_git_syncs_all_that_a_backup_is_made_of(dirtied: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """git's trace has the settings of each call that stores objects, writes an index or makes the ref."""
    trace = dirtied.top.parent / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    rewind.run(Workspace.open(dirtied.top), rewind.Request("10", preserve="stash", untracked="save"))
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    calls = [" ".join(event["argv"]) for event in events if event["event"] == "start"]
    backup = next(at for at, call in enumerate(calls) if "update-ref -m devs: backup" in call)
    for word in ("update-index --add", "write-tree", "update-ref"):
        found = [call for call in calls[: backup + 1] if word in call]
        assert found, word
        assert [call for call in found if "-c core.fsync=all" not in call] == [], word
