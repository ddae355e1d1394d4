"""What sync refuses, and that nothing is changed then; remotes that are slow, old or not there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import doctor, init, sync, task_start
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.remotes import remote_repository
from devs_git.workspace import Workspace
from tests.support.clones import LEDGER, Clone, Pair, refs_of
from tests.support.git_calls import git


def everything(where: Path) -> str:
    return git("for-each-ref", "--format=%(refname) %(objectname)", where=where)


def refused(clone: Clone, remote: str = "") -> DevsError:
    """The refusal of a sync that changes no ref here or there."""
    before = everything(clone.top), everything(clone.top.parent / "origin.git")
    with pytest.raises(DevsError) as caught:
        clone.sync(remote)
    assert (everything(clone.top), everything(clone.top.parent / "origin.git")) == before
    assert os.fspath(clone.top.parent) not in caught.value.message + caught.value.hint
    return caught.value


@pytest.mark.quick
def test_a_remote_that_went_back_behind_what_was_seen_is_a_rollback(pair: Pair) -> None:
    pair.ann.task("10")
    pair.meet()
    git("update-ref", LEDGER, f"{LEDGER}~1", where=pair.origin)
    for clone in (pair.ann, pair.bob):
        error = refused(clone)
        assert (error.code, error.exit_status) == ("LEDGER_ROLLBACK", 5)
    git("update-ref", "-d", LEDGER, where=pair.origin)
    assert refused(pair.bob).code == "LEDGER_ROLLBACK"
    subprocess.run(["sh", "-c", refused(pair.bob).hint.partition("is right: ")[2].partition(" && ")[0]],
                   cwd=pair.bob.top, check=True)  # fmt: skip
    pair.bob.sync()
    assert refs_of(pair.origin)[LEDGER] == pair.bob.tip


def test_a_second_root_is_a_fork(pair: Pair) -> None:
    pair.ann.task("10")
    tree = git("rev-parse", f"{LEDGER}^{{tree}}", where=pair.origin)
    words = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
        "commit-tree",
        tree,
        "-m",
        "x\n\nDevs-Event: ledger.created",
    )
    root = git(*words, where=pair.origin)
    was = refs_of(pair.origin)[LEDGER]
    git("update-ref", LEDGER, root, where=pair.origin)
    error = refused(pair.ann)
    assert (error.code, error.exit_status) == ("LEDGER_FORK", 5)
    joined = git(
        *words[:-3], tree, "-p", was, "-p", root, "-m", "x\n\nDevs-Event: ledger.merged", where=pair.origin
    )
    git("update-ref", LEDGER, joined, where=pair.origin)
    assert refused(pair.ann).code == "LEDGER_FORK"


@pytest.mark.parametrize(
    "url",
    [
        "/nowhere/at/all",
        "https://user:secret@localhost:1/x.git",
        "ssh://nobody@localhost:1/x.git",
        "ext::sleep 9",
    ],
)
def test_a_remote_that_cannot_be_reached_is_told_with_the_way_out_and_no_address(
    url: str, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.ann.git("remote", "set-url", "origin", url)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file:https:ssh")
    monkeypatch.setattr(remote_repository, "SECONDS", 0.5)
    error = refused(pair.ann)
    assert (error.code, error.envelope()["retryable"]) == ("BUSY", True)
    assert error.message.startswith("origin cannot be reached: ")
    assert not re.search(r"secret|nowhere|localhost:1|/x\.git", error.message + error.hint)
    assert "git ls-remote origin" in error.hint


def test_without_a_name_it_is_origin_the_only_one_or_the_upstreams(pair: Pair) -> None:
    assert refused(pair.ann, "nobody").details == {"field": "remote"}
    assert refused(pair.ann, "--upload-pack=touch x").details == {"field": "remote"}
    pair.ann.git("remote", "rename", "origin", "hub")
    assert pair.ann.sync().remote == "hub"
    pair.ann.git("remote", "add", "other", "../origin.git")
    assert pair.ann.sync().remote == "hub"
    pair.ann.git("switch", "-q", "-c", "new")
    assert refused(pair.ann).details == {"field": "remote"}
    assert pair.ann.sync("other").remote == "other"
    pair.ann.git("remote", "add", "origin", "../origin.git")
    assert pair.ann.sync().remote == "origin"


def test_a_repository_without_a_ledger_or_a_remote_is_told_what_to_run(pair: Pair, tmp_path: Path) -> None:
    git("init", "-q", "bare-of-us", where=tmp_path)
    assert refused_after(Clone(tmp_path / "bare-of-us")).code == "NOT_INITIALIZED"
    pair.ann.git("remote", "remove", "origin")
    assert "git remote add" in refused(pair.ann).hint


@pytest.mark.parametrize("atomic", ["true", "false"])
def test_a_remote_that_cannot_do_all_at_once_gets_the_ledger_first(
    atomic: str, pair: Pair, tmp_path: Path
) -> None:
    git("config", "receive.advertiseAtomic", atomic, where=pair.origin)
    hook = pair.origin / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\necho "$1" >> "{tmp_path}/order"\n')
    hook.chmod(0o755)
    pair.ann.task("10")
    pair.bob.task("11")
    pair.meet()
    pair.assert_same()
    order = (tmp_path / "order").read_text().splitlines()
    assert (order[0] == LEDGER) or atomic == "true"
    assert {LEDGER, "refs/tags/devs/task-10", "refs/devs/checkpoints/task-11/1"} <= set(order)


def test_what_a_hook_of_the_remote_declines_is_told_and_can_be_done_later(pair: Pair) -> None:
    hook = pair.origin / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no ledger here >&2\nexit 1\n")
    hook.chmod(0o755)
    pair.ann.task("10")
    error = refused_after(pair.ann)
    assert (error.code, "pre-receive hook declined" in error.message) == ("CONFLICT", True)
    hook.unlink()
    pair.meet()
    pair.assert_same()


def refused_after(clone: Clone) -> DevsError:
    with pytest.raises(DevsError) as caught:
        clone.sync()
    return caught.value


def test_strict_repositories_sync(pair: Pair) -> None:
    for clone in (pair.ann, pair.bob):
        router.call("init", clone.opened, init.Request(strict=True))
        clone.task("10")
    gate = pair.ann.ask(kind="MANUAL")
    pair.meet()
    assert pair.bob.opened.ledger.open_gates() == (gate,)
    pair.bob.approve(gate)
    pair.ann.sync()
    pair.bob.sync()
    pair.meet()
    pair.assert_same("ledger", "tags")


def test_only_so_many_others_are_waited_for(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "ATTEMPTS", 2)
    push = remote_repository.Remote.push

    def late(self: remote_repository.Remote, *args: object) -> None:
        words = (
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@y",
            "commit-tree",
            f"{LEDGER}^{{tree}}",
            "-p",
            LEDGER,
            "-m",
        )
        git(
            "update-ref",
            LEDGER,
            git(*words, "x\n\nDevs-Event: task.result", where=pair.origin),
            where=pair.origin,
        )
        push(self, *args)  # type: ignore[arg-type]

    pair.ann.call("task start", task_start.Request("10", title="t"))
    monkeypatch.setattr(remote_repository.Remote, "push", late)
    error = refused_after(pair.ann)
    assert (error.code, error.envelope()["retryable"]) == ("BUSY", True)
    monkeypatch.undo()
    pair.meet()
    pair.assert_same("ledger")


def test_the_text_says_what_came_and_went(pair: Pair) -> None:
    pair.ann.task("10")
    words = [sys.executable, "-m", "devs_git", "sync", "--repo", str(pair.ann.top)]
    first = subprocess.run(words, capture_output=True, text=True, check=True)
    assert re.match(r"origin: fetched 0 refs, pushed 3 refs; the ledger is at [0-9a-f]{10}\n$", first.stdout)
    second = subprocess.run(words, capture_output=True, text=True, check=True)
    assert second.stdout.startswith("origin: nothing to fetch or push; the ledger is at ")
    assert first.stderr == second.stderr == ""
    assert Workspace.open(pair.ann.top).store_git.text("for-each-ref", "refs/devs/incoming") == ""


def test_doctor_knows_what_the_last_sync_saw(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.sync()
    pair.ann.git("update-ref", "-d", LEDGER)  # takes its reflog with it
    pair.ann.git("update-ref", LEDGER, f"{refs_of(pair.origin)[LEDGER]}~2")
    (pair.ann.top / ".git/devs/view").unlink()
    found = doctor.run(pair.ann.opened, doctor.Request()).findings
    assert next(f.message for f in found if f.code == "LEDGER_ROLLBACK").endswith(
        "(known from sync with origin)."
    )
    assert pair.ann.sync().ledger == pair.ann.tip == refs_of(pair.origin)[LEDGER]
