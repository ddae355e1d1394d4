"""How moments are named in refs and trees, and what is not one of theirs."""

from __future__ import annotations

import pytest

from devs_git.domain.moments.moment import day_of_ref, entry_of, states_ref, time_of_entry

pytestmark = pytest.mark.quick


def test_an_entry_says_time_and_kind_of_its_moment() -> None:
    hour, name = entry_of("2026-11-23T14:32:05.123Z", "prompt")
    assert (hour, name) == ("14", "3205123-prompt")
    assert time_of_entry("2026-11-23", hour, name) == ("2026-11-23T14:32:05.123Z", "prompt")


@pytest.mark.parametrize("time", ["2026-11-23T14:32:05Z", "2026-11-23T14:32:05.123456Z", "2026-11-23", ""])
def test_a_time_in_another_form_names_no_entry(time: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        entry_of(time, "prompt")


@pytest.mark.parametrize(
    "name", ["", "3205123", "320512-prompt", "32051234-prompt", "32x5123-prompt", "-prompt"]
)
def test_an_entry_with_another_name_is_no_moment(name: str) -> None:
    assert time_of_entry("2026-11-23", "14", name) is None


@pytest.mark.parametrize("worktree", [".", "linked"])
def test_the_ref_of_a_day_says_worktree_and_day(worktree: str) -> None:
    assert day_of_ref(states_ref(worktree, "2026-11-23")) == (worktree, "2026-11-23")


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/main",
        "refs/devs/moments/states/main",
        "refs/devs/moments/states/worktrees/linked",
        "refs/devs/moments/states/other/linked/2026-11-23",
        "refs/devs/moments/others/main/2026-11-23",
    ],
)
def test_another_ref_is_of_no_day(ref: str) -> None:
    assert day_of_ref(ref) is None
