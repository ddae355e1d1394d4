"""The TAS changed only as persons approved, whichever way a commit came about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.commands import gate_approve, gate_reject, gate_show, verify
from devs_git.workspace import Workspace
from tests.support.gate_scene import NEW, TAS, ask, commit, genesis

Run = Callable[..., str]
APPROVED = TAS.replace("old", "mine")


def yes(_text: str) -> None:
    """A person who answers y."""


def found(workspace: Workspace, span: str = "") -> list[tuple[str, str]]:
    result = verify.run(Workspace.open(workspace.top), verify.Request(("tas",), span))
    return [(finding.code, finding.ref) for finding in result.findings]


def codes(workspace: Workspace, span: str = "") -> list[str]:
    return [code for code, _ in found(workspace, span)]


def approve(workspace: Workspace, text: str | None, **more: str) -> str:
    gate_id = ask(workspace, text=text, **more)
    gate_approve.run(Workspace.open(workspace.top), gate_approve.Request(gate_id, ask=yes))
    return gate_id


@pytest.fixture
def agreed(ledgered: Workspace) -> Workspace:
    """A repository whose TAS has its first text."""
    commit(ledgered.top, {"TAS.md": TAS})
    return ledgered


@pytest.mark.quick
def test_a_change_that_nobody_approved_is_found_and_names_its_section(agreed: Workspace) -> None:
    assert codes(agreed) == []
    oid = commit(agreed.top, {"TAS.md": NEW})
    finding = verify.run(Workspace.open(agreed.top), verify.Request(("tas",))).findings[0]
    assert (finding.code, finding.ref, finding.file) == ("TAS_UNAPPROVED", oid, "TAS.md")
    assert "'TAS / 2.3 Dates'" in finding.message


def test_a_section_that_hides_those_after_it_changes_them(agreed: Workspace) -> None:
    approve(agreed, None)
    commit(agreed.top, {"TAS.md": TAS.replace("old", "<div hidden>\n\nnew")})
    finding = verify.run(Workspace.open(agreed.top), verify.Request(("tas",))).findings[0]
    assert "'TAS / 4 More (now inside <div hidden>)', which nobody approved" in finding.message


def test_gate_show_tells_what_a_proposed_text_hides(agreed: Workspace) -> None:
    gate_id = ask(agreed, text=TAS.replace("old", "<div hidden>\n\nnew"))
    notes = gate_show.run(Workspace.open(agreed.top), gate_show.Request(gate_id)).notes
    note = "The proposed text also changes sections that the request does not name: TAS / 4 More (now inside <div hidden>)."
    assert note in notes


def test_a_landing_is_approved_also_rebased_squashed_and_cherry_picked(agreed: Workspace, git: Run) -> None:
    git("branch", "before")
    approve(agreed, APPROVED)
    approve(agreed, NEW)
    assert codes(agreed) == []
    git("checkout", "-q", "before")
    commit(agreed.top, {"x.txt": "x"})
    git("cherry-pick", "main~1", "main")
    assert codes(agreed) == []
    git("reset", "-q", "--hard", "HEAD~2")
    git("merge", "-q", "--squash", "main")
    git("commit", "-qm", "squashed")
    assert codes(agreed) == []


def test_another_text_than_the_approved_one_is_a_mismatch(agreed: Workspace, git: Run) -> None:
    gate_id = approve(agreed, APPROVED)
    git("reset", "-q", "--hard", "HEAD~1")
    commit(agreed.top, {"TAS.md": NEW})
    assert codes(agreed) == ["TAS_MISMATCH"]
    git("commit", "-q", "--amend", "-m", f"x\n\nGate-Id: {gate_id}")
    assert codes(agreed) == ["TAS_MISMATCH"]


def test_a_gate_that_waits_or_was_rejected_approves_nothing(agreed: Workspace) -> None:
    gate_id = ask(agreed, text=NEW)
    commit(agreed.top, {"TAS.md": NEW})
    assert codes(agreed) == ["TAS_UNAPPROVED"]
    gate_reject.run(Workspace.open(agreed.top), gate_reject.Request(gate_id, reason="no", ask=yes))
    assert codes(agreed) == ["TAS_UNAPPROVED"]


def test_an_approval_of_sections_covers_these_and_no_others(agreed: Workspace) -> None:
    approve(agreed, None)  # of 2.3
    commit(agreed.top, {"TAS.md": NEW})
    assert codes(agreed) == []
    commit(agreed.top, {"TAS.md": NEW.replace("More\nx", "More\ny")})
    assert codes(agreed) == ["TAS_UNAPPROVED"]


@pytest.mark.parametrize("new", [{"TAS.md": None}, {"TAS.md": None, "SPEC.md": TAS}, {"TAS.md": ""}])
def test_the_tas_is_not_removed_renamed_or_taken_back(
    new: dict[str, str | None], agreed: Workspace, git: Run
) -> None:
    approve(agreed, NEW)
    for name, text in new.items():
        if text is None:
            (agreed.top / name).unlink()
        else:
            (agreed.top / name).write_text(text)
    git("add", "-A")
    git("commit", "-qm", "gone")
    assert codes(agreed) == ["TAS_UNAPPROVED"]
    git("reset", "-q", "--hard", "HEAD~1")
    git("revert", "--no-edit", "HEAD")
    assert codes(agreed) == ["TAS_UNAPPROVED"]


def test_a_merge_brings_what_one_side_was_allowed_to_change(agreed: Workspace, git: Run) -> None:
    git("branch", "other")
    approve(agreed, NEW)
    git("checkout", "-q", "other")
    commit(agreed.top, {"x.txt": "x"})
    git("merge", "-q", "--no-edit", "main")
    assert codes(agreed) == []


@pytest.mark.parametrize("text", [TAS, NEW + "smuggled\n", None])
def test_a_merge_that_changes_or_takes_back_the_tas_is_found(
    text: str | None, agreed: Workspace, git: Run
) -> None:
    git("branch", "other")
    approve(agreed, NEW)
    commit(agreed.top, {"y.txt": "y"})
    git("checkout", "-q", "other")
    commit(agreed.top, {"x.txt": "x"})
    git("merge", "-q", "--no-commit", "main")
    (agreed.top / "TAS.md").unlink() if text is None else (agreed.top / "TAS.md").write_text(text)
    git("add", "-A")
    git("commit", "-qm", "merge")
    assert found(agreed) == [("TAS_UNAPPROVED", git("rev-parse", "HEAD"))]


def test_a_second_first_tas_does_not_come_in_by_a_merge(agreed: Workspace, git: Run) -> None:
    base = git("rev-parse", "HEAD")
    git("checkout", "-q", "-b", "side", "HEAD~1")
    commit(agreed.top, {"TAS.md": NEW})
    git("merge", "-q", "-s", "ours", "--no-edit", "main")
    assert codes(agreed) == ["TAS_UNAPPROVED"]
    assert len(codes(agreed, f"{base}..HEAD")) == 2  # the commit that begins another, and the merge


def test_an_older_approved_text_does_not_come_back_by_a_merge(agreed: Workspace, git: Run) -> None:
    git("branch", "side")
    approve(agreed, APPROVED)
    first = git("rev-parse", "HEAD")
    approve(agreed, NEW)
    git("checkout", "-q", "side")
    commit(agreed.top, {"x.txt": "x"})
    git("cherry-pick", first)
    git("merge", "-q", "-s", "ours", "--no-edit", "main")
    assert found(agreed) == [("TAS_UNAPPROVED", git("rev-parse", "HEAD"))]


def test_only_commits_of_the_range_are_judged(agreed: Workspace) -> None:
    commit(agreed.top, {"TAS.md": NEW})
    commit(agreed.top, {"x.txt": "x"})
    assert codes(agreed, "HEAD~1..HEAD") == []
    assert codes(agreed, "HEAD~2..HEAD") == ["TAS_UNAPPROVED"]


def test_where_the_policy_moves_the_tas_the_file_moves_unchanged(agreed: Workspace, git: Run) -> None:
    commit(agreed.top, {"devs-policy.yaml": f"genesis: '{genesis(agreed)}'\ntas: {{path: docs/TAS.md}}\n"})
    approve(agreed, None, kind="POLICY_CHANGE")
    tip = git("rev-parse", "refs/heads/devs/ledger")
    commit(agreed.top, {"x.txt": "x"})
    (agreed.top / "docs").mkdir()
    git("mv", "TAS.md", "docs/TAS.md")
    git("commit", "-qm", f"moved\n\nDevs-Ledger: {tip}")
    commit(agreed.top, {"TAS.md": "an ordinary file now\n"})
    assert codes(agreed) == []
    commit(agreed.top, {"docs/TAS.md": NEW})
    assert codes(agreed) == ["TAS_UNAPPROVED"]


def test_what_the_tas_was_before_devs_git_came_needed_nobody(ledgered: Workspace) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    commit(ledgered.top, {"TAS.md": NEW})
    assert codes(ledgered) == ["TAS_UNAPPROVED"]
    commit(ledgered.top, {"devs-policy.yaml": f"genesis: '{genesis(ledgered)}'\n"})
    assert codes(ledgered) == []
    commit(ledgered.top, {"TAS.md": TAS})
    assert codes(ledgered) == ["TAS_UNAPPROVED"]
