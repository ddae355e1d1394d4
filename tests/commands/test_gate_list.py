"""gate list and gate show, for people and as JSON, and what they make of text that would fool a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from devs_git.__main__ import main
from devs_git.commands import gate_approve, gate_list, gate_reject, gate_show
from devs_git.domain.verbs import VERBS
from devs_git.errors import DevsError
from devs_git.values import as_mapping
from devs_git.workspace import Workspace
from tests.support.gate_scene import BLOCKER, CHANGES, NEW, TAS, ask, commit

Say = Callable[..., tuple[int, str]]


def yes(_text: str) -> None:
    """A person who answers y."""


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["devs-git", *words])
        status = main()
        return status, capsys.readouterr().out

    return run


@pytest.mark.quick
def test_where_nothing_waits_it_says_so_and_exits_0(ledgered: Workspace, say: Say) -> None:
    assert say("gate", "list") == (0, "No active gates.\n")
    assert json.loads(say("gate", "list", "--json")[1]) == {"gates": [], "active": 0, "next_cursor": ""}
    gate_id = ask(ledgered)
    gate_approve.run(ledgered, gate_approve.Request(gate_id, ask=yes))
    assert say("gate", "list") == (0, "No active gates.\n")


def test_a_row_has_id_agent_task_blocker_and_age(ledgered: Workspace, say: Say) -> None:
    blocker = "The blocker of this gate is told in many words,\n\nso many that they do not fit into sixty characters."
    first = ask(ledgered, blocker_description=blocker)
    second = ask(ledgered, kind="MANUAL")
    head, *rows = (line.split("  ") for line in say("gate", "list")[1].splitlines())
    assert [word.strip() for word in head if word.strip()] == ["GATE_ID", "AGENT", "TASK", "BLOCKER", "AGE"]
    told = [[word.strip() for word in row if word.strip()] for row in rows]
    cut = "The blocker of this gate is told in many words, so many tha…"
    assert len(cut) == 60
    assert [row[:4] for row in told] == [[first, "architect", "task-10", cut], [second, "-", "-", BLOCKER]]
    assert all(row[4].endswith("s") for row in told)


def test_who_asks_is_in_the_list_and_on_the_page_of_the_gate(ledgered: Workspace, say: Say) -> None:
    named, other = ask(ledgered, kind="MANUAL", requested_by="ada@example.org"), ask(ledgered, kind="MANUAL")
    head, *rows = say("gate", "list")[1].splitlines()
    assert head.endswith("  AGE  ASKED BY")
    assert {row.split()[0]: row.split()[-1] for row in rows} == {named: "ada@example.org", other: "-"}
    listed = json.loads(say("gate", "list", "--json")[1])["gates"]
    assert {row["gate_id"]: row["requested_by"] for row in listed} == {named: "ada@example.org", other: None}
    pages = {gate_id: say("gate", "show", gate_id)[1].splitlines() for gate_id in (named, other)}
    asked = {
        gate_id: next(line for line in page if line.startswith("requested"))
        for gate_id, page in pages.items()
    }
    assert asked[named].endswith(" by ada@example.org")
    assert " by " not in asked[other]
    assert json.loads(say("gate", "show", named, "--json")[1])["requested_by"] == "ada@example.org"


def test_the_status_has_a_column_of_its_own_if_gates_were_decided(ledgered: Workspace, say: Say) -> None:
    first = ask(ledgered, kind="MANUAL")
    gate_reject.run(ledgered, gate_reject.Request(first, "No.", ask=yes))
    second = ask(ledgered, kind="MANUAL")
    head, *rows = say("gate", "list", "--status", "ALL")[1].splitlines()
    assert head.split() == ["GATE_ID", "AGENT", "TASK", "STATUS", "BLOCKER", "AGE"]
    assert {row.split()[0]: row.split()[3] for row in rows} == {first: "REJECTED", second: "PENDING_APPROVAL"}


def test_a_rejection_without_a_reason_is_told_how_to_give_one(ledgered: Workspace) -> None:
    with pytest.raises(DevsError, match="A rejection needs a reason") as caught:
        gate_reject.Request(ask(ledgered), "", ask=yes)
    assert "--reason" in caught.value.hint


def test_the_question_names_who_asked(ledgered: Workspace) -> None:
    asked: list[str] = []
    for kind, more in (("MANUAL", {}), ("TAS_REVISION", {}), ("MANUAL", {"requested_by": "eve@example.org"})):
        gate_approve.run(ledgered, gate_approve.Request(ask(ledgered, kind=kind, **more), ask=asked.append))
    assert [text.partition(":")[0] for text in asked] == [
        f"MANUAL by {ledgered.identity[1]}",
        "TAS_REVISION by architect",
        "MANUAL by eve@example.org",
    ]


def test_types_and_states_are_chosen(ledgered: Workspace) -> None:
    def ids(**how: Any) -> list[str]:
        return [row.gate_id for row in gate_list.run(ledgered, gate_list.Request(**how)).gates]

    yesterday, manual, waits = ask(ledgered), ask(ledgered, kind="MANUAL"), ""
    gate_approve.run(ledgered, gate_approve.Request(yesterday, ask=yes))
    gate_reject.run(ledgered, gate_reject.Request(manual, "No.", ask=yes))
    waits = ask(ledgered)
    assert ids() == [waits]
    assert (ids(status="APPROVED"), ids(status="REJECTED")) == ([yesterday], [manual])
    assert sorted(ids(status="ALL")) == sorted([yesterday, manual, waits])
    assert (ids(status="ALL", gate_type="MANUAL"), ids(gate_type="MANUAL")) == ([manual], [])
    refused: tuple[dict[str, Any], ...] = ({"status": "OPEN"}, {"gate_type": "manual"})
    for how in refused:
        with pytest.raises(DevsError) as caught:
            gate_list.Request(**how)
        assert caught.value.details == {"field": next(iter(how))}


def test_a_damaged_request_is_listed_and_does_not_hide_the_others(ledgered: Workspace) -> None:
    from devs_git.domain.ledger.events import Draft, Event

    whole = ask(ledgered)
    files = (
        ("open/0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9", b"x"),
        ("open/x", b""),
        ("gates/x/request.yaml", b"a: ["),
    )
    ledgered.append(lambda _tip: Draft(Event("x", "damaged", ()), files))
    rows = gate_list.run(ledgered, gate_list.Request()).gates
    assert {row.gate_id for row in rows} == {whole, "x", "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"}
    assert {row.flaw for row in rows} == {"", "GATE_NOT_FOUND", "LEDGER_MUTATED"}


def test_one_page_says_all_that_a_person_needs(ledgered: Workspace, say: Say) -> None:
    head = commit(ledgered.top, {"TAS.md": TAS})
    gate_id = ask(
        ledgered,
        text=NEW,
        task_id="task-77",
        proposed_changes={**CHANGES, "sections_to_modify": ["2.3", "9"], "proposed_text": NEW},
    )
    status, page = say("gate", "show", gate_id)
    assert status == 0
    for part in (
        gate_id,
        BLOCKER,
        CHANGES["rationale"],
        CHANGES["risk_assessment"],
        "2.3, 9",
        "-old",
        "+new",
    ):
        assert part in page
    assert "The task task-77 is not known here." in page
    assert "TAS.md has no section 9." in page
    assert f"Frozen since commit {head[:10]}" in page
    assert f"devs-git gate approve {gate_id}" in page
    assert f"devs-git gate reject {gate_id} --reason" in page


def test_what_is_frozen_follows_from_the_table_of_verbs(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    shown = gate_show.run(ledgered, gate_show.Request(gate_id))
    assert set(shown.frozen) == {name for name, row in VERBS.items() if not row.runs_while_frozen}
    gate_approve.run(ledgered, gate_approve.Request(gate_id, ask=yes))
    assert gate_show.run(ledgered, gate_show.Request(gate_id)).frozen == ()


def test_as_json_it_has_the_keys_of_the_contract(ledgered: Workspace, say: Say) -> None:
    gate_id = ask(ledgered)
    shown = json.loads(say("gate", "show", gate_id, "--json")[1])
    keys = {
        "gate_id",
        "agent_id",
        "task_id",
        "blocker_description",
        "proposed_changes",
        "status",
        "resolution_reason",
        "reviewer_id",
        "resolved_at",
        "created_at",
        "git_head",
    }
    assert keys <= set(shown)
    assert (shown["status"], shown["reviewer_id"], shown["proposed_changes"]) == (
        "PENDING_APPROVAL",
        None,
        dict(CHANGES),
    )


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a\nb\n", "a\nc\n", [" a", "-b", "+c"]),
        ("a\r\nb\r\n", "a\r\nc\r\n", [" a", "-b", "+c"]),
        ("a\nb\n", "a\nb\r\n", [" a", "-b", "+b\\r"]),
        ("a\nb\n", "a\nb", [" a", " b", "+\\ No newline at end of file"]),
    ],
)
def test_the_diff_shows_each_change_that_an_approval_makes(
    old: str, new: str, shown: list[str], ledgered: Workspace
) -> None:
    commit(ledgered.top, {"TAS.md": old})
    gate_id = ask(ledgered, text=new)
    assert gate_show.run(ledgered, gate_show.Request(gate_id)).diff.split("\n")[3:] == shown


def test_a_tas_with_escape_sequences_is_shown_plain(ledgered: Workspace, say: Say) -> None:
    (ledgered.top / "TAS.md").write_bytes(b"# TAS\n\x1b[2J\xe2\x80\xae\x9b\xff\n")
    commit(ledgered.top, {"x": "x"})
    gate_id = ask(ledgered, text=NEW)
    page = say("gate", "show", gate_id)[1]
    assert not any(char in page for char in "\x1b\u202e\x9b")
    assert "\\x1b[2J\\u202e" in page
    assert "\x1b" not in json.dumps(as_mapping(gate_show.run(ledgered, gate_show.Request(gate_id))))
