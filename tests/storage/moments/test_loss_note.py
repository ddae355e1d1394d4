"""The notes of what a command may destroy, and of what it destroyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.moments import loss_note
from devs_git.storage.moments.loss_note import Watched

pytestmark = pytest.mark.quick

HERE = Watched("/top/.git", "/top", "1" * 40, ("left",))
LINKED = Watched("/top/.git/worktrees/a", "/a", "2" * 40, of="a")
OTHER = Watched("/top/.git/worktrees/b", "/b", "3" * 40, of="b")


def places(folder: Path) -> list[str]:
    """The files for which the shell looks at each prompt."""
    return (folder / "elsewhere.places").read_text().splitlines()


def test_the_shell_looks_only_for_worktrees_that_are_still_watched(tmp_path: Path) -> None:
    folder = tmp_path / "moments"
    loss_note.watch_elsewhere(folder, [LINKED, OTHER])
    assert places(folder) == ["/a/.git", "/b/.git"]
    loss_note.unwatch(folder, lambda one: one.of == "a")
    assert places(folder) == ["/b/.git"]
    loss_note.unwatch(folder, lambda one: one.of == "b")
    assert list(folder.iterdir()) == []


def test_what_was_watched_is_taken_once_and_that_of_other_worktrees_stays(tmp_path: Path) -> None:
    loss_note.watch(tmp_path, [HERE])
    loss_note.watch_elsewhere(tmp_path, [LINKED])
    assert loss_note.read_watched(tmp_path) == (HERE, LINKED)
    assert loss_note.watches(tmp_path)
    assert loss_note.take_watched(tmp_path) == (HERE,)
    assert not loss_note.watches(tmp_path)
    assert loss_note.read_watched(tmp_path) == (LINKED,)


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", "nonsense", "\xff"])
def test_a_note_that_we_did_not_write_says_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "note").write_text(text)
    (tmp_path / "watched").write_text(text)
    assert loss_note.read(tmp_path) == ()
    assert loss_note.read_watched(tmp_path) == ()
