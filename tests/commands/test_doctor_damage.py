"""`doctor` of a ledger whose ref was half written: what a loss of power leaves."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import doctor
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

pytestmark = pytest.mark.thorough

Run = Callable[..., str]
LEDGER = "refs/heads/devs/ledger"
NOWHERE = "12" * 20 + "\n"  # the oid of what never reached the disk


@pytest.mark.parametrize("left", ["", "0123456789", NOWHERE], ids=["empty", "half", "nowhere"])
def test_a_damaged_ref_of_the_ledger_is_told_with_what_mends_it(
    left: str, initialised: Path, git: Run
) -> None:
    tip = git("rev-parse", LEDGER)
    (initialised / ".git" / LEDGER).write_text(left)
    told = router.call("doctor", Workspace.open(), doctor.Request()).findings
    (found,) = (one for one in told if one.code == "LEDGER_MISSING")
    if left != NOWHERE:
        subprocess.run(["sh", "-c", found.fix], check=True)
        assert git("rev-parse", LEDGER) == tip
        assert router.call("doctor", Workspace.open(), doctor.Request()).ok
