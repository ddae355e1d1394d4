"""The file of a transcript is a regular file, and is read up to the size that it has when it is opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.storage.catalog import transcript_file

pytestmark = pytest.mark.quick


def test_a_file_is_read_up_to_the_size_that_it_had(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"first\n" * 30_000)
    with transcript_file.open_to_read(path) as stream, path.open("ab") as writer:
        assert stream.readline() == b"first\n"
        writer.write(b"later\n" * 30_000)
        writer.flush()
        stream.seek(0)
        assert stream.read(1 << 20) == b"first\n" * 30_000
        assert stream.readline() == b""
    with transcript_file.open_to_read(path) as stream:
        assert stream.read(1 << 20).endswith(b"later\n")


def test_of_a_file_of_the_system_without_a_size_nothing_is_read() -> None:
    """/proc/kmsg is such a file, too, and waits for the next message of the kernel."""
    path = Path("/proc/self/status")
    if path.exists():
        with transcript_file.open_to_read(path) as stream:
            assert stream.readline() == b""


def test_a_pipe_put_in_the_place_of_the_file_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    os.mkfifo(path)
    for looked_at in (False, True):
        # After the look at the name, another file may be there.
        monkeypatch.setattr(Path, "is_file", lambda _self, found=looked_at: found)
        with pytest.raises(DevsError, match="no such file"), transcript_file.open_to_read(path):
            pass
