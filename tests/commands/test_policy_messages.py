"""What a person reads who names an approver for the first time: each refusal says where the policy was read, and what to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import doctor, gate_show, verify
from devs_git.domain.gates.policy import PROPOSED
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.refusals import refusal

Run = Callable[..., str]
EXAMPLE = "An entry looks like this: {principal: ada@example.org, key: ssh-ed25519 AAAA}"


def _write(top: Path, approvers: str) -> None:
    path = top / PROPOSED
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("approvers:")]
    path.write_text("\n".join([*kept, f"approvers: {approvers}", ""]), encoding="utf-8")


def _commit(top: Path, approvers: str, git: Run) -> str:
    _write(top, approvers)
    git("commit", "-qam", "approvers", "--no-verify")  # the hook refuses it
    return git("rev-parse", "--short", "HEAD")


def _ask() -> DevsError:
    return refusal(lambda: ask(Workspace.open(), kind="POLICY_CHANGE"))


@pytest.mark.quick
def test_a_wrong_policy_is_refused_with_its_commit_and_what_an_entry_looks_like(
    initialised: Path, git: Run
) -> None:
    oid = _commit(initialised, "[ada@example.org]", git)
    _write(initialised, "[{principal: ada@example.org}]")  # corrected, and not committed
    error = _ask()
    assert error.message.startswith(f"In the commit HEAD ({oid}): {PROPOSED}:")
    assert "entry 1 of approvers is text; it must be a set of fields" in error.message
    assert EXAMPLE in error.hint
    assert "commit the correction" in error.hint
    assert (error.details["field"], error.details["file"]) == ("approvers.0", PROPOSED)


@pytest.mark.parametrize(
    ("approvers", "words"),
    [
        ("[{}]", "principal in entry 1 of approvers is missing"),
        (
            "[{principal: bob}, {principal: ada, email: a}]",
            "email in entry 2 of approvers is not known; the known fields are: principal, key",
        ),
    ],
)
def test_a_field_is_named_in_words(initialised: Path, git: Run, approvers: str, words: str) -> None:
    _commit(initialised, approvers, git)
    assert words in _ask().message


def test_verify_and_doctor_name_the_commit_that_they_read(initialised: Path, git: Run) -> None:
    oid = _commit(initialised, "[ada@example.org]", git)
    verified = verify.run(Workspace.open(), verify.Request(("policy",))).findings
    found = doctor.run(Workspace.open(), doctor.Request()).findings
    for findings in (verified, found):
        assert [finding.code for finding in findings] == ["POLICY_INVALID"]
        assert f"In the commit HEAD ({oid}): " in findings[0].message


def test_doctor_tells_that_an_edit_which_is_not_committed_is_wrong(initialised: Path) -> None:
    _write(initialised, "[ada@example.org]")
    result = doctor.run(Workspace.open(), doctor.Request())
    assert [(finding.code, finding.severity) for finding in result.findings] == [
        ("POLICY_INVALID", "warning")
    ]
    assert "are not committed, and they are not valid: devs-policy.yaml:" in result.findings[0].message
    assert EXAMPLE in result.findings[0].fix
    _write(initialised, "[{principal: ada@example.org}]")
    assert doctor.run(Workspace.open(), doctor.Request()).findings == ()


@pytest.mark.quick
def test_a_change_that_changes_nothing_is_refused_and_freezes_nothing(initialised: Path, git: Run) -> None:
    error = _ask()
    assert (error.code, error.details["field"]) == ("INVALID_ARGUMENTS", "gate_type")
    assert "proposes nothing new" in error.message
    _write(initialised, "[{principal: ada@example.org}]")
    assert f"not committed: git commit {PROPOSED}" in _ask().hint
    assert Workspace.open().ledger.open_gates() == ()
    git("commit", "-qam", "approvers")
    assert ask(Workspace.open(), kind="POLICY_CHANGE")


def test_a_gate_shows_only_what_the_person_changed(initialised: Path, git: Run) -> None:
    _commit(initialised, "[{principal: ada@example.org}]", git)
    shown = gate_show.run(Workspace.open(), gate_show.Request(ask(Workspace.open(), kind="POLICY_CHANGE")))
    changed = [
        line for line in shown.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert "+    principal: ada@example.org" in changed
    assert not any("first_policy" in line or "#" in line for line in changed)


def test_the_file_that_init_writes_shows_how_to_name_an_approver(initialised: Path) -> None:
    text = (initialised / PROPOSED).read_text(encoding="utf-8")
    assert "#     - principal: ada@example.org" in text
    shown = [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   ")]
    path = initialised / PROPOSED
    path.write_text(
        text.replace("approvers: []", "\n".join(shown).replace("AAAA...", "AAAA")), encoding="utf-8"
    )
    assert doctor.run(Workspace.open(), doctor.Request()).findings == ()
