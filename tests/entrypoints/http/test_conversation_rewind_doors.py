"""A conversation is rewound over MCP, HTTP and the command line, with the same answer but for random ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.commands import contract_start
from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.tools import calling
from tests.support.talk_scene import call, four, marks, take
from tests.support.web_client import serve

pytestmark = pytest.mark.quick
ROUTE = "/api/v1/contracts/a%2Fb/supervisor/conversation/rewind"


@pytest.fixture
def top(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    four(tmp_path / "s1.jsonl")
    take(initialised, tmp_path / "s1.jsonl")
    call(initialised, "contract start", contract_start.Request("a/b", "s1"))
    return initialised


def by_command(top: Path, *words: str) -> dict[str, Any]:
    said = CliRunner().invoke(cli, ["conversation", "rewind", *words, "--json", "--repo", str(top)])
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_a_dry_run_is_the_same_in_every_door(top: Path) -> None:
    told = by_command(top, "--by-messages", "2", "--contract", "a/b", "--dry-run")
    assert (told["session_id"], told["messages_rewound"], told["session"]) == ("s1", 2, None)
    given = {"by_message_count": 2, "dry_run": True}
    assert calling.call("rewind_conversation", {**given, "contract": "a/b"}, top).value == told
    with serve(top) as web:
        answer = web.post(ROUTE, **given)
        assert (answer.status, answer.value) == (200, told)


def test_each_door_rewinds_by_count_by_message_and_by_time(top: Path) -> None:
    assert by_command(top, "--to-message", "m2")["messages_rewound"] == 1
    tool = calling.call("rewind_conversation", {"to_timestamp": "2026-01-01T00:01:30Z"}, top).value
    assert (tool["message_id"], tool["messages_rewound"]) == ("m1", 1)
    with serve(top) as web:
        answer = web.post(ROUTE, by_message_count=1)
        assert (answer.status, answer.value["message_id"]) == (200, "m0")
        assert answer.value["start_command"] == ["claude", "--resume", answer.value["session"]["session_id"]]
        assert web.post(ROUTE).status == 422
        assert web.post(ROUTE.replace("a%2Fb", "none"), by_message_count=1).status == 404
    assert marks(top) == [False, True, True, True]
