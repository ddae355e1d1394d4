"""The sessions that devs-git wrote for clients: `du` counts them, `prune` and `purge` delete them, and never the person's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_import, du, prune, purge
from devs_git.entrypoints import router
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target
from devs_git.storage.catalog.sessions import written_files
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

OLD, NOW = "2026-01-01T12:00:00+00:00", "2026-11-23T12:00:00+00:00"


@pytest.fixture
def two(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, Path]:
    """A repository, and two files of a session that were written long ago. Somebody has gone on with the second."""
    monkeypatch.setenv("DEVS_GIT_CLOCK", OLD)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    transcript = tmp_path / "s.jsonl"
    message = {"role": "user", "content": "The word is quartz."}
    line = {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": OLD, "message": message}
    transcript.write_text(json.dumps(line) + "\n")
    call(initialised, "conversation import", conversation_import.Request(transcript))
    transcript.unlink()
    workspace = Workspace.open(initialised)
    with open_catalog(workspace) as catalog:
        target = Target(initialised, installed="2.1.330")
        one, other = (write_session.write(workspace, catalog, Point("s"), target).file for _ in range(2))
    with other.open("a") as stream:
        stream.write('{"more": "quartz"}\n')
    return initialised, one, other


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def written(found: Any) -> Any:
    (kind,) = (kind for kind in found.kinds if kind.kind == "written sessions")
    return kind


def test_old_ones_are_counted_and_pruned_but_not_one_with_which_somebody_went_on(
    two: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    top, one, other = two
    assert written(call(top, "prune", prune.Request())).count == 0
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    measured = written(call(top, "du", du.Request()))
    assert (measured.count, measured.old) == (2, 1)
    assert measured.bytes > 0
    planned = written(call(top, "prune", prune.Request(dry_run=True)))
    assert planned.names == (str(one),)
    assert [(kept.name, kept.reason) for kept in planned.kept] == [
        (str(other), "somebody has gone on with it")
    ]
    assert one.exists()
    call(top, "prune", prune.Request())
    assert (one.exists(), other.exists()) == (False, True)
    with open_catalog(Workspace.open(top)) as catalog:
        assert [file.path for file in written_files.list_files(catalog)] == [other]


def test_a_purge_deletes_those_with_the_secret_and_names_the_persons(two: tuple[Path, Path, Path]) -> None:
    top, one, other = two
    result = call(top, "purge", purge.Request(text="quartz"))
    assert str(one) in result.files
    assert (one.exists(), other.exists()) == (False, True)
    assert str(other) in [left.what for left in result.left]
