"""One place writes for people, and no text that it writes can command a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.commands import init
from devs_git.domain.text.plain_text import COMMANDING
from devs_git.entrypoints import console, router
from devs_git.errors import EXIT_INTERNAL
from devs_git.workspace import Workspace
from tests.support.terminal_person import at_terminal
from tests.support.verb_calls import DRY_RUNS, SAMPLES

Git = Callable[..., str]
HOSTILE = "\u009b31m\u202e\u2066\u200f\u061c\u2028\x7f\x1b[2J"
NAME = "\u009b31m\u202e\u2066\u200f\u061c\u2028\u0085"  # as git lets a ref be called


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard output and standard error as terminals."""
    monkeypatch.delenv("NO_COLOR")
    made = Terminal()
    with contextlib.redirect_stdout(made), contextlib.redirect_stderr(made):
        yield made


def commands(text: str) -> set[str]:
    return set(COMMANDING.findall(text)) - {"\n", "\t"}


@pytest.mark.quick
@given(st.text())
def test_what_is_written_for_people_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as made:
        console.write(text, end="")
    assert not commands(made.getvalue())
    assert commands(text) or made.getvalue() == text


def test_only_our_own_colours_reach_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_terminal(monkeypatch) as terminal:
        console.write(console.paint(f"a{HOSTILE}", "red", bold=True) + "\x1b[8mb")
    shown = terminal.getvalue()
    assert shown.startswith("\x1b[31;1ma\\x9b31m\\u202e")
    assert shown.endswith("\\x1b[2J\x1b[0m\\x1b[8mb\n")
    assert commands(shown.replace("\x1b[31;1m", "").replace("\x1b[0m", "")) == set()


def test_a_line_of_a_file_is_exact_in_a_pipe_and_harmless_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with a_terminal(monkeypatch) as terminal:
        console.write(console.exact(f"+{HOSTILE}") + HOSTILE, err=True)
    assert commands(terminal.getvalue()) == set()
    with contextlib.redirect_stdout(io.StringIO()) as pipe:
        console.write(console.exact(f"+{HOSTILE}") + HOSTILE)
    assert pipe.getvalue().startswith(f"+{HOSTILE}\\x9b31m")


@given(st.text(), st.text())
def test_json_is_the_same_to_its_reader_and_does_nothing_to_a_terminal(key: str, text: str) -> None:
    value = {key: [text, {"x": HOSTILE}]}
    written = console.as_json(value)
    assert not commands(written)
    assert json.loads(written) == value


def test_a_log_and_progress_command_no_terminal_either(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    with a_terminal(monkeypatch) as terminal:
        console.log(logging.WARNING, "%(message)s")
        logging.getLogger("x").warning("said %s", HOSTILE)
        console.line_again(HOSTILE)
    root.handlers = before
    assert "said \\x9b31m" in terminal.getvalue()
    assert commands(terminal.getvalue().removeprefix("\r").replace("\r\x1b[K", "")) == set()


@pytest.fixture
def hostile(lived_in: Path, git: Git) -> Path:
    """A branch, a tag and a file with this name, as far as git allows it."""
    (lived_in / f"file{HOSTILE}").write_text(f"{HOSTILE}\n")
    git("add", "-A")
    git("switch", "-q", "-c", f"branch{NAME}")
    git("commit", "-q", "-m", f"subject{HOSTILE}\n\nbody{HOSTILE}")
    (lived_in / f"file{HOSTILE}").write_text("2\n")
    git("remote", "add", "origin", f"nowhere{HOSTILE}")
    git("branch", f"snapshot/x{NAME}")
    git("pack-refs", "--all")  # then HEAD's branch is asked of git
    return lived_in


MORE = {
    "diff of the tree": ("diff", "--hunks"),
    "unknown task": ("show", HOSTILE),
    "unknown verb": (f"x{HOSTILE}",),
    "unknown option": ("status", f"--x{HOSTILE}"),
    "unknown branch": ("checkout", f"x{NAME}"),
    "a remote": ("sync",),
    "no folder": ("status", "--repo", f"x{HOSTILE}"),
    "a file that is none": ("trace", "import", f"x{HOSTILE}"),
}


@pytest.mark.parametrize("json_too", [False, True])
@pytest.mark.parametrize("words", [*SAMPLES.values(), *DRY_RUNS.values(), *MORE.values()], ids=" ".join)
def test_no_command_lets_a_name_command_the_terminal(
    words: tuple[str, ...], json_too: bool, hostile: Path
) -> None:
    if words[:2] == ("gate", "show") or words[:2] == ("gate", "wait"):
        return
    status, shown = at_terminal(hostile, *words, *(["--json"] if json_too else []))
    assert commands(shown) == set(), shown
    assert status != EXIT_INTERNAL, shown


def test_a_git_hook_tells_a_terminal_nothing_but_text(initialised: Path, git: Git) -> None:
    git("switch", "-q", "-c", f"branch{NAME}")
    (initialised / ".git/devs/task").write_text(f"Devs-Task: task-1{HOSTILE}\n")
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-m", f"x{HOSTILE}"],
        cwd=initialised,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    ours = [line for line in done.stderr.splitlines() if line.startswith("devs-git:")]
    assert ours
    assert commands("\n".join(ours)) == set()


def test_the_strict_hook_tells_a_terminal_nothing_but_text(initialised: Path, git: Git) -> None:
    router.call("init", Workspace.open(initialised), init.Request(strict=True))
    tag = f"devs/task-1{NAME}".replace("\u2028", "")
    git("-c", "core.hooksPath=/dev/null", "tag", tag)
    words = ["git", "tag", "-f", tag, "HEAD~1"]
    done = subprocess.run(words, cwd=initialised, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "devs-git:" in line]
    assert "TAG_MOVED: refs/tags/devs/task-1 is the tag of a checkpoint" in ours[0]
    assert commands("\n".join(ours)) == set()


def test_the_shell_is_offered_no_name_that_commands_it(hostile: Path) -> None:
    env = os.environ | {
        "COMP_WORDS": "devs-git checkout b",
        "COMP_CWORD": "2",
        "_DEVS_GIT_COMPLETE": "zsh_complete",
    }
    words = [
        sys.executable,
        "-c",
        "import sys; sys.argv = ['devs-git']; from devs_git.__main__ import main; main()",
    ]
    done = subprocess.run(words, cwd=hostile, env=env, capture_output=True, text=True, check=False)
    assert commands(done.stdout) == set()
    env["COMP_WORDS"] = "devs-git checkout m"
    done = subprocess.run(words, cwd=hostile, env=env, capture_output=True, text=True, check=False)
    assert "main" in done.stdout
