"""The siblings of the forgeries in `test_who_is_believed`: each point of the rule, broken by an event of its own."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    gate_approve,
    gate_list,
    gate_request,
    gate_show,
    gate_wait,
    init,
    status,
    task_start,
)
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger import devs_folder
from devs_git.storage.ledger.gate_files import decision_path, marker_path, request_path, signature_path
from devs_git.workspace import Workspace
from tests.attacks.test_who_is_believed import (
    SET,
    Keys,
    approved,
    codes,
    entries_of,
    everywhere,
    joined,
    policy_text,
    raw_event,
    raw_tree,
    rotated,
)
from tests.support.attacker import codes_in, must_fail, on_top
from tests.support.gate_scene import BLOCKER, NEW, ask, commit, genesis, in_force, recorded_request
from tests.support.git_calls import git
from tests.support.ledgers import put_policy_in_force
from tests.support.refusals import refusal

GATE = "1b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"


def request(kind: str = "MANUAL", **more: Any) -> str:
    """A request of gate GATE."""
    record = {
        "gate_id": GATE,
        "gate_type": kind,
        "agent_id": None,
        "task_id": None,
        "blocker_description": BLOCKER,
        **more,
        "created_at": "2001-02-03T04:05:06.000Z",
        "branch": None,
        "git_head": None,
        "heads": {},
    }
    return yaml_documents.dump(record, "gate-request").decode()


def asking(parent: str, kind: str = "MANUAL", **more: Any) -> str:
    """An event that asks gate GATE."""
    files = ((request_path(GATE), request(kind, **more)), (marker_path(GATE), f"{kind}\n"))
    return on_top(*files, parent=parent)


def two_approvers(workspace: Workspace, keys: Keys) -> str:
    """Ada and Grace approve, signed, and gate GATE is open; the tip."""
    rows = [(name, keys[key].public) for name, key in (("ada", "ada"), ("grace", "bot"))]
    listed = [{"principal": f"{name}@example.org", "key": key} for name, key in rows]
    in_force(workspace, approvers=listed, approval={"minimum": "signed"})
    tip = asking(workspace.ledger.tip().oid)
    git("update-ref", LEDGER, tip)
    return tip


@pytest.mark.quick
def test_a_gate_asked_after_a_key_was_revoked_copied_to_an_older_line_and_decided_there_with_that_key(
    signed: Workspace, keys: Keys
) -> None:
    before, after = rotated(signed, keys)
    asked = asking(after)
    copied = asking(before)
    said = approved(signed, GATE, "ada", keys["ada"], copied)
    side = on_top(*said, parent=copied)
    assert "LEDGER_MUTATED" in codes(on_top(*said, parent=asked, also=side), old=asked)
    first = joined(side, asked, on_top(*said, parent=asked))
    assert "LEDGER_MUTATED" in everywhere(first, old=asked)


def test_a_policy_approved_by_a_revoked_key_on_a_line_from_before_the_revocation(
    signed: Workspace, keys: Keys
) -> None:
    before, after = rotated(signed, keys)
    text = policy_text(signed, ("eve", keys["rogue"]))
    asked = asking(
        before,
        "POLICY_CHANGE",
        proposed_policy=text,
        policy_before=git("rev-parse", f"{before}:policy.yaml"),
    )
    side = on_top(
        *approved(signed, GATE, "ada", keys["ada"], asked), ("policy.yaml", text), parent=asked, message=SET
    )
    assert codes(side, old=before) == set()
    assert "LEDGER_ROLLBACK" in codes(joined(side, after, side), old=after)
    merge = on_top(("policy.yaml", text), parent=after, also=side)
    assert "LEDGER_MUTATED" in everywhere(merge, old=after)


def test_a_decision_replaced_by_another_approvers_decision_on_an_older_line(
    signed: Workspace, keys: Keys
) -> None:
    before = two_approvers(signed, keys)
    ours = on_top(*approved(signed, GATE, "ada", keys["ada"], before), parent=before)
    theirs = on_top(*approved(signed, GATE, "grace", keys["bot"], before), parent=before)
    blobs = [f"{ours}:{path(GATE)}" for path in (decision_path, signature_path)]
    aside = f"superseded/{git('rev-parse', blobs[0])}"
    files = [
        (name, git("cat-file", "blob", blob) + "\n")
        for name, blob in zip((aside, f"{aside}.sig"), blobs, strict=True)
    ]
    merge = on_top(*files, parent=theirs, also=ours)
    assert codes(merge, old=before) == set()
    git("update-ref", LEDGER, ours)
    assert Workspace.open().policy.approvers
    assert everywhere(merge, old=ours) == {"LEDGER_ROLLBACK"}


def test_a_merge_that_closes_an_open_gate_or_drops_what_was_superseded(signed: Workspace, keys: Keys) -> None:
    tip = two_approvers(signed, keys)
    side = on_top(("tasks/task-1/1.yaml", "task_id: task-1\n"), parent=tip)
    more = on_top(("tasks/task-2/1.yaml", "task_id: task-2\n"), parent=tip)
    closed = on_top(
        (marker_path(GATE), None), ("tasks/task-1/1.yaml", "task_id: task-1\n"), parent=more, also=side
    )
    assert everywhere(closed, old=more) == {"LEDGER_MUTATED"}
    ours = on_top(*approved(signed, GATE, "ada", keys["ada"], tip), parent=tip)
    theirs = on_top(*approved(signed, GATE, "grace", keys["bot"], tip), parent=tip)
    assert everywhere(joined(ours, theirs, ours), old=ours) == {"LEDGER_MUTATED"}


def test_a_merge_of_three_lines(signed: Workspace) -> None:
    tip = signed.ledger.tip().oid
    sides = [on_top((f"tasks/task-{n}/1.yaml", "x: 1\n"), parent=tip) for n in (1, 2)]
    parents = [word for one in (tip, *sides) for word in ("-p", one)]
    merge = git("commit-tree", *parents, "-m", "x\n\nDevs-Event: ledger.merged", f"{tip}^{{tree}}")
    assert "LEDGER_MUTATED" in everywhere(merge, old=tip)


def test_a_gate_asked_before_the_first_policy(signed: Workspace) -> None:
    tip = signed.ledger.tip().oid
    side = asking(genesis(signed))
    files = ((request_path(GATE), request()), (marker_path(GATE), "MANUAL\n"))
    assert "LEDGER_MUTATED" in everywhere(on_top(*files, parent=tip, also=side), old=tip)


def test_the_policy_taken_out_of_the_ledger(signed: Workspace) -> None:
    """Without a policy anybody could decide."""
    tip = signed.ledger.tip().oid
    assert "LEDGER_MUTATED" in everywhere(on_top(("policy.yaml", None), parent=tip), old=tip)


def test_an_event_that_claims_a_newer_format(signed: Workspace, keys: Keys) -> None:
    """A format chooses the reader of an event, never the rule."""
    tip = signed.ledger.tip().oid
    own = policy_text(signed, ("eve", keys["rogue"]))
    message = f"{SET}\nDevs-Format: 3"
    told = everywhere(on_top(("policy.yaml", own), parent=tip, message=message), old=tip)
    assert told == {"FORMAT_TOO_NEW", "POLICY_INVALID"}


def test_an_approver_with_the_key_of_whoever_asks(signed: Workspace, keys: Keys) -> None:
    rows = [{"principal": name, "key": keys["ada"].public} for name in ("ada@example.org", "ida@example.org")]
    in_force(signed, approvers=rows, approval={"minimum": "signed"})
    gate_id = ask(signed, kind="MANUAL", requested_by="ida@example.org")
    approve = gate_approve.Request(gate_id, sign=True, key=str(keys["ada"].path))
    assert refusal(lambda: gate_approve.run(signed, approve)).code == "SELF_APPROVAL"
    tip = signed.ledger.tip().oid
    said = approved(signed, gate_id, "ada", keys["ada"], tip)
    assert "SELF_APPROVAL" in everywhere(on_top(*said, parent=tip), old=tip)


def test_a_change_that_names_another_ledger_in_the_tracked_policy(initialised: Path, tmp_path: Path) -> None:
    """The base of the range says which ledger it is, and a server's default branch."""
    workspace, base = Workspace.open(), git("rev-parse", "HEAD")
    own = on_top(("policy.yaml", "x: 1\n"), parent=genesis(workspace), message=SET)
    named = git("cat-file", "blob", "HEAD:devs-policy.yaml")
    first = next(line for line in named.split("\n") if line.startswith("first_policy"))
    git("init", "-q", "--bare", "-b", "main", str(tmp_path / "server.git"))
    router.call("init", Workspace.open(tmp_path / "server.git"), init.Request(server=True))
    git("push", "-q", "--no-verify", "../server.git", "main", LEDGER)
    commit(initialised, {"devs-policy.yaml": named.replace(first, f"first_policy: '{own}'") + "\n"})
    must_fail("LEDGER_FORK", "push", "--no-verify", "../server.git", "main")
    git("remote", "add", "origin", "../server.git")
    git("fetch", "-q", "origin")
    git("remote", "set-head", "origin", "main")
    git("update-ref", LEDGER, own)
    assert "LEDGER_FORK" in codes_in("ledger", range=f"{base}..HEAD")
    assert "LEDGER_FORK" in codes_in("ledger")
    assert "LEDGER_FORK" in codes_in("ledger", range=f"{'0' * 40}..HEAD")


def test_a_gate_asked_and_taken_out_again_between_two_plain_fetches(signed: Workspace) -> None:
    """The two ends look alike."""
    tip = signed.ledger.tip().oid
    asked = asking(tip)
    gone = on_top((request_path(GATE), None), (marker_path(GATE), None), parent=asked)
    assert everywhere(gone, old=tip) == {"LEDGER_MUTATED"}


def test_a_forged_answer_that_a_plain_fetch_brings_to_an_agent_who_waits(
    signed: Workspace, keys: Keys
) -> None:
    gate_id = ask(signed, kind="MANUAL")
    tip = signed.ledger.tip().oid
    git("update-ref", LEDGER, on_top(*approved(signed, gate_id, "ada", keys["rogue"], tip), parent=tip))
    for verb, question in (
        ("gate wait", gate_wait.Request(gate_id, timeout=0)),
        ("gate list", gate_list.Request()),
        ("gate show", gate_show.Request(gate_id)),
    ):
        assert refusal(partial(router.call, verb, Workspace.open(), question)).code == "UNKNOWN_SIGNER"


def test_a_gate_that_shows_one_text_and_has_another_signed(signed: Workspace) -> None:
    gate_id = ask(signed, text=NEW)
    tip = signed.ledger.tip().oid
    shown = git("cat-file", "blob", f"{tip}:{request_path(gate_id)}") + "\n"
    after = recorded_request(signed, gate_id)["tas_after"]
    for other in (f"'{'a' * 40}'", "null"):
        bent = shown.replace(gate_id, GATE).replace(f'tas_after: "{after}"', f"tas_after: {other}")
        assert bent.count(after) == 0
        files = ((request_path(GATE), bent), (marker_path(GATE), "TAS_REVISION\n"))
        side = on_top(*files, parent=tip)
        assert everywhere(side, old=tip) == {"LEDGER_MUTATED"}
        look = gate_show.Request(GATE)
        assert refusal(partial(router.call, "gate show", Workspace.open(), look)).code == "LEDGER_MUTATED"
        git("update-ref", LEDGER, tip)


def test_a_policy_that_only_a_change_tracks_with_a_ledger_to_match(initialised: Path) -> None:
    """The default branch has none; whoever runs `init` on the change would run a command of its policy later."""
    put_policy_in_force(Workspace.open(), notify="touch owned")
    named = (initialised / "devs-policy.yaml").read_text() + "notify: touch owned\n"
    git("branch", "-q", "-f", "mine", "HEAD~1")
    git("checkout", "-q", "-b", "change")
    commit(initialised, {"devs-policy.yaml": named})
    git("branch", "-q", "-f", "main", "mine")
    git("symbolic-ref", "HEAD", "refs/heads/main")
    # A clone of the change alone does not know which branch is the remote's default, and asks.
    for name, words in (("fresh", ()), ("single", ("--single-branch", "-b", "change"))):
        git("clone", "-q", *words, str(initialised), f"../{name}")
        top = initialised.parent / name
        git("checkout", "-q", "change", where=top)
        assert "notify" in (top / "devs-policy.yaml").read_text()
        assert refusal(partial(router.call, "init", Workspace.open(top), init.Request())).code == "CONFLICT"
        assert not Workspace.open(top).ledger.tip().oid
        git("fetch", "-q", "origin", f"{LEDGER}:{LEDGER}", where=top)
        question = gate_request.Request(gate_type="MANUAL", blocker_description=BLOCKER)
        assert refusal(partial(router.call, "gate request", Workspace.open(top), question)).code == "CONFLICT"
        assert refusal(partial(router.call, "init", Workspace.open(top), init.Request())).code == "CONFLICT"
        assert not (top / "owned").exists()
    # Of several remotes none is the one that it was cloned from, as far as anybody can tell.
    git("remote", "rename", "origin", "one", where=top)
    git("remote", "add", "two", str(initialised), where=top)
    git("branch", "--unset-upstream", where=top)
    assert refusal(partial(router.call, "gate request", Workspace.open(top), question)).code == "CONFLICT"
    assert refusal(partial(router.call, "init", Workspace.open(top), init.Request())).code == "CONFLICT"
    assert not (top / "owned").exists()


def test_a_name_in_the_ledgers_tree_that_leads_out_of_the_view(initialised: Path) -> None:
    """The view is written from the tree: one entry `../.git/config` was written there."""
    tip = git("rev-parse", LEDGER)
    blob = git("rev-parse", f"{tip}:README.md")
    below = raw_tree(("100644", "../../.git/planted", blob))
    up = raw_tree(("40000", ".git", raw_tree(("100644", "planted", blob))))
    for entry in (
        ("100644", "../.git/planted", blob),
        ("40000", "..", up),
        ("40000", "tasks", below),
        ("40000", "tasks", raw_tree(("40000", "..", up))),
    ):
        event = raw_event(tip, *sorted((*entries_of(tip), entry), key=lambda one: one[1]))
        assert "LEDGER_MUTATED" in everywhere(event, old=tip)
        start = partial(router.call, "task start", Workspace.open(), task_start.Request("12"))
        assert refusal(start).code == "LEDGER_MUTATED"
        router.call("status", Workspace.open(), status.Request())
        with suppress(DevsError):
            devs_folder.refresh(Workspace.open().places, Workspace.open().ledger)
        assert not list(initialised.rglob("planted"))
        git("update-ref", LEDGER, tip)
