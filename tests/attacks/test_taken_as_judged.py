"""Who has the older events taken as judged hides none that came later, from wherever it came."""

from __future__ import annotations

import pytest

from devs_git.domain.ledger.events import LEDGER
from devs_git.workspace import Workspace
from tests.attacks.test_who_is_believed import SET, joined
from tests.support.attacker import codes_in, on_top
from tests.support.git_calls import git
from tests.support.ledgers import first_policy

OWN = ("policy.yaml", "approvers: [{principal: eve@example.org}]\n")


@pytest.mark.quick
@pytest.mark.usefixtures("signed")
def test_a_policy_of_ones_own_on_a_line_from_before_the_event_that_verify_judged_names() -> None:
    judged, before = git("rev-parse", LEDGER), first_policy(Workspace.open())
    side = on_top(OWN, parent=before, message=SET)
    git("update-ref", LEDGER, joined(judged, side, judged))
    assert "POLICY_INVALID" in codes_in("ledger", judged=judged)
    git("update-ref", LEDGER, on_top(("tasks/task-1/1.yaml", "x\n"), parent=joined(judged, side, judged)))
    assert "POLICY_INVALID" in codes_in(judged=judged)


@pytest.mark.usefixtures("signed")
def test_an_event_of_an_attackers_line_named_as_judged() -> None:
    honest = git("rev-parse", LEDGER)
    forged = on_top(OWN, parent=honest, message=SET)
    theirs = on_top(parent=forged)
    for tip in (forged, on_top(parent=forged, message="y\n\nDevs-Event: y")):
        git("update-ref", LEDGER, tip)
        assert "POLICY_INVALID" in codes_in("ledger", judged=theirs)
