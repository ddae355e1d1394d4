"""Which refs a refspec takes, by git's rules."""

from __future__ import annotations

import pytest

from devs_git.domain.checkpoints import refspecs

pytestmark = pytest.mark.quick

MOMENT = "refs/devs/moments/states/main/2001-02-03"
ALL = "+refs/*:refs/*"


@pytest.mark.parametrize(
    ("specs", "taken"),
    [
        ([ALL], True),
        (["refs/devs/*:refs/devs/*"], True),
        (["+refs/heads/*:refs/devs/moments/*"], True),
        (["+refs/heads/*:refs/remotes/origin/*"], False),
        (["+refs/*:refs/mirror/*"], False),
        ([ALL, "^refs/devs/*"], False),
        ([ALL, "^refs/devs/moments/*"], False),
        ([ALL, "^refs/devs/backup/*"], True),
        (["+refs/devs/checkpoints/*:refs/devs/checkpoints/*"], False),
        ([], False),
    ],
)
def test_a_fetch_writes_what_its_refspecs_lead_to(specs: list[str], taken: bool) -> None:
    assert refspecs.fetches(specs, MOMENT) is taken


@pytest.mark.parametrize(
    ("specs", "taken"),
    [
        ([ALL], True),
        (["refs/*"], True),
        ([f"{MOMENT}:refs/heads/x"], True),
        (["refs/heads/*:refs/heads/*"], False),
        ([ALL, "^refs/devs/moments/*"], False),
        ([ALL, MOMENT.replace("refs", "^refs")], False),
        (["HEAD"], False),
    ],
)
def test_a_push_sends_what_its_refspecs_begin_with(specs: list[str], taken: bool) -> None:
    assert refspecs.pushes(specs, MOMENT) is taken
