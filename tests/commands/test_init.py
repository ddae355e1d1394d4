"""`init` makes one ledger, says what it did, and can be run again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.commands.init import Request, Result
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

Run = Callable[..., str]


def set_up(where: Path, *, uninstall: bool = False) -> Result:
    result: Result = router.call("init", Workspace.open(where), Request(uninstall=uninstall))
    return result


def did(result: Result) -> dict[str, str]:
    return {action.what: action.did for action in result.actions}


def test_a_first_init_makes_ledger_policy_and_view_and_says_so(repo: Path, git: Run) -> None:
    result = set_up(repo)
    assert set(did(result).values()) == {"created"}
    assert git("rev-list", "--max-parents=0", "devs/ledger") == result.genesis
    assert git("ls-tree", "-r", "--name-only", result.genesis) == "README.md"
    assert git(
        "log", "--format=%(trailers:key=Devs-Event,valueonly,separator=%x20)", "devs/ledger"
    ).split() == [
        "policy.set",
        "ledger.created",
    ]
    assert f"genesis: {result.genesis}" in git("show", "devs/ledger:policy.yaml")
    assert f"genesis: {result.genesis}" in (repo / "devs-policy.yaml").read_text()
    assert git("status", "--porcelain") == "?? devs-policy.yaml"
    assert "devs-policy.yaml" in " ".join(result.advice)


def test_a_second_init_changes_nothing_and_says_so(repo: Path) -> None:
    first = set_up(repo)
    again = set_up(repo)
    assert set(did(again).values()) == {"kept"}
    assert (again.ledger, again.genesis) == (first.ledger, first.genesis)
