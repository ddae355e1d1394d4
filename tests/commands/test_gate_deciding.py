"""Unsigned decisions: who may, what is asked, what is written, and what meets a second one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_reject, gate_show, verify
from devs_git.entrypoints import router
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support.gate_scene import BLOCKER, approve, ask, commit, decision, in_force, yes
from tests.support.refusals import refusal
from tests.support.terminal_person import at_terminal

Approve = gate_approve.Request
Reject = gate_reject.Request
UNKNOWN = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"


@pytest.mark.quick
def test_a_decision_holds_what_was_decided_on_and_by_whom(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    done = approve(ledgered, gate_id, reason="As we said.")
    written = decision(ledgered, gate_id)
    assert (done.status, done.approval, done.reviewer_id) == ("APPROVED", "unsigned", "ada@example.org")
    assert written == {
        "gate_id": gate_id,
        "decision": "APPROVED",
        "resolution_reason": "As we said.",
        "reviewer_id": "ada@example.org",
        "resolved_at": done.resolved_at,
        "approval": "unsigned",
        "request": ledgered.store_git.text(
            "rev-parse", f"refs/heads/devs/ledger:gates/{gate_id}/request.yaml"
        ),
        "tas_before": None,
        "tas_after": None,
        "nonce": written["nonce"],
    }
    assert len(written["nonce"]) == 32
    assert ledgered.ledger.open_gates() == ()
    event = next(ledgered.ledger.events())
    assert (event.type, event.get("Devs-Gate"), event.get("Devs-Decision")) == (
        "gate.resolved",
        gate_id,
        "APPROVED",
    )
    assert (event.get("Devs-Approval"), event.get("Devs-Event-Name")) == ("unsigned", "GATE_RESOLVED")


def test_a_gate_that_nobody_asked_for_is_not_found(ledgered: Workspace) -> None:
    for request in (Approve(UNKNOWN, ask=yes), Reject(UNKNOWN, "no", ask=yes), gate_show.Request(UNKNOWN)):
        module = sys.modules[type(request).__module__]
        error = refusal(lambda module=module, request=request: module.run(ledgered, request))  # type: ignore[misc]
        assert (error.code, error.details) == ("GATE_NOT_FOUND", {"gate_id": UNKNOWN})


@pytest.mark.parametrize("text", ["../x", "--help", "", "a/b", "a\nb", "a..b", "x" * 65, ".", "é"])
def test_what_looks_like_a_path_or_an_option_is_no_gate_id(text: str) -> None:
    assert refusal(lambda: Approve(text)).details == {"field": "gate_id"}
    assert refusal(lambda: gate_show.Request(text)).details == {"field": "gate_id"}


@pytest.mark.parametrize("first", ["APPROVED", "REJECTED"])
def test_a_gate_is_decided_once(first: str, ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    if first == "APPROVED":
        approve(ledgered, gate_id)
    else:
        gate_reject.run(ledgered, Reject(gate_id, "Not now.", ask=yes))
    before = ledgered.ledger.tip().oid
    assert refusal(lambda: approve(ledgered, gate_id)).code == "GATE_ALREADY_RESOLVED"
    again = Reject(gate_id, "No.")  # resolved is told before that a terminal is missing
    assert refusal(lambda: gate_reject.run(ledgered, again)).code == "GATE_ALREADY_RESOLVED"
    assert ledgered.ledger.tip().oid == before
    assert gate_files.find(ledgered.ledger.tip(), gate_id).status == first


def test_a_gate_that_was_decided_while_the_person_thought_is_not_decided_again(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)

    def slowly(_text: str) -> None:
        gate_reject.run(ledgered, Reject(gate_id, "No.", ask=yes))

    assert refusal(lambda: approve(ledgered, gate_id, ask=slowly)).code == "GATE_ALREADY_RESOLVED"
    assert decision(ledgered, gate_id)["decision"] == "REJECTED"


@pytest.mark.parametrize("reason", ["", "   ", "\u200b", "no\x1b[2J", "no\u202e", "x" * 2001])
def test_a_rejection_needs_a_reason_that_can_be_read(reason: str) -> None:
    assert refusal(lambda: Reject(UNKNOWN, reason)).details == {"field": "reason"}


def test_a_rejection_reaches_the_agent_and_touches_no_file(ledgered: Workspace) -> None:
    head = commit(ledgered.top, {"TAS.md": "# TAS\n"})
    gate_id = ask(ledgered, text="# TAS\n\nnew\n")
    gate_reject.run(ledgered, Reject(gate_id, "Use the old format.", ask=yes))
    shown = gate_show.run(ledgered, gate_show.Request(gate_id))
    assert (shown.status, shown.resolution_reason) == ("REJECTED", "Use the old format.")
    assert ledgered.git.text("rev-parse", "HEAD") == head
    assert ledgered.git.text("status", "--porcelain") == ""


def test_a_status_in_a_file_of_the_view_decides_nothing(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    folder = ledgered.top / ".devs" / "gates" / gate_id
    folder.mkdir(parents=True)
    (folder / "decision.yaml").write_text("status: APPROVED\ndecision: APPROVED\n")
    found = gate_files.find(ledgered.ledger.tip(), gate_id)
    assert (found.status, ledgered.ledger.open_gates()) == ("PENDING_APPROVAL", (gate_id,))


def forge(workspace: Workspace, gate_id: str, text: str) -> None:
    """Write a decision into the ledger as somebody with git alone could."""
    from devs_git.domain.ledger.events import Draft, Event

    event = Event("gate.resolved", "gate: approved", (("Devs-Gate", gate_id),))
    files = ((gate_files.decision_path(gate_id), text.encode()), (gate_files.marker_path(gate_id), None))
    workspace.append(lambda _tip: Draft(event, files))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "text",
    [
        "status: APPROVED\n",
        "decision: APPROVED\n",
        "decision: REJECTED\ndecision: APPROVED\n",
        "not yaml: [\n",
        "",
    ],
)
def test_a_decision_that_is_none_leaves_the_gate_pending(text: str, ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    forge(ledgered, gate_id, text)
    shown = gate_show.run(ledgered, gate_show.Request(gate_id))
    assert shown.status == "PENDING_APPROVAL"
    assert any("does not count" in note for note in shown.notes)
    assert refusal(lambda: approve(ledgered, gate_id)).code == "LEDGER_MUTATED"


def test_a_decision_on_another_gate_or_text_decides_nothing(ledgered: Workspace) -> None:
    from devs_git.storage.documents import yaml_documents

    first = ask(ledgered, kind="MANUAL")
    approve(ledgered, first)
    second = ask(ledgered, kind="MANUAL")
    taken = decision(ledgered, first)
    forge(ledgered, second, yaml_documents.dump(taken, "decision").decode())
    assert gate_files.find(ledgered.ledger.tip(), second).flaw == "REPLAYED"
    third = ask(ledgered, kind="MANUAL")
    forge(ledgered, third, yaml_documents.dump(taken | {"gate_id": third}, "decision").decode())
    assert gate_files.find(ledgered.ledger.tip(), third).flaw == "STALE_REQUEST"


@pytest.mark.quick
def test_without_a_terminal_an_unsigned_decision_is_refused(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    before = ledgered.ledger.tip().oid
    assert refusal(lambda: approve(ledgered, gate_id, ask=None)).code == "TERMINAL_REQUIRED"
    assert refusal(lambda: gate_reject.run(ledgered, Reject(gate_id, "No."))).code == "TERMINAL_REQUIRED"
    assert ledgered.ledger.tip().oid == before


@pytest.mark.quick
@pytest.mark.parametrize("variable", ["CLAUDECODE", "AI_AGENT"])
def test_in_an_agents_environment_nobody_is_asked(
    variable: str, ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate_id = ask(ledgered)
    monkeypatch.setenv(variable, "1")
    asked: list[str] = []
    error = refusal(lambda: approve(Workspace.open(ledgered.top), gate_id, ask=asked.append))
    assert (error.code, error.details, asked) == ("TERMINAL_REQUIRED", {"variable": variable}, [])


def test_one_approver_named_means_that_others_do_not_count(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[{"principal": "bob@example.org"}])
    gate_id = ask(ledgered)
    asked: list[str] = []
    assert refusal(lambda: approve(ledgered, gate_id, ask=asked.append)).code == "UNKNOWN_SIGNER"
    assert asked == []
    ledgered.git.run("config", "user.email", "bob@example.org")
    assert approve(Workspace.open(ledgered.top), gate_id).reviewer_id == "bob@example.org"


def test_where_signed_is_the_least_an_unsigned_decision_is_refused(ledgered: Workspace) -> None:
    approver = {"principal": "ada@example.org", "key": "ssh-ed25519 AAAA"}
    in_force(ledgered, approvers=[approver], approval={"minimum": "signed"})
    gate_id = ask(ledgered)
    assert refusal(lambda: approve(ledgered, gate_id)).code == "BAD_SIGNATURE"
    assert refusal(lambda: approve(ledgered, gate_id, ask=None)).code == "BAD_SIGNATURE"


@pytest.mark.quick
@pytest.mark.parametrize("how", ["requested by", "an agent's"])
def test_nobody_approves_for_themselves(how: str, ledgered: Workspace) -> None:
    more: dict[str, Any] = {}
    if how == "requested by":
        more["requested_by"] = "ada@example.org"
    else:
        in_force(
            ledgered, agents=[{"principal": "ada@example.org"}], approvers=[{"principal": "ada@example.org"}]
        )
    gate_id = ask(ledgered, **more)
    error = refusal(lambda: approve(ledgered, gate_id))
    assert error.code == "SELF_APPROVAL"
    reason, other = {
        "requested by": ("they asked for this", "Another person"),
        "an agent's": ("this is an agent", "Another approver"),
    }[how]
    assert error.message == f"ada@example.org may not decide: {reason}."
    assert error.hint == f"{other} must decide."


def test_who_asked_and_is_no_approver_is_told_that_an_approver_decides(ledgered: Workspace) -> None:
    in_force(ledgered, approvers=[{"principal": "eve@example.org"}])
    gate_id = ask(ledgered, requested_by="ada@example.org")
    assert refusal(lambda: approve(ledgered, gate_id)).hint == "An approver must decide."


@pytest.mark.quick
def test_the_question_is_put_once_and_only_y_is_yes(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    for typed in ("\n", "yes please\n", "\x04"):
        status, shown = at_terminal(ledgered.top, "gate", "approve", gate_id, "--yes", typed=typed)
        assert status == 130, shown
        assert shown.count("[y/N]") == 1
        assert "You did not answer yes. Nothing was done." in shown
    assert ledgered.ledger.open_gates() == (gate_id,)
    status, shown = at_terminal(ledgered.top, "gate", "approve", gate_id, typed="y\n")
    assert status == 0
    assert BLOCKER in shown
    assert "unsigned" in shown


def test_the_limit_an_agent_with_a_shell_can_fake_a_terminal(ledgered: Workspace) -> None:
    """This test types for nobody: so can an agent. Only a signature with a key out of its reach proves a person."""
    gate_id = ask(ledgered)
    status, _ = at_terminal(ledgered.top, "gate", "approve", gate_id, typed="y\n")
    assert status == 0
    assert decision(ledgered, gate_id)["approval"] == "unsigned"
    found = verify.run(ledgered, verify.Request(("ledger",), require="signed")).findings
    assert [one.code for one in found] == ["BAD_SIGNATURE"]
    for page in ("README.md", "docs/gates.md", "docs/security.md"):
        text = " ".join((Path(__file__).parents[2] / page).read_text(encoding="utf-8").split())
        assert "an agent with a shell can fake a terminal" in text.lower(), page


def test_without_an_approver_doctor_and_show_say_who_counts(ledgered: Workspace) -> None:
    from devs_git.commands import doctor
    from devs_git.commands.init import Request as Init

    router.call("init", ledgered, Init())
    commit(ledgered.top, {"x": "x"})
    gate_id = ask(ledgered)
    told = "The policy names no approver yet"
    assert any(told in note for note in gate_show.run(ledgered, gate_show.Request(gate_id)).notes)
    assert any(told in note for note in doctor.run(Workspace.open(ledgered.top), doctor.Request()).notes)
