"""Exceptions that nobody caught: failures of the disk are refusals, all others are INTERNAL."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import task_start
from devs_git.entrypoints.bugs import as_devs_error
from devs_git.errors import EXIT_INTERNAL
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace
from tests.commands.conftest import pair
from tests.conftest import Run
from tests.support.clones import Pair
from tests.support.verb_calls import call

__all__ = ("pair",)


@pytest.mark.quick
def test_what_git_says_of_a_damaged_repository_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    told = as_devs_error(GitFailed(["diff-index"], 128, "fatal: bad tree object HEAD"))
    assert (told.code, told.message) == (
        "INTERNAL",
        "git diff-index exited 128: fatal: bad tree object HEAD.",
    )
    assert "git fsck" in told.hint
    assert "bad tree object" in (tmp_path / "devs-git/errors.log").read_text()


@pytest.mark.parametrize("error", [KeyError("x"), FileNotFoundError(errno.ENOENT, "no")])
def test_anything_else_is_a_bug_with_its_trace_in_a_file(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    told = as_devs_error(error)
    assert (told.code, told.message) == ("INTERNAL", f"This is a bug of devs-git: {type(error).__name__}.")
    assert type(error).__name__ in (tmp_path / "devs-git/errors.log").read_text()


@pytest.mark.parametrize("words", [("task", "start", "10"), ("branch", "task-1@1", "-b", "try")])
def test_a_verb_that_cannot_write_says_so_and_changes_nothing(
    mark: Run, ledgered: Workspace, words: tuple[str, ...]
) -> None:
    mark(1)
    before = ledgered.git.text("for-each-ref")
    said = subprocess.run(
        ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "devs_git", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr.splitlines()[0]) == (
        4,
        "CONFLICT: The file system reported: File too large.",
    )
    assert ledgered.git.text("for-each-ref") == before


NOTES = ("task", "unrecorded", "lock", "ledger.lock", "visible-tags", "remote-urls", "view")


@pytest.mark.parametrize("note", NOTES)
def test_a_folder_at_the_place_of_a_note_is_named_by_each_command_that_needs_the_note(
    note: str, pair: Pair, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pair.ann.call("task start", task_start.Request("10"))
    monkeypatch.chdir(pair.ann.top)
    path = Path(".git/devs", note)
    path.unlink(missing_ok=True)
    path.mkdir()
    statuses = {call(monkeypatch, *words) for words in (["task", "complete", "10"], ["sync"], ["doctor"])}
    said = capsys.readouterr()
    assert EXIT_INTERNAL not in statuses, said.err
    assert f"devs/{note} is a folder, and devs-git needs a file there." in said.out + said.err
    path.rmdir()
    assert call(monkeypatch, "doctor") == 0


INTERRUPTED = """
import sys
MODULE = sys.argv[1]
class Finder:
    def find_spec(self, name, *_):
        if name == MODULE:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from devs_git.__main__ import script
sys.argv = sys.argv[1:]
script()
"""


# `status` starts without click, `doctor` with it.
@pytest.mark.parametrize(
    ("module", "verb"),
    [
        ("devs_git.entrypoints.cli.without_click.often", "status"),
        ("devs_git.entrypoints.cli.main", "doctor"),
    ],
)
def test_ctrl_c_while_a_command_is_still_starting_is_one_line_and_130(
    repo: Path, module: str, verb: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, verb], cwd=repo, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, b"The command was interrupted and did nothing more.\n")
