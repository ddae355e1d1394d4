"""README, the tour and nearly right commands look on a terminal of 80 and of 40 columns as they were recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens import __main__ as screens
from tests.screens import recording, scripts


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", recording.NAMES)
def test_a_terminal_shows_what_was_recorded(name: str, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    shown = recording.record(name, room)
    assert str(tmp_path) not in shown.replace("\n", "")
    assert shown == (screens.FOLDER / f"{name}.txt").read_text(encoding="utf-8"), "run: make screens"


def test_each_recorded_screen_has_its_script() -> None:
    assert sorted(path.stem for path in screens.FOLDER.iterdir()) == sorted(recording.NAMES)
    assert len(set(scripts.NEARLY_RIGHT)) >= 70
