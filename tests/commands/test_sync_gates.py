"""Gates that two clones asked for or decided offline, and the policies that came with decisions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.domain.gates import signed_decision
from devs_git.domain.ledger.events import Event
from devs_git.storage.documents import yaml_documents
from tests.support import gate_scene
from tests.support.clones import Clone, Pair
from tests.support.gate_scene import NEW, TAS, Key, make_key
from tests.test_events import assert_described

MANUAL = {"kind": "MANUAL"}


def events(clone: Clone, kind: str) -> list[Event]:
    return [event for event in clone.opened.ledger.events() if event.type == kind]


@pytest.mark.quick
def test_a_gate_decided_twice_is_decided_as_the_remote_heard_it_first(pair: Pair) -> None:
    gate = pair.ann.ask(**MANUAL)
    pair.meet()
    pair.ann.reject(gate)
    pair.bob.approve(gate, reason="Fine.")
    blob = pair.bob.git("rev-parse", f"devs/ledger:gates/{gate}/decision.yaml")
    pair.ann.sync()
    told = pair.bob.sync()
    (row,) = told.superseded
    assert (row.gate_id, row.decision, row.stands) == (gate, "APPROVED", "REJECTED")
    assert row.kept == f"superseded/{blob}"
    assert pair.bob.git("rev-parse", f"devs/ledger:{row.kept}") == blob
    pair.ann.sync()
    assert (pair.ann.status(gate), pair.bob.status(gate)) == ("REJECTED", "REJECTED")
    (event,) = events(pair.ann, "superseded")
    assert (event.oid, event.get("Devs-Gate")) == (told.merged, gate)
    assert event.subject == f"sync: gate {gate}: REJECTED stands, APPROVED is superseded"
    assert_described(event)
    pair.assert_same()


def test_two_gates_opened_offline_both_stay_and_both_must_be_decided(pair: Pair) -> None:
    first, second = pair.ann.ask(), pair.bob.ask()
    pair.meet()
    assert pair.bob.opened.ledger.open_gates() == tuple(sorted((first, second)))
    pair.assert_same()
    pair.bob.approve(first)
    assert pair.bob.opened.ledger.open_gates() == (second,)
    pair.bob.reject(second)
    pair.meet()
    assert pair.ann.opened.ledger.open_gates() == ()
    pair.assert_same()


def propose(clone: Clone, text: str) -> str:
    policy = f"genesis: '{gate_scene.genesis(clone.opened)}'\n{text}\n"
    gate_scene.commit(clone.top, {"devs-policy.yaml": policy})
    return clone.ask(kind="POLICY_CHANGE")


def approvers(clone: Clone, **keys: Key) -> None:
    """A policy in force that names these, and Ada, who signs nothing."""
    rows = (f"  - principal: {name}@example.org\n    key: {key.public}\n" for name, key in keys.items())
    clone.approve(propose(clone, "approvers:\n  - principal: ada@example.org\n" + "".join(rows)))


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Key, Key]:
    folder = tmp_path_factory.mktemp("keys")
    return make_key(folder, "ann"), make_key(folder, "bob")


def verified(clone: Clone, key: Key, decision: str, signature: str, folder: Path) -> bool:
    """Whether ssh-keygen finds the signature at one path of the ledger good for the decision at another."""
    tip = clone.opened.ledger.tip()
    record = yaml_documents.load(tip.read(decision) or b"", decision, "decision")
    message = signed_decision.of_record(record, gate_scene.genesis(clone.opened)).canonical()
    (folder / "sig").write_bytes(tip.read(signature) or b"")
    (folder / "allowed").write_text(f"x@example.org {key.public}\n")
    words = ["ssh-keygen", "-Y", "verify", "-I", "x@example.org", "-n", "devs-gate@v1"]
    words += ["-s", str(folder / "sig"), "-f", str(folder / "allowed")]
    return subprocess.run(words, input=message, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("both", [True, False])
def test_signatures_of_what_stands_and_of_what_gave_way_stay_valid(
    both: bool, pair: Pair, keys: tuple[Key, Key], tmp_path: Path
) -> None:
    ann, bob = keys
    approvers(pair.ann, ann=ann, bob=bob)
    gate, other = pair.ann.ask(), pair.ann.ask(**MANUAL)
    pair.meet()
    pair.ann.approve(gate, **({"sign": True, "key": str(ann.path)} if both else {}))
    pair.bob.approve(gate, sign=True, key=str(bob.path))
    pair.bob.approve(other, sign=True, key=str(bob.path))
    pair.ann.sync()
    (row,) = pair.bob.sync().superseded
    pair.meet()
    pair.assert_same()
    here = f"gates/{gate}/decision.yaml"
    assert verified(pair.ann, bob, row.kept, f"{row.kept}.sig", tmp_path)
    assert verified(pair.ann, ann, here, f"{here}.sig", tmp_path) == both
    assert verified(
        pair.ann, bob, f"gates/{other}/decision.yaml", f"gates/{other}/decision.yaml.sig", tmp_path
    )


def test_a_signed_decision_stands_before_an_unsigned_one_that_came_later(
    pair: Pair, keys: tuple[Key, Key]
) -> None:
    approvers(pair.ann, ann=keys[0])
    gate = pair.ann.ask()
    pair.meet()
    pair.ann.approve(gate, sign=True, key=str(keys[0].path))
    pair.bob.approve(gate)
    pair.meet()
    pair.assert_same()


def test_whose_approved_text_landed_hears_that_its_commit_is_covered_no_more(pair: Pair) -> None:
    gate_scene.commit(pair.ann.top, {"TAS.md": TAS})
    pair.ann.git("push", "-q", "origin", "main")
    pair.bob.git("pull", "-q", "origin", "main")
    gate = pair.ann.ask(text=NEW)
    pair.meet()
    pair.ann.reject(gate)
    pair.bob.approve(gate)
    landed = pair.bob.git("rev-parse", "HEAD")
    pair.ann.sync()
    words = [sys.executable, "-m", "devs_git", "--repo", str(pair.bob.top)]
    done = subprocess.run([*words[:3], "sync", *words[3:]], capture_output=True, text=True, check=True)
    assert f"gate {gate}: the decision REJECTED by" in done.stdout
    assert f"git revert {landed[:10]}" in done.stdout
    pair.ann.sync()
    assert pair.ann.trouble("ledger", "tags") == pair.bob.trouble("ledger", "tags") == []


def test_a_policy_that_one_side_changed_is_in_force_and_of_two_the_remotes(pair: Pair) -> None:
    pair.bob.approve(propose(pair.bob, "backup_limit: 5MB"))
    pair.ann.task("10")
    pair.meet()
    assert pair.ann.opened.policy.backup_limit == 5_000_000
    first, second = propose(pair.ann, "backup_limit: 6MB"), propose(pair.bob, "backup_limit: 7MB")
    pair.ann.approve(first)
    pair.bob.approve(second)
    pair.ann.sync()
    gave_way = pair.bob.sync().superseded
    assert [row.path for row in gave_way] == ["policy.yaml", f"gates/{second}/decision.yaml"]
    assert [row.stands for row in gave_way] == ["", ""]
    assert pair.bob.opened.ledger.open_gates() == (second,)
    pair.bob.reject(second)
    pair.bob.sync()
    pair.ann.sync()
    assert pair.bob.opened.policy.backup_limit == pair.ann.opened.policy.backup_limit == 6_000_000
    pair.assert_same("ledger", "tags")


def test_a_policy_goes_with_the_decision_that_put_it_into_force(pair: Pair) -> None:
    gate = propose(pair.bob, "backup_limit: 5MB")
    before = pair.bob.opened.policy.backup_limit
    pair.meet()
    pair.ann.reject(gate)
    pair.bob.approve(gate)
    pair.ann.sync()
    why = [row.why for row in pair.bob.sync().superseded if row.path == "policy.yaml"]
    assert why == ["The other side decided the gate of this policy differently, and it was first."]
    pair.ann.sync()
    assert pair.bob.opened.policy.backup_limit == pair.ann.opened.policy.backup_limit == before
    pair.assert_same("ledger", "tags")


def test_what_both_had_is_no_work_under_a_gate_that_stands_on_unpushed_commits(pair: Pair) -> None:
    gate_scene.commit(pair.ann.top, {"more.txt": "not pushed\n"})
    gate = pair.ann.ask(**MANUAL)
    pair.meet()
    record = yaml_documents.load(
        pair.ann.opened.ledger.tip().read(f"gates/{gate}/request.yaml") or b"", "request"
    )
    shared = pair.bob.git("rev-parse", "HEAD")
    assert dict(record["heads"]) == {"main": pair.ann.git("rev-parse", "HEAD"), "remotes/origin/main": shared}
    pair.assert_same()


def test_a_commit_from_before_another_clones_gate_came_here_is_no_more_than_a_warning(pair: Pair) -> None:
    gate = pair.ann.ask(**MANUAL)
    known = pair.bob.tip  # what both had
    pair.bob.git("commit", "-q", "--allow-empty", "-m", f"x\n\nDevs-Ledger: {known}")
    pair.meet()
    assert pair.bob.trouble("commits") == []
    (told,) = pair.bob.trouble("commits", severity="warning")
    assert told.startswith("UNSEEN_AT_FREEZE")
    assert gate in told
