"""Which sessions count as live."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from devs_git.domain.moments.live_sessions import live_sessions

pytestmark = pytest.mark.quick

NOW = datetime(2026, 11, 23, 20, tzinfo=UTC)


def test_a_session_is_live_until_it_tells_its_end_or_was_not_seen_for_twelve_hours() -> None:
    signs = {
        "at work": "2026-11-23T19:59:00.000Z",
        "long ago": "2026-11-23T07:59:59.999Z",
        "this morning": "2026-11-23T08:00:00.000Z",
        "ended": "2026-11-23T19:00:00.000Z",
        "resumed": "2026-11-23T19:30:00.000Z",
        "ended at once": "2026-11-23T19:45:00.000Z",
    }
    ends = {
        "ended": "2026-11-23T19:00:00.001Z",
        "resumed": "2026-11-23T19:00:00.000Z",
        "ended at once": "2026-11-23T19:45:00.000Z",
    }
    assert live_sessions(signs, ends, NOW) == {"at work", "this morning", "resumed"}
