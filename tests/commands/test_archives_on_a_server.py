"""A server with our hook takes archives that are whole and that the ledger names, and loses no checkpoint with them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from devs_git.commands import archive, init
from devs_git.domain.audit import push_rules
from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.ids import checkpoint_ref
from devs_git.entrypoints import router
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.archiving import archive_all, collect, numbered
from tests.support.clones import LEDGER, Pair, refs_of
from tests.support.git_calls import attempt, git

ONE = checkpoint_ref("task-10", 1)


@pytest.fixture
def guarded(pair: Pair) -> Pair:
    """Both clones have task 10, which Ann completed. The remote is a server with our hook."""
    router.call("init", Workspace.open(pair.origin), init.Request(server=True))
    pair.ann.task("10")
    pair.ann.git("push", "-q", "origin", "main")
    pair.meet()
    return pair


def refusal(pair: Pair, *words: str) -> str:
    """What the server says of a push by hand."""
    status, said = attempt("push", "-q", "origin", *words, where=pair.ann.top)
    assert status == 1, said
    return said


@pytest.mark.quick
def test_a_server_takes_an_archive_and_lets_the_refs_go_that_it_has(guarded: Pair) -> None:
    before = refs_of(guarded.origin)
    made = archive_all(guarded.ann.top)
    told = guarded.ann.sync()
    assert set(refs_of(guarded.origin)) == {LEDGER, archive_ref(made)}
    assert set(told.deleted) == set(before) - {LEDGER}
    guarded.ann.call("archive", archive.Request(undo=True))
    guarded.ann.sync()
    assert set(refs_of(guarded.origin)) == set(before)


def test_a_server_refuses_to_delete_a_ref_that_no_archive_has(guarded: Pair) -> None:
    assert f"{ONE} is missing" in refusal(guarded, f":{ONE}")
    assert ONE in refs_of(guarded.origin)


def test_a_server_refuses_to_delete_an_archive_that_counts(guarded: Pair) -> None:
    made = archive_all(guarded.ann.top)
    guarded.ann.sync()
    assert "TAG_MISSING" in refusal(guarded, f":{archive_ref(made)}")
    assert archive_ref(made) in refs_of(guarded.origin)


def test_a_server_refuses_to_delete_an_archive_before_its_checkpoints_have_refs_again(guarded: Pair) -> None:
    made = archive_all(guarded.ann.top)
    guarded.ann.sync()
    guarded.ann.call("archive", archive.Request(undo=True))
    said = refusal(guarded, LEDGER, f":{archive_ref(made)}")
    assert "must not be deleted yet" in said
    assert archive_ref(made) in refs_of(guarded.origin)
    numbers = [f"{ref}:{ref}" for ref in numbered(guarded.ann.top)]
    git("push", "-q", "origin", LEDGER, *numbers, f":{archive_ref(made)}", where=guarded.ann.top)
    collect(guarded.origin)
    guarded.assert_sound()


def test_a_server_refuses_an_archive_that_no_event_names_or_that_is_not_whole(guarded: Pair) -> None:
    ann = guarded.ann
    head = ann.git("rev-parse", "HEAD")
    assert "TAG_MOVED" in refusal(guarded, f"{head}:{archive_ref(head)}")
    made = archive_all(ann.top)
    assert "TAG_MOVED" in refusal(guarded, LEDGER, f"{head}:{archive_ref(made)}")
    assert set(refs_of(guarded.origin)) >= {ONE, LEDGER}


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_what_two_pushes_at_once_take_from_a_server_the_next_sync_of_any_clone_gives_back(
    name: str, guarded: Pair, tmp_path: Path
) -> None:
    """One deletes the refs, for the archive has them, and one the archive, for the refs have them. Each is right alone."""
    before = refs_of(guarded.origin)
    made = archive_all(guarded.ann.top)
    git("push", "-q", "origin", LEDGER, f"{archive_ref(made)}:{archive_ref(made)}", where=guarded.ann.top)
    for pipe in ("judged", "go"):
        os.mkfifo(tmp_path / pipe)
    # git runs this hook after ours, and before it moves a ref. Only the first push waits in it.
    hook = guarded.origin / "hooks/update"
    hook.write_text(
        f"#!/bin/sh\ncd {tmp_path}; [ ! -p go ] || {{ exec 3<>go; echo >judged; read -r _ <&3; }}\n"
    )
    hook.chmod(0o755)
    late = ["git", "push", "-q", "--atomic", "origin", f":{ONE}", ":refs/tags/devs/task-10"]
    with subprocess.Popen(late, cwd=guarded.ann.top) as push:
        (tmp_path / "judged").read_text()
        (tmp_path / "go").rename(tmp_path / "went")
        guarded.bob.sync()
        guarded.bob.call("archive", archive.Request(undo=True))
        guarded.bob.sync()
        (tmp_path / "went").write_text("\n")
    assert (push.returncode, set(refs_of(guarded.origin))) == (0, {LEDGER})
    collect(guarded.origin)
    {"ann": guarded.ann, "bob": guarded.bob}[name].sync()
    assert refs_of(guarded.origin).keys() == before.keys()
    guarded.assert_sound()


def test_an_archive_may_go_from_a_server_though_a_checkpoint_in_it_was_purged(guarded: Pair) -> None:
    history = guarded.ann.opened.ledger.tip().history
    ((tag, point),) = history.checkpoints.items()
    for gone, lost in (("", ["TAG_MISSING"]), ("1" * 40, [])):
        purged = replace(history, checkpoints={tag: replace(point, gone=gone)})
        found = push_rules.losses({archive_ref("2" * 40): {tag}}, set(), purged)
        assert [one.code for one in found] == lost
