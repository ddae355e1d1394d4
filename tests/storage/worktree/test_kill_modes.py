"""If a move was killed, the take-back also restores the permissions of files that the move does not write."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from devs_git.commands import undo
from tests.support import killed_moves
from tests.support.rewind_cases import begin

pytestmark = pytest.mark.quick


def test_an_undo_that_was_killed_takes_back_the_permissions_that_it_gave(tmp_path: Path) -> None:
    case = begin(tmp_path / "repo")
    key = tmp_path / "repo" / "key"
    case.stage("1", {"a.txt": b"a\n", "key": b"k\n"})
    case.stage("2", {"a.txt": b"a2\n", "key": b"k2\n"})
    done = case.rewind("1", "branch")
    case.write({"key": b"k2\n"})
    key.chmod(0o600)
    at = 0
    while killed_moves.run_killed(case, undo, undo.Request(done.rewind_id, preserve="branch"), ("us", at)):
        killed_moves.recover(case, again=False, decide=False)
        if case.read("a.txt") == b"a2\n":
            break
        assert stat.S_IMODE(key.stat().st_mode) == 0o600, at
        at += 1
    assert at > 3
