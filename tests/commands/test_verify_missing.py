"""`verify` where an object is missing: what cannot be read is an error, and no version that never was."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.gate_scene import TAS, commit
from tests.support.lost_objects import lose

Run = Callable[..., str]
pytestmark = pytest.mark.thorough


def errors(*parts: str) -> list[str]:
    found = verify.run(Workspace.open(), verify.Request(parts or ("repository",))).findings
    return [one.code for one in found if one.severity == "error"]


@pytest.mark.parametrize("part", ["repository", "ledger", "policy"])
def test_a_tracked_policy_that_is_missing_pins_no_ledger(part: str, initialised: Path, git: Run) -> None:
    assert errors(part) == []
    lose(initialised, git("rev-parse", "HEAD:devs-policy.yaml"))
    assert "LEDGER_MISSING" in errors(part)


@pytest.mark.parametrize("lost", ["devs/ledger~1", "devs/ledger^{tree}", "devs/ledger~1^{tree}"])
def test_a_commit_or_tree_of_the_ledger_that_is_missing_is_named(
    lost: str, initialised: Path, git: Run
) -> None:
    oid = git("rev-parse", lost)
    lose(initialised, oid)
    (found,) = verify.run(Workspace.open(), verify.Request(("schemas",))).findings
    assert (found.code, oid in found.message) == ("LEDGER_MISSING", True)


@pytest.mark.parametrize("lost", ["HEAD~1:TAS.md", "HEAD:TAS.md", "HEAD~1^{tree}"])
def test_a_tas_that_is_missing_is_not_the_first(lost: str, initialised: Path, git: Run) -> None:
    commit(initialised, {"TAS.md": TAS})
    assert errors("tas") == []
    (initialised / "TAS.md").write_text(TAS.replace("old", "other"))
    git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "past the lock")
    assert errors("tas") == ["TAS_UNAPPROVED"]
    lose(initialised, git("rev-parse", lost))
    assert errors("tas") == ["LEDGER_MISSING"]


def test_a_partial_clone_fetches_nothing_and_is_told_how_to(
    initialised: Path, git: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(initialised, {"TAS.md": TAS})
    (initialised / "TAS.md").write_text(TAS.replace("old", "other"))
    git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "past the lock")
    git("config", "uploadpack.allowFilter", "true")
    there = tmp_path / "partial"
    git("clone", "-q", "--filter=blob:none", f"file://{initialised}", str(there), where=tmp_path)
    git("fetch", "-q", "--no-filter", "origin", "refs/heads/devs/ledger:refs/heads/devs/ledger", where=there)
    git("config", "remote.origin.uploadpack", f"touch {tmp_path}/ran; git-upload-pack", where=there)
    monkeypatch.chdir(there)

    def told() -> list[tuple[str, str]]:
        found = router.call("verify", Workspace.open(), verify.Request(("tas",))).findings
        return [(one.code, one.hint) for one in found]

    ((code, way_out),) = told()
    assert code == "CONFLICT"
    assert not (tmp_path / "ran").exists()
    subprocess.run(["sh", "-ec", way_out], check=True)
    assert [code for code, _ in told()] == ["TAS_UNAPPROVED"]
