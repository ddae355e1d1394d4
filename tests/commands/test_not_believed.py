"""Verbs that only show the ledger say so where it is not to be believed, at the price of one compare where it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    diff,
    directive_list,
    gate_approve,
    gate_list,
    gate_reject,
    gate_show,
    gate_wait,
    history,
    history_rewritten,
    init,
    log,
    show,
    status,
    task_start,
    task_status,
    why,
)
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.verbs import DESTROYS, VERBS
from devs_git.entrypoints import router
from devs_git.entrypoints.cli import agents
from devs_git.entrypoints.cli.main import cli
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.attacker import on_top
from tests.support.gate_scene import ask
from tests.support.git_calls import git
from tests.support.refusals import refusal
from tests.support.scene import Scene

SHOWN: dict[str, Callable[[], Any]] = {
    "status": status.Request,
    "log": log.Request,
    "show": lambda: show.Request("task-1"),
    "diff": lambda: diff.Request("task-1"),
    "history": history.Request,
    "task status": lambda: task_status.Request("1"),
}

# What these say comes from git's refs or from this machine's catalog, and not from the ledger.
APART = {
    "snapshot list",
    *(n for n, row in VERBS.items() if n.startswith(("trace ", "conversation ")) and row.tier < DESTROYS),
}
FINDS = {"verify", "doctor", "report"}  # each tells what is wrong as a finding
REQUESTS: dict[str, Callable[[str], Any]] = {
    "init": lambda _gate: init.Request(strict=True),
    "history-rewritten": lambda _gate: history_rewritten.Request(),
    "gate list": lambda _gate: gate_list.Request(),
    "gate wait": gate_wait.Request,
    "gate show": gate_show.Request,
    "gate approve": gate_approve.Request,
    "gate reject": lambda gate: gate_reject.Request(gate, "No"),
    "directive list": lambda _gate: directive_list.Request(),
    "why": lambda _gate: why.Request("b.txt:1"),
}


class Anything:
    """A request of any verb; it is refused before somebody looks at what it says."""

    def __init__(self, _gate: str) -> None:
        pass

    def __getattr__(self, _name: str) -> None:
        return None


def said(verb: str) -> str:
    return str(router.call(verb, Workspace.open(), SHOWN[verb]()).not_believed)


@pytest.fixture
def done(initialised: Path) -> Workspace:
    """A repository with one completed task."""
    Scene(Workspace.open(initialised)).task("1", {"b.txt": "b\n"})
    return Workspace.open(initialised)


@pytest.fixture
def forged(done: Workspace) -> str:
    """A ledger that a plain fetch brought: its newest event adds a decision that nobody made."""
    assert done.ledger.checked_tip == done.ledger.tip().oid
    tip = on_top(("gates/x/decision.yaml", "decision: APPROVED\n"))
    git("update-ref", LEDGER, tip)
    return tip


@pytest.mark.quick(1)
@pytest.mark.parametrize("verb", SHOWN)
def test_what_only_shows_the_ledger_says_that_it_is_not_believed(done: Workspace, verb: str) -> None:
    assert said(verb) == ""
    begun = done.ledger.tip().oid
    git("update-ref", LEDGER, on_top(("gates/x/decision.yaml", "decision: APPROVED\n")))
    assert said(verb).startswith("LEDGER_MUTATED: The ledger in this clone cannot be trusted: ")
    assert said(verb).endswith(" See: devs-git verify ledger")
    assert Workspace.open().ledger.checked_tip == begun


@pytest.mark.usefixtures("forged")
def test_people_read_it_in_one_line_and_programs_in_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    cli(["log", "--json"], standalone_mode=False)
    told = capsys.readouterr()
    assert json.loads(told.out)["not_believed"].startswith("LEDGER_MUTATED: ")
    (line,) = told.err.splitlines()
    assert line.startswith("warning: LEDGER_MUTATED: The ledger in this clone cannot be trusted: ")


def test_a_ledger_at_the_noted_tip_is_not_judged_again(forged: str) -> None:
    Path(".git/devs/checked-tip").write_text(f"{forged}\n")
    assert [said(verb) for verb in SHOWN] == [""] * len(SHOWN)


@pytest.mark.parametrize("memory", ["note", "reflog", "sync"])
def test_a_ledger_that_was_set_back_is_told_by_each_memory_of_what_was_here(
    done: Workspace, memory: str
) -> None:
    tip, note, log_file = done.ledger.tip().oid, Path(".git/devs/checked-tip"), Path(".git/logs", LEDGER)
    git("update-ref", LEDGER, f"{LEDGER}~1")
    if memory != "note":
        note.unlink()
    if memory == "sync":
        log_file.unlink()
        git("update-ref", "refs/devs/remotes/origin/ledger", tip)
    assert said("status").startswith(
        f"LEDGER_ROLLBACK: The ledger was set back to {git('rev-parse', LEDGER)[:12]}"
    )
    start = task_start.Request("9")
    assert refusal(lambda: router.call("task start", Workspace.open(), start)).code == "LEDGER_ROLLBACK"
    # On purpose: nothing is left that remembers.
    note.unlink(missing_ok=True)
    log_file.unlink(missing_ok=True)
    git("update-ref", "-d", "refs/devs/remotes/origin/ledger")
    assert said("status") == ""
    router.call("task start", Workspace.open(), start)


@pytest.mark.parametrize("name", [name for name in VERBS if name not in {*SHOWN, *APART, *FINDS}])
def test_every_other_verb_refuses_a_ledger_that_is_not_believed(name: str, done: Workspace) -> None:
    gate = ask(done, kind="MANUAL")
    forged = on_top(("gates/x/decision.yaml", "decision: APPROVED\n"))
    git("update-ref", LEDGER, forged)
    with pytest.raises(DevsError, match="cannot be trusted") as caught:
        router.call(name, Workspace.open(), REQUESTS.get(name, Anything)(gate))
    assert caught.value.code == "LEDGER_MUTATED"
    assert git("rev-parse", LEDGER) == forged
    assert not Path(".git/hooks/reference-transaction").exists()  # init said that nothing was changed


def test_a_guard_of_an_agent_is_not_taken_out_by_a_ledger_that_hides_a_gate(done: Workspace) -> None:
    agents._install(done, "claude", uninstall=False)
    ask(done, kind="MANUAL")
    (gate,) = done.ledger.open_gates()
    git("update-ref", LEDGER, on_top((f"open/{gate}", None)))
    with pytest.raises(DevsError, match="cannot be trusted"):
        agents._install(Workspace.open(), "claude", uninstall=True)
    assert Path(CLIENTS["claude"].hooks_file).exists()


def test_what_was_here_and_was_refused_is_no_memory(done: Workspace) -> None:
    honest = done.ledger.tip().oid
    git("update-ref", LEDGER, on_top(("gates/x/decision.yaml", "decision: APPROVED\n")))
    assert said("status").startswith("LEDGER_MUTATED")
    # A person takes it away, in a clone that kept no note.
    Path(".git/devs/checked-tip").unlink()
    git("update-ref", LEDGER, honest)
    assert said("status") == ""
    router.call("task start", Workspace.open(), task_start.Request("9"))
