"""What a request records of its repository, read anew in each attempt, and what a second one meets."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands.gate_request import Request, run
from devs_git.errors import DevsError
from devs_git.operations.gates import request_gate
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.gate_scene import BLOCKER, WHOLE, recorded_request

CHANGES = WHOLE["proposed_changes"]


@pytest.mark.quick
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
        "tip=$(git rev-parse refs/heads/devs/ledger) && new=$(git commit-tree -p $tip -m other -m 'Devs-Event: task.started' $tip^{tree}) "
        "&& git update-ref refs/heads/devs/ledger $new $tip && git commit -q --allow-empty -m moved && git branch side"
    )
    subprocess.run(["sh", "-c", script], cwd=workspace.top, check=True)


def test_head_and_heads_are_those_of_the_attempt_that_wins(ledgered: Workspace) -> None:
    before = ledgered.git.text("rev-parse", "HEAD")
    times: list[datetime] = []

    def clock() -> datetime:
        """The first attempt reads the time after it has read its tip: there the world moves."""
        frames = [frame for frame in _callers() if frame.endswith("gate_request.py:build")]
        if frames and not times:
            times.append(datetime.now().astimezone())
            plumbed(ledgered)
        return datetime.now().astimezone()

    gate_id = run(replace(ledgered, clock=clock), Request(**WHOLE)).gate_id
    after = ledgered.git.text("rev-parse", "HEAD")
    assert times
    assert before != after
    written = recorded_request(ledgered, gate_id)
    assert (written["git_head"], written["heads"]) == (after, {"main": after, "side": after})
    assert datetime.fromisoformat(written["created_at"]) > times[0].replace(microsecond=0)
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
    assert recorded_request(ledgered, run(ledgered, Request(**WHOLE)).gate_id)["branch"] is None


def test_a_branch_without_commits_or_with_odd_bytes_can_be_asked_from(ledgered: Workspace) -> None:
    odd = b"refs/heads/\xff"
    subprocess.run([b"git", b"update-ref", odd, b"HEAD"], cwd=ledgered.top, check=True)
    ledgered.git.run("symbolic-ref", "HEAD", "refs/heads/unborn")
    written = recorded_request(ledgered, run(ledgered, Request(**WHOLE)).gate_id)
    assert (written["branch"], written["git_head"]) == ("unborn", None)
    assert set(written["heads"]) == {"main", "\\xff"}


def test_of_very_many_branches_those_are_recorded_that_head_does_not_reach(ledgered: Workspace) -> None:
    head = ledgered.git.text("rev-parse", "HEAD")
    apart = ledgered.git.text("commit-tree", "-m", "apart", "HEAD^{tree}")
    lines = [f"create refs/heads/{'x' * 200}{at} {head}\n" for at in range(request_gate.MANY)]
    ledgered.git.run(
        "update-ref", "--stdin", stdin="".join([*lines, f"create refs/heads/apart {apart}\n"]).encode()
    )
    written = recorded_request(ledgered, run(ledgered, Request(**WHOLE)).gate_id)
    assert written["heads"] == {"apart": apart, "HEAD": head}


def test_a_proposed_text_is_bound_by_its_blob_to_the_byte(ledgered: Workspace) -> None:
    text = "# TAS\r\n\r\n## 2.3 Dates \n\ttab\n\n\n"
    gate_id = run(
        ledgered, Request(**WHOLE | {"proposed_changes": CHANGES | {"proposed_text": text}})
    ).gate_id
    written = recorded_request(ledgered, gate_id)
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
