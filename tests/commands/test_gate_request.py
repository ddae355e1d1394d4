"""Asking: what is checked, what is written, what is read anew in each attempt, and what a second one meets."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devs_git.__main__ import main
from devs_git.commands.gate_request import Request, run
from devs_git.domain import gates as gate_rules
from devs_git.errors import DevsError
from devs_git.storage import asking, documents, gates
from devs_git.workspace import Workspace

BLOCKER = "Section 2.3 rules out what the task needs."
CHANGES: dict[str, Any] = {
    "sections_to_modify": ["2.3", "4"],
    "rationale": "Without it no date can be parsed.",
    "risk_assessment": "Readers of the old format break.",
}
WHOLE: dict[str, Any] = {
    "gate_type": "TAS_REVISION",
    "agent_id": "architect",
    "task_id": "task-10",
    "blocker_description": BLOCKER,
    "proposed_changes": CHANGES,
}
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


def record(workspace: Workspace, gate_id: str) -> dict[str, Any]:
    data = workspace.ledger.tip().read(gates.request_path(gate_id)) or b""
    return documents.load(data, "request")


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


def test_a_request_answers_with_its_id_and_that_it_waits(call: Call, ledgered: Workspace) -> None:
    status, answer = call(
        "gate", "request", "--type", "TAS_REVISION", "--agent", "architect", "--task", "10", "--blocker", BLOCKER,
        "--section", "2.3", "--section", "4", "--rationale", CHANGES["rationale"], "--risk", CHANGES["risk_assessment"],
    )  # fmt: skip
    assert (status, set(answer), answer["status"]) == (0, {"gate_id", "status"}, "PENDING_APPROVAL")
    written = record(ledgered, answer["gate_id"])
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
        documents.dump(WHOLE, "gate-request").decode(),
    ],
    ids=["json", "json with tabs and type", "yaml"],
)
def test_the_whole_request_may_come_on_standard_input(text: str, call: Call, ledgered: Workspace) -> None:
    status, answer = call("gate", "request", "--from", "-", stdin=text)
    assert status == 0
    written = record(ledgered, answer["gate_id"])
    assert {key: written[key] for key in WHOLE} == WHOLE


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


@pytest.mark.telling
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
    for text in ("[1]", "{", "a: 1\na: 2\n", '{"gate_type": 1, "gate_type": 2}', "x" * 300_000, ""):
        status, answer = call("gate", "request", "--from", "-", stdin=text)
        assert (status, answer["code"]) == (3, "INVALID_ARGUMENTS")
    assert ledgered.ledger.tip().oid == before


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
    assert record(ledgered, gate_id)["agent_id"] is None
    with pytest.raises(DevsError) as caught:
        Request(gate_type=kind, blocker_description=BLOCKER, proposed_changes=CHANGES)
    assert caught.value.details["field"] == "proposed_changes"


def test_a_uuid_is_a_task_id_and_nothing_need_exist(ledgered: Workspace) -> None:
    task = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
    gate_id = run(ledgered, Request(**WHOLE | {"task_id": task})).gate_id
    assert record(ledgered, gate_id)["task_id"] == f"task-{task}"


def test_a_second_revision_meets_the_first_and_writes_nothing(ledgered: Workspace) -> None:
    first = run(ledgered, Request(**WHOLE)).gate_id
    before = ledgered.ledger.tip().oid
    with pytest.raises(DevsError) as caught:
        run(ledgered, Request(**WHOLE | {"task_id": "task-11"}))
    assert (caught.value.code, caught.value.details) == ("GATE_ALREADY_ACTIVE", {"existing_gate_id": first})
    assert ledgered.ledger.tip().oid == before
    run(ledgered, Request(gate_type="MANUAL", blocker_description=BLOCKER))  # another type may wait beside it
    assert len(ledgered.ledger.open_gates()) == 2


def plumbed(workspace: Workspace) -> None:
    """An event that somebody else writes, with git alone and without our lock."""
    script = (
        "tip=$(git rev-parse refs/heads/devs/ledger) && new=$(git commit-tree -p $tip -m other $tip^{tree}) "
        "&& git update-ref refs/heads/devs/ledger $new $tip && git commit -q --allow-empty -m moved && git branch side"
    )
    subprocess.run(["sh", "-c", script], cwd=workspace.top, check=True)


def test_head_and_heads_are_those_of_the_attempt_that_wins(ledgered: Workspace) -> None:
    before = ledgered.git.text("rev-parse", "HEAD")
    asked: list[datetime] = []

    def clock() -> datetime:
        """The first attempt reads the time after it has read its tip: there the world moves."""
        frames = [frame for frame in _callers() if frame.endswith("gate_request.py:build")]
        if frames and not asked:
            asked.append(datetime.now().astimezone())
            plumbed(ledgered)
        return datetime.now().astimezone()

    gate_id = run(replace(ledgered, clock=clock), Request(**WHOLE)).gate_id
    after = ledgered.git.text("rev-parse", "HEAD")
    assert asked
    assert before != after
    written = record(ledgered, gate_id)
    assert (written["git_head"], written["heads"]) == (after, {"main": after, "side": after})
    assert datetime.fromisoformat(written["created_at"]) > asked[0].replace(microsecond=0)
    assert [event.subject for event in ledgered.ledger.events()][1] == "other"


def _callers() -> list[str]:
    frame, found = sys._getframe(1), []
    while frame is not None:
        found.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return found


def test_a_detached_head_has_no_branch_and_cannot_have_a_text_land(ledgered: Workspace) -> None:
    ledgered.git.run("checkout", "-q", "--detach")
    changes: Mapping[str, Any] = CHANGES | {"proposed_text": "# TAS\n"}
    with pytest.raises(DevsError) as caught:
        run(ledgered, Request(**WHOLE | {"proposed_changes": changes}))
    assert caught.value.details["field"] == "branch"
    assert record(ledgered, run(ledgered, Request(**WHOLE)).gate_id)["branch"] is None


def test_a_branch_without_commits_or_with_odd_bytes_can_be_asked_from(ledgered: Workspace) -> None:
    odd = b"refs/heads/\xff"
    subprocess.run([b"git", b"update-ref", odd, b"HEAD"], cwd=ledgered.top, check=True)
    ledgered.git.run("symbolic-ref", "HEAD", "refs/heads/unborn")
    written = record(ledgered, run(ledgered, Request(**WHOLE)).gate_id)
    assert (written["branch"], written["git_head"]) == ("unborn", None)
    assert set(written["heads"]) == {"main", "\\xff"}


def test_of_very_many_branches_those_are_recorded_that_head_does_not_reach(ledgered: Workspace) -> None:
    head = ledgered.git.text("rev-parse", "HEAD")
    apart = ledgered.git.text("commit-tree", "-m", "apart", "HEAD^{tree}")
    lines = [f"create refs/heads/{'x' * 200}{at} {head}\n" for at in range(asking.MANY)]
    ledgered.git.run(
        "update-ref", "--stdin", stdin="".join([*lines, f"create refs/heads/apart {apart}\n"]).encode()
    )
    written = record(ledgered, run(ledgered, Request(**WHOLE)).gate_id)
    assert written["heads"] == {"apart": apart, "HEAD": head}


def test_a_proposed_text_is_bound_by_its_blob_to_the_byte(ledgered: Workspace) -> None:
    text = "# TAS\r\n\r\n## 2.3 Dates \n\ttab\n\n\n"
    gate_id = run(
        ledgered, Request(**WHOLE | {"proposed_changes": CHANGES | {"proposed_text": text}})
    ).gate_id
    written = record(ledgered, gate_id)
    assert written["proposed_changes"]["proposed_text"] == text
    found = subprocess.run(
        ["git", "hash-object", "--stdin", "--no-filters"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    assert written["tas_after"] == found.stdout.decode().strip()


def test_a_request_that_could_not_be_read_back_is_refused(ledgered: Workspace) -> None:
    changes = CHANGES | {"proposed_text": "# TAS\n" + "text\n" * 60_000}
    with pytest.raises(DevsError) as caught:
        run(ledgered, Request(**WHOLE | {"proposed_changes": changes}))
    assert caught.value.details["field"] == "proposed_changes.proposed_text"
    assert ledgered.ledger.open_gates() == ()


def test_the_id_follows_from_the_ledger_where_the_clock_is_fixed(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", "2001-02-03T04:05:06Z")
    ids = {Workspace.open(ledgered.top).new_gate_id() for _ in range(2)}
    assert len(ids) == 1
    assert gates_id_is_uuid4(ids.pop())
    monkeypatch.delenv("DEVS_GIT_CLOCK")
    assert len({Workspace.open(ledgered.top).new_gate_id() for _ in range(2)}) == 2


def gates_id_is_uuid4(text: str) -> bool:
    return text[14] == "4" and len(text) == 36
