"""People get tables, colour and relative times on a terminal, and plain exact text in a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.texts import render
from devs_git.workspace import Workspace

Make = Callable[..., str]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("käse/x y", "käse/x y"),
        ("a\nb", '"a\\nb"'),
        ('say "x"', '"say \\"x\\""'),
        ("back\\slash", '"back\\\\slash"'),
        (os.fsdecode(b"caf\xe9"), '"caf\\351"'),
        ("\x1b[31m", '"\\033[31m"'),
        ("\u202e", '"\\342\\200\\256"'),
    ],
)
def test_a_path_stays_on_one_line_and_cannot_command_the_terminal(name: str, shown: str) -> None:
    assert render.path(name) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7199, "1 hour ago"),
        (86_400 * 3, "3 days ago"),
        (86_400 * 800, "2 years ago"),
    ],
)
def test_a_span_is_told_in_its_largest_unit(seconds: int, shown: str) -> None:
    assert render.ago(seconds) == shown


def test_a_table_is_aligned_whatever_colour_its_cells_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR")
    red = console.paint("ab", "red")
    assert red != "ab"
    assert render.table([(red, "x"), ("abcd", "")], ("h", "i")).split("\n")[1:] == [f"{red}    x", "abcd"]


def test_in_a_pipe_times_are_exact() -> None:
    assert render.when("2001-02-03T04:05:06.000Z", lambda: datetime.now(UTC)) == "2001-02-03T04:05:06.000Z"


def on_a_terminal(repo: Path, *words: str, **env: str) -> str:
    """What a command prints when its standard output is a terminal."""
    here, there = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | env
    child = subprocess.Popen(
        [sys.executable, "-m", "devs_git", *words], cwd=repo, stdout=there, stderr=there, env=environment
    )
    os.close(there)
    shown = b""
    try:
        while data := os.read(here, 65536):
            shown += data
    except OSError:  # how Linux says that the other side is closed
        pass
    finally:
        os.close(here)
    assert child.wait() == 0
    return shown.decode()


def test_on_a_terminal_there_is_colour_and_a_relative_time(repo: Path, mark: Make) -> None:
    mark(10)
    assert "\x1b[" in on_a_terminal(repo, "log")
    assert "just now" in on_a_terminal(repo, "log")


def test_no_color_is_obeyed(repo: Path, mark: Make) -> None:
    mark(10)
    plain = on_a_terminal(repo, "log", NO_COLOR="1")
    assert "\x1b" not in plain
    assert "T" in plain.splitlines()[1].split()[4]


def test_a_file_cannot_command_the_terminal_through_a_diff(repo: Path, mark: Make, git: Make) -> None:
    mark(9)
    (repo / "a.txt").write_text("\x1b]0;owned\x07\n")
    git("commit", "-qam", "x")
    mark(10)
    assert "\x1b]" not in on_a_terminal(repo, "diff", "task-10@1", "--hunks")
    call = [sys.executable, "-m", "devs_git", "diff", "task-10@1", "--hunks"]
    assert b"+\x1b]0;owned\x07" in subprocess.run(call, cwd=repo, capture_output=True, check=True).stdout


def test_what_the_outputs_encoding_lacks_is_written_out(repo: Path, mark: Make) -> None:
    mark(10, message="Prices in €")
    call = [sys.executable, "-m", "devs_git", "log"]
    env = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(call, cwd=repo, capture_output=True, check=True, env=env)
    assert b"Prices in \\u20ac" in done.stdout


def test_progress_leaves_its_line_to_whatever_comes_then(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    attached = terminal.attach(workspace)
    with terminal.progress_line(attached):
        for done in range(100):  # not each of them is shown
            attached.progress("storing", done, 1000)
        attached.progress("indexing", 0, 0)
        attached.say("said")
        attached.progress("again", 1, 0)
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert (shown[:2], shown[-4:]) == (["", "storing 0/1000"], ["indexing", "said\n", "again 1", ""])
    assert len(shown) < 50
