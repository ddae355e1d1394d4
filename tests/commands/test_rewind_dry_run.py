"""A dry run writes nothing, whatever there is, and its plan can be read and bound to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from devs_git.commands import rewind
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.operations.rewind import rewind_plan
from devs_git.workspace import Workspace
from tests.support.rewind_cases import Case

PLAN_KEYS = {
    "would_reset_to_commit",
    "affected_tasks",
    "sqlite_tables_affected",
    "plan_id",
    "commits",
    "files",
    "preserve",
    "not_covered",
    "now_visible",
    "kept_by",
    "blocked_by",
}


def everything(case: Case) -> dict[str, tuple[int, int, bytes]]:
    """Mode, time and bytes of all there is, the git directory included."""
    found = {}
    for folder, folders, files in os.walk(case.top):
        for name in (*folders, *files):
            path = f"{folder}/{name}"
            facts = os.lstat(path)
            data = b""
            if name in files and not os.path.islink(path):  # noqa: PTH114
                with open(path, "rb") as stream:  # noqa: PTH123
                    data = stream.read()
            found[path] = (facts.st_mode, facts.st_mtime_ns, data)
    return found


def dry(case: Case, *args: str, verb: str = "rewind") -> dict[str, Any]:
    command = [sys.executable, "-m", "devs_git", verb, *args, "--dry-run", "--json"]
    done = subprocess.run(command, cwd=case.top, capture_output=True, check=False)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def mess(case: Case) -> None:
    case.stage(
        "1", {"a": b"1\n", "way": b"w\n", ".gitattributes": b"*.txt text=auto\n", ".gitignore": b"x\n"}
    )
    case.stage("2", {"a": b"2\n", "way": None, "b": b"2\n", ".gitignore": b"build/\n"})
    case.write({"a": b"edited\n", "b": None, "staged": b"s\n", "intended": b"i\n", "kept.txt": b"kept\r\n"})
    case.git("add", "staged")
    case.git("add", "-N", "intended")
    case.write({"way": b"mine\n", "build/out": b"o\n"})


@pytest.mark.quick(1)
@pytest.mark.parametrize("state", ["clean", "dirty", "journal"])
def test_a_dry_run_changes_no_byte_no_mode_and_no_time(case: Case, state: str) -> None:
    if state == "clean":
        case.stage("1", {"a": b"1\n"})
        case.stage("2", {"a": b"2\n"})
    else:
        mess(case)
    if state == "journal":
        folder = case.top / ".git/devs/journal"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "20010101T000000-0000dead.json").write_text(
            '{"op_id": "20010101T000000-0000dead", "worktree": ".", "kind": "commit"}'
        )
    os.utime(case.top / "kept.txt", ns=(10**18, 10**18))  # git would like to refresh its index
    before = everything(case)
    answers = [dry(case, "1"), dry(case, "1", "--preserve", "stash", "--untracked", "save")]
    assert everything(case) == before
    for answer in answers:
        assert answer.keys() >= PLAN_KEYS
    waiting = [row for row in answers[1]["blocked_by"] if row["code"] == "RECOVERY_NEEDED"]
    assert len(waiting) == (state == "journal")
    assert bool(answers[0]["blocked_by"]) == (state != "clean")


def test_a_dry_run_of_an_undo_changes_nothing_either(case: Case) -> None:
    mess(case)
    case.rewind("1", "discard", "save")
    before = everything(case)
    answer = dry(case, verb="undo")
    assert everything(case) == before
    assert (answer["undone_verb"], answer["undo_id"], answer["blocked_by"]) == ("rewind", "", [])


def test_our_own_view_is_not_told_as_an_ignored_path_that_stays(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    (case.top / ".git/info/exclude").write_text("/.devs/\n*.log\n")
    case.write({".devs/README.md": b"x\n", "run.log": b"x\n"})
    left = case.plan("1").not_covered
    assert (left["ignored"], left["ignored_count"]) == (("run.log",), 1)


def test_a_plan_id_can_be_read_and_carries_its_options(case: Case) -> None:
    case.commit({"a": b"1\n"})
    case.point("1", 1, completed=False)
    case.stage("2", {"a": b"2\n"})
    assert re.fullmatch(r"task-1@1:none:[0-9a-f]{16}", case.plan("task-1@1").plan_id)
    case.write({"a": b"not committed\n"})
    plan = case.plan("1@1", "stash", "save")
    assert re.fullmatch(r"task-1@1:stash\+save:[0-9a-f]{16}", plan.plan_id)
    done = rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert isinstance(done, rewind.Result)
    assert (done.rewound_to, done.preserved_as["type"]) == ("task-1@1", "stash")


def test_a_plan_takes_no_other_target(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    plan = case.plan("1")
    with pytest.raises(DevsError) as error:
        rewind.Request("2", plan_id=plan.plan_id)
    assert (error.value.code, error.value.details["field"]) == ("INVALID_ARGUMENTS", "plan_id")


CHANGES = ("branch", "checkpoint", "in the way")


@pytest.mark.parametrize(
    "change",
    ["head", "index", "file", *(pytest.param(change, marks=pytest.mark.thorough) for change in CHANGES)],
)
def test_a_plan_is_stale_after_any_change_that_it_was_made_from(case: Case, change: str) -> None:
    case.stage("1", {"a": b"1\n", "way": b"w\n"})
    case.stage("2", {"a": b"2\n", "way": None})
    plan = case.plan("1", "discard", "save")
    if change == "head":
        case.commit({"b": b"b\n"})
    elif change == "branch":
        case.git("switch", "-qc", "other")
    elif change == "index":
        case.write({"kept.txt": b"staged\n"})
        case.git("add", "kept.txt")
    elif change == "file":
        case.write({"kept.txt": b"dirty\n"})
    elif change == "checkpoint":
        case.point("3", 1, completed=False)
    else:
        case.write({"way": b"mine\n"})
    with pytest.raises(DevsError) as error:
        rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert error.value.code == "PLAN_STALE"


def test_a_plan_does_not_go_stale_when_the_ledger_grows(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    plan = case.plan("1")
    event = case.workspace.event("note", "something else", verb_name="init")
    from devs_git.domain.ledger.events import Draft

    case.workspace.append(lambda _tip: Draft(event))
    assert router.call("rewind", Workspace.open(case.top), rewind.Request(plan_id=plan.plan_id))


def test_names_are_cut_and_counts_are_not(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.stage("1", {"a": b"1\n", "gone": b"1\n"})
    case.stage("2", {"a": b"2\n", "gone": None, "b": b"2\n", "c": b"2\n"})
    monkeypatch.setattr(rewind_plan, "LISTED", 1)
    files = case.plan("1").files
    assert [files[f"{kind}_count"] for kind in ("added", "modified", "deleted")] == [1, 1, 2]
    assert (files["count"], files["deleted"]) == (4, ("b",))
