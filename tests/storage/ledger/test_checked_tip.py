"""A ledger that a plain `git fetch` moved: whatever `verify ledger` refuses, no verb of ours believes or builds on."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import doctor, gate_list, prune, task_start
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.text import limits
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.hooks import hook_probe
from devs_git.storage.ledger import checked_tip
from devs_git.workspace import Workspace
from tests.attacks.test_odd_events import ODD, message
from tests.attacks.test_who_is_believed import entries_of, raw_event, raw_tree
from tests.support.attacker import codes_in, on_top
from tests.support.gate_scene import approve, ask
from tests.support.git_calls import git

ROUNDS = int(os.environ.get("DEVS_TEST_COUNT_FETCHES", "12"))
FILE = "tasks/task-10/task-10.yaml"
ASIDE = "superseded/" + "1" * 40
Make = Callable[[str], str]


def files(*changes: tuple[str, str | None], text: str = "x\n\nDevs-Event: x") -> Make:
    return lambda tip: on_top(*changes, parent=tip, message=text)


def added(mode: str, name: str, what: Callable[[str], str]) -> Make:
    """The tree of the ledger with one entry more."""

    def make(tip: str) -> str:
        there = [one for one in entries_of(tip) if one[1] != name]
        return raw_event(tip, *sorted((*there, (mode, name, what(tip))), key=lambda one: one[1]))

    return make


def readme(tip: str) -> str:
    return git("rev-parse", f"{tip}:README.md")


def twice(tip: str) -> str:
    rows = entries_of(tip)
    return raw_event(tip, *(row for one in rows for row in ([one, one] if one[1] == "tasks" else [one])))


def out_of_order(tip: str) -> str:
    return raw_event(tip, *reversed(entries_of(tip)))


def merge(tip: str) -> str:
    """Of two lines, of which one brings what neither has."""
    side = on_top((f"rewinds/{tip}.yaml", "x: y\n"), parent=f"{tip}~1")
    return on_top(("directives/own.yaml", "x: y\n"), parent=tip, also=side)


def octopus(tip: str) -> str:
    sides = [on_top((f"directives/{n}.yaml", f"x: {n}\n"), parent=f"{tip}~1") for n in range(2)]
    parents = [word for one in (tip, *sides) for word in ("-p", one)]
    return git("commit-tree", *parents, "-m", "x\n\nDevs-Event: ledger.merged", f"{tip}^{{tree}}")


def missing(tip: str) -> str:
    """A file whose content is nowhere."""
    return added("40000", "rewinds", lambda _: raw_tree(("100644", "b.yaml", "9" * 40)))(tip)


def a_gate(tip: str) -> str:
    return git("ls-tree", "--name-only", f"{tip}:gates").split()[0]


FORGED: dict[str, Make] = {
    "a commit that is no event": files(text="hello"),
    "no event, and a file": files((f"{FILE}.more", "x: y\n"), text="hello"),
    "a task's file removed": files((FILE, None)),
    "a task's file changed": files((FILE, "task_id: task-11\n")),
    "a task's file renamed": files((FILE, None), ("tasks/task-10/other.yaml", "task_id: task-10\n")),
    "a file of no known name beside a task's": files(("tasks/task-10/run.sh", "x\n")),
    "a file of no known name beside the rewinds": files(("rewinds/x.json", "{}\n")),
    "a folder below a rewind": files(("rewinds/x/y.yaml", "x: y\n")),
    "another file at the top": files(("notes.txt", "x\n")),
    "the readme changed": files(("README.md", "x\n")),
    "the readme removed": files(("README.md", None)),
    "the policy changed": files(("policy.yaml", "approvers: []\n")),
    "the policy removed": files(("policy.yaml", None)),
    "a marker without a gate": files(("open/none", "MANUAL\n")),
    "the marker of a decided gate": lambda tip: files((f"open/{a_gate(tip)}", "MANUAL\n"))(tip),
    "a request removed": lambda tip: files((f"gates/{a_gate(tip)}/request.yaml", None))(tip),
    "a decision changed": lambda tip: files((f"gates/{a_gate(tip)}/decision.yaml", "x: y\n"))(tip),
    "a signature planted": lambda tip: files((f"gates/{a_gate(tip)}/decision.yaml.sig", "x\n"))(tip),
    "a file set aside where nothing was joined": files((ASIDE, "x\n")),
    "a newer format": files(text="x\n\nDevs-Event: x\nDevs-Format: 99"),
    "a file that can be run": added("100755", "notes.yaml", readme),
    "a task that is a link": added("120000", "tasks", readme),
    "a submodule": added("160000", "rewinds", lambda tip: tip),
    "an empty folder": added("40000", "directives", lambda _: raw_tree()),
    "two entries of one name": twice,
    "entries out of order": out_of_order,
    "a merge with a file of its own": merge,
    "a merge of three": octopus,
    "a file that is missing": missing,
    "a folder that is missing": added("40000", "rewinds", lambda _: "9" * 40),
    "a file larger than any of ours": files(("rewinds/large.yaml", "#" * (limits.DOCUMENT.most + 1))),
    **{name: files(text=message(*ODD[name]).rstrip()) for name in ODD},
}
HONEST: dict[str, Make] = {
    "an event without files": files(),
    "a task's file added": lambda tip: files((f"tasks/task-12/{tip}.yaml", "x: y\n"))(tip),
    "a rewind's file added": lambda tip: files((f"rewinds/{tip}.yaml", "x: y\n"))(tip),
    "a directive's file added": lambda tip: files((f"directives/{tip}.yaml", "x: y\n"))(tip),
}


@pytest.fixture
def begun(initialised: Path) -> str:
    """The tip of a ledger with a task's file and a gate that was decided, up to which it is believed."""
    assert initialised.is_dir()
    workspace = Workspace.open()
    approve(workspace, ask(workspace, kind="MANUAL"))
    tip = on_top((FILE, "task_id: task-10\n"))
    git("update-ref", LEDGER, tip)
    workspace.ledger.note_checked(tip)
    assert codes_in("ledger") == set()
    return tip


def believed(tip: str) -> bool:
    """Whether a verb would build on it."""
    try:
        checked_tip.require(Workspace.open().ledger, tip)
    except DevsError:
        return False
    return True


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", [*HONEST, *FORGED])
def test_no_verb_writes_on_top_of_what_verify_refuses(begun: str, name: str) -> None:
    tip = (FORGED | HONEST)[name](begun)
    git("update-ref", LEDGER, tip)
    assert bool(codes_in("ledger")) == (name in FORGED)
    start = partial(router.call, "task start", Workspace.open(), task_start.Request("99"))
    if name in HONEST:
        start()
        assert git("rev-parse", f"{LEDGER}~1") == tip
        return
    with pytest.raises(DevsError, match="cannot be trusted"):
        start()
    assert git("rev-parse", LEDGER) == tip
    assert Workspace.open().ledger.checked_tip == begun


@pytest.mark.quick
def test_a_command_that_reads_notes_what_it_judged_so_that_the_next_one_need_not(begun: str) -> None:
    tip = HONEST["a task's file added"](begun)
    git("update-ref", LEDGER, tip)
    router.call("prune", Workspace.open(), prune.Request(dry_run=True))
    assert Workspace.open().ledger.checked_tip == begun
    router.call("gate list", Workspace.open(), gate_list.Request())
    assert Workspace.open().ledger.checked_tip == tip


@pytest.mark.quick
@pytest.mark.parametrize(
    "noted", [b"\0" * 41, b"\xff../x\n\x1b[31m\n", b"--all\n"], ids=["zeros", "text", "an option"]
)
def test_a_note_that_a_loss_of_power_damaged_counts_as_none(begun: str, noted: bytes) -> None:
    note = Path(".git/devs/checked-tip")
    note.write_bytes(noted)
    router.call("gate list", Workspace.open(), gate_list.Request())
    assert Workspace.open().ledger.checked_tip == begun
    # A folder cannot be written, so the ledger is judged each time.
    note.unlink()
    note.mkdir()
    router.call("task start", Workspace.open(), task_start.Request("99"))
    assert Workspace.open().ledger.checked_tip == ""


def test_doctor_notes_it_before_it_tries_the_hooks_which_have_little_time(
    begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = HONEST["a task's file added"](begun)
    git("update-ref", LEDGER, tip)
    seen: list[str] = []

    def look(*_: object) -> tuple[()]:
        seen.append(Workspace.open().ledger.checked_tip)
        return ()

    monkeypatch.setattr(hook_probe, "findings", look)
    router.call("doctor", Workspace.open(), doctor.Request())
    assert seen == [tip]


def test_a_forged_ledger_is_not_noted_by_a_command_that_reads(begun: str) -> None:
    git("update-ref", LEDGER, FORGED["a task's file removed"](begun))
    with contextlib.suppress(DevsError):
        router.call("gate list", Workspace.open(), gate_list.Request())
    router.call("doctor", Workspace.open(), doctor.Request())
    assert Workspace.open().ledger.checked_tip == begun


def test_where_an_older_ledger_is_allowed_a_tip_that_lacks_an_event_is_not_noted(begun: str) -> None:
    git("update-ref", "--create-reflog", LEDGER, HONEST["an event without files"](begun))
    git("update-ref", LEDGER, begun)
    note = Path(".git/devs/checked-tip")
    note.unlink()
    Workspace.open().require_believed(behind=True)
    assert not note.exists()
    git("reflog", "expire", "--expire=all", LEDGER)
    Workspace.open().require_believed(behind=True)
    assert Workspace.open().ledger.checked_tip == begun


@pytest.mark.quick
def test_what_is_believed_after_a_plain_fetch_is_what_verify_passes(begun: str) -> None:
    """Several events at once, so that what one puts there another takes out again, or hides."""
    for seed in range(ROUNDS):
        dice, tip = random.Random(seed), begun
        made: list[str] = []
        for _ in range(dice.randrange(1, 5)):
            kinds = HONEST if dice.random() < 0.6 else FORGED
            name = dice.choice([*kinds])
            try:
                tip = kinds[name](tip)
            except (AssertionError, IndexError, subprocess.CalledProcessError):
                continue  # what it would bend is gone already
            made.append(name)
        git("update-ref", LEDGER, tip)
        assert believed(tip) == (not codes_in("ledger")), (seed, made)
        assert believed(tip) or not {*made} <= {*HONEST}, (seed, made)
