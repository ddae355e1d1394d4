"""Rewind while a gate is open: a person at a terminal, with a reason, which is recorded; the gate stays open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.commands import rewind
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.gate_scene import ask
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

WHY = "The agent went astray."


@pytest.fixture
def gated(tasks: Tasks) -> tuple[Scene, str]:
    """Two tasks, the first at `there`, and a gate that waits."""
    scene = tasks({"10": {"a.txt": "ten\n"}, "11": {"a.txt": "eleven\n"}})
    return scene, ask(Workspace.open(scene.top))


def code(run: Callable[[], object]) -> str:
    with pytest.raises(DevsError) as caught:
        run()
    return caught.value.code


@pytest.mark.quick
def test_a_rewind_waits_while_a_gate_is_open(gated: tuple[Scene, str]) -> None:
    scene, gate_id = gated
    with pytest.raises(DevsError) as caught:
        router.call("rewind", Workspace.open(scene.top), rewind.Request("10"))
    assert (caught.value.code, caught.value.details) == ("GATE_BLOCKED", {"gate_id": gate_id})


@pytest.mark.quick
def test_without_a_terminal_nobody_overrides(gated: tuple[Scene, str]) -> None:
    scene, _ = gated
    head = scene.git("rev-parse", "HEAD")
    opened = Workspace.open(scene.top)
    assert (
        code(lambda: router.call("rewind", opened, rewind.Request("10", override_reason=WHY)))
        == "TERMINAL_REQUIRED"
    )
    missing = rewind.Request("12", override_reason=WHY)
    assert code(lambda: router.call("rewind", opened, missing)) == "TASK_NOT_FOUND"
    assert scene.git("rev-parse", "HEAD") == head


@pytest.mark.quick
def test_in_an_agents_environment_nobody_overrides(gated: tuple[Scene, str]) -> None:
    scene, _ = gated
    words = ("rewind", "10", "--override-gate", WHY)
    status, shown = at_terminal(scene.top, *words, typed="y\n", env={"CLAUDECODE": "1"})
    assert status == 1
    assert "TERMINAL_REQUIRED" in shown


@pytest.mark.parametrize("reason", ["", "  ", "a\x1bb"])
def test_a_reason_says_something(reason: str) -> None:
    with pytest.raises(DevsError) as caught:
        rewind.Request("10", override_reason=reason)
    assert caught.value.details == {"field": "override_reason"}


def test_a_person_overrides_and_the_reason_is_recorded(gated: tuple[Scene, str]) -> None:
    scene, gate_id = gated
    words = ("rewind", "10", "--override-gate", WHY, "--yes")
    status, shown = at_terminal(scene.top, *words, typed="n\n")
    assert status == 130  # --yes does not answer for it
    assert "Interrupted" not in shown
    status, shown = at_terminal(scene.top, *words, typed="y\n")
    assert status == 0, shown
    assert (scene.top / "a.txt").read_text() == "ten\n"
    ledger = Workspace.open(scene.top).ledger
    event = next(ledger.events())
    assert (event.type, event.get("Devs-Reason")) == ("rewound", WHY)
    record = ledger.tip().read(f"rewinds/{event.get('Devs-Op')}.yaml") or b""
    assert yaml_documents.load(record, "rewind", "rewind")["reason"] == WHY
    assert ledger.open_gates() == (gate_id,)
