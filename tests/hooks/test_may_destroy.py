"""The words for which the shell asks Python what a command may destroy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from devs_git.domain.moments import dangers
from tests.domain.moments.test_dangers import PLACES, TAKES

pytestmark = pytest.mark.quick

AGENT = Path(__file__).parent.parent.parent / "hooks/agent"
# Each argument is a payload; one line for each: whether Python is asked.
ASKED = """
. "$AGENT/may-destroy.sh"
. "$AGENT/may-overwrite.sh"
event=before w=/nowhere
for payload; do if may_destroy "$payload"; then echo yes; else echo no; fi; done
"""
QUIET = (
    "ls -l",
    "cat a.txt",
    "git status",
    "grep -rn word src",
    "echo done",
    "git log -3",
    "cargo test 2>/dev/null",
)


def asked(commands: tuple[str, ...]) -> dict[str, bool]:
    payloads = [json.dumps({"tool_name": "Bash", "tool_input": {"command": one}}) for one in commands]
    done = subprocess.run(
        ["sh", "-c", ASKED, "sh", *payloads],
        env={"AGENT": str(AGENT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return {command: said == "yes" for command, said in zip(commands, done.stdout.split(), strict=True)}


# A moment keeps no tags.
NOT_KEPT = {"git tag -d v1"}


def test_the_shell_asks_about_each_command_that_is_known_to_destroy_something() -> None:
    known = tuple(one for one in {**TAKES, **PLACES} if dangers.of_command(one).destroys)
    assert len(known) > 80
    assert {command for command, said in asked(known).items() if not said} == NOT_KEPT


def test_the_shell_asks_about_each_program_that_removes_files() -> None:
    programs = ("del", "rimraf", "rm", "rmdir", "shred", "srm", "trash", "trash-put", "unlink")
    commands = tuple(f"{name} x" for name in programs)
    assert all(dangers.of_command(one).ignored for one in commands)
    assert [command for command, said in asked(commands).items() if not said] == []


def test_the_shell_asks_about_no_command_that_only_reads() -> None:
    assert [command for command, said in asked(QUIET).items() if said] == []
