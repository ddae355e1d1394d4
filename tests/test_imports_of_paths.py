"""A command imports what it uses, and no more modules than it did before the folders of today and the moments came."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support import imported_modules

pytestmark = pytest.mark.thorough

# Modules of devs_git that each path imported then.
BEFORE: Final = {
    "--help": 8,
    "--version": 13,
    "log --help": 31,
    "init": 126,
    "log, no checkpoint": 61,
    "task start": 80,
    "task status": 78,
    "git commit": 38,
    "git commit --amend": 43,
    "checkpoint": 80,
    "task complete": 80,
    "task result": 80,
    "status": 54,
    "log": 61,
    "history": 54,
    "show": 64,
    "diff": 60,
    "branch": 62,
    "checkout": 81,
    "snapshot create": 67,
    "snapshot list": 37,
    "restore": 85,
    "rewind --dry-run": 113,
    "rewind": 100,
    "undo": 96,
    "verify": 197,
    "doctor": 132,
    "trace put": 45,
    "trace get": 24,
    "trace list": 77,
    "trace search": 78,
    "trace export": 48,
    "trace import": 44,
    "trace ingest": 51,
    "trace prune": 67,
    "conversation snapshots": 71,
    "gate list": 57,
    "gate request": 72,
    "agent hook, before a tool": 15,
    "hook pre-commit": 47,
    "hook checked": 28,
    "hook newest": 28,
    "hook gate-guard": 28,
    "hook policy-schema": 50,
    "hook commit-trailers": 40,
    "hook strict-tags": 59,
    "agent install": 61,
    "aliases install": 31,
    "completion": 15,
    "mcp, start": 107,
    "mcp, list of tools": 281,
}
# Paths that do more now: moments, drop, the page of a task, the lock of the TAS, more tools, one parser of all targets,
# plans that fit a screen, a second format of events, the index, the words of an interrupted command, the printing of an
# answer, which commands without click share, the check and the written file that `report` shares, the trees above a path that
# comes back, a restore that may save what is in the way, a session named by its beginning, the files of a task that git
# reads at once, who may decide in words, what an uninstallation leaves, a history that asks the index for the events of a task,
# refs that are read from git's files, the place of the index, which `doctor` compares with the ledger, whether there
# is an archive that has a number, one more verb where all are looked at (`archive`), marks that follow from a few events.
# Whoever lowers one lowers its number, and removes its row where it is not above BEFORE.
MORE: Final = {
    "git commit": 39,
    "history": 88,
    "show": 83,
    "doctor": 133,
    "snapshot create": 72,
    "restore": 111,
    "rewind": 113,
    "rewind --dry-run": 117,
    "undo": 112,
    "trace export": 54,
    "trace import": 46,
    "verify": 256,
    "mcp, start": 133,
    "mcp, list of tools": 285,
}


def test_each_path_imports_no_more_modules_than_before(tmp_path: Path) -> None:
    limits = BEFORE | MORE
    found = dict(imported_modules.count(Path(sys.executable).parent, tmp_path / "counted"))
    assert {name: count for name, count in found.items() if count > limits[name]} == {}
    assert found.keys() == limits.keys()
