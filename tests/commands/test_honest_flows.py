"""What honest people do, from the README and the page of decisions, each with the test that keeps it going.

| flow | test |
|---|---|
| two clones offline, then `sync` | test_two_clones_that_worked_offline_end_with_the_same_ledger_and_green_verify |
| any two histories, merged in any order | test_any_two_histories_become_one |
| honest clones of one remote are never refused (in process) | test_honest_clones_of_one_remote_forge_nothing_and_are_never_refused |
| a gate decided in one clone, open in the other | test_a_gate_decided_here_and_still_open_there_is_decided |
| a gate decided in both | test_a_gate_decided_twice_is_decided_as_the_remote_heard_it_first |
| each clone opens a gate | test_two_gates_opened_offline_both_stay_and_both_must_be_decided |
| a policy changed in one clone, and in both | test_a_policy_that_one_side_changed_is_in_force_and_of_two_the_remotes |
| a policy that gave way is asked for again | test_a_policy_that_gave_way_comes_into_force_when_it_is_asked_for_again |
| one clone rejects a policy that the other approves | test_a_policy_goes_with_the_decision_that_put_it_into_force |
| two remotes in turn | test_two_remotes_in_turn_end_with_equal_tips, test_two_remotes_get_the_same |
| two remotes whose policies exclude each other | test_two_remotes_whose_policies_exclude_each_other_are_named_and_nothing_is_written |
| a person chooses which of two policies, or answers, stands | test_a_person_chooses_which_of_two_policies_stands_and_both_remotes_end_equal, test_two_remotes_with_two_answers_to_one_gate_are_a_choice_too |
| other clones after that choice | test_a_clone_that_saw_the_policy_that_gave_way_is_told_how_a_person_takes_the_other_one_over |
| a late `sync` of a clone that was offline for long | test_a_clone_that_was_offline_for_long_loses_nothing_and_is_refused_nowhere |
| a key is rotated while gates are open | test_a_key_is_rotated_while_gates_are_open_and_the_new_one_decides_them |
| the same with all hooks in place | test_a_key_is_replaced_while_a_gate_is_open_with_all_hooks_in_place |
| a key is revoked elsewhere meanwhile | test_a_key_that_is_revoked_elsewhere_leaves_its_late_decision_aside_and_the_gate_open |
| a key comes back (in process) | test_a_decision_that_was_set_aside_comes_back_with_its_key |
| a first signed policy, a clone decided unsigned meanwhile | test_a_first_signed_policy_reopens_what_a_clone_decided_unsigned_meanwhile |
| a first signed policy, and `verify --require signed` with a range | test_with_a_range_only_decisions_that_its_base_did_not_know_must_be_signed |
| `init` is killed | test_a_first_init_that_was_killed_is_finished_by_the_next, test_an_adoption_makes_no_second_ledger |
| an `init` of version 0.1 was cut off | test_an_init_that_was_cut_off_after_the_genesis_is_finished_by_the_next |
| `sync` is killed | test_the_next_sync_completes_one_that_was_killed_at_any_step, test_a_sync_loses_nothing_and_no_gate |
| a fresh clone, whose default branch tracks the policy | test_a_clone_adopts_the_ledger_with_its_checkpoints, test_what_an_adopted_policy_will_run_here_is_told |
| a fresh clone, where the policy was changed and not committed | test_a_fresh_clone_takes_over_no_policy_that_the_tracked_one_does_not_say |
| a fresh clone that fetched the ledger by hand | test_a_clone_that_fetched_the_ledger_by_hand_works_before_and_after_init |
| a shallow clone that fetched the newest events alone | test_a_shallow_ledger_is_told_as_that_and_not_as_another_one |
| a first `sync` with a second remote | test_the_first_sync_with_a_remote_compares_its_policy_with_the_tracked_one |

The remote of this file's tests is a server with our hook.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devs_git.commands import gate_request, init
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import clones, gate_scene
from tests.support.clones import Clone, Pair
from tests.support.gate_scene import BLOCKER, Key, make_key
from tests.support.git_calls import git

HERE = Path(__file__).parent
MANUAL = {"kind": "MANUAL"}


@pytest.fixture
def guarded(pair: Pair) -> Pair:
    """The pair, with our hook in its remote."""
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    return pair


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return {name: make_key(folder, name) for name in ("ann", "ann-2", "bob")}


def propose(clone: Clone, text: str) -> str:
    """Ask for a policy; the gate. Another gate may be open, so the commit goes past our hooks."""
    policy = f"genesis: '{gate_scene.genesis(clone.opened)}'\n{text}\n"
    (clone.top / "devs-policy.yaml").write_text(policy)
    clone.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "policy", "devs-policy.yaml")
    return clone.ask(kind="POLICY_CHANGE")


def signed_by(**people: Key) -> str:
    rows = (f"  - principal: {name}@example.org\n    key: {key.public}\n" for name, key in people.items())
    return f"approvers:\n{''.join(rows)}approval: {{minimum: signed}}"


def with_key(key: Key) -> dict[str, object]:
    return {"sign": True, "key": str(key.path)}


@pytest.mark.quick
def test_every_flow_of_the_list_has_its_test() -> None:
    said = set(re.findall(r"test_\w+", __doc__ or ""))
    files = (*HERE.glob("test_*.py"), *(HERE.parent / "domain").rglob("test_*.py"))
    there = {
        name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    }
    assert said - there == set()


def test_a_clone_that_was_offline_for_long_loses_nothing_and_is_refused_nowhere(
    guarded: Pair, keys: dict[str, Key]
) -> None:
    ann, bob = guarded.ann, guarded.bob
    old = ann.ask(**MANUAL)
    guarded.meet()
    ann.reject(old)
    bob.reject(old)
    bob.task("20")
    late = bob.ask(**MANUAL)
    ann.approve(propose(ann, signed_by(ann=keys["ann"])))
    ann.sync()
    ann.approve(propose(ann, signed_by(ann=keys["ann"], bob=keys["bob"])), **with_key(keys["ann"]))
    ann.sync()
    bob.sync()
    assert bob.opened.ledger.open_gates() == (late,)
    bob.approve(late, **with_key(keys["bob"]))
    guarded.meet()
    assert ann.tip == bob.tip
    assert ann.trouble("ledger", "tags") == bob.trouble("ledger", "tags") == []
    assert [one.principal for one in bob.opened.policy.approvers] == ["ann@example.org", "bob@example.org"]


def test_a_key_is_rotated_while_gates_are_open_and_the_new_one_decides_them(
    guarded: Pair, keys: dict[str, Key]
) -> None:
    ann, bob = guarded.ann, guarded.bob
    ann.approve(propose(ann, signed_by(ann=keys["ann"])))
    guarded.meet()
    gate = bob.ask(**MANUAL)
    guarded.meet()
    ann.approve(propose(ann, signed_by(ann=keys["ann-2"])), **with_key(keys["ann"]))
    guarded.meet()
    for clone in (ann, bob):
        with pytest.raises(DevsError, match="No approver of the policy in force has the key"):
            clone.approve(gate, **with_key(keys["ann"]))
    bob.approve(gate, **with_key(keys["ann-2"]))
    guarded.meet()
    assert ann.opened.ledger.open_gates() == ()
    assert ann.trouble("ledger") == bob.trouble("ledger") == []


def test_a_first_signed_policy_reopens_what_a_clone_decided_unsigned_meanwhile(
    guarded: Pair, keys: dict[str, Key]
) -> None:
    ann, bob = guarded.ann, guarded.bob
    gate, other = ann.ask(**MANUAL), ann.ask(**MANUAL)
    guarded.meet()
    bob.reject(other)
    bob.sync()
    ann.sync()
    ann.approve(propose(ann, signed_by(ann=keys["ann"])))
    bob.reject(gate)
    ann.sync()
    (row,) = bob.sync().superseded
    assert (row.gate_id, row.stands) == (gate, "")
    assert bob.opened.ledger.open_gates() == (gate,)
    guarded.meet()
    ann.approve(gate, **with_key(keys["ann"]))
    guarded.meet()
    assert (bob.status(gate), bob.status(other)) == ("APPROVED", "REJECTED")
    assert ann.trouble("ledger") == bob.trouble("ledger") == []


def test_a_policy_that_gave_way_comes_into_force_when_it_is_asked_for_again(guarded: Pair) -> None:
    ann, bob = guarded.ann, guarded.bob
    first, second = propose(ann, "backup_limit: 6MB"), propose(bob, "backup_limit: 7MB")
    ann.approve(first)
    bob.approve(second)
    ann.sync()
    bob.sync()
    bob.reject(second)
    bob.approve(bob.ask(kind="POLICY_CHANGE"))
    guarded.meet()
    assert ann.opened.policy.backup_limit == bob.opened.policy.backup_limit == 7_000_000
    assert ann.trouble("ledger") == bob.trouble("ledger") == []


def test_a_clone_that_fetched_the_ledger_by_hand_works_before_and_after_init(
    guarded: Pair, tmp_path: Path
) -> None:
    git("clone", "-q", str(guarded.origin), "fresh", where=tmp_path)
    there = Clone(tmp_path / "fresh")
    there.git("fetch", "-q", "origin", f"{clones.LEDGER}:{clones.LEDGER}")
    asked = gate_request.Request(gate_type="MANUAL", blocker_description=BLOCKER)
    gate = there.call("gate request", asked).gate_id
    there.call("init", init.Request())
    there.sync()
    guarded.ann.sync()
    assert guarded.ann.opened.ledger.open_gates() == (gate,)
    assert there.trouble("ledger") == []


def test_a_shallow_ledger_is_told_as_that_and_not_as_another_one(guarded: Pair, tmp_path: Path) -> None:
    git("clone", "-q", "--depth=1", f"file://{guarded.origin}", "fresh", where=tmp_path)
    there = Clone(tmp_path / "fresh")
    there.git("fetch", "-q", "--depth=1", "origin", f"{clones.LEDGER}:{clones.LEDGER}")
    asked = gate_request.Request(gate_type="MANUAL", blocker_description=BLOCKER)
    with pytest.raises(DevsError, match="shallow") as caught:
        there.call("gate request", asked)
    assert caught.value.hint.endswith("git fetch --unshallow")
    there.git("fetch", "-q", "--unshallow", "origin", "main", clones.LEDGER)
    assert there.call("gate request", asked).gate_id


def test_a_key_is_replaced_while_a_gate_is_open_with_all_hooks_in_place(
    guarded: Pair, keys: dict[str, Key]
) -> None:
    ann = guarded.ann
    ann.approve(propose(ann, signed_by(ann=keys["ann"])))
    gate = ann.ask(**MANUAL)
    text = f"genesis: '{gate_scene.genesis(ann.opened)}'\n{signed_by(ann=keys['ann-2'])}\n"
    (ann.top / "devs-policy.yaml").write_text(text)
    # The new text stands in the worktree alone: a commit is refused while the gate is open.
    assert git("commit", "-qam", "policy", ok=(1,), where=ann.top) == ""
    ann.approve(ann.ask(kind="POLICY_CHANGE"), **with_key(keys["ann"]))
    ann.approve(gate, **with_key(keys["ann-2"]))
    ann.git("commit", "-qam", "policy")
    assert ann.trouble("ledger", "policy", "commits") == []
