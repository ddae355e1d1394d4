"""The conversation of a fork: what its session has, in which client, and what reaches its worktree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, fork, task_start
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.trust import Trust
from devs_git.errors import DevsError
from devs_git.storage.hooks import client_files, client_trust
from devs_git.workspace import Workspace
from tests.support.turn_scene import Turns

pytestmark = pytest.mark.quick

SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"


@pytest.fixture
def turns(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Turns:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    made = Turns(Workspace.open(initialised), tmp_path)
    made.says(1, SESSION, "user", "One, please.")
    made.says(2, SESSION, "assistant", "One is done.")
    made.edit("one.txt", "1\n")
    made.moment(3, "prompt", SESSION)
    made.says(4, SESSION, "user", "Two, please.")
    made.says(5, SESSION, "assistant", "Two is done.")
    made.edit("two.txt", "2\n")
    made.read()
    return made


def at_moment(turns: Turns, **more: object) -> fork.Result:
    request = fork.Request("moment:-1", "again", **more)  # type: ignore[arg-type]
    return fork.run(Workspace.open(turns.workspace.top), request)


def test_the_session_of_a_fork_ends_at_the_point_of_its_state(turns: Turns) -> None:
    source = turns.folder / f"{SESSION}.jsonl"
    before = source.read_bytes()
    done = at_moment(turns)
    assert done.session
    assert (done.session.client, done.session.messages, done.point.session_id) == ("claude", 2, SESSION)
    text = Path(done.session.file).read_text()
    assert "One is done." in text
    assert "Two" not in text
    assert {json.loads(line).get("cwd", done.worktree) for line in text.splitlines()} == {done.worktree}
    assert done.start_command == ("claude", "--resume", done.session.session_id)
    assert sorted(path.name for path in Path(done.worktree).glob("*.txt") if path.stem in ("one", "two")) == [
        "one.txt"
    ]
    assert source.read_bytes() == before


def test_a_session_can_be_for_the_other_client_or_not_be_written(turns: Turns) -> None:
    other = at_moment(turns, to="codex")
    assert other.session
    assert (other.session.client, other.start_command[:2]) == ("codex", ("codex", "resume"))
    none = fork.run(
        Workspace.open(turns.workspace.top), fork.Request("moment:-1", "third", conversation=False)
    )
    assert (none.session, none.start_command, none.left_out) == (None, (), ())


def test_a_fork_says_that_the_place_in_the_conversation_of_its_task_is_not_known(initialised: Path) -> None:
    task_start.run(Workspace.open(initialised), task_start.Request("10", spawned_by=SESSION))
    (initialised / "one.txt").write_text("1\n")
    checkpoint.run(Workspace.open(initialised), checkpoint.Request("One", everything=True))
    done = fork.run(Workspace.open(initialised), fork.Request("task-10@1", "again"))
    assert (done.session, len(done.left_out)) == (None, 1)
    assert done.left_out[0].startswith("The conversation: it is not recorded")


def test_a_session_that_cannot_be_written_is_said_and_the_fork_is_made(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.operations.sessions import write_session

    def refuse(*_: object) -> None:
        raise DevsError("CONFLICT", "This version was not tried.", hint="Use the bundle.")

    monkeypatch.setattr(write_session, "_put", refuse)
    done = at_moment(turns)
    assert (done.session, done.start_command) == (None, ())
    assert done.left_out == ("The conversation: This version was not tried. Use the bundle.",)
    assert Path(done.worktree, "one.txt").exists()


def test_a_file_in_the_way_of_the_session_is_named_and_stays(turns: Turns, tmp_path: Path) -> None:
    in_the_way = tmp_path / "CLAUDE_CONFIG_DIR"
    in_the_way.write_text("mine")
    done = at_moment(turns)
    said = "The conversation: The session cannot be written: File exists."
    hint = "In the client's folder, move away what is in the way, free some space or correct the permissions."
    assert done.left_out == (f"{said} {hint}",)
    assert Path(done.worktree, "one.txt").exists()
    assert in_the_way.read_text() == "mine"


def test_project_files_that_git_does_not_track_are_put_into_the_worktree(turns: Turns) -> None:
    workspace, client = turns.workspace, CLIENTS["claude"]
    client_files.install(workspace.places, workspace.top, client)
    done = fork.run(Workspace.open(workspace.top), fork.Request("moment:-1", "again", conversation=False))
    there, files = Path(done.worktree), (client.hooks_file, client.server_file, client.small_file)
    assert (done.placed, done.to_do, done.guarded) == (files, (), True)
    for name in done.placed:
        assert (there / name).read_bytes() == (workspace.top / name).read_bytes()


def test_a_tracked_file_without_our_hook_is_said_and_not_changed(turns: Turns) -> None:
    workspace, client = turns.workspace, CLIENTS["claude"]
    (workspace.top / client.hooks_file).parent.mkdir()
    (workspace.top / client.hooks_file).write_text("{}\n")
    turns.moment(6, "prompt", SESSION)
    client_files.install(workspace.places, workspace.top, client)
    done = fork.run(Workspace.open(workspace.top), fork.Request("moment:-1", "again", conversation=False))
    assert (done.placed, done.guarded) == ((), False)
    assert "devs-git agent install claude" in done.to_do[0]
    assert (Path(done.worktree) / client.hooks_file).read_text() == "{}\n"


@pytest.mark.parametrize("to", ["", "codex"])
def test_a_client_whose_session_was_written_and_that_calls_no_hook_of_ours_is_said(
    turns: Turns, to: str
) -> None:
    workspace, other = turns.workspace, CLIENTS["claude" if to else "gemini"]
    client_files.install(workspace.places, workspace.top, other)
    done = at_moment(turns, to=to)
    assert done.session
    # Codex takes the hooks file of the main worktree.
    folder = workspace.top if to else done.worktree
    assert done.guarded is False
    assert done.to_do[-1].endswith(f"Run: cd {folder} && devs-git agent install {done.session.client}")


def test_codex_is_guarded_in_a_state_whose_own_file_calls_no_hook(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the file of the main worktree."""
    workspace, client = turns.workspace, CLIENTS["codex"]
    (workspace.top / client.hooks_file).parent.mkdir()
    (workspace.top / client.hooks_file).write_text("{}\n")
    turns.moment(6, "prompt", SESSION)
    client_files.install(workspace.places, workspace.top, client)
    monkeypatch.setattr(client_trust, "of", lambda *_: Trust("trusted", "Codex trusts it."))
    done = fork.run(Workspace.open(workspace.top), fork.Request("moment:-1", "again", conversation=False))
    assert (done.to_do, done.guarded) == ((), True)
