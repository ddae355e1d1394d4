"""Messages further back than one answer goes: by cursor, from the last to the first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import conversation_import, conversation_show, task_start
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.conversation_scene import conversation

Hear = Callable[[int, str], None]


@pytest.fixture
def hear(initialised: Path, tmp_path: Path) -> Hear:
    """Let the session s1 have so many messages; the new ones are of that task."""

    def heard(count: int, task: str) -> None:
        transcript = tmp_path / "s1.jsonl"
        transcript.write_bytes(conversation("s1", count))
        request = conversation_import.Request(transcript, task=task)
        router.call("conversation import", Workspace.open(initialised), request)

    return heard


def shown(top: Path, **asked: Any) -> conversation_show.Result:
    request = conversation_show.Request(**asked)
    result: conversation_show.Result = router.call("conversation show", Workspace.open(top), request)
    return result


@pytest.mark.quick(1)
@pytest.mark.parametrize("asked", [{"task": "10"}, {"task": "10", "session": "s1"}, {"session": "s1"}, {}])
def test_a_cursor_leads_back_to_the_first_message_whatever_is_said_meanwhile(
    initialised: Path, hear: Hear, asked: dict[str, Any]
) -> None:
    hear(5, "10")
    found = shown(initialised, limit=2, **asked)
    pages, prefix = [found.messages], (found.message_count, found.digest)
    while found.next_cursor:
        hear(5 + len(pages), "10")
        found = shown(initialised, limit=2, cursor=found.next_cursor, **asked)
        pages.append(found.messages)
        assert (found.message_count, found.digest) == prefix
    assert [[one.position for one in page] for page in pages] == [[4, 5], [2, 3], [1]]


def test_a_tasks_messages_are_found_before_the_last_of_its_session(initialised: Path, hear: Hear) -> None:
    hear(1, "10")
    hear(8, "11")
    assert [one.position for one in shown(initialised, task="10", session="s1", limit=3).messages] == [1]


def test_a_task_that_nobody_knows_has_no_conversation(initialised: Path) -> None:
    with pytest.raises(DevsError, match=r"task-77") as refused:
        shown(initialised, task="77")
    assert refused.value.code == "TASK_NOT_FOUND"
    router.call("task start", Workspace.open(initialised), task_start.Request("77"))
    assert shown(initialised, task="77").messages == ()


def test_more_messages_are_announced_with_the_cursor_to_them(
    initialised: Path, hear: Hear, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear(3, "10")
    monkeypatch.chdir(initialised)
    said = CliRunner().invoke(cli, ["conversation", "show", "--limit", "1"]).output
    assert "2 messages before this: --cursor 3-1" in said
    words = ["conversation", "show", "--limit", "2", "--cursor", "3-1"]
    assert "--cursor" not in CliRunner().invoke(cli, words).output
