"""Who waits for a lock, and for whom."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.storage.git import locks

pytestmark = pytest.mark.quick


def test_an_owner_that_was_killed_while_one_waited_was_at_work_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    child, owner = (os.open(name, os.O_RDWR | os.O_CREAT) for name in (path, tmp_path / "lock.owner"))
    fcntl.flock(child, fcntl.LOCK_EX)
    fcntl.flock(owner, fcntl.LOCK_EX)
    # Each wait is the moment at which something happens: first the owner dies, then the git that it left behind ends.
    monkeypatch.setattr(time, "sleep", lambda _seconds: fcntl.flock(owner, fcntl.LOCK_UN))
    words: list[str] = []

    def ends(said: str) -> None:
        words.append(said)
        fcntl.flock(child, fcntl.LOCK_UN)

    with (
        pytest.raises(DevsError) as refused,
        locks.hold(path, wait=5, orphan_wait=5, on_wait=ends, alone=True),
    ):
        pass
    assert refused.value.code == "BUSY"
    assert len(words) == 1
    with locks.hold(path, wait=0, alone=True):
        pass
    os.close(child)
    os.close(owner)
