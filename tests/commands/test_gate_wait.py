"""Waiting for a decision, and how the word goes out: quickly, and never in the way of the request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import gate_approve, gate_reject, gate_wait
from devs_git.errors import DevsError
from devs_git.storage.ledger import watch
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask, in_force
from tests.support.terminal_person import at_terminal


def yes(_text: str) -> None:
    """A person who answers y."""


def waiter(top: Path, gate_id: str, *words: str) -> subprocess.Popen[str]:
    """`gate wait`, which has begun to wait when this returns."""
    child = subprocess.Popen(
        [sys.executable, "-m", "devs_git", "gate", "wait", gate_id, "--json", *words],
        cwd=top,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not _waits(child.pid):
        assert child.poll() is None
    return child


def _waits(pid: int) -> bool:
    """Whether the process sleeps between two looks: in a system call that ends by time."""
    sleeping = {"35", "115", "101", "230"}  # nanosleep and clock_nanosleep, on ARM and Intel
    try:
        return Path(f"/proc/{pid}/syscall").read_text().split()[0] in sleeping
    except OSError:
        return False


def test_a_waiter_wakes_within_a_second_and_brings_the_reason(ledgered: Workspace) -> None:
    decisions: tuple[tuple[Callable[[str], object], int, str], ...] = (
        (
            lambda gate: gate_approve.run(ledgered, gate_approve.Request(gate, "Fine.", ask=yes)),
            0,
            "APPROVED",
        ),
        (
            lambda gate: gate_reject.run(ledgered, gate_reject.Request(gate, "Use the old one.", ask=yes)),
            1,
            "REJECTED",
        ),
    )
    for decide, status, told in decisions:
        gate_id = ask(ledgered)
        child = waiter(ledgered.top, gate_id)
        decide(gate_id)
        begun = time.monotonic()
        out, _ = child.communicate()
        assert time.monotonic() - begun < 1.0
        answer = json.loads(out)
        assert (child.returncode, answer["status"], answer["timed_out"]) == (status, told, False)
        assert answer["resolution_reason"] in ("Fine.", "Use the old one.")


@pytest.mark.quick
def test_a_decision_that_is_there_is_told_at_once(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    gate_approve.run(ledgered, gate_approve.Request(gate_id, ask=yes))
    ledgered.git.run("pack-refs", "--all")
    assert gate_wait.run(ledgered, gate_wait.Request(gate_id)).status == "APPROVED"


@pytest.mark.quick
def test_a_timeout_exits_4_and_the_gate_still_waits(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.__main__ import main

    gate_id = ask(ledgered)
    for timeout in ("0", "0.15", "0s"):
        monkeypatch.setattr(sys, "argv", ["devs-git", "gate", "wait", gate_id, "--timeout", timeout])
        assert main() == 4
    result = gate_wait.run(ledgered, gate_wait.Request(gate_id, 0))
    assert (result.status, result.timed_out) == ("PENDING_APPROVAL", True)


@pytest.mark.parametrize("timeout", ["soon", "-1", "nan", "inf", "10m"])
def test_a_timeout_that_is_none_is_refused(
    timeout: str, ledgered: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from devs_git.__main__ import main

    monkeypatch.setattr(sys, "argv", ["devs-git", "gate", "wait", ask(ledgered), "--timeout", timeout])
    assert main() == 3


def test_on_a_terminal_it_says_what_it_waits_for(ledgered: Workspace) -> None:
    gate_id = ask(ledgered)
    status, shown = at_terminal(ledgered.top, "gate", "wait", gate_id, "--timeout", "1.3")
    assert status == 4
    assert f"Waiting for a person to decide on gate {gate_id}" in shown


def test_waiting_for_no_gate_ends_at_once(ledgered: Workspace) -> None:
    with pytest.raises(DevsError) as caught:
        gate_wait.run(ledgered, gate_wait.Request("0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"))
    assert caught.value.code == "GATE_NOT_FOUND"


def test_a_move_of_the_ledger_is_seen_wherever_its_ref_is_kept(ledgered: Workspace) -> None:
    looks = watch.looks(ledgered.places.common, None)
    assert [next(looks), next(looks), next(looks)] == [True, False, False]
    ask(ledgered)
    assert [next(looks), next(looks)] == [True, False]
    ledgered.git.run("pack-refs", "--all")
    assert [next(looks), next(looks)] == [True, False]
    assert list(watch.looks(ledgered.places.common, 0)) == [True]


@pytest.mark.quick
def test_the_notify_command_is_told_of_the_gate_and_nothing_waits_for_it(
    ledgered: Workspace, tmp_path: Path
) -> None:
    fifo, told = tmp_path / "fifo", tmp_path / "told"
    os.mkfifo(fifo)
    in_force(
        ledgered,
        notify=f'cat "{fifo}" >/dev/null; printf "%s\\n" "$DEVS_EVENT" "$DEVS_GATE_ID" "$DEVS_EVENT_DATA" >"{told}"; echo >"{fifo}"',
    )
    gate_id = ask(ledgered)  # returns though the command still hangs on the pipe
    assert not told.exists()
    fifo.write_text("go\n")
    fifo.read_text()
    event, gate, data = told.read_text().splitlines()
    facts: dict[str, Any] = {
        "gate_type": "TAS_REVISION",
        "gate_id": gate_id,
        "agent_id": "architect",
        "task_id": "task-10",
    }
    assert (event, gate, json.loads(data)) == ("HITL_GATE_REQUIRED", gate_id, facts)


def test_a_notify_command_that_fails_or_is_not_there_harms_nothing(ledgered: Workspace) -> None:
    for command in ("exit 1", "/nowhere/at/all", "((("):
        in_force(ledgered, notify=command)
        assert ask(ledgered, kind="MANUAL") in ledgered.ledger.open_gates()
