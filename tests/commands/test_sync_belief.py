"""What two clones and two remotes come to where keys change and gates reopen."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import gate_approve, gate_show, init, sync, task_start
from devs_git.commands import verify as verify_verb
from devs_git.domain.audit.push_rules import Move
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.entrypoints.cli import sync as syncing
from devs_git.entrypoints.hooks import agent_hook
from devs_git.errors import DevsError
from devs_git.storage.ledger import policy_file, received
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.clones import Clone, Pair, refs_of, second_remote
from tests.support.gate_scene import NEW, TAS, Key, make_key
from tests.support.ledgers import put_policy_in_force
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

MANUAL = {"kind": "MANUAL"}
NOT_BELIEVED = ("LEDGER_FORK", "LEDGER_MUTATED", "POLICY_INVALID")
NO = "The ledger in this clone cannot be trusted"


def signed_by(clone: Clone, **people: Key) -> str:
    """Ask for a policy in which these decide, signed; the gate."""
    rows = "".join(
        f"  - principal: {name}@example.org\n    key: {key.public}\n" for name, key in people.items()
    )
    text = f"genesis: '{gate_scene.genesis(clone.opened)}'\napprovers:\n{rows}approval: {{minimum: signed}}\n"
    (clone.top / "devs-policy.yaml").write_text(text)
    clone.git("add", "devs-policy.yaml")
    # Past our hooks: another gate may be open.
    clone.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "policy")
    return clone.ask(kind="POLICY_CHANGE")


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Key]:
    (tmp_path / "keys").mkdir()
    return {name: make_key(tmp_path / "keys", name) for name in ("ann", "bob")}


@pytest.mark.quick
def test_a_key_that_is_revoked_elsewhere_leaves_its_late_decision_aside_and_the_gate_open(
    pair: Pair, keys: dict[str, Key]
) -> None:
    pair.ann.approve(signed_by(pair.ann, ann=keys["ann"], bob=keys["bob"]))
    gate_scene.commit(pair.ann.top, {"TAS.md": TAS})
    pair.ann.git("push", "-q", "--no-verify", "origin", "main")
    pair.meet()
    pair.bob.git("pull", "-q", "--no-edit")
    gate = pair.bob.ask(text=NEW)
    pair.meet()
    change = signed_by(pair.ann, ann=keys["ann"])
    pair.ann.approve(change, sign=True, key=str(keys["ann"].path))
    pair.bob.approve(gate, sign=True, key=str(keys["bob"].path))
    assert pair.bob.trouble("tas") == []
    pair.ann.sync()
    told = pair.bob.sync()
    (row,) = told.superseded
    assert (row.gate_id, row.decision, row.stands, row.path) == (
        gate,
        "APPROVED",
        "",
        f"gates/{gate}/decision.yaml",
    )
    assert row.why == "No approver of the policy in force has the key of this signature."
    # git revert alone would be refused: the gate is open.
    way = f"approve the gate again to keep it, or reject the gate and run: git revert {row.commit[:10]}"
    assert syncing._sync_text(told).splitlines()[-1] == f"  no decision covers its commit any more: {way}"
    assert pair.bob.opened.ledger.open_gates() == (gate,)
    assert any("TAS_UNAPPROVED" in line for line in pair.bob.trouble("tas"))
    pair.bob.approve(gate, sign=True, key=str(keys["ann"].path))
    pair.meet()
    assert pair.bob.trouble("tas") == []
    assert pair.ann.trouble("ledger", "tags") == pair.bob.trouble("ledger", "tags") == []


def test_two_remotes_in_turn_end_with_equal_tips(pair: Pair, tmp_path: Path) -> None:
    other, begun = second_remote(pair, tmp_path), pair.ann.tip
    gate = pair.ann.ask(**MANUAL)
    pair.ann.sync("origin")
    pair.bob.task("11")
    pair.bob.sync("other")
    pair.ann.reject(gate)
    pair.ann.sync("other")
    pair.ann.sync("origin")
    pair.bob.sync("origin")
    pair.bob.sync("other")
    assert refs_of(pair.origin)[LEDGER] == refs_of(other)[LEDGER] == pair.bob.tip == pair.ann.tip
    assert len(pair.ann.git("rev-list", "--min-parents=2", LEDGER, f"^{begun}").splitlines()) == 1


def fresh(pair: Pair, tmp_path: Path) -> Path:
    subprocess.run(["git", "clone", "-q", pair.origin, tmp_path / "fresh"], check=True)
    return tmp_path / "fresh"


def test_a_fresh_clone_takes_over_no_policy_that_the_tracked_one_does_not_say(
    pair: Pair, tmp_path: Path
) -> None:
    put_policy_in_force(pair.ann.opened, backup_limit="5MB", notify="touch owned")
    pair.ann.sync()
    there = fresh(pair, tmp_path)
    with pytest.raises(DevsError, match="cannot be checked") as caught:
        router.call("init", Workspace.open(there), init.Request())
    oid = str(caught.value.details["policy"])
    assert caught.value.code == "CONFLICT"
    assert f"accept it: devs-git init --accept-policy {oid[:12]}" in caught.value.hint
    # The newest commit of the remote may have the policy.
    assert "run the command again: git fetch origin. If it still differs: " in caught.value.hint
    assert LEDGER not in refs_of(there)
    accept = init.Request(accept_policy=oid)
    with pytest.raises(DevsError, match="Only a person at a terminal can accept"):
        router.call("init", Workspace.open(there), accept)
    assert at_terminal(there, "init", "--accept-policy", oid)[0] == 0
    assert Workspace.open(there).policy.notify == "touch owned"
    assert not (there / "owned").exists()


def test_a_clone_without_the_tracked_policy_is_told_which_branch_has_it(pair: Pair, tmp_path: Path) -> None:
    put_policy_in_force(pair.ann.opened, backup_limit="5MB")
    pair.ann.sync()
    pair.ann.git("push", "-q", "origin", "HEAD:refs/heads/main")
    there = fresh(pair, tmp_path)
    for words in (("switch", "-q", "--orphan", "empty"), ("remote", "set-head", "origin", "-d")):
        subprocess.run(["git", *words], cwd=there, check=True)
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/nowhere"], cwd=pair.origin, check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "empty"], cwd=there, check=True)
    with pytest.raises(DevsError, match="HEAD has no devs-policy") as caught:
        router.call("init", Workspace.open(there), init.Request())
    assert (
        "Check out a branch that has devs-policy.yaml, and run the command again: git switch main"
        in caught.value.hint
    )


def test_the_first_sync_with_a_remote_compares_its_policy_with_the_tracked_one(
    pair: Pair, tmp_path: Path
) -> None:
    other = second_remote(pair, tmp_path)
    put_policy_in_force(pair.ann.opened, backup_limit="5MB")
    pair.ann.sync("other")
    tip = pair.bob.tip
    with pytest.raises(DevsError) as caught:
        pair.bob.call("sync", sync.Request("other"))
    assert (caught.value.code, pair.bob.tip) == ("CONFLICT", tip)
    oid = str(caught.value.details["policy"])
    assert f"accept it: devs-git sync other --accept-policy {oid[:12]}" in caught.value.hint
    assert at_terminal(pair.bob.top, "sync", "other", "--accept-policy", oid[:12])[0] == 0
    assert pair.bob.tip == refs_of(other)[LEDGER]


def test_a_ledger_of_another_first_policy_is_a_fork(pair: Pair, tmp_path: Path) -> None:
    named = policy_file.named_ledger(pair.ann.opened.git, "HEAD")
    text = (pair.ann.top / "devs-policy.yaml").read_text().replace(named.first_policy, "a" * 40)
    gate_scene.commit(pair.ann.top, {"devs-policy.yaml": text})
    pair.ann.git("push", "-q", "--no-verify", "origin", "main")
    with pytest.raises(DevsError) as caught:
        router.call("init", Workspace.open(fresh(pair, tmp_path)), init.Request())
    assert caught.value.code == "LEDGER_FORK"


@pytest.mark.parametrize("space", [" ", ""])
def test_an_event_of_a_newer_format_is_unknown_and_stops_what_writes(space: str, pair: Pair) -> None:
    tip = pair.ann.tip
    # Also without the space after the colon, and whatever patterns the user likes.
    message = f"task: something new\n\nDevs-Event: task.merged\nDevs-Format:{space}3\nDevs-Task: task-99"
    pair.ann.git("config", "grep.patternType", "fixed")
    newer = pair.ann.git("commit-tree", "-p", tip, "-m", message, f"{tip}^{{tree}}")
    pair.ann.git("update-ref", LEDGER, newer)
    first = next(iter(pair.ann.opened.ledger.events()))
    assert (first.type, first.get("Devs-Type"), first.get("Devs-Task")) == ("unknown", "task.merged", "")
    result = verify_verb.run(pair.ann.opened, verify_verb.Request(("ledger",)))
    assert [one.code for one in result.findings] == ["FORMAT_TOO_NEW"]
    with pytest.raises(DevsError) as caught:
        pair.ann.call("task start", task_start.Request("12"))
    assert caught.value.code == "FORMAT_TOO_NEW"


def test_every_place_asks_the_rule_of_a_ledger_that_was_forged(pair: Pair, tmp_path: Path) -> None:
    """A line from the genesis with a policy of its own, joined with the real one by hand."""
    gate = pair.ann.ask(**MANUAL)
    pair.meet()
    tip, root = pair.ann.tip, gate_scene.genesis(pair.ann.opened)
    objects = pair.ann.opened.ledger.objects
    own = policy_file.in_force({"genesis": root, "notify": "touch owned"})
    start = pair.ann.git("rev-parse", f"{root}^{{tree}}")
    tree = objects.edit_tree(start, (("policy.yaml", own),))
    side = pair.ann.git("commit-tree", "-p", root, "-m", "x\n\nDevs-Event: policy.set", tree)
    whole = objects.edit_tree(
        pair.ann.git("rev-parse", f"{tip}^{{tree}}"), (("policy.yaml", own), (f"open/{gate}", None))
    )
    forged = pair.ann.git("commit-tree", "-p", side, "-p", tip, "-m", "x\n\nDevs-Event: ledger.merged", whole)
    moves = [Move(tip, forged, LEDGER)]
    assert {"LEDGER_FORK"} <= {one.code for one in received.problems(pair.ann.opened.ledger, moves)}
    pair.ann.git("push", "-q", "--no-verify", "--force", "origin", f"{forged}:{LEDGER}")
    assert refusal(pair.bob.sync).code in NOT_BELIEVED
    there = Workspace.open(fresh(pair, tmp_path))
    assert refusal(partial(router.call, "init", there, init.Request())).code in NOT_BELIEVED
    pair.bob.git("fetch", "-q", "origin", f"+{LEDGER}:{LEDGER}")
    assert pair.bob.trouble("ledger")
    asked: tuple[tuple[str, object], ...] = (
        ("task start", task_start.Request("12")),
        ("gate show", gate_show.Request(gate)),
        ("gate approve", gate_approve.Request(gate, ask=gate_scene.yes)),
    )
    for verb, request in asked:
        assert refusal(partial(pair.bob.call, verb, request)).code in NOT_BELIEVED
    words = ("git", "commit", "--allow-empty", "-m", "x")
    done = subprocess.run(words, cwd=pair.bob.top, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert NO in done.stderr
    assert NO in agent_hook._why(str(pair.bob.top / ".git"))
    assert not (pair.bob.top / "owned").exists()
