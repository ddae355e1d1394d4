"""A git directory that this process cannot write, as in the sandbox of a client: what reads works, what writes says how."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
Call = Callable[..., "subprocess.CompletedProcess[str]"]

PAYLOAD = {
    "session_id": "s1",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_use_id": "toolu_1",
    "tool_input": {"command": "make"},
    "tool_response": {"stdout": "waiting\n" * 100, "stderr": ""},
}
# root may write everywhere, unless it gives that right up.
MORTAL = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
MOUNTED = (
    *("unshare", "--mount", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "sh", "-c"),
    'mount --bind .git .git && mount -o remount,ro,bind .git && exec "$@"',
    "sh",
)


def _ways() -> tuple[str, ...]:
    """Ways to make a folder read-only. Not every machine lets us mount."""
    if not shutil.which("unshare"):
        return ("permissions",)
    done = subprocess.run([*MOUNTED[:-2], "mount --bind /tmp /tmp"], capture_output=True, check=False)
    return ("permissions",) if done.returncode else ("permissions", "mount")


@pytest.fixture(params=_ways())
def sealed(request: pytest.FixtureRequest, initialised: Path) -> Call:
    """`sealed("trace", "list")` runs a command where `.git` is read-only."""
    folders = sorted(path for path in (initialised / ".git").rglob("") if path.is_dir())

    def call(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        by_permission = request.param == "permissions"
        for folder in folders if by_permission else ():
            folder.chmod(0o555)
        try:
            return subprocess.run(
                [*(MORTAL if by_permission else MOUNTED), sys.executable, "-m", "devs_git", *words],
                cwd=initialised,
                input=given,
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            for folder in folders:
                folder.chmod(0o755)

    return call


def spooled(top: Path) -> Path:
    """A payload that no command has taken in yet."""
    file = top / ".git/devs/spool/1.claude.PostToolUse"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"claude PostToolUse\nPWD {top}\n\n{json.dumps(PAYLOAD)}")
    return file


@pytest.mark.quick
def test_verbs_that_read_read_what_is_there_and_the_spool_waits(initialised: Path, sealed: Call) -> None:
    subprocess.run(
        [sys.executable, "-m", "devs_git", "trace", "put", "--tool", "Bash"],
        input="stored before",
        text=True,
        check=True,
        capture_output=True,
    )
    file = spooled(initialised)
    for words in (("trace", "list"), ("trace", "search", "stored")):
        done = sealed(*words)
        assert (done.returncode, done.stdout.count("Bash")) == (0, 1), done.stderr
        assert "they wait in the spool" in done.stderr
    for line in ("status", "log", "gate list", "verify"):
        assert sealed(*line.split()).returncode == 0
    assert file.exists()


@pytest.mark.quick(1)
def test_without_a_catalog_nothing_is_found_and_no_catalog_is_made(initialised: Path, sealed: Call) -> None:
    file = spooled(initialised)
    done = sealed("trace", "list")
    assert (done.returncode, done.stdout) == (
        0,
        "No traces found. To store one: devs-git trace put < output\n",
    )
    assert sealed("trace", "search", "waiting").stdout.startswith("No hits.\n")
    assert file.exists()
    assert not (initialised / ".git/devs/catalog.db").exists()


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("words", "tool"),
    [
        (("task", "start", "10"), "start_task"),
        (("trace", "put", "--tool", "Bash"), "store_trace"),
        (("undo",), "undo_rewind"),
        (("archive", "--older-than", "0s"), ""),
        (("trace", "ingest"), ""),
    ],
)
def test_a_verb_that_writes_names_the_tool_that_works_outside_of_the_sandbox(
    words: tuple[str, ...], tool: str, sealed: Call
) -> None:
    done = sealed(*words, "--json", given="text")
    found = json.loads(done.stdout)
    assert (done.returncode, found["code"], found.get("tool", "")) == (4, "READ_ONLY", tool)
    assert "room" not in found["hint"] + found["message"]
    assert "space" not in found["hint"] + found["message"]
    assert (f"the MCP tool {tool} of devs-git" in found["hint"]) == bool(tool)


def test_what_does_not_exist_is_said_first_and_a_dry_run_works(git: Run, sealed: Call) -> None:
    assert git("rev-parse", "HEAD")
    assert "TASK_NOT_FOUND" in sealed("task", "complete", "10").stderr
    assert "READ_ONLY" not in sealed("rewind", "task-10", "--dry-run").stderr
