"""Who may decide under a policy. Principals that share a key are one person: nobody asks under one name and decides under another."""

from __future__ import annotations

import pytest

from devs_git.domain.belief.allowed import refusal
from devs_git.domain.gates.policy import Approver, Policy, parse
from devs_git.values import replace

pytestmark = pytest.mark.quick

ONE, TWO, THREE = "ssh-ed25519 AAAAone=", "ssh-ed25519 AAAAtwo=", "ssh-ed25519 AAAAthree"


def policy(approvers: list[tuple[str, str]], agents: list[tuple[str, str]] | None = None) -> Policy:
    listed = tuple(Approver(name, key) for name, key in approvers)
    return replace(
        parse({"genesis": "0" * 32}), approvers=listed, agents=tuple(Approver(*one) for one in agents or [])
    )


def code(rules: Policy, requested_by: str, reviewer: str, key: str) -> str:
    refused = refusal(rules, requested_by, reviewer, key)
    return refused.code if refused else ""


def test_another_approver_may_decide_by_the_own_key() -> None:
    rules = policy([("ada", ONE), ("bob", TWO)])
    assert code(rules, "ada", "bob", TWO) == ""
    assert code(rules, "ada", "bob", f"{TWO} with a comment") == ""


def test_whoever_asked_may_not_decide_under_another_name_with_the_same_key() -> None:
    rules = policy([("ada", ONE), ("ada-at-work", f"{ONE} laptop"), ("bob", TWO)])
    assert code(rules, "ada", "ada-at-work", ONE) == "SELF_APPROVAL"
    assert code(rules, "ada", "bob", TWO) == ""


def test_whoever_asked_may_not_decide_under_a_name_that_other_names_connect_by_keys() -> None:
    rules = policy([("ada", ONE), ("between", ONE), ("between", TWO), ("last", TWO), ("bob", THREE)])
    assert code(rules, "ada", "last", TWO) == "SELF_APPROVAL"
    assert code(rules, "ada", "bob", THREE) == ""


def test_an_approver_with_the_key_of_an_agent_is_an_agent() -> None:
    rules = policy([("ada", ONE), ("bob", TWO)], agents=[("bot", ONE)])
    assert code(rules, "bob", "ada", ONE) == "SELF_APPROVAL"


def test_nobody_decides_in_the_name_of_another_approver() -> None:
    rules = policy([("ada", ONE), ("bob", TWO)])
    assert code(rules, "carol", "bob", ONE) == "BAD_SIGNATURE"
    assert code(rules, "carol", "bob", THREE) == "UNKNOWN_SIGNER"
