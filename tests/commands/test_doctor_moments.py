"""`doctor` says where moments and backups are that should not be there, and that old ones wait."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devs_git.commands import doctor, sync
from devs_git.domain.audit.findings import Finding
from devs_git.domain.moments.moment import BASE
from devs_git.entrypoints import router
from devs_git.storage.git.refs import BACKUPS
from devs_git.storage.moments import kept_commits
from devs_git.storage.moments.kept_commits import Most
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.git_calls import git as git_in
from tests.support.moment_scene import moment

pytestmark = pytest.mark.quick


@pytest.fixture
def origin(initialised: Path, git: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bare remote of a repository with a moment, of whose commit our refs keep what came before it, and with a backup."""
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(1, 2_000, 1 << 20))
    git("update-ref", f"{BACKUPS}x", "HEAD")
    place = initialised.parent / "origin.git"
    git("init", "-q", "--bare", str(place))
    git("remote", "add", "origin", str(place))
    git("push", "-q", "origin", "main")
    (initialised / "new.txt").write_text("untracked\n")
    moment(Workspace.open(initialised))
    return place


def findings(top: Path, code: str = "REMOTE_") -> list[Finding]:
    result: doctor.Result = router.call("doctor", Workspace.open(top), doctor.Request())
    return [found for found in result.findings if found.code.startswith(code)]


def fix(top: Path, found: Finding) -> None:
    subprocess.run(["sh", "-ec", found.fix], cwd=top, check=True, capture_output=True)


def test_a_remote_that_got_moments_is_named_until_its_command_deleted_them(
    initialised: Path, origin: Path, git: Run
) -> None:
    assert findings(initialised) == []
    git("push", "-q", "--mirror", "origin")
    (found,) = findings(initialised)
    assert (found.code, found.severity) == ("REMOTE_HAS_MOMENTS", "warning")
    assert "untracked files" in found.message
    kept = git("for-each-ref")
    assert git_in("for-each-ref", "refs/zdevs", where=origin) != ""
    fix(initialised, found)
    assert git_in("for-each-ref", "refs/zdevs", "refs/devs/backup", where=origin) == ""
    assert git_in("for-each-ref", "refs/heads", where=origin) != ""
    assert git("for-each-ref") == kept
    sync.run(Workspace.open(initialised), sync.Request("origin"))
    assert findings(initialised) == []


def test_a_remote_elsewhere_is_named_after_a_push_and_after_a_sync_and_no_longer_when_sync_sees_none(
    initialised: Path, origin: Path, git: Run
) -> None:
    url = f"ext::git %s {origin}"  # no folder, so doctor cannot look there
    git("remote", "set-url", "origin", url)
    git("config", "protocol.ext.allow", "always")
    git("push", "-q", "--mirror", "origin")
    (found,) = findings(initialised)
    assert "last pushed there or ran sync" in found.message
    (initialised / ".git/devs/remote-copies").unlink()
    assert findings(initialised) == []
    sync.run(Workspace.open(initialised), sync.Request("origin"))
    assert [one.code for one in findings(initialised)] == ["REMOTE_HAS_MOMENTS"]
    fix(initialised, findings(initialised)[0])
    sync.run(Workspace.open(initialised), sync.Request("origin"))
    assert findings(initialised) == []


def test_a_push_that_sends_all_refs_is_named_and_its_command_leaves_them_out(
    initialised: Path, origin: Path, git: Run
) -> None:
    git("config", "remote.origin.mirror", "true")
    (found,) = findings(initialised)
    assert found.code == "REMOTE_TAKES_MOMENTS"
    fix(initialised, found)
    assert findings(initialised) == []
    git("branch", "other")
    git("push", "-q", "origin")
    assert git_in("for-each-ref", "refs/heads/other", where=origin) != ""
    assert git_in("for-each-ref", "refs/zdevs", "refs/devs/backup", where=origin) == ""


def test_a_fetch_that_would_delete_moments_is_named_and_after_its_command_they_stay(
    initialised: Path, origin: Path, git: Run
) -> None:
    git("checkout", "-q", "--detach")
    git("config", "remote.origin.fetch", "+refs/*:refs/*")
    (found,) = findings(initialised)
    assert (found.code, found.fix) == (
        "REMOTE_PRUNES_MOMENTS",
        "git config --add remote.origin.fetch '^refs/devs/*'",
    )
    before = git("for-each-ref", "refs/devs")
    assert before
    fix(initialised, found)
    assert findings(initialised) == []
    git("fetch", "-q", "--prune", "origin")
    assert git("for-each-ref", "refs/devs") == before
    assert git_in("for-each-ref", "refs/devs", where=origin) == ""


def test_old_moments_are_a_note_and_no_problem(initialised: Path) -> None:
    (initialised / "new.txt").write_text("untracked\n")
    moment(Workspace.open(initialised))  # in 2001
    result: doctor.Result = router.call("doctor", Workspace.open(initialised), doctor.Request())
    assert "Older than the policy keeps it: 1 moment. To delete: devs-git prune" in result.notes


def test_a_push_to_an_address_is_noted_and_named_without_its_password(
    initialised: Path, origin: Path, git: Run
) -> None:
    git("push", "-q", str(origin), f"{BASE}*:{BASE}*")
    note = initialised / ".git/devs/remote-copies"
    assert note.read_text() == f"{origin}\n"
    assert [one.code for one in findings(initialised)] == ["REMOTE_HAS_MOMENTS"]
    note.write_text("https://ada:secret@example.org/x.git\n")
    named = [one for one in findings(initialised) if "example.org" in one.message]
    assert [("secret" in one.message, "secret" in one.fix) for one in named] == [(False, False)]
