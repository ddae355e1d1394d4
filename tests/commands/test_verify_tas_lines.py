"""On one line of history an approval of a text of the TAS leads there once; on another line its copies do, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.workspace import Workspace
from tests.commands.test_verify_tas import approve, codes, found
from tests.support.gate_scene import NEW, TAS, commit, genesis
from tests.support.lost_objects import lose

Run = Callable[..., str]
THIRD = TAS.replace("old", "third")


@pytest.fixture
def looped(ledgered: Workspace, git: Run) -> Workspace:
    """A text was approved, and then another approval put the first text back; the branch `before` knows of neither."""
    commit(ledgered.top, {"TAS.md": TAS})
    git("branch", "before")
    approve(ledgered, NEW)
    approve(ledgered, TAS)
    assert codes(ledgered) == []
    return ledgered


def merged(git: Run, other: str, text: str | None = None, top: Workspace | None = None) -> None:
    """A merge of `other` into HEAD, with this text of the TAS, or what git makes of it."""
    git("merge", "-q", "--no-ff", "--no-commit", "-X", "ours", other)
    if top and text is not None:
        (top.top / "TAS.md").write_text(text)
        git("add", "-A")
    git("commit", "-qm", f"merge of {other}")


@pytest.mark.quick
def test_a_text_that_an_approval_changed_does_not_come_back_by_a_plain_commit(
    looped: Workspace, git: Run
) -> None:
    gate = git("log", "-1", "--format=%(trailers:key=Gate-Id,valueonly)", "HEAD~1").strip()
    back = commit(looped.top, {"TAS.md": NEW})
    [finding] = verify.run(Workspace.open(looped.top), verify.Request(("tas",), "HEAD~1..HEAD")).findings
    assert (finding.code, finding.ref, gate in finding.message) == ("TAS_UNAPPROVED", back, True)
    assert found(looped) == [("TAS_UNAPPROVED", back)]
    # Taken back it is as it was; and once more is as wrong as the first time.
    commit(looped.top, {"TAS.md": TAS})
    assert codes(looped) == ["TAS_UNAPPROVED"]
    commit(looped.top, {"TAS.md": NEW})
    assert codes(looped) == ["TAS_UNAPPROVED"] * 2


def test_the_trailer_of_the_old_landing_makes_no_new_one(looped: Workspace, git: Run) -> None:
    git("cherry-pick", "HEAD~1")
    assert found(looped) == [("TAS_UNAPPROVED", git("rev-parse", "HEAD"))]


def test_a_third_approval_brings_it_back(looped: Workspace, git: Run) -> None:
    approve(looped, NEW)
    assert codes(looped) == []
    assert codes(looped, "HEAD~1..HEAD") == []
    approve(looped, TAS)
    assert codes(looped) == []
    git("checkout", "-q", "before")
    commit(looped.top, {"x.txt": "x"})
    git("cherry-pick", "main~3", "main~2", "main~1", "main")
    assert codes(looped) == []
    git("cherry-pick", "main~1")
    assert codes(looped) == ["TAS_UNAPPROVED"]


def test_a_landing_that_somebody_takes_back_may_come_again(ledgered: Workspace, git: Run) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    approve(ledgered, NEW)
    git("revert", "--no-edit", "HEAD")
    taken = git("rev-parse", "HEAD")
    git("revert", "--no-edit", "HEAD")
    assert found(ledgered) == [("TAS_UNAPPROVED", taken)]


def test_squashed_landings_use_their_approvals_too(ledgered: Workspace, git: Run) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    git("branch", "release")
    approve(ledgered, NEW)
    approve(ledgered, THIRD)
    git("checkout", "-q", "release")
    git("merge", "-q", "--squash", "main")
    git("commit", "-qm", "both at once")
    assert codes(ledgered) == []
    approve(ledgered, TAS)
    assert codes(ledgered) == []
    commit(ledgered.top, {"TAS.md": NEW})
    assert codes(ledgered) == ["TAS_UNAPPROVED"]


def test_two_lines_that_both_land_an_approval_meet(looped: Workspace, git: Run) -> None:
    """Each of the two has it once; what is approved after they met leads on from there."""
    git("checkout", "-q", "before")
    commit(looped.top, {"x.txt": "x"})
    git("cherry-pick", "main~1")
    assert codes(looped) == []
    merged(git, "main", TAS, looped)
    assert codes(looped) == []
    git("checkout", "-q", "main")
    merged(git, "before")
    approve(looped, NEW)
    git("checkout", "-q", "before")
    merged(git, "main")
    assert codes(looped) == []
    approve(looped, THIRD)
    assert codes(looped) == []


def test_a_merge_brings_no_text_back_that_an_approval_changed(looped: Workspace, git: Run) -> None:
    """git itself takes it: on one side nothing seems to have changed since the two parted."""
    git("checkout", "-q", "before")
    commit(looped.top, {"x.txt": "x"})
    git("cherry-pick", "main~1")
    git("checkout", "-q", "main")
    commit(looped.top, {"y.txt": "y"})
    merged(git, "before")
    assert (looped.top / "TAS.md").read_text() == NEW
    assert found(looped) == [("TAS_UNAPPROVED", git("rev-parse", "HEAD"))]
    git("reset", "-q", "--hard", "HEAD~1")
    merged(git, "before", TAS, looped)
    assert codes(looped) == []


def test_a_line_from_before_may_take_the_first_of_two_landings_alone(ledgered: Workspace, git: Run) -> None:
    """A release gets one change and not the next."""
    commit(ledgered.top, {"TAS.md": TAS})
    git("branch", "release")
    approve(ledgered, NEW)
    approve(ledgered, THIRD)
    git("checkout", "-q", "release")
    commit(ledgered.top, {"x.txt": "x"})
    git("cherry-pick", "main~1")
    assert codes(ledgered) == []
    git("checkout", "-q", "main")
    merged(git, "release", THIRD, ledgered)
    assert codes(ledgered) == []


def test_what_came_before_devs_git_used_no_approval(ledgered: Workspace) -> None:
    commit(ledgered.top, {"TAS.md": TAS})
    commit(ledgered.top, {"TAS.md": NEW})
    commit(ledgered.top, {"devs-policy.yaml": f"genesis: '{genesis(ledgered)}'\n"})
    approve(ledgered, TAS)
    approve(ledgered, NEW)
    assert codes(ledgered) == []


def test_a_text_does_not_come_back_at_another_path(looped: Workspace, git: Run) -> None:
    commit(looped.top, {"devs-policy.yaml": f"genesis: '{genesis(looped)}'\ntas: {{path: docs/TAS.md}}\n"})
    approve(looped, None, kind="POLICY_CHANGE")
    (looped.top / "docs").mkdir()
    git("mv", "TAS.md", "docs/TAS.md")
    git("commit", "-qm", "moved")
    assert codes(looped) == []
    commit(looped.top, {"docs/TAS.md": NEW})
    assert codes(looped) == ["TAS_UNAPPROVED"]


def test_a_clone_without_the_history_says_so(looped: Workspace, git: Run, tmp_path: Path) -> None:
    """As CI has it that fetches one commit of the branch, and all of the ledger."""
    commit(looped.top, {"TAS.md": NEW})
    for depth in ("1", "2", "3"):
        top = tmp_path / depth
        git("clone", "-q", "-b", "main", "--depth", depth, f"file://{looped.top}", os.fspath(top))
        git("fetch", "-q", "origin", "+refs/heads/devs/ledger:refs/heads/devs/ledger", where=top)
        assert found(Workspace.open(top)) == [("CONFLICT", "")]
        git("fetch", "-q", "--unshallow", where=top)
        assert found(Workspace.open(top)) == found(looped)


def test_a_missing_text_of_the_history_is_told(looped: Workspace, git: Run) -> None:
    """git tells of a path whose content is missing as of no path; so an approval would look as if nobody had used it."""
    blob = git("rev-parse", "HEAD:TAS.md")
    commit(looped.top, {"TAS.md": THIRD})
    commit(looped.top, {"TAS.md": "w\n"})
    lose(looped.top, blob)
    assert codes(looped, "HEAD~1..HEAD") == ["LEDGER_MISSING"]


def test_where_one_squash_hides_both_landings_the_first_may_come_again(looped: Workspace, git: Run) -> None:
    """The limit that docs/ci.md names: this line shows no landing, so its first one looks like a copy."""
    git("checkout", "-q", "before")
    git("merge", "-q", "--squash", "main")
    git("commit", "-q", "--allow-empty", "-m", "squashed")
    commit(looped.top, {"TAS.md": NEW})
    assert codes(looped) == []
    commit(looped.top, {"TAS.md": TAS})
    assert codes(looped) == []
    commit(looped.top, {"TAS.md": NEW})
    assert codes(looped) == ["TAS_UNAPPROVED"]
