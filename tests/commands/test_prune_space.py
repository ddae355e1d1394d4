"""After `prune`, moments that stay are whole, whatever the user's git did with its own objects before and does after."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from devs_git.commands import prune
from devs_git.domain.clients import moment_call
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.moments.moment import Moment, Occasion
from devs_git.errors import DevsError
from devs_git.operations.moments import make_in_hook
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import (
    behind,
    make_moment,
    moment_store,
    prune_moments,
    read_moments,
    store_packing,
)
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.agent_calls import call
from tests.support.git_calls import git as git_in
from tests.support.moment_scene import maker
from tests.support.moment_scene import prune as prune_all

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent.parent
OLD, NEW, NOW = "2026-10-01T12:00:00+00:00", "2026-11-20T12:00:00+00:00", "2026-11-23T12:00:00+00:00"


def make(workspace: Workspace, time: str) -> str:
    then = datetime.fromisoformat(time)
    return make_moment.make(replace(maker(workspace), clock=lambda: then), Occasion("prompt")).moment_id


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_was_also_in_the_users_store_stays_in_the_moment(
    ledgered: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    top = ledgered.top
    make(ledgered, OLD)
    git("switch", "-qc", "other")
    (top / "both.txt").write_text("in a commit that goes, and in the moment\n")
    git("add", "both.txt")
    (top / "new.txt").write_text("untracked\n")
    kept = make(ledgered, NEW)
    git("commit", "-qm", "has both.txt")
    if packed:
        git("gc", "-q")
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    done = prune.run(Workspace.open(top), prune.Request())
    assert sum(kind.count for kind in done.kinds) == 1
    git("switch", "-q", "main")
    git("branch", "-qD", "other")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    here = Workspace.open(top)
    state, _ = read_moments.load(here.objects, kept)
    assert git("cat-file", "-p", f"{state.index}:both.txt") == "in a commit that goes, and in the moment"
    git("rev-list", "--objects", kept)


def test_after_all_moments_went_the_same_state_is_kept_whole_again(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ledgered.top / "new.txt").write_text("untracked\n")
    first = make(ledgered, OLD)
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    prune_all(ledgered.store_git, prune_moments.days(ledgered.store_git))
    store_packing.pack(ledgered.store_git, ledgered.places.common, grace=0.0)
    with pytest.raises(DevsError):
        read_moments.look_up(ledgered.objects, first)
    again = make(Workspace.open(ledgered.top), NEW)
    state, _ = read_moments.load(Workspace.open(ledgered.top).objects, again)
    assert git_in("show", f"{state.worktree}:new.txt", where=ledgered.top) == "untracked"


def test_space_is_freed_and_what_stays_is_in_one_pack(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ledgered.top / "large.bin").write_bytes(random.Random(1).randbytes(2_000_000))
    make(ledgered, OLD)
    (ledgered.top / "large.bin").write_bytes(b"small\n")
    kept = [make(ledgered, NEW)]
    (ledgered.top / "large.bin").write_bytes(b"small, too\n")
    kept.append(make(ledgered, NEW))
    store = moment_store.folder(ledgered.places.common) / "objects"
    for file in store.rglob("*"):
        if file.is_file():
            os.utime(file, (0, 0))  # older than an hour
    assert size(store) > 2_000_000
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    prune.run(Workspace.open(ledgered.top), prune.Request())
    assert size(store) < 100_000
    # git writes a `.rev` beside a pack from 2.41 on.
    found = {path.suffix for path in store.rglob("*") if path.is_file()} - {".rev"}
    assert found == {".idx", ".pack"}
    assert len(list(store.rglob("*.pack"))) == 1
    for one in kept:
        read_moments.load(Workspace.open(ledgered.top).objects, one)


def test_at_the_end_of_a_turn_many_files_become_one_pack_and_no_moment_goes(ledgered: Workspace) -> None:
    kept = [make(ledgered, OLD)]
    (ledgered.top / "new.txt").write_text("untracked\n")
    kept.append(make(ledgered, OLD.replace("12:00", "13:00")))
    places = ledgered.places
    store = moment_store.folder(places.common) / "objects"
    data = json.dumps({"session_id": "s", "hook_event_name": "Stop"}).encode()
    stop = moment_call.parse(CLIENTS["claude"], "Stop", data)
    make_in_hook.keep(stop, places, 60.0)
    assert not list(store.glob("pack/*"))
    objects = moment_store.objects_of(ledgered.objects)
    for data in (b"%d" % number for number in range(20_000)):
        if hashlib.sha1(b"blob %d\0%s" % (len(data), data)).hexdigest().startswith("17"):  # noqa: S324 - git's
            objects.write("blob", data)
    (ledgered.top / "new.txt").write_text("changed\n")
    make_in_hook.keep(stop, places, 60.0)
    assert len(list(store.glob("pack/*.pack"))) == 1
    # What no moment has stays for an hour.
    assert 27 < len(list(store.glob("17/*"))) > len(list(store.glob("??/*"))) - 10
    for one in kept:
        read_moments.load(Workspace.open(ledgered.top).objects, one)


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_moments_that_are_made_while_the_store_is_packed_are_whole(ledgered: Workspace) -> None:
    """Two processes make moments, two pack with no grace; each moment must load afterwards."""
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom devs_git.workspace import Workspace\n"
        "from devs_git.storage.moments import store_packing\nfrom tests.support.moment_scene import moment\n"
        "top, what, number = Path(sys.argv[1]), sys.argv[2], sys.argv[3]\nend = time.monotonic() + 4\nturn = 0\n"
        "while time.monotonic() < end:\n"
        "    workspace, turn = Workspace.open(top), turn + 1\n"
        "    if what == 'pack':\n"
        "        store_packing.pack(workspace.store_git, workspace.places.common, 0.0)\n"
        "    else:\n"
        "        (top / f'file {number}').write_text(f'{turn % 3}')\n"
        "        print(moment(workspace).moment_id)\n"
    )
    beside = ledgered.top.parent / "beside"
    git_in("worktree", "add", "-q", str(beside), where=ledgered.top)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(top), what, str(number)],
            stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for number, (top, what) in enumerate([(ledgered.top, "make"), (beside, "make"), (beside, "pack"), (beside, "pack")])
    ]  # fmt: skip
    made = {line for child in children for line in child.communicate()[0].split()}
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert len(made) > 4
    for one in made:
        read_moments.load(Workspace.open(ledgered.top).objects, one)


def test_after_a_prune_the_hook_keeps_an_unchanged_state_again(
    initialised: Path, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    client_files.install(locate(initialised), initialised, CLIENTS["claude"])
    git("add", "-A")
    git("commit", "-qm", "agent")
    (initialised / "new.txt").write_text("untracked\n")
    prompt = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
    for _ in range(2):
        assert call(initialised, prompt).status == 0
        (first,) = listed(initialised)  # the second prompt found nothing changed
    with monkeypatch.context() as later:
        day = datetime.fromisoformat(first.created_at) + timedelta(days=20)
        later.setenv("DEVS_GIT_CLOCK", day.isoformat())
        prune.run(Workspace.open(initialised), prune.Request())
    assert listed(initialised) == ()
    assert call(initialised, prompt).status == 0
    (again,) = listed(initialised)
    state, _ = read_moments.load(Workspace.open(initialised).objects, again.id)
    assert git("show", f"{state.worktree}:new.txt") == "untracked"


def listed(top: Path) -> tuple[Moment, ...]:
    workspace = Workspace.open(top)
    while behind.is_at_work(workspace.places.own / "moments"):
        time.sleep(0.02)
    return read_moments.list_moments(workspace.store_git, workspace.objects)
