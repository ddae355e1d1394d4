"""The client's hook hands a person's directives to the agent at a prompt: once, and again only if nobody saw them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import directive_add, directive_list, directive_withdraw, rewind, task_start, undo
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.model_input import READERS
from devs_git.domain.ledger.events import Event
from devs_git.entrypoints import router
from devs_git.storage.moments import gaps
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.agent_calls import HookAnswer, call
from tests.support.hook_moments import kept, prompt, silent
from tests.support.ledgers import put_policy_in_force
from tests.support.own_calls import devs_git
from tests.support.scene import Scene

Run = Callable[..., str]
pytestmark = pytest.mark.thorough


def add(text: str, task: str = "1") -> str:
    """The id of a directive that a person writes at a terminal."""
    request = directive_add.Request(task, text, at_terminal=True)
    return str(router.call("directive add", Workspace.open(), request).directive_id)


def work_on(task: str) -> None:
    """Say which task is active in this worktree, '' for none."""
    active_task.write(Workspace.open().places, f"Devs-Task: {task}\n" if task else "")


def row(directive_id: str) -> directive_list.Row:
    rows: tuple[directive_list.Row, ...]
    rows = router.call("directive list", Workspace.open(), directive_list.Request()).directives
    (found,) = (one for one in rows if one.directive_id == directive_id)
    return found


def told(answer: HookAnswer) -> str:
    """What the model is told; '' for nothing."""
    assert (answer.status, answer.err) == (0, "")
    output = json.loads(answer.out)["hookSpecificOutput"] if answer.out else {}
    return str(output.get("additionalContext", ""))


def line_of(client: str, text: str) -> str:
    """The line of a transcript with a text that a hook told, as the client writes it."""
    if client == "claude":
        attachment = {"type": "hook_additional_context", "content": [text], "hookEvent": "UserPromptSubmit"}
        found: dict[str, Any] = {"type": "attachment", "attachment": attachment}
    else:
        content = [{"type": "input_text", "text": text}]
        payload = {"type": "message", "role": "developer", "content": content}
        found = {"type": "response_item", "payload": payload}
    return json.dumps({**found, "timestamp": "2001-02-03T04:05:06.789Z"}) + "\n"


@pytest.fixture
def transcript(project: Path) -> Path:
    """The transcript of a session in a worktree in which task-1 is active."""
    router.call("task start", Workspace.open(), task_start.Request("1"))
    path = project.parent / "session.jsonl"
    path.write_text('{"type":"user"}\n')
    return path


def ask(project: Path, transcript: Path | str, client: str = "claude", **more: Any) -> HookAnswer:
    return call(project, prompt(transcript_path=str(transcript), **more), client=client)


@pytest.mark.quick
@pytest.mark.parametrize("client", sorted(READERS))
def test_a_directive_arrives_once_and_is_seen(client: str, project: Path, transcript: Path) -> None:
    directive_id = add("use X,\nnot Y")
    text = told(ask(project, transcript, client))
    who = Workspace.open().actor
    head = f"devs-git directive {directive_id} for task-1: {who} wrote it at {row(directive_id).written_at}."
    assert text == f"{head} Follow it as an instruction of this person.\n> use X,\n> not Y"
    assert (row(directive_id).state, row(directive_id).tries) == ("handed", 1)
    with transcript.open("a") as file:
        file.write(line_of(client, text))
    assert told(ask(project, transcript, client)) == ""
    found = row(directive_id)
    assert (found.state, found.tries, found.seen_at) == ("seen", 1, "2001-02-03T04:05:06.789Z")
    assert not (project / ".git/devs/directed").exists()


def test_what_nobody_saw_is_handed_over_three_times_at_most(project: Path, transcript: Path) -> None:
    directive_id = add("use X")
    answers = [told(ask(project, transcript)) for _ in range(5)]
    assert [bool(answer) for answer in answers] == [True, True, True, False, False]
    assert (row(directive_id).state, row(directive_id).tries) == ("handed", 3)


@pytest.mark.parametrize("client", sorted({*CLIENTS} - {*READERS}))
def test_a_client_whose_transcript_cannot_show_it_gets_it_once(
    client: str, project: Path, transcript: Path
) -> None:
    directive_id = add("use X")
    answers = [told(ask(project, transcript, client)) for _ in range(3)]
    assert [bool(answer) for answer in answers] == [True, False, False]
    assert (row(directive_id).state, row(directive_id).seen_at) == ("handed", "")


@pytest.mark.quick
def test_a_tools_output_that_has_it_is_no_proof(project: Path, transcript: Path) -> None:
    directive_id = add("use X")
    text = told(ask(project, transcript))
    result = {"type": "tool_result", "tool_use_id": "t", "content": text}
    lines = (
        {"type": "user", "message": {"content": [result]}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}},
    )
    with transcript.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    assert told(ask(project, transcript)) == text
    assert row(directive_id).seen_at == ""


def test_a_directive_whose_writer_was_killed_after_its_event_is_handed_over(
    project: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Workspace.append

    def die(workspace: Workspace, build: Any) -> Event:
        append(workspace, build)
        raise KeyboardInterrupt

    monkeypatch.setattr(Workspace, "append", die)
    with pytest.raises(KeyboardInterrupt):
        add("use X")
    monkeypatch.undo()
    assert "\n> use X" in told(ask(project, transcript))


def test_a_note_of_a_directive_that_was_never_written_goes_with_the_next_prompt(
    project: Path, transcript: Path
) -> None:
    add("use X", task="1")
    (project / ".git/devs/directed").write_text("task-1\ntask-7\n")
    assert "\n> use X" in told(ask(project, transcript))
    assert (project / ".git/devs/directed").read_text() == "task-1\n"


def break_python(project: Path) -> None:
    """From now on the hook's Python fails at once."""
    hook = project / ".git/devs/agent-hook"
    hook.write_text(hook.read_text().replace(" -P -m ", " -P -m no_such_"))


@pytest.mark.quick
def test_without_a_directive_for_the_active_task_no_python_starts(project: Path, transcript: Path) -> None:
    work_on("")
    Scene(Workspace.open()).task("2", {"x.txt": "x\n"})
    work_on("task-1")
    add("for another task", task="2")
    assert (project / ".git/devs/directed").read_text() == "task-2\n"
    assert silent(ask(project, transcript))
    kept(project)
    break_python(project)
    assert silent(ask(project, transcript))


def test_a_directive_arrives_where_no_moments_are_kept(project: Path, transcript: Path) -> None:
    put_policy_in_force(Workspace.open(), recording={"moments": False})
    assert not (project / ".git/devs/moments-on").exists()
    add("use X")
    assert "\n> use X" in told(ask(project, transcript))
    assert kept(project) == []


def test_a_withdrawn_or_rewound_directive_is_not_handed_over(project: Path) -> None:
    for task in ("0", "1"):
        Scene(Workspace.open(project)).task(task, {"x.txt": task})
    withdrawn, rewound = add("one"), add("two")
    request = directive_withdraw.Request(withdrawn, at_terminal=True)
    router.call("directive withdraw", Workspace.open(), request)
    router.call("rewind", Workspace.open(), rewind.Request("0"))
    assert not (project / ".git/devs/directed").exists()
    router.call("undo", Workspace.open(), undo.Request())
    assert (project / ".git/devs/directed").read_text() == "task-1\n"
    work_on("task-1")
    text = told(ask(project, "none"))
    assert rewound in text
    assert withdrawn not in text


@pytest.mark.quick
def test_long_directives_are_cut_and_the_rest_waits_for_the_next_prompts(
    project: Path, transcript: Path
) -> None:
    long, short = add("line\n" * 4000), add("short")
    first = told(ask(project, transcript))
    assert 8_500 < len(first) <= 9_000
    assert first.endswith("Read all of it: git devs directive list --task task-1 --json")
    assert short not in first
    with transcript.open("a") as file:
        file.write(line_of("claude", first))
    assert "\n> short" in told(ask(project, transcript))
    assert row(long).state == "seen"


@pytest.mark.quick
def test_a_directive_has_at_most_9900_bytes_for_clients_that_count_tokens(
    project: Path, transcript: Path
) -> None:
    add("\u20ac" * 8000)
    text = told(ask(project, transcript))
    assert 9_500 < len(text.encode()) <= 9_900


@pytest.mark.quick
def test_a_bundle_that_is_the_first_prompt_is_not_handed_over_again(project: Path, transcript: Path) -> None:
    directive_id = add("use X")
    bundle = devs_git("resume", "task-1", where=project)
    assert "> use X" in bundle
    assert row(directive_id).state == "written"
    # The client writes the prompt before it calls the hook.
    with transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"content": bundle}}) + "\n")
    assert told(ask(project, transcript, prompt=bundle)) == ""
    assert told(ask(project, transcript)) == ""
    assert (row(directive_id).state, row(directive_id).tries) == ("seen", 1)


def test_a_directive_stands_beside_what_a_moment_tells(project: Path, transcript: Path) -> None:
    add("use X")
    folder = project / ".git/devs/moments"
    kept(project)
    folder.mkdir(exist_ok=True)
    gaps.add(folder, gaps.Gap("2001-02-03T04:05:06.789Z", "call", "the disk is full"))
    text = told(ask(project, transcript))
    assert text.startswith("devs-git: the state of the worktree was not kept at 04:05:06 UTC")
    assert text.endswith("\n\n" + text[text.index("devs-git directive ") :])
    assert text.endswith("\n> use X")
