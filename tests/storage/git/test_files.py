"""A file is written whole or not at all, with the permissions that were asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from devs_git.storage.git.files import copy, replace_file, replacement

pytestmark = pytest.mark.quick


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_two_threads_that_write_one_file_leave_it_whole_each_time(folder: Path) -> None:
    file = folder / "note"
    texts = [letter * (1 << 16) for letter in (b"a", b"b", b"c", b"d")]

    def write(text: bytes) -> bool:
        for _ in range(100):
            replace_file(file, text)
            if file.read_bytes() not in texts:
                return False
        return True

    with ThreadPoolExecutor(len(texts)) as pool:
        assert all(pool.map(write, texts))
    assert [path.name for path in folder.iterdir()] == ["note"]


def _break_off(file: Path, error: type[BaseException]) -> None:
    with replacement(file) as stream:
        stream.write(b"half")
        raise error


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, RuntimeError])
def test_a_write_that_breaks_off_leaves_the_file_before_and_nothing_else(
    folder: Path, error: type[BaseException]
) -> None:
    file = folder / "note"
    file.write_bytes(b"before")
    with pytest.raises(error):
        _break_off(file, error)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"note": b"before"}


@pytest.mark.usefixtures("umask")
def test_the_umask_narrows_permissions_that_are_not_exact(folder: Path) -> None:
    file = folder / "note"
    for asked, exact, found in ((0o600, False, 0o600), (0o666, False, 0o640), (0o755, True, 0o755)):
        replace_file(file, b"x", mode=asked, exact=exact)
        assert mode(file) == found


def test_a_durable_file_is_synced_before_it_has_its_name_and_its_folder_after(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, seen = folder / "note", list[tuple[str, bool]]()

    def sync(descriptor: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{descriptor}")).name  # noqa: PTH115 - as it is named now
        seen.append((name, file.exists()))

    monkeypatch.setattr(os, "fsync", sync)
    replace_file(file, b"x")
    assert seen == []
    file.unlink()
    replace_file(file, b"x", durable=True)
    (temporary, there), last = seen
    assert temporary.startswith(".note.")
    assert (there, last) == (False, (folder.name, True))


def test_a_link_at_the_place_is_replaced_and_not_followed(folder: Path) -> None:
    file, other = folder / "note", folder / "other"
    other.write_bytes(b"other")
    file.symlink_to(other)
    replace_file(file, b"new")
    assert (file.is_symlink(), file.read_bytes(), other.read_bytes()) == (False, b"new", b"other")


@pytest.mark.parametrize("size", [0, 1, (1 << 16) + 1])
def test_a_copy_has_the_bytes_the_mode_and_the_times_of_its_file(folder: Path, size: int) -> None:
    source, target = folder / "source", folder / "target"
    source.write_bytes(b"x" * size)
    source.chmod(0o640)
    os.utime(source, ns=(1_234_567_890_123_456_789, 987_654_321_987_654_321))
    target.write_bytes(b"what was there before is longer" * size)
    copy(source, target)
    assert target.read_bytes() == b"x" * size
    one, other = source.stat(), target.stat()
    assert (one.st_mode, one.st_mtime_ns) == (other.st_mode, other.st_mtime_ns)
    assert one.st_ino != other.st_ino


@pytest.mark.parametrize("name", [os.link, os.symlink])
def test_a_copy_to_another_name_of_its_file_leaves_the_file_as_it_is(
    folder: Path, name: Callable[[Path, Path], None]
) -> None:
    source, target = folder / "source", folder / "target"
    source.write_bytes(b"the only one")
    name(source, target)
    copy(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (b"the only one", b"the only one")
    assert not target.is_symlink()
    assert source.stat().st_ino != target.stat().st_ino
