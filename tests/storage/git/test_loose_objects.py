"""Small objects are written and read without the object library, exactly as git would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git import loose_objects
from devs_git.storage.git.objects import Objects

Make = Callable[..., str]


@pytest.mark.quick(1)
@pytest.mark.parametrize("data", [b"", b"x\n", b"\0\xff" * 5000])
def test_an_object_is_the_one_that_git_writes_and_reads(git: Make, repo: Path, data: bytes) -> None:
    store = repo / ".git/objects"
    oid = loose_objects.write(store, "blob", data)
    done = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True)
    assert oid == done.stdout.decode().strip()
    assert subprocess.run(["git", "cat-file", "blob", oid], capture_output=True, check=True).stdout == data
    assert loose_objects.read(store, oid) == ("blob", data)
    assert list(store.rglob("tmp_obj*")) == []
    git("fsck", "--strict")


def test_what_is_not_loose_or_not_whole_is_left_to_the_library(git: Make, repo: Path) -> None:
    store = repo / ".git/objects"
    oid = loose_objects.write(store, "blob", b"x\n" * 100)
    file = store / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-4])
    assert loose_objects.read(store, oid) is None
    assert loose_objects.read(store, "0" * 40) is None
    git("gc", "-q")
    assert loose_objects.read(store, git("rev-parse", "HEAD")) is None


def test_writing_again_makes_the_object_young_so_that_gc_spares_it(repo: Path) -> None:
    store = repo / ".git/objects"
    oid = loose_objects.write(store, "blob", b"x\n")
    file = store / oid[:2] / oid[2:]
    os.utime(file, (1, 1))
    loose_objects.write(store, "blob", b"x\n")
    assert file.stat().st_mtime > 1


def test_nobody_may_write_to_the_file_of_an_object(tmp_path: Path) -> None:
    oid = loose_objects.write(tmp_path, "blob", b"x\n")
    assert (tmp_path / oid[:2] / oid[2:]).stat().st_mode & 0o333 == 0


@pytest.mark.parametrize("taken", ["folder", "file"])
def test_a_gc_that_takes_the_empty_folder_or_the_temporary_file_stops_no_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    """It comes once, before the temporary file is opened or before it gets its name."""
    left, name = [1], "open" if taken == "folder" else "replace"
    call = getattr(os, name)

    def interrupted(path: Path, *rest: int) -> object:
        if left and Path(path).name.startswith("tmp_obj_"):
            left.pop()
            Path(path).parent.rmdir() if taken == "folder" else Path(path).unlink()
        return call(path, *rest)

    monkeypatch.setattr(os, name, interrupted)
    oid = loose_objects.write(tmp_path, "blob", b"x\n")
    assert (left, loose_objects.read(tmp_path, oid)) == ([], ("blob", b"x\n"))


SCRIPT = """
import sys
from pathlib import Path
from devs_git.storage.git.objects import Objects
store = Objects(Path(".git/objects"))
text = store.read(sys.argv[1], "commit")
print(len(text), "pygit2" in sys.modules)
"""


def test_the_library_is_loaded_for_packed_objects_only(git: Make, repo: Path) -> None:
    head = git("rev-parse", "HEAD")
    size = git("cat-file", "-s", head)

    def call() -> str:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, head], cwd=repo, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert call() == f"{size} False"
    git("gc", "-q")
    assert call() == f"{size} True"


_TIDY = """
import os, sys
while True:
    for number in range(256):
        try:
            os.rmdir(f"{sys.argv[1]}/{number:02x}")
        except OSError:
            pass
"""


@pytest.mark.parametrize("by_library", [True, False])
def test_an_object_is_written_though_a_gc_takes_empty_folders_away(repo: Path, *, by_library: bool) -> None:
    store = repo / ".git/objects"
    with subprocess.Popen([sys.executable, "-c", _TIDY, store]) as tidy:
        try:
            for number in range(400):
                data = f"{number}\n".encode()
                oid = (
                    Objects(store).write("blob", data)
                    if by_library
                    else loose_objects.write(store, "blob", data)
                )
                assert loose_objects.read(store, oid) == ("blob", data)
        finally:
            tidy.kill()
