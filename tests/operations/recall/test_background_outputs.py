"""What a command of Claude Code prints in the background is in its trace once the command ended."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from devs_git.operations.recall import ingest, open_catalog
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.transcripts import Source
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import leave
from tests.support.agent_calls import after
from tests.support.cut_outputs import Session

pytestmark = pytest.mark.quick

PRINTED = "".join(f"{number}\n" for number in range(9000)).encode()
CUT = b"", True, False


class Background:
    """A session with one command in the background, and the client's folder for its output."""

    def __init__(self, tmp_path: Path) -> None:
        self.session = Session(tmp_path / "home/.claude/projects/-work-repo")
        self.folder = tmp_path / "tmp/claude-1000/-work-repo" / self.session.id / "tasks"
        self.folder.mkdir(parents=True)
        self.path = self.folder / "b1.output"
        self.path.write_bytes(PRINTED)

    def started(self, task_id: str = "b1") -> dict[str, Any]:
        response = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": task_id}
        known = {"session_id": self.session.id, "transcript_path": str(self.session.transcript)}
        return after(1, response, **known)

    def notice(self, path: Path | str = "", status: str = "completed") -> None:
        """The client writes into the transcript that the command ended."""
        text = (
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>u1</tool-use-id>\n"
            f"<output-file>{path or self.path}</output-file>\n<status>{status}</status>\n"
            '<summary>Background command "Run the tests" ended</summary>\n</task-notification>'
        )
        line = {"type": "queue-operation", "operation": "enqueue", "sessionId": self.session.id}
        with self.session.transcript.open("a") as stream:
            stream.write(json.dumps({**line, "content": text}) + "\n")


@pytest.fixture
def background(tmp_path: Path) -> Background:
    return Background(tmp_path)


def taken(workspace: Workspace, *payloads: dict[str, Any]) -> tuple[bytes, bool, bool | None]:
    """Output, cut and failed of the only trace."""
    for payload in payloads:
        leave(workspace, payload)
    with open_catalog.open_catalog(workspace) as catalog:
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        row = traces.row(catalog, trace_id)
        assert row is not None
        return traces.output(catalog, trace_id), row.cut_by_client, row.is_error


@pytest.mark.parametrize(("status", "failed"), [("completed", False), ("failed", True), ("killed", True)])
def test_the_output_is_taken_when_the_transcript_tells_the_end(
    status: str, failed: bool, ledgered: Workspace, background: Background
) -> None:
    assert taken(ledgered, background.started()) == CUT
    background.notice(status=status)
    assert taken(ledgered, background.started()) == (PRINTED, False, failed)


def test_the_end_may_be_told_before_the_payload_of_the_call_is_taken_in(
    ledgered: Workspace, background: Background
) -> None:
    background.notice()
    with Catalog.open(ledgered.places.shared) as catalog:
        source = Source(background.session.transcript, "claude", background.session.id)
        ingest.ingest_transcript(ledgered, catalog, source, ingest.current_attribution(ledgered))
        assert catalog.rows("SELECT count(*) FROM traces") == [(0,)]
    assert taken(ledgered, background.started()) == (PRINTED, False, False)


def test_the_payload_stays_as_the_client_sent_it(ledgered: Workspace, background: Background) -> None:
    background.notice()
    taken(ledgered, background.started())
    with open_catalog.open_catalog(ledgered) as catalog:
        ((trace_id,),) = catalog.rows("SELECT trace_id FROM traces")
        assert json.loads(traces.raw(catalog, trace_id)) == background.started()


def test_without_its_file_the_output_stays_cut(ledgered: Workspace, background: Background) -> None:
    background.path.unlink()
    background.notice()
    assert taken(ledgered, background.started()) == CUT


def test_a_notice_of_another_task_than_the_call_started_is_not_believed(
    ledgered: Workspace, background: Background
) -> None:
    background.notice()
    assert taken(ledgered, background.started("b2")) == CUT


def _secret(background: Background) -> Path:
    path = background.folder.parents[3] / "id_rsa"
    path.write_text("a secret")
    return path


def _by_dots(background: Background) -> str:
    _secret(background)
    return f"{background.folder}/../../../../id_rsa"


def _linked(background: Background) -> Path:
    path = background.folder / "b2.output"
    path.symlink_to(_secret(background))
    return path


def _hard_linked(background: Background) -> Path:
    path = background.folder / "b2.output"
    os.link(_secret(background), path)
    return path


def _linked_folder(background: Background) -> Path:
    other = background.folder.with_name("other")
    background.folder.rename(other)
    background.folder.symlink_to(other)
    return background.path


def _linked_user(background: Background) -> Path:
    user = background.folder.parents[2]
    user.rename(user.with_name("other"))
    user.symlink_to("other")
    return background.path


def _of_another_session(background: Background) -> Path:
    path = background.folder.parent.with_name("another") / "tasks/b1.output"
    path.parent.mkdir(parents=True)
    path.write_bytes(PRINTED)
    return path


def _of_another_project(background: Background) -> Path:
    path = background.folder.parents[1].with_name("-other") / background.session.id / "tasks/b1.output"
    path.parent.mkdir(parents=True)
    path.write_bytes(PRINTED)
    return path


@pytest.mark.parametrize(
    "planted",
    [
        _secret,
        _by_dots,
        _linked,
        _hard_linked,
        _linked_folder,
        _linked_user,
        _of_another_session,
        _of_another_project,
    ],
)
def test_a_file_that_a_planted_notice_names_is_not_taken(
    planted: Any, ledgered: Workspace, background: Background
) -> None:
    background.notice(planted(background))
    assert taken(ledgered, background.started()) == CUT
