"""The spool is taken into the catalog once, whoever takes it in and whenever they are killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from devs_git.errors import DevsError
from devs_git.operations.recall import payload_handlers, spool
from devs_git.storage.catalog import fulltext, pending_transcripts, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.agent_calls import EXAMPLES, after

Run = Callable[..., str]
PAYLOADS = int(os.environ.get("DEVS_TEST_COUNT_SPOOLED", "40"))
INGEST = """
import os, signal, sys
from pathlib import Path
from devs_git.operations.recall import payload_handlers; from devs_git.operations.recall import spool
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
if sys.argv[1:] == ["killed"]:  # at the moment between commit and the first file that goes
    os.unlink = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1:] == ["midway"]:  # with three of five in the transaction
    keep, seen = payload_handlers.keep, []
    def kill(catalog, spooled):
        seen.append(keep(catalog, spooled))
        len(seen) < 3 or os.kill(os.getpid(), signal.SIGKILL)
    payload_handlers.keep = kill
workspace = Workspace.open()
with Catalog.open(workspace.places.shared) as catalog:
    print(spool.ingest(workspace.places, workspace.store_git, catalog).ingested)
"""


def leave(workspace: Workspace, payload: Any, *lines: str, client: str = "claude", event: str = "") -> Path:
    """What a hook leaves."""
    folder = workspace.places.spool
    folder.mkdir(parents=True, exist_ok=True)
    event = event or payload["hook_event_name"]
    path = folder / f"{os.urandom(8).hex()}.{client}.{event}"
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    path.write_bytes("\n".join((f"{client} {event}", *lines)).encode() + b"\n\n" + data)
    return path


def ingest(workspace: Workspace) -> spool.Counts:
    with Catalog.open(workspace.places.shared) as catalog:
        return spool.ingest(workspace.places, workspace.store_git, catalog)


def stored(workspace: Workspace) -> list[tuple[Any, ...]]:
    with Catalog.open(workspace.places.shared) as catalog:
        return catalog.rows(
            'SELECT tool_use_id, event, task_id, agent, "commit", is_error FROM traces ORDER BY 1, 2'
        )


@pytest.mark.quick(1)
@pytest.mark.parametrize(("moment", "there"), [("killed", 5), ("midway", 0)])
def test_a_crash_between_commit_and_unlink_gives_no_duplicate_and_one_before_loses_nothing(
    moment: str, there: int, ledgered: Workspace
) -> None:
    for number in range(5):
        leave(ledgered, after(number))
    killed = subprocess.run([sys.executable, "-c", INGEST, moment], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert (len(stored(ledgered)), len(spool.waiting_files(ledgered.places))) == (there, 5)
    assert ingest(ledgered) == spool.Counts(5, 0)
    assert len(stored(ledgered)) == 5
    assert spool.waiting_files(ledgered.places) == ()


def test_every_example_of_a_tool_that_ran_becomes_a_trace_and_of_a_session_it_is_heard(
    ledgered: Workspace,
) -> None:
    for example in EXAMPLES.values():
        leave(ledgered, example["payload"], client=example["client"])
    wanted = [example for example in EXAMPLES.values() if "trace" in example]
    stopped = [one for one in EXAMPLES.values() if one["payload"]["hook_event_name"] == "Stop"]
    assert ingest(ledgered) == spool.Counts(len(wanted) + len(stopped), 0)
    with Catalog.open(ledgered.places.shared) as catalog:
        told = {os.fspath(one.path): one.snapshot for one in pending_transcripts.list_pending(catalog)}
    assert [told[one["payload"]["transcript_path"]] for one in stopped] == [True] * len(stopped)
    found = {row[0]: row[5] for row in stored(ledgered)}
    assert found == {e["payload"]["tool_use_id"]: traces.known_or_not(e["trace"]["is_error"]) for e in wanted}
    assert len(list(ledgered.places.spool.iterdir())) == len(EXAMPLES) - len(wanted) - len(stopped)


def test_a_trace_has_the_task_and_the_commit_of_when_the_tool_ran(ledgered: Workspace, git: Run) -> None:
    head = git("rev-parse", "HEAD")
    git("pack-refs", "--all")
    leave(ledgered, after(1), "HEAD ref: refs/heads/main", "Devs-Task: task-10", "Devs-Agent: reviewer")
    leave(ledgered, after(2), "HEAD " + "1" * 40)
    leave(ledgered, after(3), "HEAD ref: refs/heads/gone")
    ingest(ledgered)
    git("commit", "--allow-empty", "-qm", "later")
    assert [row[2:5] for row in stored(ledgered)] == [
        ("task-10", "reviewer", head),
        ("", "", "1" * 40),
        ("", "", ""),
    ]


def test_a_call_in_another_folder_than_the_hooks_has_what_stands_there(ledgered: Workspace, git: Run) -> None:
    top, linked = ledgered.top, ledgered.top.parent / "linked"
    git("worktree", "add", "-q", str(linked))
    git("commit", "--allow-empty", "-qm", "there", where=linked)
    (top / ".git/worktrees/linked/devs").mkdir()
    (top / ".git/worktrees/linked/devs/task").write_text("Devs-Task: task-11\nDevs-Agent: reviewer\n")
    here = (f"PWD {top}", "HEAD " + "1" * 40, "Devs-Task: task-10")
    (top.parent / "link").symlink_to(top)
    for number, folder in enumerate((linked, top.parent / "link", top.parent, "/nowhere", "", None)):
        leave(ledgered, {**after(number), "cwd": folder if folder is None else str(folder)}, *here)
    ingest(ledgered)
    there, told = ("task-11", "reviewer", git("rev-parse", "HEAD", where=linked)), ("task-10", "", "1" * 40)
    assert [row[2:5] for row in stored(ledgered)] == [there, told, ("",) * 3, told, told, told]


def test_reading_a_trace_is_not_traced_itself(ledgered: Workspace) -> None:
    leave(ledgered, {**after(1), "tool_input": {"command": "devs-git trace get t-1"}})
    leave(ledgered, {**after(2), "tool_name": "mcp__devs-git__search_traces"})
    leave(ledgered, after(3))
    ingest(ledgered)
    assert [row[0] for row in stored(ledgered)] == ["u3"]
    assert spool.waiting_files(ledgered.places) == ()


def test_what_cannot_be_read_is_kept_aside_and_stops_nobody(ledgered: Workspace) -> None:
    bad = [leave(ledgered, data, event="PostToolUse") for data in (b"", b"{", b"[]", b"{}", b"\xff" * 9)]
    bad.append(ledgered.places.spool / "abc.gemini.PostToolUse")
    bad[-1].write_bytes(b"gemini PostToolUse\n\n{}")
    kept = {path.name: path.read_bytes() for path in bad}
    leave(ledgered, after(1))
    assert ingest(ledgered) == spool.Counts(1, len(bad))
    assert spool.rejected_files(ledgered.places) == tuple(sorted(kept))
    aside = ledgered.places.spool / "rejected"
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == kept
    assert ingest(ledgered) == spool.Counts()


def test_a_payload_that_only_another_user_may_read_is_kept_aside_and_stops_nobody(
    ledgered: Workspace,
) -> None:
    leave(ledgered, after(1))
    path = leave(ledgered, after(2))
    path.unlink()
    path.symlink_to("/proc/self/mem")  # whoever we are: it is a file, and what stands there cannot be read
    assert ingest(ledgered) == spool.Counts(1, 1)
    assert spool.rejected_files(ledgered.places) == (path.name,)


def test_a_payload_that_is_too_long_for_the_catalog_is_kept_aside_and_stops_nobody(
    ledgered: Workspace,
) -> None:
    leave(ledgered, {**after(1), "tool_response": "x" * 20_000})
    leave(ledgered, after(2))
    with Catalog.open(ledgered.places.shared) as catalog:
        _ = fulltext.engine_of(catalog)
        catalog.base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000)
        assert spool.ingest(ledgered.places, ledgered.store_git, catalog) == spool.Counts(1, 1)
        assert catalog.rows("SELECT count(*) FROM bodies") == [(1,)]


def test_several_who_take_in_at_once_share_the_work_and_lose_nothing(ledgered: Workspace) -> None:
    ingest(ledgered)
    for number in range(PAYLOADS):
        leave(ledgered, after(number))
    words = [sys.executable, "-c", INGEST]
    with ThreadPoolExecutor(3) as pool:
        done = list(
            pool.map(lambda _: subprocess.run(words, capture_output=True, text=True, check=True), range(3))
        )
    assert sum(int(run.stdout) for run in done) == PAYLOADS
    assert len(stored(ledgered)) == PAYLOADS


def test_the_output_comes_back_byte_for_byte_with_the_payload_beside_it(ledgered: Workspace) -> None:
    payload = after(1, "nul \0, line\r\n, \u2713, half \ud800" + "x" * 2_000_000)
    leave(ledgered, payload)
    ingest(ledgered)
    with Catalog.open(ledgered.places.shared) as catalog:
        trace_id = catalog.rows("SELECT trace_id FROM traces")[0][0]
        assert traces.output(catalog, trace_id) == payload["tool_response"].encode("utf-8", "surrogatepass")
        assert json.loads(traces.raw(catalog, trace_id)) == payload


def test_they_are_taken_in_the_order_in_which_the_hooks_ended(ledgered: Workspace) -> None:
    paths = [leave(ledgered, after(number)) for number in range(4)]
    for moment, path in enumerate(reversed(paths), start=1_000_000_000):
        os.utime(path, (moment, moment))
    assert spool.waiting_files(ledgered.places) == tuple(reversed(paths))
    ingest(ledgered)
    with Catalog.open(ledgered.places.shared) as catalog:
        found = catalog.rows("SELECT tool_use_id, created_at FROM traces ORDER BY created_at")
    assert found[0] == ("u3", "2001-09-09T01:46:40.000Z")


def test_half_a_file_is_left_to_its_hook_and_shown_once_that_is_long_dead(ledgered: Workspace) -> None:
    leave(ledgered, after(1))
    half = ledgered.places.spool / ".half"
    half.write_bytes(b"claude")
    assert ingest(ledgered).rejected == 0
    assert half.exists()
    os.utime(half, (time.time() - 7200,) * 2)
    leave(ledgered, after(2))
    ingest(ledgered)
    assert spool.rejected_files(ledgered.places) == ("half",)


def test_a_transaction_that_fails_leaves_every_file_in_place(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(ledgered, after(1))
    leave(ledgered, after(2))

    def broken(_catalog: Catalog, spooled: payload_handlers.SpoolFile) -> None:
        if spooled.payload.text("tool_use_id") == "u2":
            raise DevsError("BUSY", "no room")

    monkeypatch.setattr(payload_handlers, "keep", broken)
    with pytest.raises(DevsError, match="no room"):
        ingest(ledgered)
    assert len(spool.waiting_files(ledgered.places)) == 2
    assert stored(ledgered) == []


def test_a_thousand_and_one_are_told_of_as_they_go_in(ledgered: Workspace) -> None:
    for number in range(3):
        leave(ledgered, after(number))
    told: list[tuple[str, int, int]] = []
    with Catalog.open(ledgered.places.shared) as catalog:
        spool.ingest(ledgered.places, ledgered.store_git, catalog, lambda *step: told.append(step))
    assert told == [("ingesting", 3, 3)]
