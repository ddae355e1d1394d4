"""What somebody signed once, brought a second time where it would count again: two clones, a remote with our hook, real keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.domain.audit.push_rules import Move
from devs_git.domain.gates import signed_decision
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import gate_files, received
from devs_git.workspace import Workspace
from tests.commands.conftest import pair
from tests.commands.test_honest_flows import MANUAL, propose, signed_by, with_key
from tests.support import gate_scene
from tests.support.attacker import codes_in, on_top
from tests.support.clones import Clone, Pair, second_remote
from tests.support.gate_scene import Key
from tests.support.git_calls import git
from tests.support.refusals import refusal

pytestmark = pytest.mark.thorough

__all__ = ("pair",)
Keys = dict[str, Key]


@pytest.fixture
def signing(pair: Pair, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Ann and Bob approve, with their signatures (Bob's key is the one called bot); the current folder is Ann's clone."""
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    pair.ann.approve(propose(pair.ann, both(keys)))
    pair.meet()
    monkeypatch.chdir(pair.ann.top)
    return pair


def both(keys: Keys) -> str:
    return signed_by(ann=keys["ada"], bob=keys["bot"])


def copied(event: str, gate: str, *paths: str, ends: str = "\n", parent: str = LEDGER) -> str:
    """An event on the tip that brings files of another one, its signature with these line ends, and takes the open gate away."""
    last = {gate_files.signature_path(gate): ends}
    data = [(path, git("cat-file", "blob", f"{event}:{path}") + last.get(path, "\n")) for path in paths]
    return on_top(
        *data, (gate_files.marker_path(gate), None), parent=parent, message="x\n\nDevs-Event: gate.resolved"
    )


def codes(clone: Clone, new: str) -> set[str]:
    """What a server says that has this clone's ledger; `verify` and each verb that asks for the policy say so, too."""
    told = {found.code for found in received.problems(clone.opened.ledger, [Move(clone.tip, new, LEDGER)])}
    before = clone.tip
    git("update-ref", LEDGER, new)
    assert told <= codes_in("ledger")
    assert refusal(lambda: clone.opened.policy).code in told
    git("update-ref", LEDGER, before)
    return told


def out_and_in(pair: Pair, keys: Keys, gate: str) -> str:
    """Bob decides on the gate while Ann takes his key out, and then lets it in again; the event of his dead decision."""
    pair.bob.approve(gate, **with_key(keys["bot"]))
    dead = pair.bob.tip
    pair.ann.approve(propose(pair.ann, signed_by(ann=keys["ada"])), **with_key(keys["ada"]))
    pair.meet()
    pair.ann.approve(propose(pair.ann, both(keys)), **with_key(keys["ada"]))
    pair.meet()
    assert pair.ann.opened.ledger.open_gates() == (gate,)
    return dead


def test_a_signature_written_in_another_form_and_brought_before_the_honest_one(
    signing: Pair, keys: Keys
) -> None:
    ann, bob = signing.ann, signing.bob
    gate = ann.ask(**MANUAL)
    signing.meet()
    asked = ann.tip
    bob.approve(gate, **with_key(keys["bot"]))
    mine = bob.tip
    # The same signature with one more line end, pushed by somebody else first.
    git("fetch", "-q", str(bob.top), mine)
    new = copied(mine, gate, gate_files.decision_path(gate), gate_files.signature_path(gate), ends="\n\n")
    early = git("rev-parse", f"{new}:{gate_files.signature_path(gate)}")
    assert early != git("rev-parse", f"{mine}:{gate_files.signature_path(gate)}")
    git("push", "-q", "origin", f"{new}:{LEDGER}")
    ann.approve(propose(ann, signed_by(ann=keys["ada"])), **with_key(keys["ada"]))
    assert ann.tip != asked
    signing.meet()
    # Neither is lost, no clone is stopped, and the gate waits for somebody whose key counts.
    kept = git("ls-tree", "-r", LEDGER, "superseded/").split()
    assert {early, git("rev-parse", f"{mine}:{gate_files.signature_path(gate)}")} <= {*kept}
    assert ann.tip == bob.tip == git("rev-parse", LEDGER, where=signing.origin)
    assert bob.opened.ledger.open_gates() == (gate,)
    assert codes_in("ledger") == set()


def test_a_decision_of_a_revoked_key_copied_after_the_key_is_allowed_again(signing: Pair, keys: Keys) -> None:
    ann = signing.ann
    gate = ann.ask(**MANUAL)
    signing.meet()
    dead = out_and_in(signing, keys, gate)
    new = copied(dead, gate, gate_files.decision_path(gate), gate_files.signature_path(gate))
    assert codes(ann, new) == {"REPLAYED"}


def test_a_used_signature_brought_again_after_its_key_is_allowed_again(signing: Pair, keys: Keys) -> None:
    bob = signing.bob
    gate = signing.ann.ask(**MANUAL)
    signing.meet()
    out_and_in(signing, keys, gate)
    kept = git("ls-tree", "-r", "--name-only", LEDGER, "superseded/").split()
    signature = next(path for path in kept if path.endswith(".sig"))
    record = yaml_documents.load(
        bob.opened.ledger.tip().read(signature.removesuffix(".sig")) or b"", "decision", "decision"
    )
    said = signed_decision.of_record(record, gate_scene.genesis(bob.opened)).canonical()
    again = {"signed": said, "signature": bob.opened.ledger.tip().read(signature)}
    assert refusal(lambda: bob.approve(gate, **again)).code == "REPLAYED"
    bob.approve(gate, **with_key(keys["bot"]))
    signing.meet()
    assert signing.ann.opened.ledger.open_gates() == ()
    assert codes_in("ledger") == set()


def test_an_old_approval_of_a_policy_copied_when_the_policy_that_it_replaced_is_in_force_again(
    signing: Pair, keys: Keys
) -> None:
    ann, bob = signing.ann, signing.bob
    gate = propose(bob, both(keys) + "\nbackup_limit: 7MB")
    bob.approve(gate, **with_key(keys["bot"]))
    theirs = bob.tip
    ann.approve(propose(ann, both(keys) + "\nbackup_limit: 6MB"), **with_key(keys["ada"]))
    before = git("rev-parse", f"{theirs}~2:policy.yaml", where=bob.top)
    ann.approve(propose(ann, both(keys)), **with_key(keys["ada"]))
    assert git("rev-parse", f"{LEDGER}:policy.yaml") == before
    signing.meet()
    new = copied(theirs, gate, gate_files.decision_path(gate), gate_files.signature_path(gate), "policy.yaml")
    assert codes(ann, new) == {"POLICY_INVALID"}
    assert refusal(lambda: bob.approve(gate, **with_key(keys["bot"]))).code == "STALE_REQUEST"


def test_an_approval_of_a_policy_copied_to_another_remote(signing: Pair, keys: Keys, tmp_path: Path) -> None:
    """There the policy would know of what the revoked key decided meanwhile."""
    ann, bob = signing.ann, signing.bob
    second_remote(signing, tmp_path)
    gate = ann.ask(**MANUAL)
    revoking = propose(ann, signed_by(ann=keys["ada"]))
    signing.meet()
    ann.sync("other")
    ann.approve(revoking, **with_key(keys["ada"]))
    ann.sync("origin")
    bob.approve(gate, **with_key(keys["bot"]))
    git("fetch", "-q", str(bob.top), f"{LEDGER}:refs/thief")
    paths = (gate_files.decision_path(revoking), gate_files.signature_path(revoking), "policy.yaml")
    new = copied(ann.tip, revoking, *paths, parent="refs/thief")
    git("push", "-q", "other", f"{new}:{LEDGER}")
    assert refusal(lambda: ann.sync("other")).code == "CONFLICT"
    assert ann.opened.ledger.open_gates() == (gate,)
