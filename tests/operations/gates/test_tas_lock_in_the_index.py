"""The TAS lock, asked as the pre-commit hook asks it; real commits are in tests/hooks/test_tas_staged.py."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from devs_git.commands import gate_approve
from devs_git.errors import DevsError
from devs_git.operations.gates import check_tas_lock
from devs_git.workspace import Workspace
from tests.support import ledgers
from tests.support.gate_scene import NEW, TAS, ask, commit, in_force

pytestmark = pytest.mark.quick
Run = Callable[..., str]


@pytest.fixture
def working(ledgered: Workspace) -> Workspace:
    """A TAS, committed before anybody could approve anything."""
    commit(ledgered.top, {"TAS.md": TAS})
    return Workspace.open()


def refusal() -> str:
    """'' where the index may be committed."""
    try:
        check_tas_lock.check(Workspace.open())
    except DevsError as error:
        return error.message if error.code == "TAS_UNAPPROVED" else error.code
    return ""


def stage(git: Run, working: Workspace, text: str) -> None:
    (working.top / "TAS.md").write_text(text)
    git("add", "TAS.md")


def test_only_a_change_that_is_staged_and_that_nobody_approved_is_refused(
    working: Workspace, git: Run
) -> None:
    (working.top / "TAS.md").write_text(NEW)
    assert refusal() == ""
    git("add", "TAS.md")
    assert refusal() == "Nobody approved a change of TAS.md in 'TAS / 2.3 Dates'."


def test_what_a_person_approved_may_be_staged_and_nothing_else(working: Workspace, git: Run) -> None:
    gate = ask(working)  # sections, no text: the agent writes it
    gate_approve.run(Workspace.open(), gate_approve.Request(gate, ask=lambda _question: None))
    stage(git, working, NEW)
    assert refusal() == ""
    stage(git, working, NEW.replace("x\n", "y\n"))
    assert refusal() == "Nobody approved a change of TAS.md in 'TAS / 4 More'."


def test_the_whole_tas_may_not_go_and_many_sections_are_counted(working: Workspace, git: Run) -> None:
    git("rm", "-q", "--cached", "TAS.md")
    assert refusal().startswith("Nobody approved a change of TAS.md in ")
    commit(working.top, {"TAS.md": TAS + "".join(f"\n## {n} Part\nx\n" for n in range(5, 9))})
    stage(git, working, (working.top / "TAS.md").read_text().replace("\nx\n", "\ny\n"))
    assert refusal().endswith(" and 2 more.")


def test_the_tas_of_the_side_that_is_merged_was_judged_when_it_was_committed(
    working: Workspace, git: Run
) -> None:
    git("checkout", "-qb", "side")
    commit(working.top, {"TAS.md": NEW})
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "--no-commit", "side")
    assert refusal() == ""


def test_where_the_policy_moves_the_tas_its_text_moves_and_is_no_first_one(
    working: Workspace, git: Run
) -> None:
    for path in ("spec/TAS.md", "docs/TAS.md"):
        ledgers.put_policy_in_force(Workspace.open(), tas={"path": path})
        (working.top / path).parent.mkdir()
        git("mv", git("ls-files", "*TAS.md"), path)
        assert refusal() == ""
        (working.top / path).write_text(NEW)
        git("add", path)
        assert refusal() == f"Nobody approved a change of {path} in 'TAS / 2.3 Dates'."
        (working.top / path).write_text(TAS)
        git("add", path)
    git("commit", "-qm", "moved past a path where it never was")
    assert refusal() == ""
    ledgers.put_policy_in_force(Workspace.open(), tas={"path": "TAS.md"})
    stage(git, working, NEW)
    assert refusal() == "Nobody approved a change of TAS.md in 'TAS / 2.3 Dates'."


def test_the_command_that_leaves_a_tas_with_an_odd_name_out_can_be_run(working: Workspace, git: Run) -> None:
    name = "- it's $(mine).md"
    commit(working.top, {name: TAS})
    in_force(working, tas={"path": name})
    (working.top / name).write_text(NEW)
    git("add", "-A")
    with pytest.raises(DevsError) as caught:
        check_tas_lock.check(Workspace.open())
    subprocess.run(["sh", "-ec", caught.value.hint.rpartition(": ")[2]], check=True)
    assert refusal() == ""


def test_the_note_for_the_shell_names_the_policy_that_it_was_taken_from(working: Workspace, git: Run) -> None:
    note = working.places.shared / "tas-path"
    assert check_tas_lock.write_path_note(working.places, working.ledger.tip()) == "TAS.md"
    assert note.read_text() == git("rev-parse", "devs/ledger:policy.yaml") + " TAS.md\n"
    in_force(working, tas={"path": "docs/TAS.md"})
    check_tas_lock.write_path_note(working.places, Workspace.open().ledger.tip())
    assert note.read_text() == git("rev-parse", "devs/ledger:policy.yaml") + " docs/TAS.md\n"
