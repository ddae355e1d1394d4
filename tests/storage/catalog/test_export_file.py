"""An export appears only when it is complete, and it replaces no file but an export."""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path

import pytest

from devs_git.errors import DevsError
from devs_git.storage.catalog import export_file
from devs_git.storage.documents import written_file

open_export = partial(written_file.open_new, kind=export_file.KIND)
EXPORT = gzip.compress(b'{"format":"devs-git traces 1"}\n')


@pytest.mark.quick(1)
@pytest.mark.parametrize("there", [b"work\n", gzip.compress(b"work\n"), b""], ids=["text", "gzip", "empty"])
def test_an_export_replaces_no_other_file_not_even_through_a_link(tmp_path: Path, there: bytes) -> None:
    source, link = tmp_path / "a.py", tmp_path / "link"
    source.write_bytes(there)
    link.symlink_to(source)
    for path in (source, link):
        with pytest.raises(DevsError) as refused, open_export(path, ()):
            pass
        assert refused.value.details == {"field": "output"}
    assert source.read_bytes() == there


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _broken_off(place: Path) -> None:
    with open_export(place, ()) as write:
        write(b"half")
        raise KeyboardInterrupt


def test_an_export_that_breaks_off_leaves_the_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    place = folder / "t.gz"
    place.write_bytes(EXPORT)
    with pytest.raises(KeyboardInterrupt):
        _broken_off(place)
    assert _files(folder) == {"t.gz": EXPORT}
    with open_export(place, ()) as write:
        write(b"whole")
    assert _files(folder) == {"t.gz": b"whole"}


def test_a_pipe_takes_the_bytes_as_they_come(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_export(pipe, ()) as write:
        write(b"some")
    assert os.read(reader, 9) == b"some"
    os.close(reader)


@pytest.mark.parametrize("name", ["index.lock", "refs/heads/master", "hooks/post-index-change", "link/x"])
def test_no_export_is_written_into_a_git_directory(tmp_path: Path, name: str) -> None:
    common = tmp_path / ".git"
    for folder in ("refs/heads", "hooks"):
        (common / folder).mkdir(parents=True)
    (common / "link").symlink_to(common / "hooks")
    (tmp_path / "way").symlink_to(common)
    for start in (common, tmp_path / "way", common / "hooks/.."):
        with (
            pytest.raises(DevsError, match="in the git directory") as refused,
            open_export(start / name, (common,)),
        ):
            pass
        assert refused.value.details == {"field": "output"}
    assert not (common / name).exists()


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "t.gz"):
        with pytest.raises(DevsError) as refused, open_export(path, ()):
            pass
        assert refused.value.code == "INVALID_ARGUMENTS"
