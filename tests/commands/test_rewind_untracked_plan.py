"""Plans of `--untracked remove`, and files that change between the plan and the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import rewind, undo
from devs_git.errors import DevsError
from devs_git.values import replace
from tests.support.rewind_cases import Case, Files, Link, untracked_work


@pytest.mark.quick
def test_a_plan_lists_counts_and_binds_the_files(case: Case) -> None:
    untracked_work(case)
    plan = case.plan("1", untracked="remove")
    assert plan.plan_id.startswith("task-1:none+remove:")
    assert plan.removed_untracked == ("d/deep/new", "d/tool", "empty", "link", "new")
    assert (plan.removed_untracked_count, plan.files["deleted_count"]) == (5, 5)
    assert set(plan.files["modified"]) == {"a", "way"}
    done = rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert isinstance(done, rewind.Result)
    assert done.removed_untracked == plan.removed_untracked


@pytest.mark.quick(1)
@pytest.mark.parametrize("change", ["edited", "new", "gone", "mode"])
def test_a_plan_is_stale_if_an_untracked_file_changed_since(case: Case, change: str) -> None:
    untracked_work(case)
    plan = case.plan("1", untracked="remove")
    changes: dict[str, Files] = {"edited": {"empty": b"now\n"}, "new": {"another": b"x\n"}}
    case.write(changes.get(change, {"new": None} if change == "gone" else {}))
    if change == "mode":
        Path(case.path("empty")).chmod(0o755)
    before = case.look()
    with pytest.raises(DevsError) as refused:
        rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert refused.value.code == "PLAN_STALE"
    case.look().must_equal(before)


@pytest.mark.parametrize(("option", "beside"), [("remove", "save"), ("save", "remove")])
def test_a_plan_with_one_mode_refuses_the_other_beside_it(case: Case, option: str, beside: str) -> None:
    untracked_work(case)
    plan = case.plan("1", untracked=option)
    with pytest.raises(DevsError) as refused:
        rewind.Request(plan_id=plan.plan_id, untracked=beside)
    assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "untracked")


@pytest.mark.parametrize("request_", [rewind.Request, undo.Request])
def test_another_word_is_no_option(request_: type) -> None:
    with pytest.raises(DevsError) as refused:
        request_("1", untracked="delete")
    assert refused.value.details["field"] == "untracked"


@pytest.mark.parametrize("change", ["edited", "gone", "replaced"])
@pytest.mark.quick(1)
def test_a_file_that_changes_between_plan_and_capture_makes_the_plan_stale(case: Case, change: str) -> None:
    untracked_work(case)

    def act(name: str, _done: int, _total: int) -> None:
        if name == "capture":
            case.write({"new": None if change == "gone" else b"m\n"})
            if change == "replaced":
                case.write({"new": Link(b"a")})

    request = rewind.Request("1", untracked="remove")
    with pytest.raises(DevsError) as refused:
        rewind.run(replace(case.workspace, progress=act), request)
    assert refused.value.code == "PLAN_STALE"
    assert case.has("new") == (change != "gone")
    assert (case.read("way"), case.has("d/tool")) == (b"mine\n", True)


@pytest.mark.parametrize("step", ["backup", "files", "raw bytes", "verify", "refs", "transaction"])
def test_a_file_that_somebody_writes_meanwhile_is_not_lost(case: Case, step: str) -> None:
    """One that is new, and one that was taken away already."""
    untracked_work(case)

    def act(name: str, _done: int, _total: int) -> None:
        if name == step:
            case.write({"d/deep/fresh": b"fresh\n", "new": b"saved late\n"})

    request = rewind.Request("1", untracked="remove")
    try:
        rewind.run(replace(case.workspace, progress=act), request)
    except DevsError as error:
        assert error.code == "PLAN_STALE"  # noqa: PT017 - both ends are allowed
        assert case.has("d/tool")
    assert (case.read("d/deep/fresh"), case.read("new")) == (b"fresh\n", b"saved late\n")
