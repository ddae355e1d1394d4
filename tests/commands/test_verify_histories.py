"""verify where histories are merged, partly looked at, damaged, or from before devs-git."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import verify
from devs_git.domain.ledger.events import LEDGER, Draft, Event
from devs_git.workspace import Workspace
from tests.support.gate_scene import approve, ask, commit, genesis, in_force
from tests.support.lost_objects import forget

Run = Callable[..., str]
DAMAGES = int(os.environ.get("DEVS_TEST_COUNT_DAMAGES", "12"))


def findings(workspace: Workspace, *parts: str, span: str = "") -> list[tuple[str, str]]:
    request = verify.Request(parts or ("repository",), span)
    found = verify.run(Workspace.open(workspace.top), request).findings
    return sorted({(one.code, one.severity) for one in found})


NUMBERS = itertools.count()


def event(workspace: Workspace, path: str = "", text: str | None = "x: y\n") -> str:
    """An event unlike all others: two of one parent and one second would be one commit."""
    files = ((path, None if text is None else text.encode()),) if path else ()
    made = Event("checked-out", f"x {next(NUMBERS)}", ())
    return workspace.append(lambda _tip: Draft(made, files)).oid


def bound(git: Run, ledger: str) -> str:
    git("commit", "-q", "--allow-empty", "-m", f"x\n\nDevs-Ledger: {ledger}")
    return git("rev-parse", "HEAD")


def merged(git: Run, ours: str, theirs: str, tree: str) -> None:
    git("update-ref", LEDGER, git("commit-tree", tree, "-p", theirs, "-p", ours, "-m", "merge"))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("severity", "wanted"),
    [("error", [("UNBOUND_COMMIT", "error")]), ("ignore", []), (None, [("UNBOUND_COMMIT", "warning")])],
)
def test_how_bad_an_unbound_commit_is_stands_in_the_policy_in_force(
    severity: str | None, wanted: list[tuple[str, str]], ledgered: Workspace, git: Run
) -> None:
    in_force(ledgered, **({"verify": {"unbound_commit": severity}} if severity else {}))
    bound(
        git,
        commit(ledgered.top, {"devs-policy.yaml": "verify: {unbound_commit: ignore}\n"})
        and git("rev-parse", LEDGER),
    )
    assert findings(ledgered, "commits") == wanted


def test_commits_from_before_devs_git_need_not_be_bound(ledgered: Workspace, git: Run) -> None:
    in_force(ledgered, verify={"unbound_commit": "error"})
    (ledgered.top / "devs-policy.yaml").write_text("genesis: x\n")
    git("add", "-A")
    bound(git, git("rev-parse", LEDGER))
    assert findings(ledgered, "commits") == []
    commit(ledgered.top, {"x.txt": "x"})
    assert findings(ledgered, "commits") == [("UNBOUND_COMMIT", "error")]


def test_a_regression_below_the_range_is_seen_and_another_clones_line_only_told(
    ledgered: Workspace, git: Run
) -> None:
    early = event(ledgered)
    base = bound(git, event(ledgered))
    bound(git, early)
    assert findings(ledgered, "commits", span=f"{base}..HEAD") == [("LEDGER_REGRESSION", "error")]
    git("reset", "-q", "--hard", base)
    theirs = git("rev-parse", LEDGER)
    git("update-ref", LEDGER, early)
    ours = event(ledgered, "ours.yaml")  # not the same commit as theirs, made in the same second
    merged(git, ours, theirs, f"{theirs}^{{tree}}")
    bound(git, ours)
    assert findings(ledgered, "commits", span=f"{base}..HEAD") == [("LEDGER_REGRESSION", "warning")]


def unaware(git: Run, before: str, mail: str) -> None:
    """A commit by `mail` that is bound to the ledger before the gate."""
    git("-c", f"user.email={mail}", "commit", "-q", "--allow-empty", "-m", f"x\n\nDevs-Ledger: {before}")


@pytest.mark.parametrize(("mail", "severity"), [("ann@b.c", "error"), ("bob@b.c", "warning")])
def test_a_commit_that_did_not_know_of_a_gate_is_an_error_where_its_committers_older_commit_did(
    mail: str, severity: str, ledgered: Workspace, git: Run
) -> None:
    """In a ledger that clones share: bob's clone may not have heard of the gate; ann's had, below her own commit."""
    workspace = ledgered
    workspace.append(
        lambda _tip: Draft(Event("repository.adopted", "init", (("Devs-Did", "created ledger"),)))
    )
    before = git("rev-parse", LEDGER)
    approve(workspace, ask(workspace, kind="MANUAL"))
    unaware(git, git("rev-parse", LEDGER), "ann@b.c")
    git("commit", "-q", "--allow-empty", "-m", "between, bound to nothing")
    unaware(git, before, mail)
    found = verify.run(Workspace.open(workspace.top), verify.Request(("commits",), "HEAD~1..HEAD~0"))
    whole = verify.run(Workspace.open(workspace.top), verify.Request(("commits",)))
    assert {one.code: one.severity for one in whole.findings}["UNSEEN_AT_FREEZE"] == severity
    # A range that begins above ann's older commit does not show it.
    assert {one.code: one.severity for one in found.findings} == {"UNSEEN_AT_FREEZE": "warning"}


@pytest.mark.quick
def test_a_head_that_went_since_still_clears_what_it_reached(ledgered: Workspace, git: Run) -> None:
    before = git("rev-parse", LEDGER)
    innocent = bound(git, before)
    bound(git, before)  # the tip of the branch when the gate opens; taken back later
    ask(ledgered, kind="MANUAL")
    git("reset", "-q", "--hard", innocent)
    assert findings(ledgered, "commits", span="HEAD~1..HEAD") == []


@pytest.mark.parametrize("span", ["", "HEAD~1..HEAD", f"{'0' * 40}..HEAD"])
def test_a_range_may_begin_nowhere(span: str, ledgered: Workspace, git: Run) -> None:
    bound(git, git("rev-parse", LEDGER))
    assert findings(ledgered, "commits", span=span) == (
        [] if "~" in span else [("UNBOUND_COMMIT", "warning")]
    )


@pytest.mark.parametrize("extra", ["", "tasks/task-9/1.yaml", "gates/x/decision.yaml", "policy.yaml"])
def test_a_merge_is_the_union_of_its_sides_and_nothing_else(
    extra: str, ledgered: Workspace, git: Run
) -> None:
    in_force(ledgered)
    start = git("rev-parse", LEDGER)
    theirs = event(ledgered, "tasks/task-1/1.yaml", "task_id: task-1\n")
    git("update-ref", LEDGER, start)
    ours = event(ledgered, "tasks/task-2/1.yaml", "task_id: task-2\n")
    files = [("tasks/task-1/1.yaml", b"task_id: task-1\n"), (extra, b"task_id: task-9\n")]
    ours_tree = ledgered.ledger.tree_of(ours)
    tree = ledgered.objects.edit_tree(ours_tree, [(path, data) for path, data in files if path])
    merged(git, ours, theirs, tree)
    assert [code for code, _ in findings(ledgered, "ledger")] == (["LEDGER_MUTATED"] if extra else [])


def test_a_merge_that_drops_a_file_of_either_side_is_found(ledgered: Workspace, git: Run) -> None:
    start = git("rev-parse", LEDGER)
    theirs = event(ledgered, "tasks/task-1/1.yaml", "task_id: task-1\n")
    git("update-ref", LEDGER, start)
    ours = event(ledgered, "tasks/task-2/1.yaml", "task_id: task-2\n")
    for side in (ours, theirs):
        merged(git, ours, theirs, f"{side}^{{tree}}")
        assert findings(ledgered, "ledger") == [("LEDGER_MUTATED", "error")]


def test_where_the_ledger_is_not_here_every_part_says_how_to_fetch_it(ledgered: Workspace, git: Run) -> None:
    git("update-ref", "-d", LEDGER)
    for part in ("ledger", "tags", "commits", "tas", "policy", "schemas"):
        result = verify.run(Workspace.open(ledgered.top), verify.Request((part,)))
        assert [(one.code, "git fetch" in one.hint) for one in result.findings] == [("LEDGER_MISSING", True)]


def test_a_damaged_object_of_the_ledger_is_one_finding_and_ends_nothing(
    ledgered: Workspace, git: Run
) -> None:
    """Each object of the ledger goes, or holds other bytes, in turn."""
    commit(ledgered.top, {"devs-policy.yaml": f"genesis: '{genesis(ledgered)}'\n"})
    in_force(ledgered)
    approve(ledgered, ask(ledgered, kind="MANUAL"))
    ask(ledgered, text="# TAS\n")
    others = set(verify.run(Workspace.open(ledgered.top), verify.Request()).findings)
    assert {one.severity for one in others} == {"warning"}
    dice = random.Random(1)
    oids = [line.split()[0] for line in git("rev-list", "--objects", LEDGER).splitlines()]
    blobs = {line.split()[2] for line in git("log", "--format=", "--raw", "-r", LEDGER).splitlines()}
    forget(Path())
    for oid in dice.sample(oids, min(DAMAGES, len(oids))):
        file = Path(".git/objects", oid[:2], oid[2:])
        whole, mode = file.read_bytes(), file.stat().st_mode
        for damaged in (None, b"", whole[: len(whole) // 2], b"x" * 50):
            file.unlink(missing_ok=True)
            if damaged is not None:
                file.write_bytes(damaged)
            result = verify.run(Workspace.open(ledgered.top), verify.Request(("repository",)))
            found = set(result.findings)
            assert not result.ok, oid
            assert len(found - others) == 1, (git("ls-tree", "-r", LEDGER), oid, found - others)
            # Without an event or a folder the ledger cannot be read, and what is judged by it neither.
            assert others <= found or oid not in blobs, (oid, others - found)
            file.unlink(missing_ok=True)
            file.write_bytes(whole)
            file.chmod(mode)
    assert verify.run(Workspace.open(ledgered.top), verify.Request(("ledger",))).ok


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("gates/g/request.yaml", "gate_type: MANUAL\nheads: [a]\n"),
        ("gates/g/request.yaml", "[]"),
        ("gates/g/decision.yaml", "{}"),
        ("gates/g/decision.yaml", ""),
        ("open/g/h", ""),
        ("policy.yaml", "approvers: [1]\n"),
        ("policy.yaml", "\x00"),
        ("policy.yaml/x", "y"),
        ("strange", "x"),
        ("gates", "x"),
    ],
)
def test_a_ledger_with_odd_files_gives_findings_and_never_a_crash(
    path: str, text: str, ledgered: Workspace, git: Run
) -> None:
    ledger = ledgered.ledger
    tree = ledger.objects.edit_tree(ledger.tip().tree, ((path, text.encode()),))
    git("update-ref", LEDGER, git("commit-tree", tree, "-p", LEDGER, "-m", "odd"))
    assert "error" in {severity for _, severity in findings(ledgered)}
