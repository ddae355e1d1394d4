"""verify reads every document of the ledger strictly, and says what a reviewer wants to know of the tracked policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_reject, verify
from devs_git.domain.audit import record_schemas
from devs_git.domain.ledger.events import Draft, Event
from devs_git.storage.documents import package_files, schemas
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask, commit, genesis, in_force, make_key, yes
from tests.support.ledgers import first_policy

Run = Callable[..., str]


def findings(workspace: Workspace, part: str) -> list[tuple[str, str, str, int]]:
    result = verify.run(Workspace.open(workspace.top), verify.Request((part,)))
    return [(one.code, one.severity, one.file, one.line) for one in result.findings]


def put(workspace: Workspace, path: str, text: str) -> None:
    workspace.append(lambda _tip: Draft(Event("task.started", "by hand", ()), ((path, text.encode()),)))


def _named(workspace: Workspace) -> str:
    return f"genesis: '{genesis(workspace)}'\nfirst_policy: '{first_policy(workspace)}'\n"


@pytest.fixture
def ruled(ledgered: Workspace) -> Workspace:
    """A repository whose tracked policy is in force."""
    in_force(ledgered)
    commit(ledgered.top, {"devs-policy.yaml": _named(ledgered)})
    return ledgered


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("tasks/task-10/1.yaml", "task_id: task-10\ntitle: 10\n", 2),
        ("tasks/task-10/1.yaml", "task_id: task-10\n\ntask_id: task-11\n", 3),
        ("tasks/task-10/1.yaml", "task_id: &x task-10\n", 1),
        ("directives/1.yaml", "text: x\n", 1),
        ("tasks/task-10/1.yaml", "task_id: task-10\n--- \ntask_id: x\n", 2),
    ],
)
def test_a_document_of_the_ledger_that_is_none_is_found_with_its_line(
    path: str, text: str, line: int, ruled: Workspace
) -> None:
    assert findings(ruled, "schemas") == []
    put(ruled, path, text)
    assert findings(ruled, "schemas") == [("LEDGER_MUTATED", "error", f"devs/ledger:{path}", line)]


@pytest.mark.usefixtures("ruled")
def test_every_kind_of_record_has_a_schema_that_asks_for_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {
        path.name.removesuffix(".v1.schema.json") for path in package_files.folder("schemas").glob("*.json")
    }
    assert set(record_schemas.REQUIRED) == there
    rule = {**schemas.schema("decision")}
    rule["required"] = [name for name in rule["required"] if name != "nonce"]
    monkeypatch.setattr(schemas, "schema", lambda noun: rule if noun == "decision" else {})
    told = verify.run(Workspace.open(), verify.Request(("schemas",))).findings
    assert "schemas/decision.v1.schema.json does not require nonce." in [one.message for one in told]
    assert {one.code for one in told} == {"SCHEMA_INVALID"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("genesis: '{genesis}'\napprovers: nobody\n", 2),
        ("genesis: '{other}'\n", 0),
        ("genesis: '{genesis}'\n<<: {{a: b}}\n", 2),
        ("genesis: '{genesis}'\napproval: {{minimum: signed}}\n", 0),
        ("genesis: '{genesis}'\napprovers: [{{principal: architect}}]\n", 0),
        ("genesis: '{genesis}'\napprovers: [{{principal: a}}]\nagents: [{{principal: a}}]\n", 0),
        # One principal in another spelling.
        ("genesis: '{genesis}'\napprovers: [{{principal: A@b}}]\nagents: [{{principal: a@B}}]\n", 0),
        (
            "genesis: '{genesis}'\napprovers: [{{principal: zo\u00eb}}, {{principal: b}}, {{principal: Zoe\u0308}}]\n",
            0,
        ),
    ],
)
def test_a_tracked_policy_that_could_not_be_in_force_is_found(text: str, line: int, ruled: Workspace) -> None:
    commit(ruled.top, {"devs-policy.yaml": text.format(genesis=genesis(ruled), other="a" * 40)})
    assert findings(ruled, "policy") == [("POLICY_INVALID", "error", "devs-policy.yaml", line)]


def test_an_agents_key_among_the_approvers_is_refused_where_it_is_proposed(
    ruled: Workspace, tmp_path: Any
) -> None:
    key = make_key(tmp_path, "bot").public
    kind, blob, _ = key.split()
    # The same bytes, written otherwise.
    listed = f"agents: [{{principal: bot, key: '{kind} {blob}= other'}}]\n"
    text = f"genesis: '{genesis(ruled)}'\napprovers: [{{principal: ada, key: '{key}'}}]\n{listed}"
    commit(ruled.top, {"devs-policy.yaml": text})
    assert findings(ruled, "policy") == [("POLICY_INVALID", "error", "devs-policy.yaml", 0)]
    with pytest.raises(Exception, match="names an agent as approver: ada"):
        ask(ruled, kind="POLICY_CHANGE")


def test_a_tracked_policy_that_is_not_in_force_is_told_until_it_is(ruled: Workspace) -> None:
    assert findings(ruled, "policy") == []
    text = f"{_named(ruled)}backup_limit: 5MB\n"
    commit(ruled.top, {"devs-policy.yaml": text})
    warning = ("POLICY_INVALID", "warning", "devs-policy.yaml", 0)
    assert findings(ruled, "policy") == [warning]
    gate_id = ask(ruled, kind="POLICY_CHANGE")
    told = verify.run(Workspace.open(), verify.Request(("policy",)))
    assert told.ok
    assert gate_id in told.findings[0].message
    gate_approve.run(Workspace.open(), gate_approve.Request(gate_id, ask=lambda _text: None))
    assert findings(ruled, "policy") == []


def test_a_tracked_policy_names_the_first_policy_of_this_ledger(ruled: Workspace) -> None:
    commit(ruled.top, {"devs-policy.yaml": f"genesis: '{genesis(ruled)}'\n"})
    assert findings(ruled, "policy") == [("POLICY_INVALID", "warning", "devs-policy.yaml", 0)]
    commit(ruled.top, {"devs-policy.yaml": f"genesis: '{genesis(ruled)}'\nfirst_policy: '{'a' * 40}'\n"})
    assert ("LEDGER_FORK", "error", "devs-policy.yaml", 0) in findings(ruled, "policy")


def test_a_repository_without_a_tracked_policy_is_told_so(ruled: Workspace, git: Run) -> None:
    git("rm", "-q", "devs-policy.yaml")
    git("commit", "-qm", "no policy")
    assert findings(ruled, "policy") == [("POLICY_INVALID", "warning", "devs-policy.yaml", 0)]


def test_a_policy_that_was_proposed_and_rejected_is_not_said_to_be_proposed_by_nobody(
    ruled: Workspace,
) -> None:
    def said() -> list[str]:
        result = verify.run(Workspace.open(ruled.top), verify.Request(("policy",)))
        return [one.message for one in result.findings]

    commit(ruled.top, {"devs-policy.yaml": _named(ruled) + "backup_limit: 7MB\n"})
    text = "devs-policy.yaml is not the policy in force"
    assert said() == [f"{text}, and nobody proposes it."]
    gate_id = ask(ruled, kind="POLICY_CHANGE")
    assert said() == [f"{text}: gate {gate_id} waits for a decision on it."]
    gate_reject.run(ruled, gate_reject.Request(gate_id, reason="too small", ask=yes))
    assert said() == [f"{text}, and gate {gate_id}, which proposed it, was rejected."]
    commit(ruled.top, {"devs-policy.yaml": _named(ruled) + "backup_limit: 8MB\n"})
    assert said() == [f"{text}, and nobody proposes it."]
