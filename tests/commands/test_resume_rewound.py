"""After `conversation rewind`, `resume --mode continue` names the session that was cut and goes on in place of the old one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    contract_show,
    contract_start,
    conversation_import,
    conversation_rewind,
    resume,
    task_start,
    undo,
)
from devs_git.workspace import Workspace
from tests.support.talk_scene import call, four
from tests.support.turn_scene import Turns

pytestmark = pytest.mark.quick


@pytest.fixture
def top(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task and a contract, both with the session s1 of four messages."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    call(initialised, "contract start", contract_start.Request("c", "s1"))
    call(initialised, "task start", task_start.Request("1", contract="c"))
    four(tmp_path / "s1.jsonl")
    take(initialised, tmp_path / "s1.jsonl")
    return initialised


def take(top: Path, transcript: Path) -> None:
    call(top, "conversation import", conversation_import.Request(transcript, task="1"))


def back(top: Path, messages: int, session: str = "s1", **more: Any) -> tuple[str, Path]:
    """Take so many messages back: the session that goes on, and its file."""
    request = conversation_rewind.Request(by_messages=messages, session=session, **more)
    done = call(top, "conversation rewind", request)
    return done.session.session_id, Path(done.session.file)


def goes_on(top: Path, **asked: Any) -> Any:
    found = call(top, "resume", resume.Request(**{"target": "1", "mode": "continue", **asked}))
    assert found.start_command[2] == found.session.session_id
    return found.session


def says(file: Path, session: str, name: str) -> None:
    """The client goes on with the session that was written."""
    last = json.loads(file.read_text().splitlines()[-1])
    message = {"role": "user", "content": name}
    known = {"type": "user", "uuid": name, "parentUuid": last.get("uuid"), "sessionId": session}
    with file.open("a") as stream:
        stream.write(
            json.dumps({**known, "timestamp": "2999-01-01T00:00:00.000Z", "message": message}) + "\n"
        )


@pytest.mark.parametrize("named", [{}, {"target": "c", "contract": "c"}], ids=["task", "contract"])
def test_the_session_that_was_cut_goes_on_and_after_undo_the_old_one(
    top: Path, named: dict[str, str]
) -> None:
    new, file = back(top, 2)
    found = goes_on(top, **named)
    assert (found.session_id, found.file, found.written) == (new, str(file), False)
    assert (found.client, found.messages) == ("claude", 2)
    call(top, "undo", undo.Request())
    assert goes_on(top, **named).session_id == "s1"
    call(top, "undo", undo.Request())
    assert goes_on(top, **named).session_id == new


def test_a_session_that_is_cut_again_is_followed_to_the_newest_of_the_line(top: Path) -> None:
    new, file = back(top, 2)
    says(file, new, "five")
    take(top, file)
    assert goes_on(top).session_id == goes_on(top, target="c", contract="c").session_id == new
    newer, _file = back(top, 1, new)
    assert goes_on(top).session_id == goes_on(top, target="c", contract="c").session_id == newer
    call(top, "undo", undo.Request())
    assert goes_on(top).session_id == new


def test_a_session_that_is_cut_twice_goes_on_in_the_last_one(top: Path) -> None:
    first, _ = back(top, 1)
    second, _ = back(top, 1)
    assert goes_on(top).session_id == second
    call(top, "undo", undo.Request())
    assert goes_on(top).session_id == first


def test_if_the_file_is_gone_the_session_is_written_again_up_to_the_cut(top: Path) -> None:
    _new, file = back(top, 2)
    file.unlink()
    found = goes_on(top)
    assert (found.written, found.messages) == (True, 2)
    assert "three" not in Path(found.file).read_text()
    other = goes_on(top, to="codex")
    assert (other.client, other.written) == ("codex", True)
    assert "three" not in Path(other.file).read_text()


def test_with_the_code_the_new_session_goes_on_too(top: Path, tmp_path: Path) -> None:
    turns = Turns(Workspace.open(top), tmp_path)
    turns.says(1, "s2", "user", "first")
    turns.says(2, "s2", "assistant", "done")
    turns.moment(5, "prompt", "s2")
    turns.says(6, "s2", "user", "second")
    (top / "made.txt").write_text("made\n")
    turns.says(7, "s2", "assistant", "done again")
    turns.read()
    call(top, "contract start", contract_start.Request("d", "s2"))
    new, _file = back(top, 2, "s2", code=True, untracked="remove")
    assert not (top / "made.txt").exists()
    assert goes_on(top, target="d", contract="d").session_id == new
    call(top, "undo", undo.Request())
    assert goes_on(top, target="d", contract="d").session_id == "s2"


def test_the_list_and_a_rewind_of_the_contract_name_the_session_that_goes_on(top: Path) -> None:
    new, file = back(top, 2)
    listed = call(top, "resume", resume.Request())
    assert {row.session_id for row in listed.rows} == {new}
    says(file, new, "five")
    take(top, file)
    steered = call(top, "contract show", contract_show.Request("c"))
    assert [one.content for one in steered.messages] == ["one", "two", "five"]
    bundle = call(top, "resume", resume.Request("c", contract="c", mode="with_context")).markdown
    assert "five" in bundle
    assert "three" not in bundle
    done = call(top, "conversation rewind", conversation_rewind.Request(by_messages=1, contract="c"))
    assert (done.session_id, done.kept_messages) == (new, 2)
