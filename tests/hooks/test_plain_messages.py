"""The short way for messages of one paragraph gives the same bytes as awk."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devs_git.domain.text.hook_script import render
from devs_git.storage.documents import package_files
from devs_git.storage.hooks import installation
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace

Hook = Callable[[bytes], bytes]
MESSAGES = int(os.environ.get("DEVS_TEST_COUNT_MESSAGES", "8"))
LINES = (
    b"fix: dates",
    b"fix: dates",
    b"They were wrong.",
    b"",
    b"",
    b"",
    b"7 days",
    b"  indented",
    b" \t",
    b"# heading",
    b"#12",
    b"(cherry picked from commit 1)",
    b"- item",
    b"\xfcmlaut \xff",
    b"Fixes: 7",
    b"word\r",
    b"back\\nslash %s $(date) `date` \"'",
    b"Signed-off-by: Ada <ada@example.org>",
    b"Devs-Ledger: 0123456789abcdef0123456789abcdef01234567",
    b"Devs-Ledger: 0123456789abcdef0123456789abcdef01234567",
    b"Devs-Task: task-9",
    b"Devs-Agent: reviewer",
    b"Devs-Agent: reviewer",
    b"Devs-Other: text",
    b"Devs-Task:glued",
    b"# ------------------------ >8 ------------------------",
)


def messages() -> Iterator[bytes]:
    dice = random.Random(20010203)
    yield from (line + b"\n" for line in dict.fromkeys(LINES))
    while True:
        lines = dice.choices(LINES, k=dice.randrange(1, 6))
        yield b"\n".join(lines) + dice.choice((b"", b"\n", b"\n\n"))


def hook(source: bytes, repo: Path, path: str = os.environ.get("PATH", os.defpath)) -> Hook:
    """prepare-commit-msg, as git calls it with a message: the file as the hook leaves it."""
    program, message = repo.parent / "prepare-commit-msg", repo.parent / "message"
    env = os.environ | {"GIT_DIR": ".git", "PATH": path}

    def run(text: bytes) -> bytes:
        program.write_bytes(render(source, "/bin/true", chained=False))
        message.write_bytes(text)
        done = subprocess.run(
            ["/bin/sh", program, message, "message"], cwd=repo, env=env, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b""), text
        return message.read_bytes()

    return run


@pytest.fixture
def source() -> bytes:
    return installation.hook_sources()["prepare-commit-msg"]


@pytest.fixture
def no_awk(tmp_path: Path) -> str:
    """A PATH on which awk says that it was called, and fails."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "awk").write_text("#!/bin/sh\necho awk >&2\nexit 2\n")
    (folder / "awk").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


@pytest.mark.quick
def test_a_plain_message_gets_the_same_trailers_the_short_way(
    source: bytes, repo: Path, ledgered: Workspace
) -> None:
    short = package_files.read("hooks", "add-trailers-to-one-paragraph.sh")
    assert short in source
    ours, long = hook(source, repo), hook(source.replace(short, b""), repo)
    several = messages()
    for state in ("", "Devs-Task: task-10\nDevs-Agent: developer\n"):
        active_task.write(ledgered.places, state)
        for text, _ in zip(several, range(MESSAGES), strict=False):
            assert ours(text) == long(text), text
    (repo / ".git/rebase-merge").mkdir()
    for text, _ in zip(several, range(MESSAGES), strict=False):
        assert ours(text) == long(text), text


def test_a_message_of_one_paragraph_starts_no_awk(
    source: bytes, repo: Path, ledgered: Workspace, no_awk: str, git: Callable[..., str]
) -> None:
    tip = git("rev-parse", "refs/heads/devs/ledger")
    assert ledgered.places
    ours = hook(source, repo, no_awk)
    assert ours(b"fix: dates\n").decode() == f"fix: dates\n\nDevs-Ledger: {tip}\n"
    of_task = "fix: dates\nof reports\n\nDevs-Task: task-9\nDevs-Ledger: "
    assert ours(f"{of_task}0123\n".encode()).decode() == f"{of_task}{tip}\n"
