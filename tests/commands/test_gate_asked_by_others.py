"""Somebody who is no approver asks for a decision: each answer says who decides, and how the gate comes to them."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

from devs_git.commands import gate_reject
from devs_git.domain.verbs import VERBS, VerbRequest
from devs_git.workspace import Workspace
from tests.support.gate_scene import approve, ask, commit, in_force, yes
from tests.support.own_calls import devs_git
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

BOB = {"principal": "bob@example.org"}
WORDS = ("gate", "request", "--type", "MANUAL", "--blocker", "Please look at this change.")
WAY_OUT = "send the gate to them: devs-git sync"


@pytest.mark.quick
def test_whoever_may_not_decide_is_told_who_may_and_how_the_gate_gets_there(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[BOB, {"principal": "grace@example.org"}])
    gate_id = ask(ledgered, kind="MANUAL")
    reject = gate_reject.Request(gate_id, "I take it back.", ask=yes)
    for error in (
        refusal(lambda: approve(ledgered, gate_id)),
        refusal(lambda: gate_reject.run(ledgered, reject)),
    ):
        assert error.code == "UNKNOWN_SIGNER"
        assert "Who may decide: bob@example.org, grace@example.org." in error.hint
        assert WAY_OUT in error.hint
    assert ledgered.ledger.open_gates() == (gate_id,)


def test_request_and_show_say_it_too(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[BOB])
    mail = ledgered.identity[1]
    for words in (WORDS, ("gate", "show")):
        shown = devs_git(*words, where=ledgered.top)
        assert f"Who may decide: bob@example.org. You are {mail}." in shown
        assert WAY_OUT in shown


def test_an_approver_is_not_told_to_send_it(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[{"principal": ledgered.identity[1].upper()}])
    assert WAY_OUT not in devs_git(*WORDS, where=ledgered.top)


def test_without_an_approver_each_person_may_answer(ledgered: Workspace) -> None:
    shown = devs_git(*WORDS, where=ledgered.top)
    gate_id = ledgered.ledger.open_gates()[0]
    assert f"Each person at a terminal may answer it: devs-git gate approve {gate_id}" in shown


def test_many_approvers_are_counted(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[{"principal": f"p{number}@example.org"} for number in range(12)])
    assert (
        "p9@example.org and 2 more." in refusal(lambda: approve(ledgered, ask(ledgered, kind="MANUAL"))).hint
    )


def test_the_page_of_a_gate_names_all_that_is_refused_and_fits_the_terminal(ledgered: Workspace) -> None:
    commit(ledgered.top, {"a.txt": "a\n"})
    ask(ledgered, kind="MANUAL")
    page = devs_git("gate", "show", where=ledgered.top)
    assert "commit, merge, rebase, cherry-pick, revert and am" in page
    for row in VERBS.values():
        of_verb = import_module(row.module).Request.frozen_option
        if of_verb is not VerbRequest.frozen_option and row.runs_while_frozen:
            option = re.findall(r'"(--[a-z]+)', inspect.getsource(of_verb.fget))[0]
            assert f"{row.name} {option}" in page
    _, shown = at_terminal(ledgered.top, "--no-pager", "gate", "show", size=(40, 80))
    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines())) <= 80
