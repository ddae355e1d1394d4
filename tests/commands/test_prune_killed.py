"""`kill -9` of `prune` at each of its git children: the next `prune` finishes, and what must stay is whole."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from devs_git.commands import conversation_import, rewind, undo
from devs_git.domain.moments.moment import Moment, Occasion
from devs_git.storage.catalog import fulltext, prune_sessions
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.moments import make_moment, moment_store, prune_moments, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.git_calls import git as git_in
from tests.support.moment_scene import maker
from tests.support.repository_copy import folder as copy
from tests.support.scene import Scene

pytestmark = pytest.mark.thorough

NOW = "2026-11-23T12:00:00+00:00"
# Counts the calls of git. At number KILL_AT its caller dies: before git runs, or, with AFTER, when git has ended.
GIT = """#!/bin/sh
read -r n <"$COUNT"; n=$((n + 1)); echo "$n" >"$COUNT"
[ "$n" != "$KILL_AT" ] || [ "$AFTER" ] || kill -9 "$PPID"
"$REAL" "$@"
status=$?
[ "$n" != "$KILL_AT" ] || [ ! "$AFTER" ] || kill -9 "$PPID"
exit "$status"
"""


@pytest.fixture
def full(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Old and young moments and sessions, an old backup with its branch, and a young one."""
    scene = tasks({"1": {"a.txt": "one\n"}, "2": {"a.txt": "two\n"}})
    for time in ("2026-01-01T12:00:00+00:00", "2026-11-20T12:00:00+00:00"):
        monkeypatch.setenv("DEVS_GIT_CLOCK", time)
        workspace = Workspace.open(scene.top)
        for text in ("x", "y"):
            (scene.top / "new.txt").write_text(text + time)
            make_moment.make(replace(maker(workspace), clock=workspace.clock), Occasion("prompt"))
        rewind.run(workspace, rewind.Request("1"))
        undo.run(Workspace.open(scene.top), undo.Request())
        tell(scene.top, time[:10])
    for file in moment_store.folder(scene.workspace.places.common).rglob("objects/*/*"):
        os.utime(file, (0, 0))
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    return scene


@pytest.mark.parametrize("after", ["", "yes"])
def test_after_a_kill_at_each_git_the_next_prune_finishes(full: Scene, tmp_path: Path, after: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(GIT)
    (folder / "git").chmod(0o755)
    real = shutil.which("git")
    child = [sys.executable, "-m", "devs_git", "prune", "--yes"]
    young = [one.id for one in moments(full.top) if one.created_at > "2026-11"]
    assert len(young) == 2
    killed = 0
    for at in count(1):
        top = tmp_path / f"copy {at}"
        copy(full.top, top)
        (tmp_path / "count").write_text("0\n")
        mine = {"REAL": str(real), "COUNT": str(tmp_path / "count"), "KILL_AT": str(at), "AFTER": after}
        env = {**os.environ, **mine, "PATH": f"{folder}:{os.environ['PATH']}"}
        first = subprocess.run(child, cwd=top, env=env, capture_output=True, check=False)
        if first.returncode == 0 and int((tmp_path / "count").read_text()) < at:
            break
        killed += first.returncode == -9
        check(top, child, young)
        shutil.rmtree(top)
    assert killed > 8


def tell(top: Path, session: str) -> None:
    """A session with one message, which is read now."""
    path = top.parent / f"{session}.jsonl"
    known = {
        "type": "user",
        "uuid": session,
        "sessionId": session,
        "message": {"role": "user", "content": "Hi."},
    }
    path.write_text(json.dumps(known) + "\n")
    conversation_import.run(Workspace.open(top), conversation_import.Request(path))


def moments(top: Path) -> tuple[Moment, ...]:
    workspace = Workspace.open(top)
    return read_moments.list_moments(workspace.store_git, workspace.objects)


def check(top: Path, child: list[str], young: list[str]) -> None:
    """The next prune finishes, and afterwards everything young is whole, also after git collected garbage."""
    second = subprocess.run(child, cwd=top, capture_output=True, text=True, check=False)
    assert second.returncode == 0, second.stderr
    assert [one.id for one in moments(top)] == young
    assert [day.day for day in prune_moments.days(Workspace.open(top).store_git)] == ["2026-11-20"]
    assert len(git_in("for-each-ref", "refs/devs/backup", where=top).splitlines()) == 2
    with Catalog.look(Workspace.open(top).places.shared) as catalog:
        assert list(prune_sessions.last_seen(catalog)) == ["2026-11-20"]
        assert (catalog.trouble(), fulltext.trouble(catalog)) == ("", "")
    git_in("gc", "-q", "--prune=now", where=top)
    git_in("fsck", "--full", where=top)
    here = Workspace.open(top)
    for one in young:
        state, _ = read_moments.load(here.objects, one)
        git_in("rev-list", "--objects", one, state.head, where=top)
    dry = undo.run(here, undo.Request(dry_run=True))
    assert dry.blocked_by == ()
