"""Two remotes whose ledgers exclude each other: `sync` names both and writes nothing, and a person chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import init, sync
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.clones import Clone, Pair, refs_of, second_remote
from tests.support.git_calls import git
from tests.support.ledgers import put_policy_in_force
from tests.support.terminal_person import at_terminal

MANUAL = {"kind": "MANUAL"}


def excluding(pair: Pair, tmp_path: Path) -> tuple[Path, str, str]:
    """A second remote; ann's policy is in force on origin and here, bob's on the other one. What the refusal names: theirs, ours."""
    other = second_remote(pair, tmp_path)
    for clone in (pair.ann, pair.bob):
        clone.sync("origin")
        clone.sync("other")
    for clone, remote, size in ((pair.ann, "origin", "5MB"), (pair.bob, "other", "6MB")):
        put_policy_in_force(clone.opened, backup_limit=size)
        clone.sync(remote)
    before = (pair.ann.tip, refs_of(pair.origin), refs_of(other))
    with pytest.raises(DevsError, match="takes back what origin has") as caught:
        pair.ann.sync("other")
    assert (caught.value.code, caught.value.details["remote"]) == ("CONFLICT", "other")
    assert (pair.ann.tip, refs_of(pair.origin), refs_of(other)) == before
    theirs, ours = caught.value.details["theirs"], caught.value.details["ours"]
    for tip in (theirs, ours):
        assert f"devs-git sync other --let-stand {str(tip)[:12]}" in caught.value.hint
    return other, str(theirs), str(ours)


def limit(clone: Clone) -> int:
    return clone.opened.policy.backup_limit


@pytest.mark.quick
def test_two_remotes_whose_policies_exclude_each_other_are_named_and_nothing_is_written(
    pair: Pair, tmp_path: Path
) -> None:
    other, theirs, ours = excluding(pair, tmp_path)
    choice = sync.Request("other", let_stand=ours)
    with pytest.raises(DevsError, match="a person at a terminal") as caught:
        pair.ann.call("sync", choice)
    assert caught.value.code == "TERMINAL_REQUIRED"
    agent = at_terminal(pair.ann.top, "sync", "other", "--let-stand", ours, env={"CLAUDECODE": "1"})
    assert (agent[0], "TERMINAL_REQUIRED" in agent[1]) == (1, True)
    wrong = at_terminal(pair.ann.top, "sync", "other", "--let-stand", pair.ann.git("rev-parse", "HEAD"))
    assert (wrong[0], "CONFLICT" in wrong[1]) == (4, True)
    assert (refs_of(other)[LEDGER], pair.ann.tip) == (theirs, ours)


@pytest.mark.parametrize(("mine", "size"), [(True, 5), (False, 6)])
def test_a_person_chooses_which_of_two_policies_stands_and_both_remotes_end_equal(
    pair: Pair, tmp_path: Path, *, mine: bool, size: int
) -> None:
    other, theirs, ours = excluding(pair, tmp_path)
    chosen = ours if mine else theirs
    assert at_terminal(pair.ann.top, "sync", "other", "--let-stand", chosen[:12])[0] == 0
    if mine:
        pair.ann.sync("origin")
    else:  # the first remote is to give way now
        with pytest.raises(DevsError, match="exclude each other"):
            pair.ann.sync("origin")
        assert at_terminal(pair.ann.top, "sync", "origin", "--let-stand", pair.ann.tip)[0] == 0
    assert refs_of(pair.origin)[LEDGER] == refs_of(other)[LEDGER] == pair.ann.tip
    assert limit(pair.ann) == size * 1000 * 1000
    kept = pair.ann.git("grep", "-h", "backup_limit", LEDGER, "--", "superseded").splitlines()
    assert any(f"{11 - size}MB" in line for line in kept)
    assert pair.ann.trouble("ledger", "tags", "policy") == []
    for remote in ("origin", "other"):
        assert (pair.ann.sync(remote).pushed, pair.ann.sync(remote).fetched) == ((), ())


def test_a_clone_that_saw_the_policy_that_gave_way_is_told_how_a_person_takes_the_other_one_over(
    pair: Pair, tmp_path: Path
) -> None:
    _, _, ours = excluding(pair, tmp_path)
    assert at_terminal(pair.ann.top, "sync", "other", "--let-stand", ours)[0] == 0
    pair.ann.sync("origin")
    before = pair.bob.tip
    with pytest.raises(DevsError, match="but not there") as caught:
        pair.bob.sync("other")
    assert (caught.value.code, pair.bob.tip) == ("LEDGER_ROLLBACK", before)
    assert f"devs-git sync other --let-stand {pair.ann.tip[:12]}" in caught.value.hint
    with pytest.raises(DevsError, match="a person at a terminal"):
        pair.bob.call("sync", sync.Request("other", let_stand=pair.ann.tip))
    assert at_terminal(pair.bob.top, "sync", "other", "--let-stand", pair.ann.tip)[0] == 0
    assert pair.bob.sync("origin").ledger == pair.bob.tip == pair.ann.tip
    assert limit(pair.bob) == 5 * 1000 * 1000
    assert pair.bob.trouble("ledger", "tags", "policy") == []


def test_two_remotes_with_two_answers_to_one_gate_are_a_choice_too(pair: Pair, tmp_path: Path) -> None:
    other = second_remote(pair, tmp_path)
    gate = pair.ann.ask(**MANUAL)
    for clone in (pair.ann, pair.bob):
        clone.sync("origin")
        clone.sync("other")
    pair.ann.reject(gate)
    pair.bob.approve(gate)
    pair.ann.sync("origin")
    pair.bob.sync("other")
    with pytest.raises(DevsError, match="takes back what origin has"):
        pair.ann.sync("other")
    assert at_terminal(pair.ann.top, "sync", "other", "--let-stand", pair.ann.tip)[0] == 0
    pair.ann.sync("origin")
    assert refs_of(pair.origin)[LEDGER] == refs_of(other)[LEDGER] == pair.ann.tip
    assert pair.ann.status(gate) == "REJECTED"
    assert pair.ann.trouble("ledger") == []


def test_a_server_goes_on_remembering_until_its_own_person_chooses(pair: Pair, tmp_path: Path) -> None:
    other, _, ours = excluding(pair, tmp_path)
    for bare in (pair.origin, other):
        router.call("init", Workspace.open(bare), init.Request(server=True))
    code, said = at_terminal(pair.ann.top, "sync", "other", "--let-stand", ours)
    assert (code, "pre-receive hook declined" in said) == (4, True), said
    pair.ann.git("push", "-q", "other", f"{LEDGER}:refs/devs/chosen")
    git("update-ref", LEDGER, "refs/devs/chosen", where=other)
    pair.ann.sync("other")
    pair.ann.sync("origin")
    assert refs_of(pair.origin)[LEDGER] == refs_of(other)[LEDGER] == pair.ann.tip
