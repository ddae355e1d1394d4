"""A client whose hooks tell no id of a call: hook and transcript report it, and it is stored once, whoever comes first."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from devs_git.operations.recall import spool
from devs_git.storage.catalog import traces, transcripts
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace

LONG = "x" * 600
AT = datetime.fromisoformat("2026-11-23T12:00:00.000Z")


def stamp(seconds: float) -> str:
    return (AT + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Scene:
    """A repository, and a transcript that grows."""

    def __init__(self, top: Path) -> None:
        self.workspace = Workspace.open(top)
        self.transcript = top.parent / "session.jsonl"
        self.transcript.write_text(json.dumps({"sessionId": "s", "projectHash": "h"}) + "\n")

    def hook(self, seconds: float, output: str, command: str = "make") -> None:
        """A hook told of a call, and the spool is read."""
        payload = {
            "session_id": "s",
            "hook_event_name": "AfterTool",
            "timestamp": stamp(seconds),
            "tool_name": "run_shell_command",
            "tool_input": {"command": command},
            "tool_response": {"llmContent": output},
        }
        folder = self.workspace.places.spool
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{os.urandom(8).hex()}.gemini.AfterTool"
        path.write_bytes(b"gemini AfterTool\n\n" + json.dumps(payload).encode())
        at = (AT + timedelta(seconds=seconds)).timestamp()
        os.utime(path, (at, at))
        with Catalog.open(self.workspace.places.shared) as catalog:
            spool.ingest(self.workspace.places, self.workspace.store_git, catalog)

    def said(self, seconds: float, number: int, output: str, command: str = "make") -> None:
        """The transcript has the call, and is read."""
        call = {
            "id": f"c{number}",
            "name": "run_shell_command",
            "args": {"command": command},
            "result": [{"functionResponse": {"response": {"output": output}}}],
            "status": "success",
            "timestamp": stamp(seconds),
        }
        line = {
            "id": f"m{number}",
            "timestamp": stamp(seconds),
            "type": "gemini",
            "content": "",
            "toolCalls": [call],
        }
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")
        context = transcripts.ReadContext(stamp(60), stamp(60), lambda: "")
        with Catalog.open(self.workspace.places.shared) as catalog:
            transcripts.take_in(catalog, transcripts.Source(self.transcript, "gemini", "s"), context)

    def stored(self) -> list[tuple[str, str]]:
        """Output and the call's id of each trace, oldest first."""
        with Catalog.open(self.workspace.places.shared) as catalog:
            rows = catalog.rows("SELECT trace_id, tool_use_id FROM traces ORDER BY created_at")
            return [(traces.output(catalog, trace_id).decode(), use) for trace_id, use in rows]

    def named(self) -> list[Any]:
        """The traces that the messages name, and whether each is there."""
        with Catalog.open(self.workspace.places.shared) as catalog:
            from devs_git.storage.catalog import messages

            found = [place.message.trace_id for place in messages.places(catalog, "s", 1000, 1000)]
            return [traces.row(catalog, one) is not None for one in found if one]


@pytest.fixture
def scene(initialised: Path) -> Scene:
    return Scene(initialised)


@pytest.mark.quick
def test_the_hook_comes_first(scene: Scene) -> None:
    scene.hook(0, LONG + " whole")
    scene.said(0.1, 1, LONG + " cut")
    assert scene.stored() == [(LONG + " whole", "c1")]
    assert scene.named() == [True]


def test_the_transcript_comes_first(scene: Scene) -> None:
    scene.said(0.1, 1, LONG + " cut")
    scene.hook(0, LONG + " whole")
    assert scene.stored() == [(LONG + " whole", "c1")]
    assert scene.named() == [True]


def test_two_calls_with_one_input_stay_two(scene: Scene) -> None:
    scene.hook(0, LONG + " first")
    scene.hook(1, LONG + " second")
    scene.said(0.1, 1, LONG)
    scene.said(1.1, 2, LONG)
    assert scene.stored() == [(LONG + " first", "c1"), (LONG + " second", "c2")]


@pytest.mark.parametrize(("seconds", "command"), [(2.1, "make"), (0.1, "make test")])
def test_another_time_or_input_is_another_call(seconds: float, command: str, scene: Scene) -> None:
    scene.hook(0, LONG)
    scene.said(seconds, 1, LONG, command)
    assert [use for _, use in scene.stored()] == ["", "c1"]
