"""When a rewind is refused, nothing has changed."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from devs_git.domain.gates.policy import first
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from tests.support.rewind_cases import REFUSED, Case


def _conflict(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("switch", "-qc", "side")
    case.commit({"a": b"side\n"})
    case.commit({"b": b"side\n"})
    case.git("switch", "-q", "main")
    case.stage("2", {"a": b"2\n"})


def _patch(case: Case) -> None:
    patch = case.git_bytes("format-patch", "-1", "--stdout", "side~1")
    case.git_bytes("am", "-q", ok=(128,), stdin=patch)


UNDER_WAY: dict[str, Callable[[Case], object]] = {
    "merge": lambda case: case.git("merge", "-q", "side", ok=(1,)),
    "rebase": lambda case: case.git("rebase", "-q", "side", ok=(1,)),
    "cherry-pick": lambda case: case.git("cherry-pick", "side~1", ok=(1,)),
    "revert": lambda case: case.git("revert", "--no-edit", "side~1", ok=(1,)),
    "am": _patch,
    "bisect": lambda case: case.git("bisect", "start", "HEAD", "HEAD~2"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "what",
    ["merge", "rebase", *(pytest.param(what, marks=pytest.mark.thorough) for what in [*UNDER_WAY][2:])],
)
def test_nothing_moves_while_git_is_in_the_middle_of_something(case: Case, what: str) -> None:
    _conflict(case)
    UNDER_WAY[what](case)
    assert "is in progress" in case.assert_refused("1", "discard").message
    before = case.look()
    plan = case.plan("1", "discard")  # what would happen can be asked all the same
    said = case.assert_refused("1", "discard").message
    assert (plan.blocked_by[0]["code"], plan.blocked_by[0]["message"]) == (REFUSED, said)
    case.look().must_equal(before)


def test_a_merge_that_was_resolved_but_not_committed_is_still_under_way(case: Case) -> None:
    _conflict(case)
    case.git("merge", "-q", "side", ok=(1,))
    case.write({"a": b"resolved\n"})
    case.git("add", "a")
    assert "merge" in case.assert_refused("1", "branch").message


def test_unmerged_entries_refuse_without_an_operation_too(case: Case) -> None:
    _conflict(case)
    case.git("stash", "push", "-q", ok=(0,))
    case.write({"a": b"theirs\n"})
    case.git("stash", "push", "-q")
    case.commit({"a": b"ours\n"})
    case.git("stash", "pop", ok=(1,))
    assert "unmerged" in case.assert_refused("1", "discard").message
    assert "unmerged" in case.plan("1", "discard").blocked_by[0]["message"]


PLACES = {
    "at": ("w", "w"),
    "above": ("d/e/w", "d"),
    "below": ("w", "w/x/y"),
}


@pytest.mark.parametrize("ignored", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize(
    "place", ["below", *(pytest.param(place, marks=pytest.mark.thorough) for place in ("at", "above"))]
)
def test_what_is_in_the_way_refuses_and_save_brings_it_back(case: Case, place: str, ignored: bool) -> None:
    target, mine = PLACES[place]
    case.commit({".gitignore": b"/w\n/d\n" if ignored else b"nothing\n"})
    case.write({target: b"old\n"})
    case.git("add", "-f", target)
    case.stage("1", {"a": b"1\n"})
    case.git("rm", "-q", target)
    case.stage("2", {"a": b"2\n"})
    case.write({mine: b"mine\n"})
    assert case.assert_refused("1").details["paths"] == [mine]
    case.assert_refused("1", "discard")
    case.there_and_back("1", untracked="save")
    done = case.rewind("1", untracked="save")
    assert case.read(target) == b"old\n"
    assert case.git("cat-file", "blob", f"{done.backup}:worktree/{mine}") == "mine"


def test_tracked_changes_refuse_until_somebody_says_how_to_keep_them(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n", "x": b"x\n"})
    for change in ({"a": b"edited\n"}, {"a": None}):
        case.write(change)
        assert "--preserve" in case.assert_refused("1").hint
    case.git("reset", "-q", "--hard")
    (case.top / "x").chmod(0o755)
    case.assert_refused("1")
    case.git("add", "x")
    case.assert_refused("1")


def test_a_larger_capture_than_the_policy_allows_refuses_and_skips_nothing(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devs_git.operations.rewind.return_to_state.ROOM_UNASKED", 0)
    event = case.workspace.event("policy.adopted", "policy", verb_name="init")
    policy = yaml_documents.dump(first("0" * 40) | {"backup_limit": "1KiB"}, "policy")
    case.workspace.append(lambda _tip: Draft(event, (("policy.yaml", policy),)))
    case.stage("1", {"a": b"1\n", "way": b"w\n"})
    case.stage("2", {"a": b"2\n", "way": None})
    case.write({"a": b"x" * 2000})
    assert "1024" in case.assert_refused("1", "discard").message
    assert case.plan("1", "discard").blocked_by[0]["reason"] == "too_large"
    case.write({"a": b"2\n", "way": b"y" * 2000})
    with pytest.raises(DevsError) as error:
        case.rewind("1", untracked="save")
    assert (error.value.code, case.read("way")) == (REFUSED, b"y" * 2000)
    case.write({"way": b"y" * 500})
    case.there_and_back("1", untracked="save")


def test_a_hook_of_the_user_that_refuses_the_refs_takes_everything_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n", "b": b"2\n"})
    case.write({"a": b"dirty\n"})
    hook = case.top / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" != prepared ] || ! grep -q refs/heads/main\n')
    hook.chmod(0o755)
    case.refused_but_kept("1", "discard")
    assert not os.path.lexists(case.top / ".git/index.lock")
    assert case.git("fsck", "--no-dangling") == ""


def test_a_target_of_another_branch_is_no_rewind_to_return_from(case: Case) -> None:
    case.git("branch", "-q", "other")
    case.stage("1", {"a": b"1\n"})
    case.git("switch", "-q", "other")
    error = case.assert_refused("task-1@1")
    assert "HEAD does not contain " in error.message
    assert error.hint == "Create a branch there: devs-git branch task-1@1 -b NAME"
