"""A rewind to the state that is there already changes nothing, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.entrypoints.cli.texts import move_text
from tests.support.moment_stage import all_kinds, moment
from tests.support.rewind_cases import Case


def nothing_happens(case: Case, target: str) -> None:
    """A rewind to `target` leaves files, index, all refs with the ledger, and git's folder of operations alone."""
    before, refs = case.look(), case.git("for-each-ref")
    done = case.rewind(target)
    case.look().must_equal(before)
    assert case.git("for-each-ref") == refs
    assert (done.rewind_id, done.backup, done.files) == ("", "", 0)
    assert done.preserved_as == {"type": "none", "reference": ""}
    assert (
        move_text.rewind_text(done) == f"Everything is already as in {done.rewound_to}. Nothing was changed."
    )
    assert not list((case.workspace.places.operations).glob("*"))


def something_happens(case: Case, target: str) -> None:
    before = case.git("rev-parse", "refs/heads/devs/ledger")
    assert case.rewind(target, "discard").rewind_id
    assert case.git("rev-parse", "refs/heads/devs/ledger") != before


@pytest.mark.quick
def test_a_rewind_to_the_moment_that_is_there_changes_nothing(case: Case) -> None:
    all_kinds(case)
    nothing_happens(case, moment(case))


def test_a_second_rewind_to_the_same_moment_changes_nothing(case: Case) -> None:
    all_kinds(case)
    Path(case.path("new")).chmod(0o600)
    case.write({"crlf": b"1\r\n", "env.log": b"e\n"})
    name = moment(case, keep_refs=True, ignored=("env.log",))
    case.git("reset", "-q", "--hard")
    case.git("clean", "-fdxq")
    something_happens(case, name)
    nothing_happens(case, name)
    case.undo()
    something_happens(case, name)


def test_flags_of_the_index_that_are_there_already_change_nothing(case: Case) -> None:
    all_kinds(case)
    case.git("update-index", "--assume-unchanged", "d/f")
    name = moment(case)
    case.git("update-index", "--refresh", "-q", ok=(0, 1))
    nothing_happens(case, name)
    case.git("update-index", "--no-assume-unchanged", "d/f")
    something_happens(case, name)


def test_a_rewind_to_the_checkpoint_that_is_there_changes_nothing(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"untracked": b"u\n"})
    nothing_happens(case, "1")


def test_untracked_files_that_came_later_stay_and_nothing_is_changed(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.write({"later": b"l\n"})
    nothing_happens(case, name)
    assert case.rewind(name, untracked="remove").removed_untracked == ("later",)


@pytest.mark.parametrize(
    "what", ["bytes", "staged", "intended", "mode", "folder mode", "branch", "stash", "ends"]
)
def test_each_difference_is_one(case: Case, what: str) -> None:
    case.write({"kept.txt": b"stashed\n"})
    case.git("stash")
    all_kinds(case)
    case.write({".gitattributes": b"*.txt text eol=lf\n", "t.txt": b"t\r\n"})
    case.git("branch", "other")
    name = moment(case, keep_refs=True)
    if what == "bytes":
        case.write({"new": b"other\n"})
    elif what == "staged":
        case.git("add", "d/f", "new")
    elif what == "intended":
        case.git("rm", "-q", "--cached", "intended")
    elif what == "mode":
        Path(case.path("new")).chmod(0o600)
    elif what == "folder mode":
        Path(case.path("e/deep")).chmod(0o700)
    elif what == "branch":
        case.git("branch", "-D", "other")
    elif what == "stash":
        case.git("stash", "drop")
    else:
        case.write({"t.txt": b"t\n"})
    something_happens(case, name)


def test_a_task_that_is_undone_by_the_rewind_is_a_difference(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.point("2")
    something_happens(case, "task-1")
