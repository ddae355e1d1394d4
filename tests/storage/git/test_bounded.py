"""What comes from outside is read to its limit: the last byte of it still counts, one more is refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.text.limits import Limit
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git.program import Git, GitFailed

pytestmark = pytest.mark.quick
TEN = Limit("A test", 10, "It is small.", "Say less.")


class Drops(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, 3))


@pytest.mark.parametrize("stream", [io.BytesIO, Drops])
def test_a_stream_may_have_as_many_bytes_as_its_limit_and_no_more(stream: type[io.BytesIO]) -> None:
    assert bounded.read(stream(b"0123456789"), TEN, "x") == b"0123456789"
    assert bounded.read(stream(b""), TEN, "x") == b""
    given = stream(b"0123456789" * 9)
    with pytest.raises(DevsError) as refused:
        bounded.read(given, TEN, "x")
    error = refused.value
    assert (error.code, error.details["field"], error.details["limit_bytes"]) == ("INVALID_INPUT", "x", 10)
    assert error.hint == "Say less."
    assert given.tell() == 11


@pytest.mark.parametrize("text", [b"0123456789", b"0123456789a"])
def test_so_may_a_file_and_a_blob(text: bytes, repo: Path, tmp_path: Path) -> None:
    git = Git(repo)
    (tmp_path / "file").write_bytes(text)
    oid = git.run("hash-object", "-w", "--stdin", stdin=text).decode().strip()
    ways: tuple[Callable[[], bytes | None], ...] = (
        lambda: bounded.read_file(tmp_path / "file", TEN, "x"),
        lambda: bounded.blob(git, oid, TEN, "x"),
        lambda: bounded.blob_if_there(git, oid, TEN, "x"),
    )
    for read in ways:
        if len(text) == TEN.most:
            assert read() == text
            continue
        with pytest.raises(DevsError, match="at most 10 bytes"):
            read()


def test_a_blob_that_is_not_there_is_none_or_a_failure_of_git(repo: Path) -> None:
    git = Git(repo)
    assert bounded.blob_if_there(git, "HEAD:none", TEN, "x") is None
    with pytest.raises(GitFailed):
        bounded.blob(git, "HEAD:none", TEN, "x")


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_of_a_record_that_is_too_long_its_beginning_is_given_and_the_next_one_whole(size: int) -> None:
    data = b"one\0" + b"0123456789\0" + b"0123456789abc\0" + b"\0" + b"last\0"
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    assert [*bounded.records(parts, TEN)] == [b"one", b"0123456789", b"0123456789", b"", b"last"]
