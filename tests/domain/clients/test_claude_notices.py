"""Who said the texts of a transcript of Claude Code: the person, also while the model worked, or the client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import Reader
from devs_git.domain.recall.conversation import Message

pytestmark = pytest.mark.quick


def said(line: dict[str, Any]) -> list[Message]:
    """The messages of a line."""
    reader = Reader(CLIENTS["claude"], "fallback")
    return [read.message for read in reader.read(json.dumps(line).encode())]


def test_what_the_client_says_in_the_users_place_is_not_the_users() -> None:
    for mark in ("isMeta", "isCompactSummary", "isSidechain"):
        line = {"type": "user", "uuid": "u", mark: True, "message": {"content": "Go on."}}
        assert [message.role for message in said(line)] == ["system"]


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/compact</command-name>",
        "<command-message>greet</command-message>\n<command-name>/greet</command-name>",
        "\n<local-command-stdout>Compacted</local-command-stdout>",
        "<local-command-stderr>no</local-command-stderr>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
    ],
)
def test_what_the_client_prints_of_its_own_commands_is_not_the_users(text: str) -> None:
    line = {"type": "user", "uuid": "u", "message": {"content": text}}
    assert [message.role for message in said(line)] == ["system"]


@pytest.mark.parametrize("text", ["What is <command-name>?", "<bash-input>ls</bash-input>", "<p>Go on.</p>"])
def test_what_a_person_typed_with_a_tag_in_it_is_the_users(text: str) -> None:
    line = {"type": "user", "uuid": "u", "message": {"content": text}}
    assert [message.role for message in said(line)] == ["user"]


def queued(prompt: Any, **more: Any) -> dict[str, Any]:
    """A line of Claude Code about a prompt that came while the model worked."""
    told = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **more}
    return {"type": "attachment", "uuid": "u", "attachment": told}


@pytest.mark.parametrize(
    ("line", "role"),
    [
        (queued("Stop, use ISO.", origin={"kind": "human"}), "user"),
        (queued([{"type": "text", "text": "Stop, use ISO."}]), "user"),
        (queued("Stop, use ISO.", origin={"kind": "peer"}), "system"),
        (queued("Stop, use ISO.", isMeta=True), "system"),
        (queued("<task-notification>\n<task-id>b1</task-id>"), "system"),
    ],
)
def test_what_was_said_while_the_model_worked_is_a_message(line: dict[str, Any], role: str) -> None:
    (message,) = said(line)
    assert message.role == role
    assert (message.content or "").startswith(("Stop, use ISO.", "<task-notification>"))


@pytest.mark.parametrize("prompt", [None, {}, 3])
def test_a_queued_prompt_of_another_shape_is_no_message(prompt: Any) -> None:
    assert said(queued(prompt)) == []
