"""`devs-git --help` is quick because it imports nothing that it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli import overview
from devs_git.entrypoints.cli.main import cli

HEAVY = ("click", "typing", "pygit2", "ruamel.yaml", "sqlite3", "subprocess", "json")
SCRIPT = f"""
import sys
sys.argv = ["devs-git", "--help"]
before = set(sys.modules)
from devs_git.__main__ import main
assert main() == 0
sys.stdout.write("imported: " + ",".join(name for name in {HEAVY} if name in set(sys.modules) - before))
"""


@pytest.mark.quick
def test_help_of_the_command_itself_imports_neither_click_nor_anything_heavier() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == overview.text() + "\nimported: "


def test_without_arguments_click_says_the_same_help() -> None:
    assert CliRunner().invoke(cli, ["--help"]).output == overview.text() + "\n"
