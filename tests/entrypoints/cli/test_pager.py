"""A long answer is shown with the user's pager on a terminal; no program that the repository names is started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.own_calls import devs_git
from tests.support.terminal_person import at_terminal

Mark = Callable[..., str]
SMALL = (10, 80)
PAGED = "PAGED:"


@pytest.fixture
def long_log(repo: Path, mark: Mark) -> Path:
    for number in range(1, 13):
        mark(10, number)
    return repo


def pager(folder: Path, name: str = "page") -> str:
    """A program that notes that it was started, and shows its input after a word of its own."""
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "$LESS" >{folder}/{name}.started\necho {PAGED}\ncat\n')
    program.chmod(0o755)
    return str(program)


@pytest.mark.quick
def test_the_pager_of_the_environment_shows_what_does_not_fit(long_log: Path, tmp_path: Path) -> None:
    status, shown = at_terminal(long_log, "log", size=SMALL, env={"GIT_PAGER": pager(tmp_path)})
    assert (status, shown.split("\n")[0]) == (0, PAGED)
    assert shown.count("task-10@") == 12
    assert (tmp_path / "page.started").read_text() == "FRX\n"


def test_what_fits_needs_no_pager(long_log: Path, tmp_path: Path) -> None:
    env = {"GIT_PAGER": pager(tmp_path)}
    assert PAGED not in at_terminal(long_log, "log", env=env, size=(40, 80))[1]
    # A long line takes two lines of a narrow terminal.
    size = len(at_terminal(long_log, "status", env=env)[1].splitlines()) + 1
    assert PAGED not in at_terminal(long_log, "status", env=env, size=(size, 80))[1]
    assert PAGED in at_terminal(long_log, "status", env=env, size=(size, 10))[1]


def test_no_pager_means_none_before_and_after_the_command(long_log: Path, tmp_path: Path) -> None:
    env = {"GIT_PAGER": pager(tmp_path)}
    for words in (("--no-pager", "log"), ("log", "--no-pager")):
        assert PAGED not in at_terminal(long_log, *words, env=env, size=SMALL)[1]


def test_a_pipe_is_never_paged(long_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_PAGER", pager(tmp_path))
    assert PAGED not in devs_git("log", where=long_log)


def test_a_command_that_changes_something_is_not_paged(long_log: Path, tmp_path: Path) -> None:
    env = {"GIT_PAGER": pager(tmp_path)}
    assert PAGED not in at_terminal(long_log, "task", "start", "11", env=env, size=(1, 80))[1]


@pytest.mark.quick
@pytest.mark.parametrize("file", ["local", "worktree", "included"])
def test_a_pager_that_the_repository_names_is_not_started(file: str, long_log: Path, tmp_path: Path) -> None:
    planted, own = pager(tmp_path, "planted"), pager(tmp_path, "own")
    if file == "included":
        (long_log / "planted.cfg").write_text(f"[core]\n\tpager = {planted}\n")
        words = ["--local", "include.path", str(long_log / "planted.cfg")]
    else:
        subprocess.run(["git", "config", "extensions.worktreeConfig", "true"], cwd=long_log, check=True)
        words = [f"--{file}", "core.pager", planted]
    subprocess.run(["git", "config", *words], cwd=long_log, check=True)
    subprocess.run(["git", "config", "--local", "pager.log", planted], cwd=long_log, check=True)
    shown = at_terminal(long_log, "log", size=SMALL, env={"PAGER": own})[1]
    assert (PAGED in shown, (tmp_path / "planted.started").exists()) == (True, False)
    assert (tmp_path / "own.started").exists()


def test_the_users_configuration_names_the_pager(long_log: Path, tmp_path: Path) -> None:
    ours = tmp_path / "user.cfg"
    ours.write_text(f"[core]\n\tpager = {pager(tmp_path)}\n")
    env = {"GIT_CONFIG_GLOBAL": str(ours), "PAGER": "cat"}
    assert PAGED in at_terminal(long_log, "log", env=env, size=SMALL)[1]
    assert PAGED not in at_terminal(long_log, "log", env={**env, "GIT_PAGER": "cat"}, size=SMALL)[1]
    ours.write_text(f"[core]\n\tpager = {pager(tmp_path)}\n[pager]\n\tlog = false\n")
    assert PAGED not in at_terminal(long_log, "log", env=env, size=SMALL)[1]
    ours.write_text(f"[pager]\n\tlog = {pager(tmp_path)}\n")
    assert PAGED in at_terminal(long_log, "log", env=env, size=SMALL)[1]


def test_a_pager_that_is_closed_early_is_no_error(long_log: Path) -> None:
    status, shown = at_terminal(long_log, "log", size=SMALL, env={"GIT_PAGER": "head -2"})
    assert (status, shown.count("\n")) == (0, 2)
    many = "-n", "1", "--json"
    status, shown = at_terminal(long_log, "log", *many, size=SMALL, env={"GIT_PAGER": "exec <&-"})
    assert (status, shown) == (0, "")


def test_a_pager_that_is_missing_is_told_and_the_text_is_shown(long_log: Path) -> None:
    status, shown = at_terminal(long_log, "log", size=SMALL, env={"GIT_PAGER": "no-such-pager-here"})
    assert (status, shown.count("task-10@")) == (0, 12)
    assert "warning: the pager 'no-such-pager-here' could not be started." in shown


def test_the_pager_gets_colours_and_nothing_else_that_commands_a_terminal(
    repo: Path, mark: Mark, git: Mark
) -> None:
    mark(9)
    (repo / "a.txt").write_text("\x1b]0;owned\x07\n" * 20)
    git("commit", "-qam", "x")
    mark(10)
    env = {"GIT_PAGER": "cat -v", "NO_COLOR": "", "TERM": "xterm"}
    shown = at_terminal(repo, "diff", "task-10@1", "--hunks", env=env, size=SMALL)[1]
    assert "^[[1mdiff --git" in shown
    assert "+\\x1b]0;owned\\x07" in shown
    assert "^[]" not in shown


def test_colours_are_always_never_or_as_the_environment_says(long_log: Path) -> None:
    def piped(*words: str, **env: str) -> str:
        bare = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        return devs_git(*words, where=long_log, env={**bare, **env})

    assert "\x1b[" not in piped("log")
    assert "\x1b[" in piped("log", FORCE_COLOR="1")
    assert "\x1b[" not in piped("log", FORCE_COLOR="0")
    assert "\x1b[" not in piped("log", FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[" in piped("log", "--color", "always", NO_COLOR="1")
    assert "\x1b[" in piped("--color", "always", "log")
    assert "\x1b[" not in piped("log", "--color", "never", FORCE_COLOR="1")
    # Times and cells stay exact in a pipe.
    assert piped("log", "--color", "never") == piped("log")
    env = {"NO_COLOR": "", "TERM": "xterm"}
    assert "\x1b[" in at_terminal(long_log, "log", env=env)[1]
    assert "\x1b[" not in at_terminal(long_log, "log", "--color", "never", env=env)[1]
    assert "\x1b[" not in at_terminal(long_log, "log", env={**env, "TERM": "dumb"})[1]


def test_a_pager_that_git_started_for_us_gets_what_a_terminal_gets(long_log: Path) -> None:
    bare = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env = {**bare, "GIT_PAGER_IN_USE": "true", "COLUMNS": "60", "TERM": "xterm"}
    shown = devs_git("log", where=long_log, env=env)
    assert "\x1b[" in shown
    assert "ago" in shown or "just now" in shown
