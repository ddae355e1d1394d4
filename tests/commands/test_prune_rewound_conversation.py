"""What `prune` leaves of a conversation that was rewound: no message that was taken back comes back as if it never was."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import prune
from tests.support.talk_scene import call, found, four, go_back, line, shown, take, write

pytestmark = pytest.mark.quick


def test_messages_that_were_taken_back_stay_marked_when_a_pruned_session_goes_on(
    initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2026-01-01T12:00:00+00:00")
    transcript = tmp_path / "s1.jsonl"
    four(transcript)
    take(initialised, transcript)
    go_back(initialised, by_messages=2)
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2026-11-23T12:00:00+00:00")
    done = call(initialised, "prune", prune.Request())
    assert "s1" in {name for kind in done.kinds for name in kind.names}
    write(transcript, line("m4", "five", parent="m3", minute=9))
    take(initialised, transcript)
    assert shown(initialised) == [
        ("one", False),
        ("two", False),
        ("three", True),
        ("four", True),
        ("five", False),
    ]
    assert (found(initialised, "three"), found(initialised, "five")) == ([], ["m4"])
