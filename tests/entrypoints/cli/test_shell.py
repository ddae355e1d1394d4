"""Completion works in a real shell, and help finds every command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli.main import cli


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A PATH on which `devs-git` is this very program."""
    program = tmp_path / "bin" / "devs-git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m devs_git "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_and_the_answers_that_it_asks_for(env: dict[str, str], shell: str) -> None:
    script = CliRunner().invoke(cli, ["completion", shell]).output
    assert f"_DEVS_GIT_COMPLETE={shell}_complete" in script
    asked = {**env, "_DEVS_GIT_COMPLETE": f"{shell}_complete", "COMP_WORDS": "devs-git rew"}
    asked["COMP_CWORD"] = "rew" if shell == "fish" else "1"
    done = subprocess.run(["devs-git"], env=asked, capture_output=True, text=True, check=True)
    assert "rewind" in done.stdout
    assert "task" not in done.stdout


def test_help_shows_what_the_option_shows_and_refuses_an_unknown_command() -> None:
    run = CliRunner().invoke
    assert run(cli, ["help", "task", "start"]).output == run(cli, ["task", "start", "--help"]).output
    assert run(cli, ["help"]).output == run(cli, ["--help"]).output
    assert run(cli, ["help", "dance"]).exit_code == 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("trace list", 0), ("trace export", 0), ("trace get nope --json", 3), ("trace get nope", 3),
        ("--help", 0), ("trace --help", 0), ("trace", 2), ("trace list --nope", 2),
    ],
)  # fmt: skip
def test_an_exit_status_stands_where_nobody_reads_on(initialised: Path, words: str, status: int) -> None:
    read, write = os.pipe()
    os.close(read)
    child = [sys.executable, "-m", "devs_git", *words.split()]
    told = subprocess.PIPE if not status or "--json" in words else write
    done = subprocess.run(child, cwd=initialised, stdout=write, stderr=told, check=False)
    os.close(write)
    assert (done.returncode, b"Traceback" in (done.stderr or b"")) == (status, False)


def test_a_full_disk_below_the_output_is_no_bug_of_ours_and_no_success(initialised: Path) -> None:
    child = [sys.executable, "-m", "devs_git", "trace", "list"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            child, cwd=initialised, stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert done.returncode == 4
    assert "No space left" in done.stderr


def test_a_stream_that_the_caller_closed_leads_nowhere(initialised: Path) -> None:
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    child = [*closed, sys.executable, "-m", "devs_git", "trace", "get", "x"]
    assert subprocess.run(child, cwd=initialised, check=False).returncode == 3


def test_a_tool_that_still_works_on_its_thread_is_not_cut_off_at_the_end() -> None:
    script = """
import sys, threading
from devs_git.__main__ import script
def work():
    threading.main_thread().join()
    sys.stderr.write("done")
threading.Thread(target=work).start()
sys.argv = ["devs-git", "--help"]
script()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "done"


def test_who_asks_for_json_gets_refusals_as_json_too(env: dict[str, str], tmp_path: Path) -> None:
    for words in (["verify", "--format", "json"], ["verify", "--format=json"], ["status", "--json"]):
        done = subprocess.run(
            ["devs-git", *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert json.loads(done.stdout)["error"] == "NOT_A_REPOSITORY", done.stderr
