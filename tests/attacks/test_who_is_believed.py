"""Ledgers whose author chooses the policy that judges him: who refuses them, and with which word."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_request
from devs_git.domain.audit.push_rules import Move
from devs_git.domain.gates import signed_decision
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import policy_file, received
from devs_git.storage.ledger.gate_files import decision_path, marker_path, request_path, signature_path
from devs_git.workspace import Workspace
from tests.commands.test_verify_gates import forged
from tests.support.attacker import codes_in, on_top
from tests.support.gate_scene import BLOCKER, Key, ask, genesis
from tests.support.git_calls import git
from tests.support.ledgers import first_policy, put_policy_in_force
from tests.support.refusals import refusal

Keys = dict[str, Key]
SET = "policy: set\n\nDevs-Event: policy.set"


def codes(new: str, *, old: str = "") -> set[str]:
    """What a server says of a push of this ledger; `old` is what it has, the first policy's ledger if not said."""
    ledger = Workspace.open().ledger
    return {found.code for found in received.problems(ledger, [Move(old or begun(), new, LEDGER)])}


def begun() -> str:
    return first_policy(Workspace.open())


def everywhere(new: str, *, old: str = "") -> set[str]:
    """The same, and `verify`, and a verb that asks for the policy, after a plain fetch brought this ledger here."""
    told = codes(new, old=old)
    git("update-ref", LEDGER, new)
    assert told & codes_in("ledger") or told == {"LEDGER_ROLLBACK"}
    with pytest.raises(Exception, match="cannot be trusted") as caught:
        _ = Workspace.open().policy
    assert getattr(caught.value, "code", "") in told
    return told


def joined(first: str, second: str, like: str) -> str:
    """A merge of two ledgers with the tree of `like`."""
    tree = git("rev-parse", f"{like}^{{tree}}")
    return git("commit-tree", "-p", first, "-p", second, "-m", "sync\n\nDevs-Event: ledger.merged", tree)


def policy_text(workspace: Workspace, *people: tuple[str, Key], **more: Any) -> str:
    rows = [{"principal": f"{name}@example.org", "key": key.public} for name, key in people]
    record = {"genesis": genesis(workspace), "approvers": rows, "approval": {"minimum": "signed"}, **more}
    return policy_file.in_force(record).decode()


def approved(
    workspace: Workspace, gate_id: str, who: str, key: Key, tip: str = LEDGER
) -> list[tuple[str, str | None]]:
    """The files of a decision on a gate that is open at `tip`, signed by `key`."""
    where = workspace.ledger.tree_of(git("rev-parse", tip))
    request = workspace.ledger.list_path(where, f"gates/{gate_id}")["request.yaml"].oid
    nonce = "1" * 32
    record = forged_at(gate_id, request, who, nonce)
    said = signed_decision.of_record(record, genesis(workspace)).canonical()
    return [
        (decision_path(gate_id), yaml_documents.dump(record, "decision").decode()),
        (signature_path(gate_id), key.sign(said).decode()),
        (marker_path(gate_id), None),
    ]


def forged_at(gate_id: str, request: str, who: str, nonce: str) -> dict[str, Any]:
    return {
        "gate_id": gate_id,
        "decision": "APPROVED",
        "resolution_reason": None,
        "reviewer_id": f"{who}@example.org",
        "resolved_at": "2001-02-03T04:05:06.789Z",
        "approval": "signed",
        "request": request,
        "tas_before": None,
        "tas_after": None,
        "nonce": nonce,
    }


@pytest.mark.quick
def test_an_attackers_policy_on_a_line_from_the_genesis(signed: Workspace, keys: Keys) -> None:
    ask(signed, kind="MANUAL")
    tip, root = signed.ledger.tip().oid, genesis(signed)
    real = git("rev-parse", f"{tip}:policy.yaml")
    own = policy_text(signed, ("eve", keys["rogue"]), notify="touch /tmp/owned")
    side = on_top(("policy.yaml", own), parent=root, message=SET)
    kept = git("cat-file", "blob", real) + "\n"
    merge = on_top(("policy.yaml", own), (f"superseded/{real}", kept), parent=tip, also=side)
    # The attacker's line as the first parent.
    swapped = joined(side, tip, merge)
    assert {"LEDGER_FORK", "LEDGER_ROLLBACK"} & codes(swapped, old=tip)
    assert "LEDGER_FORK" in everywhere(swapped)


def test_an_open_gate_copied_to_an_attackers_line_and_approved_there(signed: Workspace, keys: Keys) -> None:
    gate_id = ask(signed, kind="MANUAL")
    tip, root = signed.ledger.tip().oid, genesis(signed)
    own = on_top(("policy.yaml", policy_text(signed, ("eve", keys["rogue"]))), parent=root, message=SET)
    request = git("cat-file", "blob", f"{tip}:{request_path(gate_id)}") + "\n"
    copied = on_top((request_path(gate_id), request), (marker_path(gate_id), "MANUAL\n"), parent=own)
    decision = approved(signed, gate_id, "eve", keys["rogue"], copied)
    side = on_top(*decision, parent=copied)
    assert {"LEDGER_MUTATED", "LEDGER_FORK"} <= everywhere(on_top(*decision, parent=tip, also=side))


def test_a_merge_that_puts_an_older_policy_back_in_force(ledgered: Workspace) -> None:
    ask(ledgered, kind="MANUAL")
    side = ledgered.ledger.tip().oid
    older = git("cat-file", "blob", f"{side}:policy.yaml") + "\n"
    put_policy_in_force(ledgered, backup_limit="5MB")
    tip = ledgered.ledger.tip().oid
    other = on_top(("tasks/task-1/1.yaml", "task_id: task-1\n"), parent=side)
    files = (("policy.yaml", older), ("tasks/task-1/1.yaml", "task_id: task-1\n"))
    assert "LEDGER_MUTATED" in everywhere(on_top(*files, parent=tip, also=other))


def rotated(workspace: Workspace, keys: Keys) -> tuple[str, str]:
    """A gate was asked, then the policy with Ada's key gave way to one with Bot's: the tips before and after."""
    ask(workspace, kind="MANUAL")
    before = workspace.ledger.tip().oid
    text = policy_text(workspace, ("grace", keys["bot"]))
    gate_id = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
    request: dict[str, Any] = {
        "gate_id": gate_id,
        "gate_type": "POLICY_CHANGE",
        "agent_id": None,
        "task_id": None,
        "blocker_description": "The key of Ada was stolen.",
        "proposed_policy": text,
        "policy_before": git("rev-parse", f"{before}:policy.yaml"),
        "created_at": "2001-02-03T04:05:06.000Z",
        "branch": None,
        "git_head": None,
        "heads": {},
    }
    data = yaml_documents.dump(request, "gate-request").decode()
    asked = on_top((request_path(gate_id), data), (marker_path(gate_id), "POLICY_CHANGE\n"))
    said = approved(workspace, gate_id, "ada", keys["ada"], asked)
    after = on_top(*said, ("policy.yaml", text), parent=asked, message=SET)
    git("update-ref", LEDGER, after)
    assert codes_in("ledger") == set()
    return before, after


def test_a_revoked_key_decides_on_a_line_from_before_the_revocation(signed: Workspace, keys: Keys) -> None:
    before, after = rotated(signed, keys)
    gate_id = next(name for name in signed.ledger.open_gates() if name[:8] != "0b1c2d3e")
    decision = approved(signed, gate_id, "ada", keys["ada"], before)
    side = on_top(*decision, parent=before)
    assert codes(side, old=before) == set()
    assert codes(on_top(*decision, parent=after, also=side), old=after) == {"LEDGER_MUTATED"}
    first = joined(side, after, on_top(*decision, parent=after))
    assert "LEDGER_MUTATED" in everywhere(first, old=after)


def test_a_gate_asked_with_other_words_on_another_line(signed: Workspace) -> None:
    before = signed.ledger.tip().oid
    gate_id = ask(signed, kind="MANUAL")
    tip = signed.ledger.tip().oid
    words = git("cat-file", "blob", f"{tip}:{request_path(gate_id)}").replace("rules out", "allows")
    path, marker = request_path(gate_id), marker_path(gate_id)
    side = on_top((path, words + "\n"), (marker, "MANUAL\n"), parent=before)
    assert everywhere(on_top(parent=tip, also=side), old=tip) == {"LEDGER_MUTATED"}


def test_a_forged_merge_inside_one_that_looks_honest(signed: Workspace, keys: Keys) -> None:
    before, after = rotated(signed, keys)
    gate_id = next(name for name in signed.ledger.open_gates() if name[:8] != "0b1c2d3e")
    decision = approved(signed, gate_id, "ada", keys["ada"], before)
    side = on_top(*decision, parent=before)
    inner = joined(side, after, on_top(*decision, parent=after))
    later = on_top(("tasks/task-1/1.yaml", "task_id: task-1\n"), parent=after)
    outer = on_top(*decision, parent=later, also=inner)
    assert "LEDGER_MUTATED" in everywhere(outer, old=after)


def test_a_signed_approval_of_a_policy_taken_to_another_policy(signed: Workspace, keys: Keys) -> None:
    before, after = rotated(signed, keys)
    gate_id = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
    request = git("cat-file", "blob", f"{after}:{request_path(gate_id)}") + "\n"
    other = policy_text(signed, ("ada", keys["ada"]), ("grace", keys["bot"]), backup_limit="5MB")
    changed = on_top(("policy.yaml", other), parent=before, message=SET)
    asked = on_top(
        (request_path(gate_id), request),
        (marker_path(gate_id), "POLICY_CHANGE\n"),
        parent=changed,
    )
    text = git("cat-file", "blob", f"{after}:policy.yaml") + "\n"
    said = approved(signed, gate_id, "ada", keys["ada"], asked)
    replayed = on_top(*said, ("policy.yaml", text), parent=asked, message=SET)
    assert "POLICY_INVALID" in everywhere(replayed, old=before)


def test_one_person_who_asks_under_another_spelling_of_the_name(signed: Workspace, keys: Keys) -> None:
    gate_id = ask(signed, kind="MANUAL", requested_by="ADA@example.org")
    approve = gate_approve.Request(gate_id, sign=True, key=str(keys["ada"].path))
    with pytest.raises(Exception, match="may not decide") as caught:
        partial(gate_approve.run, signed, approve)()
    assert getattr(caught.value, "code", "") == "SELF_APPROVAL"
    assert forged(signed, gate_id)["reviewer_id"] == "ada@example.org"


def raw_tree(*entries: tuple[str, str, str]) -> str:
    """A tree of just these entries (mode, name, oid), as git itself would not write them."""
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    words = ("git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    return subprocess.run(words, input=data, capture_output=True, check=True).stdout.decode().strip()


def raw_event(parent: str, *entries: tuple[str, str, str]) -> str:
    return git("commit-tree", "-p", parent, "-m", "x\n\nDevs-Event: x", raw_tree(*entries))


def entries_of(tip: str) -> list[tuple[str, str, str]]:
    rows = (line.replace("\t", " ").split(" ") for line in git("ls-tree", tip).splitlines())
    return [(mode.lstrip("0"), name, oid) for mode, _, oid, name in rows]


def test_an_open_gate_hidden_behind_a_second_entry_of_one_name(signed: Workspace, keys: Keys) -> None:
    """git's look-up takes the first entry, and others the last."""
    ask(signed, kind="MANUAL")
    tip = signed.ledger.tip().oid
    real = entries_of(tip)
    nothing = git("write-tree", env={"GIT_INDEX_FILE": "none"})
    own = signed.objects.write("blob", policy_text(signed, ("eve", keys["rogue"])).encode())
    for name, other in (
        ("open", ("40000", "open", nothing)),
        ("policy.yaml", ("100644", "policy.yaml", own)),
    ):
        for before in (True, False):
            twice = [
                part
                for one in real
                for part in ((one,) if one[1] != name else (other, one) if before else (one, other))
            ]
            assert "LEDGER_MUTATED" in everywhere(raw_event(tip, *twice), old=tip)
            git("update-ref", LEDGER, tip)
    assert "LEDGER_MUTATED" in everywhere(raw_event(tip, *reversed(real)), old=tip)


def test_a_link_or_a_commit_in_the_place_of_a_file_of_the_ledger(signed: Workspace) -> None:
    ask(signed, kind="MANUAL")
    tip = signed.ledger.tip().oid
    for mode, oid in (("120000", ""), ("100755", ""), ("160000", tip)):
        changed = [
            (mode, name, oid or was) if name == "policy.yaml" else (old, name, was)
            for old, name, was in entries_of(tip)
        ]
        assert "LEDGER_MUTATED" in everywhere(raw_event(tip, *changed), old=tip)
        git("update-ref", LEDGER, tip)


def test_a_gate_asked_with_another_gates_request_which_nobody_could_answer(signed: Workspace) -> None:
    gate_id = ask(signed, kind="MANUAL")
    tip = signed.ledger.tip().oid
    request = git("cat-file", "blob", f"{tip}:{request_path(gate_id)}") + "\n"
    other = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
    for name in ("frozen-for-good", other):
        files = ((request_path(name), request), (marker_path(name), "MANUAL\n"))
        assert everywhere(on_top(*files, parent=tip), old=tip) == {"LEDGER_MUTATED"}
        git("update-ref", LEDGER, tip)


def test_an_attackers_ledger_fetched_by_hand_where_nobody_ran_init(initialised: Path, tmp_path: Path) -> None:
    """With a policy that names a command, which must not run on the machine of whoever fetched it."""
    workspace, owned = Workspace.open(), tmp_path / "owned"
    before, root = workspace.ledger.tip().oid, genesis(workspace)
    rules = policy_file.in_force({"genesis": root, "notify": f"touch {owned}"}).decode()
    put_policy_in_force(workspace, notify=f"touch {owned}")
    own = on_top(("policy.yaml", rules), parent=root, message=SET)
    asked = gate_request.Request(gate_type="MANUAL", blocker_description=BLOCKER)
    for tip, code in ((workspace.ledger.tip().oid, "CONFLICT"), (own, "LEDGER_FORK"), (before, "")):
        git("update-ref", "refs/heads/brought", tip)
        top = tmp_path / f"fresh{code}"  # one each, for its reflog is a memory
        git("clone", "-q", str(initialised), f"../{top.name}")
        git("fetch", "-q", "origin", "refs/heads/brought:" + LEDGER, where=top)
        question = partial(router.call, "gate request", Workspace.open(top), asked)
        if code:
            assert refusal(question).code == code
            assert refusal(partial(getattr, Workspace.open(top), "policy")).code == code
        else:
            question()
    assert not owned.exists()
