"""`doctor` says how many days are left until the client deletes a session, and whether the catalog has it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from devs_git.commands import conversation_import, doctor
from devs_git.domain.recall import expiring
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

NOW = "2026-11-23T12:00:00+00:00"
DAY = 86400
SECONDS = 1795435200


@pytest.fixture
def transcript(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A transcript that the catalog has; it was changed 25 days ago."""
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    path = tmp_path / "s.jsonl"
    line = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "Hello."}}
    path.write_text(json.dumps(line) + "\n")
    router.call("conversation import", Workspace.open(initialised), conversation_import.Request(path))
    os.utime(path, (SECONDS - 25 * DAY,) * 2)
    return path


def notes(top: Path) -> list[str]:
    found = doctor.run(Workspace.open(top), doctor.Request()).notes
    return [note for note in found if "Claude Code deletes" in note]


def test_a_session_that_goes_soon_is_named_with_its_days(initialised: Path, transcript: Path) -> None:
    assert notes(initialised) == ["Claude Code deletes the session s in 5 days. The catalog has all of it."]
    os.utime(transcript, (SECONDS - 31 * DAY,) * 2)
    assert notes(initialised) == [
        "Claude Code deletes the session s at its next start. The catalog has all of it."
    ]
    transcript.unlink()
    assert notes(initialised) == []


def test_what_the_catalog_does_not_have_yet_is_said(initialised: Path, transcript: Path) -> None:
    with transcript.open("a") as stream:
        stream.write("{}\n")
    os.utime(transcript, (SECONDS - 29 * DAY,) * 2)
    (note,) = notes(initialised)
    assert note.startswith(
        "Claude Code deletes the session s in 1 day. 3 bytes of it are not in the catalog yet."
    )


def test_the_setting_of_the_client_counts(initialised: Path, transcript: Path, tmp_path: Path) -> None:
    settings = tmp_path / "claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"cleanupPeriodDays": 90}')
    assert notes(initialised) == [
        "Claude Code deletes the session s in 65 days. The catalog has all of it.",
        "Claude Code deletes a session 90 days after its last message (cleanupPeriodDays in its settings).",
    ]
    own = initialised / ".claude" / "settings.local.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text('{"cleanupPeriodDays": 26}')
    assert notes(initialised)[0].startswith("Claude Code deletes the session s in 1 day.")
    assert transcript.exists()


def test_a_session_that_only_a_hook_has_named_is_known(
    initialised: Path, tmp_path: Path, transcript: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n")
    os.utime(other, (SECONDS - 28 * DAY,) * 2)
    payload = {
        "session_id": "other",
        "transcript_path": str(other),
        "hook_event_name": "Stop",
        "cwd": str(initialised),
    }
    spool = initialised / ".git/devs/spool"
    spool.mkdir(exist_ok=True)
    (spool / "1.claude.Stop").write_text(f"claude Stop\nPWD {initialised}\n\n{json.dumps(payload)}")
    assert [note.split(". ")[0] for note in notes(initialised)] == [
        "Claude Code deletes the session other in 2 days",
        "Claude Code deletes the session s in 5 days",
    ]
    assert transcript.exists()


@pytest.mark.parametrize("odd", [0, -1, True, "30", None, 1e9])
def test_an_odd_setting_says_nothing(odd: object) -> None:
    assert expiring.days_kept([{"cleanupPeriodDays": odd}]) is None
    assert expiring.days_kept([[], {}]) == expiring.DEFAULT_DAYS


def test_of_many_sessions_the_next_ten_are_named() -> None:
    found = [expiring.Expiring(f"s{number:02}", "", number % 7, 0) for number in range(12)]
    said = list(expiring.sentences(found, 30))
    assert len(said) == 11
    assert said[-1] == "Claude Code deletes 2 more sessions within 7 days."
    assert list(expiring.sentences([], 30)) == []
