"""After a compaction the hook of a client tells the model again what it works on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import directive_add, directive_list, directive_withdraw, gate_reject, task_start
from devs_git.domain.clients import moment_call
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints import router
from devs_git.operations.directives import recall_task
from devs_git.storage.git.places import locate
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.storage.ledger.store import Ledger
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.agent_calls import HookAnswer, call
from tests.support.gate_scene import ask as ask_gate
from tests.support.gate_scene import yes
from tests.support.hook_moments import prompt, silent

pytestmark = pytest.mark.thorough
TOLD = sorted(name for name, client in CLIENTS.items() if client.compacted)


def start(project: Path, source: str = "compact", client: str = "claude", **more: Any) -> HookAnswer:
    """What the hook answers where a session starts."""
    return call(
        project,
        {"session_id": "s", "hook_event_name": "SessionStart", "source": source, **more},
        client=client,
    )


def told(answer: HookAnswer) -> str:
    assert (answer.status, answer.err) == (0, "")
    output = json.loads(answer.out)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    return str(output["additionalContext"])


def add(text: str) -> str:
    request = directive_add.Request("1", text, at_terminal=True)
    return str(router.call("directive add", Workspace.open(), request).directive_id)


@pytest.fixture
def working(project: Path) -> Path:
    """A project in which task-1 is active."""
    request = task_start.Request("1", title="Dates", plan="Parse.\nThen write.", contract="c", phase="plan")
    router.call("task start", Workspace.open(), request)
    return project


@pytest.mark.quick
def test_a_compacted_session_does_not_wait_for_the_whole_ledger(
    working: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = {"session_id": "s", "hook_event_name": "SessionStart", "source": "compact"}
    moment = moment_call.parse(CLIENTS["claude"], "SessionStart", json.dumps(payload).encode())
    before = recall_task.tell(moment, locate(working))
    assert "You work on task-1." in before
    (working / ".git" / INDEX).touch()
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    assert recall_task.tell(moment, locate(working)) == before


@pytest.mark.quick
@pytest.mark.parametrize("client", TOLD)
def test_a_compacted_session_is_told_its_task_gates_and_directives(client: str, working: Path) -> None:
    directive_id = add("use X")
    gate_id = ask_gate(
        Workspace.open(), kind="MANUAL", task_id="1", blocker_description="May it write the old form?"
    )
    gate_reject.run(Workspace.open(), gate_reject.Request(gate_id, reason="Only read it.", ask=yes))
    lines = told(start(working, client=client)).splitlines()
    assert lines[0].startswith("devs-git: the conversation was compacted. You work on task-1.")
    assert lines[1:8] == ["Phase: plan. Contract: c.", "Title:", "> Dates", "The plan:", "> Parse.", "> Then write.",
                          f"Gate {gate_id} is REJECTED. It asks:"]  # fmt: skip
    assert lines[8:11] == ["> May it write the old form?", "The answer:", "> Only read it."]
    assert lines[12].startswith(f"devs-git directive {directive_id} for task-1: ")
    assert lines[13] == "> use X"
    assert lines[-1].endswith("is in the bundle: git devs resume task-1")
    (row,) = directive_list.run(Workspace.open(), directive_list.Request()).directives
    assert (row.state, row.tries) == ("handed", 1)


def test_what_was_seen_before_is_told_again_and_what_was_withdrawn_is_not(working: Path) -> None:
    transcript = working.parent / "session.jsonl"
    transcript.write_text("")
    seen, gone = add("use X"), add("use Y")
    request = directive_withdraw.Request(gone, at_terminal=True)
    router.call("directive withdraw", Workspace.open(), request)
    text = json.loads(call(working, prompt(transcript_path=str(transcript))).out)
    content = [text["hookSpecificOutput"]["additionalContext"]]
    line = {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": content}}
    transcript.write_text(json.dumps(line) + "\n")
    (row,) = directive_list.run(Workspace.open(), directive_list.Request(state="seen")).directives
    assert row.directive_id == seen
    recalled = told(start(working, transcript_path=str(transcript)))
    assert seen in recalled
    assert gone not in recalled
    assert directive_list.run(Workspace.open(), directive_list.Request(state="seen")).directives == (row,)


def test_another_start_and_a_worktree_without_a_task_are_told_nothing(working: Path) -> None:
    for source in ("startup", "resume", "clear", "fork"):
        assert silent(start(working, source))
    active_task.write(Workspace.open().places, "")
    hook = working / ".git/devs/agent-hook"
    hook.write_text(hook.read_text().replace(" -P -m ", " -P -m no_such_"))
    assert silent(start(working))


@pytest.mark.quick
def test_a_recall_is_never_longer_than_a_client_shows(project: Path) -> None:
    request = task_start.Request("1", title="T" * 200, plan="\u20ac " * 20_000)
    router.call("task start", Workspace.open(), request)
    for _ in range(3):
        add("line \u20ac\n" * 400)
    text = told(start(project))
    assert len(text) <= 9_000
    assert len(text.encode()) <= 9_900
    assert "The plan begins so:" in text
    assert text.count("devs-git directive ") >= 1


def test_a_line_of_the_client_runs_only_after_a_compaction(project: Path) -> None:
    for name in TOLD:
        hooks = json.loads((project / CLIENTS[name].hooks_file).read_text())["hooks"]
        assert [group.get("matcher") for group in hooks["SessionStart"]] == ["compact"]
        assert [group.get("matcher") for group in hooks["Stop"]] == [None]
