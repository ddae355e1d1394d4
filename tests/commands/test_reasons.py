"""Why a working tree is not moved: `reason` says it in one word, `paths` names what stands in the way."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import checkout, restore
from devs_git.errors import REASONS, DevsError
from devs_git.workspace import Workspace
from tests.support.rewind_cases import Case

SOURCES = Path(checkout.__file__).parents[1]


def _two_tasks(case: Case) -> None:
    case.stage("1", {"a": b"1\n", "gone": b"1\n"})
    case.git("rm", "-q", "gone")
    case.stage("2", {"a": b"2\n"})


def _on_a_merge(case: Case) -> None:
    _two_tasks(case)
    (case.top / ".git/MERGE_HEAD").write_text(case.git("rev-parse", "HEAD") + "\n")


def _unmerged(case: Case) -> None:
    _two_tasks(case)
    blob = case.git("rev-parse", "HEAD:a")
    lines = "".join(f"100644 {blob} {stage}\ta\n" for stage in (1, 2, 3))
    case.git("update-index", "--force-remove", "a")
    case.git_bytes("update-index", "--index-info", stdin=lines.encode())


def _on_another_line(case: Case) -> None:
    _two_tasks(case)
    case.git("switch", "-qc", "side", "main~2")


def _nested(case: Case) -> None:
    _two_tasks(case)
    subprocess.run(["git", "init", "-q", "gone"], cwd=case.top, check=True)


def _socket(case: Case) -> None:
    _two_tasks(case)
    os.mkfifo(case.top / "gone")


def _edited(case: Case) -> None:
    _two_tasks(case)
    case.write({"a": b"edited\n"})


def _mine(case: Case) -> None:
    _two_tasks(case)
    case.write({"gone": b"mine\n"})


WHY: dict[str, tuple[Callable[[Case], object], list[str]]] = {
    "dirty": (_edited, ["a"]),
    "untracked_in_the_way": (_mine, ["gone"]),
    "nested_repository": (_nested, ["gone"]),
    "special_file": (_socket, ["gone"]),
    "operation_under_way": (_on_a_merge, []),
    "unmerged": (_unmerged, ["a"]),
    "not_an_ancestor": (_on_another_line, []),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("reason", WHY)
def test_a_refused_rewind_says_why_in_one_word_and_names_the_paths(case: Case, reason: str) -> None:
    make, paths = WHY[reason]
    make(case)
    error = case.assert_refused("1")
    assert (error.details["reason"], error.details.get("paths", [])) == (reason, paths)
    planned = case.plan("1").blocked_by[0]
    assert (planned["reason"], planned.get("paths", [])) == (reason, paths)


def test_an_undo_over_new_commits_says_so_in_one_word(case: Case) -> None:
    _two_tasks(case)
    case.rewind("1")
    case.commit({"b": b"new\n"})
    with pytest.raises(DevsError) as error:
        case.undo()
    assert error.value.details["reason"] == "new_commits"


def test_a_partial_clone_that_lacks_files_says_so_in_one_word(case: Case, tmp_path: Path) -> None:
    _two_tasks(case)
    case.git("config", "uploadpack.allowFilter", "true")
    bare = tmp_path / "clone"
    source = f"file://{case.top}"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", source, str(bare)], check=True)
    clone = Case(bare)
    for ref in ("refs/heads/devs/ledger", "refs/devs/checkpoints/*", "refs/tags/devs/*"):
        clone.git("fetch", "-q", "origin", f"{ref}:{ref}")
    assert clone.assert_refused("1").details["reason"] == "missing_objects"


def test_every_reason_that_the_code_gives_is_in_the_table_and_every_refusal_to_move_has_one() -> None:
    given: set[str] = set()
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0] if node.args else None
            value = getattr(first, "value", None)
            if name == "DevsError" and file.name != "errors.py":
                words = ast.unparse(first) if first else ""
                assert "REFUS" not in words.upper(), f"{file.name}: {words}"
                assert value not in ("GIT_RESET_FAILED", "CHECKOUT_FAILED"), file.name
            if name == "immovable":
                given.add(str(value))
    assert given - {"None"} <= set(REASONS)
    assert set(REASONS) - given == set()


def _refused_move(move: Callable[[], Any]) -> dict[str, Any]:
    with pytest.raises(DevsError) as error:
        move()
    assert "git said" not in error.value.message
    return error.value.envelope()


@pytest.mark.parametrize("staged", [False, True])
def test_checkout_and_restore_name_every_path_with_changes_in_the_way_and_not_what_git_said(
    case: Case, staged: bool
) -> None:
    case.stage("1", {"a": b"1\n", "b": b"1\n", "c": b"1\n"})
    case.git("branch", "old")
    case.stage("2", {"a": b"2\n", "b": b"2\n"})
    case.write({"a": b"mine\n", "b": b"mine\n", "c": b"mine\n"})  # c is no path of the move: it comes along
    if staged:
        case.git("add", "a", "b")
    before = case.look()
    for move, code in (
        (lambda: checkout.run(case.workspace, checkout.Request("old")), "CHECKOUT_FAILED"),
        (lambda: restore.run(case.workspace, restore.Request("task-1")), "GIT_RESET_FAILED"),
        (lambda: restore.run(case.workspace, restore.Request("task-1", ("a", "b"))), "GIT_RESET_FAILED"),
    ):
        said = _refused_move(move)
        assert (said["code"], said["reason"], said["paths"]) == (code, "dirty", ["a", "b"])
        case.look().must_equal(before)


def test_checkout_names_an_untracked_file_and_a_nested_repository_in_the_way(case: Case) -> None:
    case.git("branch", "old")
    case.stage("1", {"a": b"1\n", "b/c": b"1\n"})
    case.git("switch", "-q", "old")
    case.write({"a": b"mine\n"})
    said = _refused_move(lambda: checkout.run(Workspace.open(case.top), checkout.Request("main")))
    assert (said["reason"], said["paths"]) == ("untracked_in_the_way", ["a"])
    case.write({"a": None})
    subprocess.run(["git", "init", "-q", "b"], cwd=case.top, check=True)
    said = _refused_move(lambda: checkout.run(Workspace.open(case.top), checkout.Request("main")))
    assert (said["reason"], said["paths"]) == ("nested_repository", ["b"])
