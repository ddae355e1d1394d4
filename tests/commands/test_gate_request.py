"""Asking: what is checked, what is written, and how it may be said."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from devs_git.__main__ import main
from devs_git.commands.gate_request import Request, run
from devs_git.domain.gates import gate_model as gate_rules
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.workspace import Workspace
from tests.support.gate_scene import BLOCKER, WHOLE, recorded_request

CHANGES = WHOLE["proposed_changes"]
Call = Callable[..., tuple[int, Any]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """`call("gate", "list", stdin="…")` with --json: exit status and what was printed."""

    def run_it(*words: str, stdin: str = "") -> tuple[int, Any]:
        monkeypatch.setattr(sys, "argv", ["devs-git", *words, "--json"])
        monkeypatch.setattr(
            sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin.encode()), isatty=lambda: False)
        )
        status = main()
        return status, json.loads(capsys.readouterr().out)

    return run_it


def put(path: str, value: Any) -> dict[str, Any]:
    """WHOLE with the field at `path` replaced, or taken out where `value` is ...."""
    changed = json.loads(json.dumps(WHOLE))
    *above, last = path.split(".")
    inner: Any = changed
    for part in above:
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return dict(changed)


@pytest.mark.quick
def test_a_request_answers_with_its_id_and_that_it_waits(call: Call, ledgered: Workspace) -> None:
    status, answer = call(
        "gate", "request", "--type", "TAS_REVISION", "--agent", "architect", "--task", "10", "--blocker", BLOCKER,
        "--section", "2.3", "--section", "4", "--rationale", CHANGES["rationale"], "--risk", CHANGES["risk_assessment"],
    )  # fmt: skip
    assert (status, set(answer), answer["status"]) == (
        0,
        {"gate_id", "status", "notes"},
        "PENDING_APPROVAL",
    )
    written = recorded_request(ledgered, answer["gate_id"])
    assert {key: written[key] for key in WHOLE} == WHOLE
    head = ledgered.git.text("rev-parse", "HEAD")
    assert (written["branch"], written["git_head"], written["heads"]) == ("main", head, {"main": head})
    assert (written["tas_path"], written["tas_before"], written["tas_after"]) == ("TAS.md", None, None)
    assert datetime.fromisoformat(written["created_at"]).tzinfo
    assert ledgered.ledger.open_gates() == (answer["gate_id"],)


def test_the_event_names_gate_agent_and_task(ledgered: Workspace) -> None:
    gate_id = run(ledgered, Request(**WHOLE)).gate_id
    event = next(ledgered.ledger.events())
    assert (event.type, event.subject) == ("gate.requested", "gate: architect asks to revise TAS 2.3, 4")
    named = {
        "Devs-Gate": gate_id,
        "Devs-Gate-Type": "TAS_REVISION",
        "Devs-Agent": "architect",
        "Devs-Task": "task-10",
    }
    assert {key: event.get(key) for key in named} == named
    assert event.get("Devs-Event-Name") == "HITL_GATE_REQUIRED"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(WHOLE),
        json.dumps(
            {("type" if key == "gate_type" else key): value for key, value in WHOLE.items()}, indent="\t"
        ),
        yaml_documents.dump(WHOLE, "gate-request").decode(),
    ],
    ids=["json", "json with tabs and type", "yaml"],
)
def test_the_whole_request_may_come_on_standard_input(text: str, call: Call, ledgered: Workspace) -> None:
    status, answer = call("gate", "request", "--from", "-", stdin=text)
    assert status == 0
    written = recorded_request(ledgered, answer["gate_id"])
    assert {key: written[key] for key in WHOLE} == WHOLE


def test_a_request_from_a_file_has_the_default_type_and_may_be_given_its_own_again(
    call: Call, ledgered: Workspace
) -> None:
    plain = json.dumps(put("gate_type", ...))
    manual = json.dumps({"blocker_description": BLOCKER})
    for text, words, kind in (
        (manual, ("--type", "MANUAL"), "MANUAL"),
        (json.dumps({"type": "MANUAL", "blocker_description": BLOCKER}), ("--type", "MANUAL"), "MANUAL"),
        (plain, (), "TAS_REVISION"),
    ):
        status, answer = call("gate", "request", "--from", "-", *words, stdin=text)
        assert (status, recorded_request(ledgered, answer["gate_id"])["gate_type"]) == (0, kind)
    before = ledgered.ledger.tip().oid
    for text, words, field in (
        (json.dumps(WHOLE), ("--type", "MANUAL"), "gate_type"),
        (json.dumps(WHOLE | {"gate_type": 7}), ("--type", "MANUAL"), "gate_type"),
        (plain, ("--agent", "architect"), "agent_id"),
        (json.dumps(put("gate_type", ...) | {"gate_type": None}), (), "gate_type"),
    ):
        status, answer = call("gate", "request", "--from", "-", *words, stdin=text)
        assert (status, answer["code"], answer["field"]) == (3, "INVALID_ARGUMENTS", field)
    assert ledgered.ledger.tip().oid == before


def test_a_field_that_no_request_has_is_named_with_its_value_and_those_that_there_are(call: Call) -> None:
    for path in ("agent", "proposed_changes.agent"):
        said = call("gate", "request", "--from", "-", stdin=json.dumps(put(path, "claude" * 20)))[1]
        cut = "'" + ("claude" * 20)[:59] + "…"
        assert said["message"] == f"A request has no field {path}; this one has {path}: {cut}."
        assert (said["field"], "agent_id" in said["hint"] or "rationale" in said["hint"]) == (path, True)
    said = call("gate", "request", "--from", "-", stdin=json.dumps(WHOLE | {"type": "MANUAL"}))[1]
    assert (said["field"], said["message"]) == ("gate_type", "The request has both type and gate_type.")


@pytest.mark.parametrize("record", [put("proposed_changes.sections_to_modify", ...)])
def test_a_section_that_nobody_named_is_missing(record: dict[str, Any], call: Call) -> None:
    said = call("gate", "request", "--from", "-", stdin=json.dumps(record))[1]
    assert said["message"] == "proposed_changes.sections_to_modify is missing."
    told = ("--rationale", CHANGES["rationale"], "--risk", CHANGES["risk_assessment"])
    words = ("--agent", "architect", "--task", "1", "--blocker", BLOCKER, *told)
    assert call("gate", "request", *words)[1]["message"] == said["message"]


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("gate_type", ..., "gate_type"),
        ("gate_type", "TAS", "gate_type"),
        ("agent_id", ..., "agent_id"),
        ("agent_id", "boss", "agent_id"),
        ("agent_id", 1, "agent_id"),
        ("task_id", ..., "task_id"),
        ("task_id", 10, "task_id"),
        ("task_id", "../10", "task_id"),
        ("blocker_description", ..., "blocker_description"),
        ("blocker_description", "x" * 19, "blocker_description"),
        ("blocker_description", "x" * 2001, "blocker_description"),
        ("blocker_description", " " * 40, "blocker_description"),
        ("blocker_description", "short" + " " * 40 + "text", "blocker_description"),
        ("blocker_description", "short" + "\u200b" * 40, "blocker_description"),
        ("blocker_description", BLOCKER + "\x1b[2J", "blocker_description"),
        ("blocker_description", BLOCKER + "\x00", "blocker_description"),
        ("blocker_description", BLOCKER + "\x9b", "blocker_description"),
        ("blocker_description", BLOCKER + "\u202e", "blocker_description"),
        ("blocker_description", BLOCKER + "\u2066", "blocker_description"),
        ("blocker_description", BLOCKER + "\u2028", "blocker_description"),
        ("blocker_description", BLOCKER + "\ud800", "blocker_description"),
        ("proposed_changes", ..., "proposed_changes"),
        ("proposed_changes", "text", "proposed_changes"),
        ("proposed_changes.sections_to_modify", ..., "proposed_changes.sections_to_modify"),
        ("proposed_changes.sections_to_modify", [], "proposed_changes.sections_to_modify"),
        ("proposed_changes.sections_to_modify", "2.3", "proposed_changes.sections_to_modify"),
        ("proposed_changes.sections_to_modify", ["4", 2.3], "proposed_changes.sections_to_modify.1"),
        ("proposed_changes.sections_to_modify", ["  "], "proposed_changes.sections_to_modify.0"),
        ("proposed_changes.sections_to_modify", ["2\n3"], "proposed_changes.sections_to_modify.0"),
        ("proposed_changes.rationale", ..., "proposed_changes.rationale"),
        ("proposed_changes.rationale", "x" * 19, "proposed_changes.rationale"),
        ("proposed_changes.rationale", "x" * 30 + "\u202e", "proposed_changes.rationale"),
        ("proposed_changes.risk_assessment", ..., "proposed_changes.risk_assessment"),
        ("proposed_changes.risk_assessment", " " * 19 + "x", "proposed_changes.risk_assessment"),
        ("proposed_changes.proposed_text", "", "proposed_changes.proposed_text"),
        ("proposed_changes.proposed_text", "# TAS\x1b", "proposed_changes.proposed_text"),
        ("proposed_changes.more", 1, "proposed_changes.more"),
        ("status", "APPROVED", "status"),
    ],
)  # fmt: skip
def test_a_field_that_is_missing_or_unfit_is_named(path: str, value: Any, field: str) -> None:
    with pytest.raises(DevsError) as caught:
        gate_rules.question(put(path, value))
    assert (caught.value.code, caught.value.details) == ("INVALID_ARGUMENTS", {"field": field})


@pytest.mark.quick
def test_what_is_refused_writes_nothing(call: Call, ledgered: Workspace) -> None:
    before = ledgered.ledger.tip().oid
    for path, field in (
        ("agent_id", "agent_id"),
        ("proposed_changes.rationale", "proposed_changes.rationale"),
        ("status", "status"),
    ):
        text = json.dumps(put(path, "short"))
        status, answer = call("gate", "request", "--from", "-", stdin=text)
        assert (status, answer["code"], answer["field"]) == (3, "INVALID_ARGUMENTS", field)
    deep = '{"a":' * 20_000 + "1" + "}" * 20_000
    twice = ('{"gate_type": 1, "gate_type": 2}', json.dumps(WHOLE | {"type": "MANUAL"}))
    for text in ("[1]", "{", "a: 1\na: 2\n", *twice, deep, '{"\\ud800": 1}', ""):
        status, answer = call("gate", "request", "--from", "-", stdin=text)
        assert (status, answer["code"]) == (3, "INVALID_ARGUMENTS")
    status, answer = call("gate", "request", "--from", "-", stdin="x" * 300_000)
    assert (status, answer["code"], answer["limit_bytes"]) == (3, "INVALID_INPUT", 256 << 10)
    assert ledgered.ledger.tip().oid == before


@pytest.mark.quick
def test_one_refusal_names_all_that_is_missing_or_too_short(call: Call, ledgered: Workspace) -> None:
    status, answer = call("gate", "request", "--blocker", "short", "--agent", "boss", "--risk", "short")
    fields = ["agent_id", "task_id", "blocker_description", "proposed_changes.sections_to_modify",
              "proposed_changes.rationale", "proposed_changes.risk_assessment"]  # fmt: skip
    assert (status, answer["code"], answer["field"], answer["fields"]) == (
        3,
        "INVALID_ARGUMENTS",
        fields[0],
        fields,
    )
    lines = answer["message"].splitlines()
    assert (
        lines[0] == "'boss' is not a valid agent_id. Use one of: researcher, architect, developer, reviewer"
    )
    assert lines[2] == "blocker_description needs at least 20 characters; it has 5."
    assert [name for name, line in zip(fields, lines, strict=True) if name not in line] == []
    assert "--type MANUAL" in answer["hint"]
    assert ledgered.ledger.open_gates() == ()


def test_at_a_terminal_the_refusal_names_the_options(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["devs-git", "gate", "request"])
    assert main() == 3
    options = ["--agent", "--task", "--blocker", "--section", "--rationale", "--risk"]
    *said, hint = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("INVALID_ARGUMENTS: ").partition(" is missing.")[0] for line in said] == options
    assert hint.startswith("hint: ")
    assert ledgered.ledger.open_gates() == ()


def test_each_option_that_is_left_out_is_named(call: Call, ledgered: Workspace) -> None:
    given = {
        "--agent": "architect", "--task": "10", "--blocker": BLOCKER, "--section": "2",
        "--rationale": CHANGES["rationale"], "--risk": CHANGES["risk_assessment"],
    }  # fmt: skip
    fields = ["agent_id", "task_id", "blocker_description", "proposed_changes.sections_to_modify",
              "proposed_changes.rationale", "proposed_changes.risk_assessment"]  # fmt: skip
    for left_out, field in zip(given, fields, strict=True):
        words = [word for name, value in given.items() if name != left_out for word in (name, value)]
        assert call("gate", "request", *words)[1]["field"] == field
    assert ledgered.ledger.open_gates() == ()


@pytest.mark.parametrize("kind", ["MANUAL"])
def test_another_type_needs_its_blocker_alone(kind: str, ledgered: Workspace) -> None:
    gate_id = run(ledgered, Request(gate_type=kind, blocker_description=BLOCKER)).gate_id
    assert recorded_request(ledgered, gate_id)["agent_id"] is None
    with pytest.raises(DevsError) as caught:
        Request(gate_type=kind, blocker_description=BLOCKER, proposed_changes=CHANGES)
    assert caught.value.details["field"] == "proposed_changes"


def test_a_uuid_is_a_task_id_and_nothing_need_exist(ledgered: Workspace) -> None:
    task = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
    gate_id = run(ledgered, Request(**WHOLE | {"task_id": task})).gate_id
    assert recorded_request(ledgered, gate_id)["task_id"] == f"task-{task}"
