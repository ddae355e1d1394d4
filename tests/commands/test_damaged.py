"""A repository that git itself cannot read: no tool calls that a bug of ours, and doctor and verify say what git said."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import diff, doctor, verify
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.entrypoints.samples import sample
from tests.support.clones import Pair

LEDGER = "devs/ledger"
Run = Callable[..., str]


def cut(top: Path, git: Run, name: str) -> None:
    """What a loss of power leaves of an object."""
    oid = git("rev-parse", name)
    file = top / ".git/objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"")


def damage(what: str, top: Path, git: Run) -> None:
    if what == "packed refs":
        git("pack-refs", "--all")
        with (top / ".git/packed-refs").open("a") as file:
            file.write("garbage\n")
    elif what == "index":
        (top / ".git/index").write_text("garbage\n")
    elif what == "ledger's ref":
        (top / ".git/refs/heads/devs/ledger").write_text("garbage\n")
    else:
        cut(top, git, what)


KINDS = ("packed refs", "index", "ledger's ref", "HEAD", "HEAD^{tree}", LEDGER, f"{LEDGER}^{{tree}}")


@pytest.mark.quick(1)
@pytest.mark.parametrize("what", KINDS)
def test_no_tool_calls_it_a_bug_of_ours(what: str, initialised: Path, git: Run) -> None:
    damage(what, initialised, git)
    codes = {name: calling.call(name, sample(name), initialised).value.get("code") for name in TOOLS}
    assert "INTERNAL" not in codes.values(), codes
    assert codes["store_trace"] is None


@pytest.mark.parametrize("what", KINDS)
def test_doctor_finds_it(what: str, initialised: Path, git: Run) -> None:
    assert doctor.run(Workspace.open(initialised), doctor.Request()).ok
    damage(what, initialised, git)
    found = doctor.run(Workspace.open(initialised), doctor.Request())
    assert {"UNREADABLE", "LEDGER_MISSING"} & {one.code for one in found.findings}
    assert not found.ok


@pytest.mark.parametrize("what", KINDS)
def test_verify_proves_nothing_of_it(what: str, initialised: Path, git: Run) -> None:
    assert verify.run(Workspace.open(initialised), verify.Request()).ok
    damage(what, initialised, git)
    found = verify.run(Workspace.open(initialised), verify.Request())
    assert "LEDGER_MISSING" in {one.code for one in found.findings}
    assert not found.ok


def test_a_snapshot_or_commit_that_words_do_not_name_is_no_damage(initialised: Path) -> None:
    place = Workspace.open(initialised)
    with pytest.raises(DevsError, match="'HEAD:nothing' is not the name of a checkpoint"):
        router.call("diff", place, diff.Request(against="HEAD:nothing"))


@pytest.mark.parametrize(
    "below",
    ["refs/heads/main", "refs/remotes", "refs/devs/remotes", "refs/devs/checkpoints", "refs/tags/devs"],
)
def test_doctor_names_the_way_back_of_a_ref_that_a_loss_of_power_emptied(below: str, pair: Pair) -> None:
    pair.ann.task("1")
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    before = pair.ann.git("for-each-ref")
    name = pair.ann.git("for-each-ref", "--format=%(refname)", "--count=1", below)
    (pair.ann.top / ".git" / name).write_bytes(b"")
    (found,) = (one for one in doctor.run(pair.ann.opened, doctor.Request()).findings if one.where == name)
    assert found.code == "REF_BROKEN"
    way, _, by_remote = found.fix.partition(", then")
    subprocess.run(["sh", "-c", way], cwd=pair.ann.top, check=True)
    if by_remote:
        pair.ann.git("fetch", "-q")
        pair.ann.sync()
    assert pair.ann.git("for-each-ref") == before
    assert doctor.run(pair.ann.opened, doctor.Request()).ok


@pytest.mark.quick
def test_doctor_counts_the_locks_of_refs_that_a_killed_git_left_and_says_how_to_delete_them(
    initialised: Path,
) -> None:
    locks = [
        initialised / ".git" / name for name in ("packed-refs.lock", "refs/heads/a.lock", "refs/heads/b.lock")
    ]
    for lock in locks:
        lock.touch()
    # A git that runs holds these.
    assert doctor.run(Workspace.open(initialised), doctor.Request()).ok
    for lock in locks:
        os.utime(lock, (0, 0))
    found = doctor.run(Workspace.open(initialised), doctor.Request()).findings
    (named,) = (one for one in found if one.code == "REF_LOCKED")
    assert "packed-refs.lock and 2 more" in named.message
    subprocess.run(["sh", "-c", named.fix.partition(": ")[2]], cwd=initialised, check=True)
    assert not any(lock.exists() for lock in locks)
    assert doctor.run(Workspace.open(initialised), doctor.Request()).ok
