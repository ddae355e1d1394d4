"""What a client tells its model at the beginning of a session is stored, but it is not how the conversation begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import conversation_import, conversation_show, trace_search
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.workspace import Workspace
from tests.support.codex_rollout import SESSION, Rollout

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("initialised")]

INSTRUCTIONS = "You are Codex, an agent based on GPT-6. The sandbox is read-only. " * 300
PROMPT = "Why is the sandbox read-only?"


def call(name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(), request)


def session(folder: Path, *, said: bool = True) -> Rollout:
    rollout = Rollout()
    rollout.message("developer", INSTRUCTIONS)
    rollout.message("developer", "<permissions instructions>", "<tools>")
    rollout.message("user", "<environment_context>\n  <cwd>/work/repo</cwd>")
    if said:
        rollout.message("user", PROMPT)
        rollout.message("developer", "The sandbox can write now.")
        rollout.message("assistant", "It is not.")
    path = folder / "rollout-1.jsonl"
    path.write_bytes(rollout.data)
    call("conversation import", conversation_import.Request(path))
    return rollout


def shown(**asked: Any) -> Any:
    return call("conversation show", conversation_show.Request(**asked))


def test_a_conversation_begins_with_what_somebody_said_and_tells_what_is_left_out(tmp_path: Path) -> None:
    session(tmp_path)
    found = shown()
    assert [(one.position, one.role, one.content) for one in found.messages] == [
        (4, "user", PROMPT),
        (5, "system", "The sandbox can write now."),
        (6, "assistant", "It is not."),
    ]
    assert (found.message_count, found.system_left_out, found.next_cursor) == (6, 3, "")
    whole = shown(system=True)
    assert [one.position for one in whole.messages] == [1, 2, 3, 4, 5, 6]
    assert (whole.messages[0].content, whole.system_left_out) == (INSTRUCTIONS, None)
    assert whole.digest == found.digest


def test_pages_end_where_the_instructions_begin(tmp_path: Path) -> None:
    session(tmp_path)
    last = shown(limit=2)
    assert [one.position for one in last.messages] == [5, 6]
    first = shown(limit=2, cursor=last.next_cursor)
    assert [one.position for one in first.messages] == [4]
    assert first.next_cursor == ""
    assert shown(limit=3).next_cursor == ""


def test_a_session_in_which_nobody_said_anything_has_nothing_but_instructions(tmp_path: Path) -> None:
    session(tmp_path, said=False)
    found = shown()
    assert (found.messages, found.message_count, found.system_left_out) == ((), 3, 3)
    text = CliRunner().invoke(cli, ["conversation", "show"]).output
    assert "3 messages with the client's own instructions: --system" in text


def test_people_read_how_much_is_left_out_and_can_ask_for_it(tmp_path: Path) -> None:
    session(tmp_path)
    for form in ("chat", "table"):
        text = CliRunner().invoke(cli, ["conversation", "show", "--format", form]).output
        assert text.startswith("… 3 messages with the client's own instructions: --system\n")
        assert "You are Codex" not in text
    assert "You are Codex" in CliRunner().invoke(cli, ["conversation", "show", "--system"]).output


def test_a_task_s_messages_are_without_instructions_too(tmp_path: Path) -> None:
    rollout = session(tmp_path)
    path = tmp_path / "other.jsonl"
    # At another time, or the messages would be those of a fork.
    path.write_bytes(rollout.data.replace(SESSION.encode(), b"another").replace(b"2026-11-23", b"2026-11-24"))
    call("conversation import", conversation_import.Request(path, task="10"))
    found = shown(task="10")
    assert [one.position for one in found.messages] == [4, 5, 6]
    assert (found.message_count, found.system_left_out) == (6, 3)


@pytest.mark.parametrize("filters", ["", f" session:{SESSION}"])
@pytest.mark.parametrize("rewound", [True, False])
def test_a_search_finds_what_was_said_and_instructions_only_if_somebody_asks(
    tmp_path: Path, filters: str, *, rewound: bool
) -> None:
    session(tmp_path)

    def positions(query: str, **more: Any) -> list[int]:
        request = trace_search.Request(query + filters, within="messages", rewound=rewound, **more)
        return sorted(hit.position for hit in call("trace search", request).hits)

    assert positions("sandbox") == [4, 5]
    assert positions("sandbox", system=True) == [1, 4, 5]
    assert positions("") == [4, 5, 6]
    assert positions("-not") == [4, 5]
