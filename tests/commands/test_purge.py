"""`purge` takes a secret out of every place of ours: looked for in every object and every file of .git, before and after."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    conversation_show,
    doctor,
    history_rewritten,
    log,
    purge,
    rewind,
    show,
    snapshot_create,
    snapshot_open,
    trace_list,
    trace_put,
    trace_search,
    undo,
    verify,
)
from devs_git.errors import DevsError
from devs_git.operations.purge import refs_and_objects
from devs_git.storage.git import object_graph, refs
from devs_git.workspace import Workspace
from tests.support import agent_calls
from tests.support.filter_repo import MAP, filter_repo
from tests.support.gate_scene import ask
from tests.support.planted_secret import PATH, SECRET, TEXT, WORD, call, gc, message, places, plant, run_purge
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal


@pytest.fixture
def planted(initialised: Path, tmp_path: Path) -> Path:
    return plant(initialised, tmp_path)


BOTH = pytest.mark.parametrize("request_", [PATH, TEXT], ids=["path", "text"])


@pytest.mark.quick(1)
@BOTH
@pytest.mark.parametrize("engine", ["5", "4"])
def test_it_is_in_every_place_before_and_in_none_after(
    planted: Path, request_: purge.Request, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_FTS", engine)
    call(planted, "trace search", trace_search.Request("clean"))
    agent_calls.call(planted, {**agent_calls.after(2), "tool_response": {"stdout": SECRET, "stderr": ""}})
    before = places(planted)
    assert {"object", "index", "spool", "rejected", "saved", "transcripts"} <= before
    assert any(name.startswith("catalog.db") for name in before)
    result = run_purge(planted, request_)
    assert {one.kind for one in result.dropped} == {
        "backup",
        "snapshot",
        "preserved",
        "checkpoint",
        "moments",
    }
    assert (result.messages, result.left) == (1, ())
    gc(planted)
    assert places(planted) == set()
    assert [row.trace_id for row in call(planted, "trace list", trace_list.Request()).traces] == ["t1"]


def test_what_stays_is_whole_and_all_verbs_agree(planted: Path) -> None:
    run_purge(planted)
    gc(planted)
    found = doctor.run(Workspace.open(planted), doctor.Request()).findings
    assert [one.code for one in found if one.severity == "error"] == []
    assert verify.run(Workspace.open(planted), verify.Request(("repository",))).ok
    messages = call(planted, "conversation show", conversation_show.Request()).messages
    assert [message.content for message in messages] == ["Hello there.", "[purged]", "Thank you."]
    assert [row.trace_id for row in call(planted, "trace search", trace_search.Request("clean")).hits] == [
        "t1"
    ]
    assert call(planted, "show", show.Request("task-1")).status == "completed"
    with pytest.raises(DevsError) as error:
        call(planted, "show", show.Request("task-2@1"))
    assert error.value.code == "HISTORY_REWRITTEN"


def test_the_dry_run_says_the_same_and_writes_nothing(planted: Path) -> None:
    before = refs.list_refs(Workspace.open(planted).store_git), places(planted)
    planned = run_purge(planted, dry_run=True)
    assert (refs.list_refs(Workspace.open(planted).store_git), places(planted)) == before
    done = run_purge(planted, plan_id=planned.plan_id)
    for name in ("dropped", "traces", "messages", "files", "left"):
        assert getattr(planned, name) == getattr(done, name), name


def test_a_log_says_what_is_kept_no_more(planted: Path) -> None:
    run_purge(planted)
    rows = {
        f"{row.task_id}@{row.number}": row.state for row in call(planted, "log", log.Request()).checkpoints
    }
    assert rows == {"task-1@1": "completed", "task-2@1": "replaced, no longer kept"}


def test_a_text_over_the_end_of_a_piece_of_a_large_file_is_found(planted: Path) -> None:
    path = planted / ".git/devs/spool/rejected/large"
    path.write_bytes(b"x" * ((1 << 20) - 5) + WORD.encode())
    assert str(path) in run_purge(planted, TEXT, dry_run=True).files


def test_while_an_operation_is_under_way_nothing_is_purged(planted: Path) -> None:
    (planted / ".git/devs/journal/20010203T040506-1a2b3c4d.json").write_text('{"worktree": "other"}')
    with pytest.raises(DevsError) as error:
        purge.run(Workspace.open(planted), purge.Request(text=WORD))
    assert error.value.code == "BUSY"


def test_a_plan_that_is_stale_is_not_carried_out(planted: Path) -> None:
    planned = run_purge(planted, dry_run=True)
    call(planted, "trace put", trace_put.Request(SECRET.encode(), trace_id="later"))
    with pytest.raises(DevsError) as error:
        run_purge(planted, plan_id=planned.plan_id)
    assert error.value.code == "PLAN_STALE"


@BOTH
def test_the_event_says_what_went_and_does_not_repeat_the_secret(
    planted: Path, request_: purge.Request
) -> None:
    result = run_purge(planted, request_)
    event = next(Workspace.open(planted).ledger.events())
    assert (event.oid, event.type, event.get("Devs-Tier")) == (result.event, "purged", "3")
    assert event.all("Devs-Dropped") == tuple(f"{one.ref} {one.oid}" for one in result.dropped)
    assert WORD not in event.message()


def test_an_undo_that_needs_a_purged_backup_is_refused(planted: Path) -> None:
    (planted / "a.txt").write_text("edited\n")
    call(planted, "rewind", rewind.Request("task-1", preserve="discard"))
    run_purge(planted)
    first = next(op for op in reversed(list(Workspace.open(planted).ledger.events())) if op.type == "rewound")
    for _ in range(2):
        with pytest.raises(DevsError) as error:
            call(planted, "undo", undo.Request(first.get("Devs-Op")))
        assert (error.value.code, "was purged" in error.value.message) == ("NOTHING_TO_UNDO", True)
        gc(planted)
    call(planted, "undo", undo.Request())
    assert (planted / "a.txt").read_text() == "edited\n"


def test_the_last_rewind_whose_backup_was_purged_is_not_passed_over(planted: Path) -> None:
    run_purge(planted)
    with pytest.raises(DevsError) as error:
        call(planted, "undo", undo.Request())
    assert "was purged" in error.value.message


def test_nothing_found_is_no_event(planted: Path) -> None:
    tip = Workspace.open(planted).ledger.tip().oid
    for request in (purge.Request("never.txt"), purge.Request(text="never was said")):
        result = run_purge(planted, request)
        assert (result.dropped, result.traces, result.messages, result.files, result.event) == (
            (),
            0,
            0,
            (),
            "",
        )
    assert Workspace.open(planted).ledger.tip().oid == tip


def test_what_is_a_persons_is_named_with_the_command_and_left(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"secret.env": SECRET})
    scene.git("rm", "-q", "secret.env")
    scene.git("commit", "-qm", "without it")
    scene.git("branch", "feature")
    scene.write({"secret.env": SECRET})
    scene.git("add", "secret.env")
    scene.git("stash", "-q")
    scene.write({"secret.env": SECRET})
    scene.git("add", "secret.env")
    call(initialised, "snapshot create", snapshot_create.Request())
    (snapshot,) = refs.list_refs(scene.workspace.store_git, "refs/heads/snapshot")
    call(initialised, "snapshot open", snapshot_open.Request(snapshot.removeprefix("refs/heads/"), ""))
    result = run_purge(initialised)
    commands = {one.what: one.command for one in result.left}
    assert "--invert-paths --path secret.env --refs refs/heads/main" in commands["refs/heads/main"]
    assert {"refs/heads/feature", "a stash entry"} <= commands.keys()
    for start in ("secret.env in the index of ", "HEAD of "):
        assert any(what.startswith(start) for what in commands)
    assert commands[str(initialised / "secret.env")].startswith("it is your own file")
    assert [one.kind for one in result.dropped] == ["moments"]


def test_files_in_which_git_keeps_a_message_are_named(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.git("worktree", "add", "-q", "../it's", "-b", "side")
    scene.git("commit", "-q", "--allow-empty", "-m", f"found {WORD}")
    scene.git("reset", "-q", "--hard", "HEAD~1")
    merging = initialised / ".git/worktrees/it's/MERGE_MSG"
    merging.write_text(f"merge of {WORD}\n")
    result = run_purge(initialised, TEXT)
    assert {one.what: one.command for one in result.left} == {
        str(initialised / ".git/COMMIT_EDITMSG"): f"rm {initialised}/.git/COMMIT_EDITMSG",
        str(merging): f"rm {shlex.quote(str(merging))}",
    }
    for one in result.left:
        subprocess.run(["sh", "-ec", one.command], check=True)
    assert run_purge(initialised, TEXT).left == ()


def test_after_filter_repo_the_old_checkpoints_go_too(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    filter_repo(initialised, "--invert-paths", "--path", "secret.env", "--refs", "main")
    with pytest.raises(DevsError, match="has another commit in place of"):
        run_purge(initialised)
    call(initialised, "history-rewritten", history_rewritten.Request(MAP, str(initialised)))
    assert [one.ref for one in run_purge(initialised).dropped] == ["refs/devs/checkpoints/task-2/1"]
    gc(initialised)
    assert (places(initialised), call(initialised, "show", show.Request("task-2")).name) == (
        set(),
        "task-2@2",
    )


def test_while_frozen_it_waits_and_a_dry_run_says_so(planted: Path) -> None:
    ask(Workspace.open(planted), kind="MANUAL")
    with pytest.raises(DevsError) as error:
        run_purge(planted)
    assert error.value.code == "GATE_BLOCKED"
    assert [one["code"] for one in run_purge(planted, dry_run=True).blocked_by] == ["GATE_BLOCKED"]


def cli(top: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devs_git", "purge", *words]
    return subprocess.run(
        command, cwd=top, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def test_in_a_pipe_it_goes_on_with_yes_alone_and_at_a_terminal_it_asks(planted: Path) -> None:
    refused = cli(planted, "secret.env")
    assert (refused.returncode, "--yes" in refused.stderr) == (3, True)
    assert at_terminal(planted, "purge", "secret.env", typed="n\n")[0] != 0
    assert "object" in places(planted)
    status, shown = at_terminal(planted, "purge", "secret.env", typed="y\n")
    assert (status, "Would purge:" in shown, "Purged:" in shown) == (0, True, True)
    assert cli(planted, "secret.env", "--yes").stdout.startswith("devs-git has stored it nowhere.")


def test_the_agents_own_transcript_is_named(planted: Path, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(message(2, f"It is\n{SECRET}"))
    (left,) = run_purge(planted).left
    assert (left.what, "delete it" in left.command) == (os.fspath(tmp_path / "session.jsonl"), True)


@pytest.mark.parametrize(
    "known", [{}, {"text": "abc"}, {"path": "../out"}, {"path": "a\0b"}, {"path": "."}], ids=repr
)
def test_what_cannot_be_purged_is_an_argument_that_is_refused(
    initialised: Path, known: dict[str, Any]
) -> None:
    with pytest.raises(DevsError) as error:
        call(initialised, "purge", purge.Request(**known))
    assert error.value.code == "INVALID_ARGUMENTS"


@BOTH
def test_what_is_too_large_to_be_held_in_memory_is_read_in_pieces(
    planted: Path, request_: purge.Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (object_graph, refs_and_objects):
        monkeypatch.setattr(module, "SMALL", 10)
    found = run_purge(planted, request_, dry_run=True).dropped
    assert {one.kind for one in found} == {"backup", "snapshot", "preserved", "checkpoint", "moments"}


def test_a_file_that_says_too_little_to_be_looked_for_goes_by_its_path(initialised: Path) -> None:
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"a.txt": "two\n", "pin": "4711\n"})
    call(initialised, "rewind", rewind.Request("task-1", preserve="branch"))
    (oid,) = {
        line.split()[2]
        for line in scene.git("ls-tree", "-r", "refs/devs/checkpoints/task-2/1").splitlines()
        if line.endswith("pin")
    }
    result = run_purge(initialised, purge.Request("pin"))
    assert {one.kind for one in result.dropped} == {"backup", "preserved", "checkpoint"}
    gc(initialised)
    assert not Workspace.open(initialised).objects.exists(oid)
    assert not any(path.name == oid for path in (initialised / ".git/devs").rglob("*"))
