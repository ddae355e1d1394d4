"""What a server says of a push, asked in the repository itself; real pushes are in tests/hooks/test_pre_receive.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devs_git.domain.audit.push_rules import Move
from devs_git.domain.ledger.events import LEDGER, NO_OID, Draft, Event
from devs_git.errors import DevsError
from devs_git.storage.ledger import received
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask

pytestmark = pytest.mark.quick
Run = Callable[..., str]
Make = Callable[..., str]


def answer(*moves: Move) -> str:
    """'' where the push goes through, else the refusal."""
    try:
        received.check(Workspace.open().places, moves)
    except DevsError as error:
        return f"{error.code}: {error.message}"
    return ""


def ledger(old: str, new: str) -> Move:
    return Move(old, new, LEDGER)


def by_hand(*files: tuple[str, bytes | None]) -> str:
    """An event that no verb of ours writes; the ledger after it."""
    return Workspace.open().append(lambda _tip: Draft(Event("x", "x", ()), files)).oid


def test_lines_are_read_as_git_gives_them() -> None:
    assert received.read(["a b refs/heads/with space\n", "\n"]) == (Move("a", "b", "refs/heads/with space"),)


@pytest.mark.usefixtures("initialised")
def test_the_ledger_grows_and_is_neither_deleted_nor_set_back_nor_replaced(git: Run) -> None:
    before = git("rev-parse", LEDGER)
    after = git("commit-tree", "-p", before, "-m", "x\n\nDevs-Event: task.started", f"{before}^{{tree}}")
    root = git("commit-tree", "-m", "ledger: begin", f"{before}^{{tree}}")
    assert answer(ledger(before, after)) == ""
    assert answer(ledger(before, NO_OID)).startswith("LEDGER_MISSING: ")
    assert answer(ledger(after, before)).startswith("LEDGER_ROLLBACK: ")
    assert answer(ledger(before, root)).startswith("LEDGER_FORK: ")
    assert answer(ledger(NO_OID, before)) == ""  # the policy that HEAD names begins there
    assert answer(ledger(NO_OID, root)).startswith("LEDGER_FORK: ")


def test_of_many_reasons_the_first_is_raised_and_eight_more_are_told(ledgered: Workspace) -> None:
    before = ledgered.ledger.tip().oid
    after = by_hand(*((f"scripts/{number}", b"x\n") for number in range(12)))
    said = answer(ledger(before, after))
    assert said.startswith("LEDGER_MUTATED: ")
    assert said.count("LEDGER_MUTATED: ") == 9
    assert said.endswith("\nand 3 more")


def test_work_waits_for_a_gate_of_the_ledger_that_comes_with_it(ledgered: Workspace, git: Run) -> None:
    before, head = ledgered.ledger.tip().oid, git("rev-parse", "HEAD")
    ask(ledgered, kind="MANUAL")
    after, work = git("rev-parse", LEDGER), Move(NO_OID, head, "refs/heads/main")
    assert answer(ledger(before, after), work).startswith("GATE_BLOCKED: refs/heads/main is refused")
    assert answer(work).startswith("GATE_BLOCKED: ")
    assert answer(ledger(before, after), Move(NO_OID, after, "refs/devs/chosen")) == ""


@pytest.mark.parametrize(
    "ref",
    [
        *(
            f"refs/devs/{name}"
            for name in ("backup/x", "branches/o/m", "incoming/ledger", "remotes/o/ledger", "x")
        ),
        *(
            f"refs/{name}/devs/ledger"
            for name in ("tags", "remotes", "heads/heads", "heads/refs/heads", "tags/origin")
        ),
        *(
            "refs/devs/ledger",
            "refs/tags/Devs/Ledger",
            "refs/remotes/devs/ledger/HEAD",
            "refs/DEVS/remotes/o/ledger",
        ),
    ],
)
def test_what_is_one_clones_own_or_what_git_takes_for_the_ledger_is_only_deleted(
    ledgered: Workspace, git: Run, ref: str
) -> None:
    head = git("rev-parse", "HEAD")
    assert answer(Move(NO_OID, head, ref)).startswith(f"INVALID_BRANCH: {ref} is refused: ")
    ask(ledgered, kind="MANUAL")
    assert answer(Move(head, NO_OID, ref)) == ""


def test_checkpoints_are_as_the_events_say(mark: Make, git: Run) -> None:
    tag, head = mark(10), git("rev-parse", "HEAD")
    ref = "refs/devs/checkpoints/task-10/1"
    assert answer(Move(NO_OID, tag, ref)) == ""
    assert answer(Move(tag, head, ref)).split(":")[0] in {"TAG_MOVED", "TAG_NOT_ANNOTATED"}
    assert answer(Move(NO_OID, tag, ref.replace("devs", "Devs"))).startswith("INVALID_BRANCH: ")


@pytest.mark.usefixtures("repo")
def test_without_a_ledger_every_push_goes_through(git: Run) -> None:
    assert answer(Move(NO_OID, git("rev-parse", "HEAD"), "refs/heads/main")) == ""
