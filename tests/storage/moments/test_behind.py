"""Work in a process of its own: its answer, and its end if it hangs."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest

from devs_git.storage.moments import behind, unsaid
from devs_git.storage.moments.behind import Caller

pytestmark = pytest.mark.quick


def test_the_answer_of_the_process_is_returned(tmp_path: Path) -> None:
    assert behind.run(lambda _caller: "kept", str(tmp_path), 5.0) == "kept"


def test_a_process_that_hangs_is_ended_by_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behind, "_LONGEST", 1)
    os.mkfifo(tmp_path / "pipe")

    def hang(caller: Caller) -> str:
        caller.let_go()
        return (tmp_path / "pipe").read_text()

    assert behind.run(hang, str(tmp_path), 0.2) is None
    until = time.monotonic() + 10
    while behind.is_at_work(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not behind.is_at_work(tmp_path)


def test_the_mark_of_a_process_that_died_goes_so_that_no_call_waits_for_it(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    (tmp_path / "behind").write_text(str(child))
    assert not behind.is_at_work(tmp_path)
    assert not (tmp_path / "behind").exists()


def test_a_process_goes_on_after_its_answer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def work(caller: Caller) -> str:
        caller.let_go()
        caller.answer("kept")
        return (tmp_path / "pipe").read_text()

    assert behind.run(work, str(tmp_path), 5.0) == "kept"
    assert behind.is_at_work(tmp_path)
    (tmp_path / "pipe").write_text("go on")
    until = time.monotonic() + 10
    while behind.is_at_work(tmp_path) and time.monotonic() < until:
        time.sleep(0.02)
    assert not (tmp_path / "behind").exists()


def test_what_was_not_told_is_never_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "unsaid").symlink_to(tmp_path / "secret")
    assert unsaid.take(tmp_path) == []


def test_the_work_has_the_descriptors_that_it_holds_and_no_others(tmp_path: Path) -> None:
    reading, held = os.pipe()
    other = os.open(tmp_path, os.O_RDONLY)

    def work(_caller: Caller) -> str:
        os.write(held, b"from the work")
        with contextlib.suppress(OSError):
            os.fstat(other)
            return "the other one is open, too"
        return "held"

    assert behind.run(work, str(tmp_path), 5.0, (held,)) == "held"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(held)
    assert os.read(reading, 100) == b"from the work"
    os.close(reading)
    os.close(other)
