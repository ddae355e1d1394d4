"""A worktree in which agents take turns: moments and transcripts as the hooks of a client leave them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Kind, Occasion
from devs_git.domain.text.times import stamp
from devs_git.operations.recall import ingest, open_catalog
from devs_git.storage.catalog.transcripts import Source
from devs_git.storage.moments import make_moment
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.conversation_scene import take
from tests.support.moment_scene import maker

BEGIN = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
# The ids of two sessions.
ONE, TWO = "11111111-aaaa", "22222222-bbbb"


class Turns:
    """What happens at which second after BEGIN. Each session has a transcript of Claude Code."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.workspace, self.folder = workspace, folder
        self.lines: dict[str, list[str]] = {}

    def at(self, seconds: float) -> str:
        return stamp(BEGIN + timedelta(seconds=seconds))

    def edit(self, name: str, text: str) -> None:
        (self.workspace.top / name).write_text(text)

    def moment(
        self, seconds: float, kind: Kind = "prompt", session: str = "", words: str = "", call: str = ""
    ) -> str:
        """Make a moment, and return its id: that of the last one if nothing changed."""
        made = maker(self.workspace)
        time = BEGIN + timedelta(seconds=seconds)
        occasion = Occasion(kind, session, "claude" if session else "", call, words)
        return make_moment.make(replace(made, clock=lambda: time), occasion).moment_id

    def says(self, seconds: float, session: str, role: str, text: str, *, name: str = "") -> None:
        """Write a message into the transcript of a session. Forks have messages of the same `name`."""
        self._line(seconds, session, role, {"type": "text", "text": text}, {"uuid": name} if name else {})

    def follows(self, seconds: float, session: str, role: str, text: str, parent: str | None) -> None:
        """Write a message that names the one that it follows, None for the first."""
        self._line(seconds, session, role, {"type": "text", "text": text}, {"parentUuid": parent})

    def calls(self, seconds: float, session: str, call: str) -> None:
        """Write a call of a shell."""
        part = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"echo {call}"}}
        self._line(seconds, session, "assistant", part, {})

    def answers(self, seconds: float, session: str, call: str) -> None:
        """Write the result of a call."""
        part = {"type": "tool_result", "tool_use_id": call, "content": call}
        self._line(seconds, session, "user", part, {})

    def _line(
        self, seconds: float, session: str, role: str, part: Mapping[str, object], more: Mapping[str, object]
    ) -> None:
        lines = self.lines.setdefault(session, [])
        line = {
            "type": role,
            "uuid": f"{session}-{len(lines)}",
            "sessionId": session,
            "timestamp": self.at(seconds),
            "message": {"role": role, "content": [part]},
            **more,
        }
        lines.append(json.dumps(line))

    def read(self) -> None:
        """Read the transcripts into the catalog."""
        with open_catalog.open_catalog(self.workspace) as catalog:
            for session, lines in self.lines.items():
                path = self.folder / f"{session}.jsonl"
                path.write_text("".join(f"{line}\n" for line in lines))
                take(catalog, path, worktree=self.workspace.places.worktree_id)

    def read_here(self, seconds: float) -> None:
        """The same, as messages of the task that is active in the worktree at that second."""
        now = self.now(seconds)
        with open_catalog.open_catalog(now) as catalog:
            for session, lines in self.lines.items():
                path = self.folder / f"{session}.jsonl"
                path.write_text("".join(f"{line}\n" for line in lines))
                ingest.ingest_transcript(
                    now, catalog, Source(path, "claude"), ingest.current_attribution(now)
                )

    def now(self, seconds: float) -> Workspace:
        """The workspace at that second."""
        return replace(Workspace.open(self.workspace.top), clock=lambda: BEGIN + timedelta(seconds=seconds))


@pytest.fixture
def turns(ledgered: Workspace, tmp_path: Path) -> Turns:
    """Agents that take turns in a repository with a ledger."""
    return Turns(ledgered, tmp_path)
