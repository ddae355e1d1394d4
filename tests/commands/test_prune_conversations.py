"""`prune` deletes old conversations, and traces if the policy says so, but nothing that somebody still refers to."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import (
    conversation_import,
    conversation_rewind,
    conversation_snapshot,
    conversation_snapshots,
    rewind,
    task_start,
    trace_export,
    trace_import,
    trace_put,
    trace_search,
    undo,
)
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import fulltext, prune_sessions
from devs_git.workspace import Workspace
from tests.support.old_conversations import call, completed, counts, kept, line, policy, run, said, tell
from tests.support.own_calls import devs_git

NOW = "2026-11-23T12:00:00+00:00"
OLD, RECENT = "2026-01-01T12:00:00+00:00", "2026-11-20T12:00:00+00:00"
At = Callable[[str], None]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> At:
    """Sets the clock."""
    return lambda time: monkeypatch.setenv("DEVS_GIT_CLOCK", time)


@pytest.mark.quick
def test_a_session_that_is_older_than_the_policy_says_goes_with_its_messages(
    initialised: Path, at: At
) -> None:
    at(OLD)
    tell(initialised, "old", 2)
    at(RECENT)
    tell(initialised, "young", 2)
    at(NOW)
    planned = run(initialised, dry_run=True)
    assert counts(planned) == {"conversations": 1}
    assert said(initialised, "old") == ["old says 0", "old says 1"]
    done = run(initialised, plan_id=planned.plan_id)
    assert (counts(done), done.kinds[4].names) == ({"conversations": 1}, ("old",))
    assert (said(initialised, "old"), len(said(initialised, "young"))) == ([], 2)
    event = next(Workspace.open(initialised).ledger.events())
    assert (event.oid, event.all("Devs-Pruned")) == (done.event, ("1 conversation",))
    assert counts(run(initialised)) == {}
    workspace = Workspace.open(initialised)
    with open_catalog.open_catalog(workspace) as catalog:
        assert (fulltext.trouble(catalog), catalog.trouble()) == ("", "")


def test_the_policy_says_how_long_conversations_stay(initialised: Path, at: At) -> None:
    at(RECENT)
    tell(initialised, "three days", 1)
    at(NOW)
    policy(initialised, conversations="4d")
    assert counts(run(initialised)) == {}
    policy(initialised, conversations="2d")
    assert counts(run(initialised)) == {"conversations": 1}


@pytest.mark.quick
def test_a_session_stays_while_a_live_checkpoint_or_an_undo_refers_to_it(initialised: Path, at: At) -> None:
    at(OLD)
    call(initialised, "task start", task_start.Request("9"))
    completed(initialised, "9")
    call(initialised, "task start", task_start.Request("10"))
    tell(initialised, "s", 2, task="10")
    tell(initialised, "s/helper", 1)
    completed(initialised, "10")
    at(NOW)
    assert kept(run(initialised)) == dict.fromkeys(("s", "s/helper"), "task-10@1 refers to it")
    call(initialised, "rewind", rewind.Request("9"))
    at("2026-12-20T12:00:00+00:00")
    assert kept(run(initialised)) == dict.fromkeys(("s", "s/helper"), "an undo can bring task-10@1 back")
    call(initialised, "undo", undo.Request())
    assert len(said(initialised, "s")) == 2
    call(initialised, "rewind", rewind.Request("9"))
    at("2027-02-01T12:00:00+00:00")
    assert counts(run(initialised))["conversations"] == 2
    assert said(initialised, "s") == []


@pytest.mark.quick
def test_messages_that_a_younger_fork_shares_stay_with_the_fork(initialised: Path, at: At) -> None:
    at(OLD)
    tell(initialised, "first", 3)
    at(RECENT)
    tell(initialised, "fork", 1, first="first")
    at(NOW)
    assert counts(run(initialised)) == {"conversations": 1}
    assert said(initialised, "first") == []
    assert said(initialised, "fork") == ["first says 0", "first says 1", "fork says 0"]
    found = call(initialised, "trace search", trace_search.Request("says", within="messages")).hits
    assert {one.session_id for one in found} == {"fork"}


def test_a_pruned_session_that_goes_on_is_read_whole_again_and_an_unchanged_one_is_not(
    initialised: Path, at: At
) -> None:
    at(OLD)
    path = tell(initialised, "s", 2)
    before = call(initialised, "conversation snapshot", conversation_snapshot.Request(session="s"))
    at(NOW)
    assert counts(run(initialised)) == {"conversations": 1}
    with path.open("ab") as stream:
        stream.write(line("s", "s-2", "s says 2"))
    call(initialised, "conversation import", conversation_import.Request(path))
    assert said(initialised, "s") == ["s says 0", "s says 1", "s says 2"]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    again = call(initialised, "conversation snapshot", conversation_snapshot.Request(session="s"))
    assert (before.message_count, again.message_count) == (2, 3)


def test_old_snapshots_go_but_not_those_of_live_checkpoints_and_only_prune_deletes_them(
    initialised: Path, at: At
) -> None:
    at(OLD)
    call(initialised, "task start", task_start.Request("10"))
    tell(initialised, "s", 1)
    call(initialised, "conversation snapshot", conversation_snapshot.Request())
    completed(initialised, "10")
    at("2026-04-01T11:00:00+00:00")
    assert counts(run(initialised)) == {}
    at("2026-04-01T13:00:00+00:00")
    tell(initialised, "s", 2)
    assert kinds(initialised) == ["checkpoint", "manual"]
    assert counts(run(initialised)) == {"conversation snapshots": 1}
    assert kinds(initialised) == ["checkpoint"]
    assert len(said(initialised, "s")) == 2


def kinds(top: Path) -> list[str]:
    listed = call(top, "conversation snapshots", conversation_snapshots.Request()).snapshots
    return sorted(one.snapshot_type for one in listed)


def test_traces_go_only_if_the_policy_says_when(initialised: Path, at: At) -> None:
    at(OLD)
    call(initialised, "task start", task_start.Request("10"))
    tell(initialised, "s", 1)
    for session in ("", "s"):
        call(initialised, "trace put", trace_put.Request(b"output", session_id=session))
    completed(initialised, "10")
    at(NOW)
    assert counts(run(initialised)) == {}
    assert "traces" not in [kind.kind for kind in run(initialised).kinds]
    policy(initialised, traces="90d")
    # The other one belongs to a session of a live checkpoint.
    assert counts(run(initialised, dry_run=True)) == {"traces": 1}
    assert counts(run(initialised)) == {"traces": 1}
    assert counts(run(initialised)) == {}


def test_a_transcript_of_our_plug_in_goes_with_its_session_and_one_of_a_client_does_not(
    initialised: Path, at: At
) -> None:
    at(OLD)
    ours = Workspace.open(initialised).places.transcripts / "s.jsonl"
    ours.parent.mkdir(parents=True)
    ours.write_bytes(line("s", "1", "ours"))
    call(initialised, "conversation import", conversation_import.Request(ours))
    theirs = tell(initialised, "t", 1)
    at(NOW)
    assert counts(run(initialised)) == {"conversations": 2}
    assert (ours.exists(), theirs.exists()) == (False, True)


def test_a_damaged_catalog_does_not_stop_prune(initialised: Path, at: At) -> None:
    at(OLD)
    tell(initialised, "s", 1)
    (Workspace.open(initialised).places.shared / "catalog.db").write_bytes(b"damaged" * 1000)
    at(NOW)
    assert counts(run(initialised)) == {}


def test_du_says_what_conversations_and_traces_take(initialised: Path, at: At) -> None:
    at(OLD)
    tell(initialised, "s", 3)
    at(NOW)
    shown = {row["kind"]: row for row in json.loads(devs_git("du", "--json", where=initialised))["kinds"]}
    assert (shown["conversations"]["count"], shown["conversations"]["old"]) == (1, 1)
    assert shown["conversations"]["bytes"] > 100
    assert shown["conversations"]["keep"] == 90 * 86400
    assert (shown["traces"]["count"], shown["traces"]["keep"]) == (0, -1)
    assert shown["catalog"]["bytes"] > 0


@pytest.mark.quick
def test_without_its_event_nothing_leaves_the_catalog(
    initialised: Path, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(OLD)
    tell(initialised, "s", 2)
    at(NOW)

    def fail(*_: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(Workspace, "append", fail)
    with pytest.raises(OSError, match="full"):
        run(initialised)
    monkeypatch.undo()
    at(NOW)
    workspace = Workspace.open(initialised)
    with open_catalog.open_catalog(workspace) as catalog:
        assert list(prune_sessions.last_seen(catalog)) == ["s"]
    assert len(said(initialised, "s")) == 2


def test_a_session_of_an_export_stays_for_the_policys_time_after_it_was_imported(
    initialised: Path, at: At
) -> None:
    at(OLD)
    tell(initialised, "s", 2)
    packed = io.BytesIO()
    call(initialised, "trace export", trace_export.Request(packed.write))
    at(NOW)
    assert counts(run(initialised)) == {"conversations": 1}
    call(initialised, "trace import", trace_import.Request(io.BytesIO(packed.getvalue())))
    assert counts(run(initialised)) == {}
    assert len(said(initialised, "s")) == 2


def test_a_session_stays_while_an_undo_can_bring_its_messages_back(
    initialised: Path, at: At, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    policy(initialised, conversations="1d")
    at("2026-11-20T12:00:00+00:00")
    tell(initialised, "s", 3)
    back = conversation_rewind.Request(by_messages=1, session="s")
    call(initialised, "conversation rewind", back)
    at(NOW)
    assert kept(run(initialised))["s"] == "an undo can bring its messages back"
    call(initialised, "undo", undo.Request())
    assert len(said(initialised, "s")) == 3
    at("2027-01-23T12:00:00+00:00")
    assert counts(run(initialised))["conversations"] == 1
