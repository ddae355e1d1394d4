"""Attacks by other refs than the guarded ones: names that only begin alike, and ways round a branch or a tag."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.attacker import NO_HOOKS, codes_in, doctor_codes, findings, must_fail, on_top
from tests.support.clones import Pair
from tests.support.gate_scene import ask
from tests.support.git_calls import attempt, git

EVENT = "x\n\nDevs-Event: x"


@pytest.fixture
def strict(initialised: Path) -> Path:
    router.call("init", Workspace.open(), init.Request(strict=True))
    return initialised


def made() -> str:
    """A new commit that no ref reaches."""
    return git("commit-tree", "-p", "HEAD", "-m", "mine", "HEAD^{tree}")


def moved(*lines: str) -> tuple[int, str]:
    """What one transaction of refs says."""
    words, script = ["git", "update-ref", "--stdin"], "".join(f"update {line}\n" for line in lines)
    done = subprocess.run(words, input=script, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.quick
def test_a_branch_whose_name_begins_as_the_ledgers_does(initialised: Path, tmp_path: Path) -> None:
    origin = str(tmp_path / "origin.git")
    git("init", "-q", "--bare", origin)
    router.call("init", Workspace.open(Path(origin)), init.Request(server=True))
    ask(Workspace.open(), kind="MANUAL")
    git(*NO_HOOKS, "push", "-q", origin, LEDGER)
    for name in (
        "heads/devs/ledger-of-work",
        "heads/devs/ledger.2",
        "heads/devs/Ledger-of-work",
        "tags/devs/x",
    ):
        status, said = attempt(*NO_HOOKS, "push", "--no-verify", origin, f"main:refs/{name}")
        assert (status, "GATE_BLOCKED" in said) == (1, True), said
    assert initialised.is_dir()


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    "ref", ["refs/tags/x", "refs/tags/devs/task-9", "refs/heads/devs/x", "refs/x", "refs/stash"]
)
def test_a_commit_that_comes_to_a_branch_by_way_of_another_ref(ref: str) -> None:
    ask(Workspace.open(), kind="MANUAL")
    new = made()
    attempt("update-ref", "--create-reflog", ref, new)
    must_fail("GATE_BLOCKED", "update-ref", "refs/heads/main", new)
    must_fail("GATE_BLOCKED", "branch", "other", new)
    must_fail("GATE_BLOCKED", "reset", "--hard", new)
    attempt("switch", "-q", "--detach", new)  # only to look at
    must_fail("GATE_BLOCKED", "switch", "-c", "other", new)
    event = on_top(also=new, message=EVENT)
    git("update-ref", LEDGER, event)  # a merge of the ledger that has it as its second parent
    must_fail("GATE_BLOCKED", "update-ref", "refs/heads/main", new)


def test_a_tag_moved_beside_an_event_that_does_not_say_so(strict: Path, mark: Callable[..., str]) -> None:
    tag = mark(10, completed=True)
    git("update-ref", "refs/tags/devs/task-10", tag)
    git("tag", "-a", "-m", "x", "x", "HEAD")
    other, tip = git("rev-parse", "refs/tags/x", LEDGER).split()
    event = on_top(message=EVENT)
    status, said = moved(f"refs/tags/devs/task-10 {other} {tag}", f"{LEDGER} {event} {tip}")
    assert (status != 0, "devs-git: TAG_MOVED: " in said) == (True, True), said
    assert git("rev-parse", LEDGER, "refs/tags/devs/task-10").split() == [tip, tag]
    (strict / ".git/hooks/reference-transaction").unlink()
    moved(f"refs/tags/devs/task-10 {other} {tag}", f"{LEDGER} {event} {tip}")
    assert "TAG_MOVED" in codes_in("tags")


def test_a_tag_named_as_the_ledger_which_git_shows_in_its_place(initialised: Path, tmp_path: Path) -> None:
    origin = str(tmp_path / "origin.git")
    git("init", "-q", "--bare", origin)
    git(*NO_HOOKS, "push", "-q", origin, LEDGER, "main")
    git("remote", "add", "origin", origin)
    for name in ("refs/tags/devs/ledger", "refs/tags/origin/devs/ledger", "refs/devs/ledger"):
        git(*NO_HOOKS, "push", "-q", origin, f"main:{name}")
        git("update-ref", name, "main")
        (found,) = [one for one in findings() if one.code == "INVALID_BRANCH"]
        assert found.where == name
        assert codes_in("ledger") == {"INVALID_BRANCH"}
        away, there = found.fix.split("; if a remote has it: ")
        for words in (away, there.replace("<remote>", "origin")):
            git(*NO_HOOKS, *words.split()[1:])
        assert "INVALID_BRANCH" not in doctor_codes()
    Path(".git/devs/ledger").write_text(git("rev-parse", "main") + "\n")
    (found,) = [one for one in findings() if one.code == "INVALID_BRANCH"]
    assert found.fix == f"rm {initialised}/.git/devs/ledger"
    Path(".git/devs/ledger").unlink()
    router.call("init", Workspace.open(Path(origin)), init.Request(server=True))
    status, said = attempt(*NO_HOOKS, "push", origin, "main:refs/tags/devs/ledger")
    assert (status, "INVALID_BRANCH" in said) == (1, True), said


def test_a_push_of_the_notes_that_a_clone_keeps_for_itself(initialised: Path, tmp_path: Path) -> None:
    origin = str(tmp_path / "origin.git")
    git("init", "-q", "--bare", origin)
    git(*NO_HOOKS, "push", "-q", origin, LEDGER, "main")
    router.call("init", Workspace.open(Path(origin)), init.Request(server=True))
    for name in ("remotes/origin/ledger", "branches/origin/main", "incoming/ledger", "backup/x"):
        status, said = attempt(*NO_HOOKS, "push", origin, f"{LEDGER}:refs/devs/{name}")
        assert (status, "INVALID_BRANCH" in said) == (1, True), said
    assert initialised.is_dir()


@pytest.mark.quick
@pytest.mark.parametrize("name", ["refs/devs/checkpoints/task-10", "refs/tags/devs"])
def test_a_ref_of_a_remote_that_is_in_the_way_of_a_checkpoint(pair: Pair, name: str) -> None:
    pair.ann.task("10")
    pair.ann.git("push", "-q", "origin", "main", f"main:{name}")
    with pytest.raises(DevsError) as caught:
        pair.ann.sync()
    assert (caught.value.code, caught.value.hint.endswith(f": git push origin :{name}")) == ("CONFLICT", True)
    pair.ann.git("push", "-q", "origin", f":{name}")
    assert "refs/devs/checkpoints/task-10/1" in pair.ann.sync().pushed


@pytest.mark.quick
@pytest.mark.parametrize("name", ["tags/devs", "tags/Devs", "heads/devs", "heads/devs/ledger/x"])
def test_a_pushed_ref_that_is_in_the_way_of_the_ledger_or_of_tags(
    initialised: Path, tmp_path: Path, name: str
) -> None:
    origin = str(tmp_path / "origin.git")
    git("init", "-q", "--bare", origin)
    router.call("init", Workspace.open(Path(origin)), init.Request(server=True))
    status, said = attempt(*NO_HOOKS, "push", "--no-verify", origin, f"main:refs/{name}")
    assert (status, "INVALID_BRANCH" in said) == (1, True), said
    git(*NO_HOOKS, "push", "-q", "--no-verify", origin, "main:refs/heads/team/devs", "main:refs/tags/devs-1")
    assert initialised.is_dir()
