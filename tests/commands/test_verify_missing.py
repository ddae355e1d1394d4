"""`verify` where an object is missing: what cannot be read is an error, and no version that never was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.workspace import Workspace
from tests.gated import TAS, commit

Run = Callable[..., str]
pytestmark = pytest.mark.thorough


def lose(top: Path, oid: str) -> None:
    (top / ".git/objects" / oid[:2] / oid[2:]).unlink()


def errors(*parts: str) -> list[str]:
    found = verify.run(Workspace.open(), verify.Request(parts or ("repository",))).findings
    return [one.code for one in found if one.severity == "error"]


@pytest.mark.parametrize("part", ["repository", "ledger", "policy"])
def test_a_tracked_policy_that_is_missing_pins_no_ledger(part: str, initialised: Path, git: Run) -> None:
    assert errors(part) == []
    lose(initialised, git("rev-parse", "HEAD:devs-policy.yaml"))
    assert "LEDGER_MISSING" in errors(part)


@pytest.mark.parametrize("lost", ["HEAD~1:TAS.md", "HEAD:TAS.md", "HEAD~1^{tree}"])
def test_a_tas_that_is_missing_is_not_the_first(lost: str, initialised: Path, git: Run) -> None:
    commit(initialised, {"TAS.md": TAS})
    assert errors("tas") == []
    (initialised / "TAS.md").write_text(TAS.replace("old", "other"))
    git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "past the lock")
    assert errors("tas") == ["TAS_UNAPPROVED"]
    lose(initialised, git("rev-parse", lost))
    assert errors("tas") == ["LEDGER_MISSING"]
