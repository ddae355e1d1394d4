"""Permissions that devs-git applies to a working tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.worktree import modes

pytestmark = pytest.mark.quick


def test_permissions_of_what_is_behind_a_link_stay(tmp_path: Path) -> None:
    """An earlier state had a folder where a link is now: the file behind the link belongs to somebody else."""
    top, other = tmp_path / "top", tmp_path / "other"
    (other / "deep").mkdir(parents=True)
    for name in ("key", "deep/key"):
        (other / name).write_bytes(b"k\n")
        (other / name).chmod(0o644)
    top.mkdir()
    (top / "link").symlink_to(other)
    (top / "own").write_bytes(b"o\n")
    assert modes.apply(
        str(top), {"link/key": 0o600, "link/deep/": 0o700, "link/deep/key": 0o600, "own": 0o600}
    )
    assert [oct((other / name).stat().st_mode & 0o777) for name in ("key", "deep/key")] == ["0o644"] * 2
    assert (other / "deep").stat().st_mode & 0o777 == 0o755
    assert (top / "own").stat().st_mode & 0o777 == 0o600
