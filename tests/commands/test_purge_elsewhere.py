"""What another clone purged: a person says so in each clone, and then it is gone there, too."""

from __future__ import annotations

import subprocess

import pytest

from devs_git.commands import history_rewritten, purge
from devs_git.errors import DevsError
from tests.support.clones import Pair, refs_of
from tests.support.filter_repo import MAP, filter_repo
from tests.support.planted_secret import SECRET, WORD, gc, places
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.thorough


@pytest.fixture
def purged(pair: Pair) -> Pair:
    """Ann took a secret, which both had, out of `main` and purged it; bob follows her branch and has not synced."""
    ann, bob = pair.ann, pair.bob
    scene = Scene(ann.opened)
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    ann.git("push", "-q", "origin", "main")
    ann.sync()
    bob.git("pull", "-q", "origin", "main")
    bob.sync()
    filter_repo(ann.top, "--invert-paths", "--path", "secret.env", "--refs", "main")
    ann.call("history-rewritten", history_rewritten.Request(MAP, str(ann.top)))
    ann.git("push", "-q", "--force", "origin", "main")
    ann.call("purge", purge.Request("secret.env", folder=str(ann.top)))
    ann.sync()
    bob.git("fetch", "-q", "origin")
    bob.git("reset", "-q", "--hard", "origin/main")
    return pair


def gone_everywhere(pair: Pair) -> None:
    pair.meet()
    pair.assert_same()
    for clone in (pair.ann, pair.bob):
        gc(clone.top)
        assert places(clone.top) == set()
    subprocess.run(["git", "gc", "-q", "--prune=now"], cwd=pair.origin, check=True)
    listed = ["git", "cat-file", "--batch-all-objects", "--batch"]
    every = subprocess.run(listed, cwd=pair.origin, capture_output=True, check=True).stdout
    assert WORD.encode() not in every


def test_sync_says_what_is_still_kept_here_and_a_person_takes_it_out(purged: Pair) -> None:
    bob, event = purged.bob, purged.ann.tip
    status, said = at_terminal(bob.top, "sync", typed="")
    assert (status, "kept here: 1 checkpoint (task-2@1)" in said) == (0, True), said
    assert f"devs-git purge --from {event[:10]}" in said
    assert "tag devs/task-2 now points to task-2@2" in said
    assert "refs/devs/checkpoints/task-2/1" in refs_of(bob.top)
    for answer, gone in (("n\n", False), ("y\n", True)):
        at_terminal(bob.top, "purge", "--from", event[:10], typed=answer)
        assert ("refs/devs/checkpoints/task-2/1" not in refs_of(bob.top)) == gone
    assert bob.sync().kept == ()
    gone_everywhere(purged)


def test_a_sync_does_not_bring_it_back(purged: Pair) -> None:
    bob = purged.bob
    (kept,) = bob.sync().kept
    assert (kept.event, kept.checkpoints) == (purged.ann.tip, ("task-2@1",))
    bob.sync()
    assert "refs/devs/checkpoints/task-2/1" not in refs_of(purged.origin)
    bob.call("purge", purge.Request(event=kept.event[:10]))
    gone_everywhere(purged)


def test_the_same_purge_takes_it_out_there_by_what_the_objects_hold(purged: Pair) -> None:
    purged.bob.sync()
    result = purged.bob.call("purge", purge.Request("secret.env", folder=str(purged.bob.top)))
    assert [one.ref for one in result.dropped] == ["refs/devs/checkpoints/task-2/1"]
    gone_everywhere(purged)


@pytest.mark.parametrize("event", ["", "x", "abc", "0" * 40])
def test_an_event_that_tells_of_no_such_checkpoint_is_refused(purged: Pair, event: str) -> None:
    with pytest.raises(DevsError) as error:
        purged.bob.call("purge", purge.Request(event=event))
    assert error.value.code == "INVALID_ARGUMENTS"
