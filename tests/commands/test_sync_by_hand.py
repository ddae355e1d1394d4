"""Somebody pushes a numbered ref by hand, with plain git, after `sync` looked at the remote and before it pushes."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.git.remotes import remote_repository
from tests.commands.test_sync_tags import point, start
from tests.support.clones import Pair, refs_of
from tests.support.git_calls import git

SECOND = "refs/devs/checkpoints/task-10/2"


def push_by_hand_before_the_next_push(pair: Pair, value: str, folder: Path) -> None:
    """The program that git starts on the other side first gives SECOND this value there, once."""
    program = folder / "receive"
    program.write_text(
        f'#!/bin/sh\nif mkdir {folder}/once 2>/dev/null; then git --git-dir="$1" update-ref {SECOND} {value}; fi\n'
        'exec git receive-pack "$1"\n'
    )
    program.chmod(0o755)
    pair.ann.git("config", "remote.origin.receivepack", str(program))


@pytest.fixture
def ahead(pair: Pair) -> Pair:
    """Both have task-10@1. Ann alone has task-10@2, and has not pushed it."""
    start(pair.ann)
    point(pair.ann, "first")
    pair.meet()
    point(pair.ann, "second")
    return pair


@pytest.mark.quick
@pytest.mark.parametrize("known", [False, True])
def test_a_value_of_other_work_stays_there_and_is_told(known: bool, ahead: Pair, tmp_path: Path) -> None:
    ahead.bob.git("commit", "-q", "--allow-empty", "-m", "other work")
    ahead.bob.git("push", "-q", "origin", "HEAD:refs/heads/other")
    if known:
        ahead.ann.git("fetch", "-q", "origin")
    theirs = ahead.bob.git("rev-parse", "HEAD")
    push_by_hand_before_the_next_push(ahead, theirs, tmp_path)
    done = ahead.ann.sync()
    assert (tmp_path / "once").exists()
    assert done.left == (SECOND,)
    assert refs_of(ahead.origin)[SECOND] == theirs
    assert git("rev-parse", "devs/ledger", where=ahead.origin) == ahead.ann.tip


@pytest.mark.parametrize("value", ["refs/devs/checkpoints/task-10/1", "refs/heads/main"])
def test_a_value_that_the_checkpoint_has_behind_it_gives_way_to_the_one_that_the_event_names(
    value: str, ahead: Pair, tmp_path: Path
) -> None:
    """git takes it for a fast-forward. Nothing is lost: the checkpoint contains the commit."""
    push_by_hand_before_the_next_push(ahead, git("rev-parse", value, where=ahead.origin), tmp_path)
    assert ahead.ann.sync().left == ()
    assert (tmp_path / "once").exists()
    ahead.bob.sync()
    ahead.assert_same()


def test_an_interruption_after_a_push_that_was_refused_tells_of_no_push(
    ahead: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead.bob.git("commit", "-q", "--allow-empty", "-m", "other work")
    ahead.bob.git("push", "-q", "origin", "HEAD:refs/heads/other")
    push_by_hand_before_the_next_push(ahead, ahead.bob.git("rev-parse", "HEAD"), tmp_path)
    look = remote_repository.Remote.look

    def interrupted(self: remote_repository.Remote) -> remote_repository.RemoteRefs:
        if (tmp_path / "once").exists():
            raise KeyboardInterrupt
        return look(self)

    monkeypatch.setattr(remote_repository.Remote, "look", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped:
        ahead.ann.sync()
    assert stopped.value.__notes__ == ["sync changed no ref here and pushed no ref to origin."]
