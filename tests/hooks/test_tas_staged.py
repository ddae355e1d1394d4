"""The TAS lock: git refuses a staged change of the TAS that nobody approved, and starts Python for nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import gate_approve
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support.gate_scene import NEW, TAS, ask, commit, in_force

Run = Callable[..., str]
OTHER = TAS.replace("x\n", "y\n")


def attempt(*words: str, where: Path | None = None) -> tuple[int, str]:
    done = subprocess.run(["git", *words], cwd=where, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def refused(section: str, *words: str, where: Path | None = None) -> None:
    status, said = attempt(*words, where=where)
    assert status == 1, said
    assert f"devs-git: TAS_UNAPPROVED: Nobody approved a change of TAS.md in '{section}'." in said
    assert "devs-git gate request" in said


def approve(**what: str) -> None:
    workspace = Workspace.open()
    gate_approve.run(workspace, gate_approve.Request(ask(workspace, **what), ask=lambda _question: None))


@pytest.fixture
def top(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    return moulded("a TAS", lambda: commit(request.getfixturevalue("initialised"), {"TAS.md": TAS}))


DATES = "TAS / 2.3 Dates"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "words",
    [
        ("commit", "-m", "x"),
        ("commit", "-am", "x"),
        ("commit", "-m", "x", "TAS.md"),
        ("commit", "-im", "x", "TAS.md"),
    ],
    ids=" ".join,
)
def test_a_change_of_the_tas_is_refused_however_it_is_staged(
    words: tuple[str, ...], top: Path, git: Run
) -> None:
    (top / "a.txt").write_text("more\n")
    (top / "TAS.md").write_text(NEW)
    git("add", *(("TAS.md",) if words == ("commit", "-m", "x") else ("a.txt",)))
    refused(DATES, *words)
    assert attempt("commit", "-m", "x", "a.txt")[0] == 0
    assert git("diff", "--name-only", "HEAD") == "TAS.md"


HIDING = (
    "<div hidden>",
    "<details>",
    "<div><!--",
    "<template>",
    "<svg>",
    "```",
    "<style>p {display: none}</style>",
)


@pytest.mark.parametrize("hiding", HIDING)
def test_an_approved_section_may_not_hide_those_after_it(hiding: str, top: Path, git: Run) -> None:
    approve()
    (top / "TAS.md").write_text(TAS.replace("old", f"old\n\n{hiding}\n"))
    status, said = attempt("commit", "-am", "x")
    assert status == 1, said
    assert "devs-git: TAS_UNAPPROVED: Nobody approved a change of TAS.md in 'TAS" in said
    assert "'TAS / 4 More" in said
    assert "(now " not in said or "Close the tag or comment that your section opens" in said
    (top / "TAS.md").write_text(TAS.replace("old", "<details>\n\nnew\n\n</details>\n"))
    git("commit", "-qam", "x")


def test_deleting_renaming_and_moving_a_section_are_changes(top: Path, git: Run) -> None:
    git("rm", "-q", "--cached", "TAS.md")
    assert "TAS_UNAPPROVED" in attempt("commit", "-m", "x")[1]
    git("reset", "-q")
    git("mv", "TAS.md", "OLD.md")
    assert "TAS_UNAPPROVED" in attempt("commit", "-m", "x")[1]
    git("reset", "-q", "--hard")
    (top / "TAS.md").write_text("# TAS\n\n## 4 More\nx\n\n## 2.3 Dates\nold\n")
    assert "TAS_UNAPPROVED" in attempt("commit", "-am", "x")[1]


def test_the_sections_of_an_approved_revision_may_change_and_no_others(top: Path, git: Run) -> None:
    approve()
    (top / "TAS.md").write_text(OTHER)
    refused("TAS / 4 More", "commit", "-am", "x")
    (top / "TAS.md").write_text(NEW.replace("x\n", "y\n"))
    refused("TAS / 4 More", "commit", "-am", "x")
    (top / "TAS.md").write_text(NEW)
    assert attempt("commit", "-am", "x") == (0, "")
    (top / "TAS.md").write_text(NEW.replace("new", "newer"))
    assert attempt("commit", "-am", "again") == (0, "")
    (top / "TAS.md").write_text(OTHER)
    git("commit", "-qanm", "slipped in")
    (top / "TAS.md").write_text(OTHER.replace("old", "newest"))
    refused("TAS / 4 More", "commit", "-am", "x")


def test_an_approved_text_may_be_put_in_place_on_another_branch(top: Path, git: Run) -> None:
    git("checkout", "-qb", "other")
    git("checkout", "-q", "main")
    approve(text=NEW)
    assert git("show", "main:TAS.md") + "\n" == NEW
    git("checkout", "-q", "other")
    (top / "TAS.md").write_text(NEW.replace("new", "something else"))
    refused(DATES, "commit", "-am", "x")
    (top / "TAS.md").write_text(NEW)
    assert attempt("commit", "-am", "x") == (0, "")


def test_a_merge_that_stops_may_be_committed_with_the_tas_of_the_other_side(top: Path, git: Run) -> None:
    git("checkout", "-qb", "other")
    (top / "a.txt").write_text("theirs\n")
    (top / "TAS.md").write_text(NEW)
    git("commit", "-qanm", "other")
    git("checkout", "-q", "main")
    (top / "a.txt").write_text("ours\n")
    git("commit", "-qam", "main")
    assert attempt("merge", "other")[0] == 1
    (top / "a.txt").write_text("both\n")
    assert attempt("commit", "-am", "merged") == (0, "")


def test_the_first_tas_is_free_also_in_a_repository_without_commits(tmp_path: Path, git: Run) -> None:
    new = tmp_path / "new"
    git("init", "-q", str(new))
    git("commit", "-q", "--allow-empty", "-m", "first", where=new)
    subprocess.run([sys.executable, "-m", "devs_git", "init"], cwd=new, check=True, capture_output=True)
    git("checkout", "-q", "--orphan", "fresh", where=new)
    (new / "TAS.md").write_text(TAS)
    git("add", "TAS.md", where=new)
    assert attempt("commit", "-m", "x", where=new) == (0, "")
    (new / "TAS.md").write_text(NEW)
    refused(DATES, "commit", "-am", "x", where=new)


def test_it_holds_in_a_linked_worktree_and_in_a_subfolder(top: Path, git: Run, tmp_path: Path) -> None:
    second = tmp_path / "second"
    git("worktree", "add", "-q", str(second))
    (second / "sub").mkdir()
    (second / "TAS.md").write_text(NEW)
    refused(DATES, "commit", "-am", "x", where=second / "sub")
    refused(DATES, "commit", "-m", "x", "../TAS.md", where=second / "sub")
    assert top.is_dir()


def python_says(top: Path) -> None:
    """From now on a hook that starts Python says so and is refused."""
    for hook in (top / ".git/hooks").iterdir():
        text = hook.read_text()
        hook.write_text(text.replace(sys.executable, "echo PYTHON STARTED >&2; false"))


def test_python_is_started_only_where_the_tas_is_staged(top: Path, git: Run) -> None:
    python_says(top)
    (top / "TAS.md").write_text(NEW)
    (top / "a.txt").write_text("more\n")
    assert attempt("commit", "-m", "x", "a.txt") == (0, "")
    (top / "docs").mkdir()
    (top / "docs/TAS.md").write_text("another\n")
    git("add", "docs")
    assert attempt("commit", "-m", "x") == (0, "")
    assert attempt("commit", "-am", "x") == (1, "PYTHON STARTED\n")


@pytest.mark.quick
def test_a_note_of_another_policy_is_no_answer(top: Path, git: Run) -> None:
    in_force(Workspace.open(), tas={"path": "docs/The TAS.md"})
    commit(top, {"docs/The TAS.md": TAS})
    assert (top / ".git/devs/tas-path").read_text().endswith(" docs/The TAS.md\n")
    (top / "docs/The TAS.md").write_text(NEW)
    assert "Nobody approved a change of docs/The TAS.md in" in attempt("commit", "-am", "x")[1]
    (top / ".git/devs/tas-path").unlink()
    assert "Nobody approved a change of docs/The TAS.md in" in attempt("commit", "-am", "x")[1]
    git("checkout", "-q", ".")
    (top / "TAS.md").write_text(NEW)
    assert attempt("commit", "-am", "x") == (0, "")
    python_says(top)
    assert attempt("commit", "--allow-empty", "-m", "x") == (0, "")


def test_variables_of_the_caller_change_no_answer(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = (top / ".git/devs/tas-path").read_text().split()[0]
    (top / ".git/devs/tas-path").unlink()
    for name, value in (
        ("policy", policy),
        ("path", "nothing.md"),
        ("now", policy),
        ("tip", "1"),
        ("open", ""),
    ):
        monkeypatch.setenv(name, value)
    (top / "TAS.md").write_text(NEW)
    refused(DATES, "commit", "-am", "x")
    assert "policy" in os.environ
