"""`devs-git demo`: a tour in a temporary repository that shows each command and its real output.

Identity, clock, HOME and folder are fixed, so it prints the same everywhere. docs/tour.md has its output.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import click

from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.groups import HELP

BEGIN: Final = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
TICK: Final = timedelta(minutes=1)
# The variables that a child gets from the caller. Others (GIT_*, variables of agents, locale) would change the output.
KEPT: Final = ("TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE")
GITCONFIG: Final = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"

# A line that begins with '#' is printed. Any other line is run by sh in the repository.
TOUR: Final = """\
# A repository like yours, and devs-git set up in it.
git init -q
echo 'print("Hello")' > app.py
git add app.py
git commit -q -m 'Say hello'
devs-git init
git add devs-policy.yaml
git commit -q -m 'Set up devs-git'

# Task 1. While a task is active, the hooks record a checkpoint for each commit of it.
devs-git task start 1 --title 'Greet by name'
echo 'name = input("Name? ")' > app.py
git commit -q -a -m 'Ask for the name'
echo 'print("Hello", name)' >> app.py
devs-git task complete --all -m 'Greet by name'

# Task 2 ends well, too.
devs-git task start 2 --title 'Read a config file'
echo 'greeting = "Hello"' > config.toml
devs-git checkpoint --all -m 'A first config file'
echo 'print(open("config.toml").read())' >> app.py
devs-git task complete --all -m 'Read a config file'

# Task 3 goes wrong: it deletes a file that is needed, and nobody notices in time.
devs-git task start 3 --title 'Make it faster'
git rm -q config.toml
echo 'print("Hi")' > app.py
devs-git task complete --all -m 'Make it faster'

# What was finished? Each task is a tag, each checkpoint an event of the ledger.
devs-git log
git tag -n

# What would going back to task 1 do? A dry run writes nothing.
devs-git rewind task-1 --dry-run

# Go back.
devs-git rewind task-1
cat app.py
git status --short --branch

# That was one task too far. Undo it: branch, index, files and tags are as they were.
devs-git undo
git log --oneline -3

# Back to the task that was good.
devs-git rewind task-2
cat app.py

# Look around on a branch of its own, at a checkpoint on the way.
devs-git branch task-2@1 -b try
devs-git checkout try
ls
devs-git checkout main

# Nothing was lost on the way, and who did what is in the ledger.
git branch --list
git log --format='%h %s' refs/heads/devs/ledger
"""


@click.command(
    name="demo", help=OTHER_COMMANDS["demo"] + "\n\n\b\nExample:\n  devs-git demo", context_settings=HELP
)
@click.option("--keep", is_flag=True, help="Keep the repository and say where it is.")
def demo(*, keep: bool) -> int:
    folder = Path(tempfile.mkdtemp(prefix="devs-git-demo-"))
    try:
        return _tour(folder)
    finally:
        if keep:
            console.write(f"\nThe repository is kept: {folder / 'demo'}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _tour(folder: Path) -> int:
    """Run the tour below `folder`; the exit status of the first command that fails, or 0."""
    env = _environment(folder)
    (folder / "home" / ".gitconfig").write_text(GITCONFIG)
    (folder / "demo").mkdir()
    moment = BEGIN
    for line in TOUR.splitlines():
        if not line or line.startswith("#"):
            console.write(terminal.style(line, bold=True))
            continue
        console.write(terminal.style("$ ", fg="green") + line)
        now = {
            name: moment.isoformat() for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
        }
        status = _run(line, folder / "demo", env | now)
        if status:
            console.write(f"The demo ends here: the command exited with status {status}.", err=True)
            return status
        moment += TICK
    return 0


def _run(line: str, where: Path, env: dict[str, str]) -> int:
    """Run one line of the tour and print its output, both streams in their order. Return its exit status."""
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=where,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    console.write(done.stdout.decode("utf-8", "replace"), end="")
    return done.returncode


def _environment(folder: Path) -> dict[str, str]:
    """The environment of the tour: a HOME of its own, and on PATH a `devs-git` that is this program."""
    programs = folder / "bin"
    (folder / "home").mkdir()
    programs.mkdir()
    program = programs / "devs-git"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m devs_git "$@"\n')
    program.chmod(0o755)
    return {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", os.defpath))),
        "HOME": str(folder / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
