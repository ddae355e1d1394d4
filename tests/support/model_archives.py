"""The verb that moves refs of checkpoints into an archive, for the state machine of `test_model`."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from devs_git.commands import archive
from devs_git.domain.checkpoints.wanted_refs import NUMBERED
from devs_git.domain.ledger.ids import checkpoint_ref
from devs_git.storage.git import object_graph, refs
from devs_git.storage.ledger.archived import archives
from tests.support import killed_moves
from tests.support.rewind_cases import Case


class Archives:
    """Rules about archives. What they need besides is in `World`."""

    case: Case

    @rule(undo=st.booleans(), tags=st.booleans(), killed_at=st.none() | st.integers(0, 5))
    def archive(self, undo: bool, tags: bool, killed_at: int | None) -> None:
        """Archive all that is completed, or take all archives back. Files, index and HEAD stay as they are."""
        world: Any = self
        before = self.case.look()
        request = archive.Request("0s", tags=tags and not undo, undo=undo)
        if killed_at is None:
            done = world.verb(lambda: archive.run(self.case.workspace, request))
            world.count(f"archive: {bool(done and done[0].refs)}, undo: {undo}")
        else:
            killed = killed_moves.run_killed(self.case, archive, request, ("us", killed_at))
            world.count(f"archive killed: {killed}")
        now = self.case.look()
        dataclasses.replace(now, tags=before.tags).must_equal(before)
        assert_kept(self.case)

    @rule()
    def every_checkpoint_is_kept(self) -> None:
        """Also after git deleted what no ref reaches."""
        world: Any = self
        world.git_itself(how="collect", at=0)
        assert_kept(self.case)


def assert_kept(case: Case) -> None:
    """Each checkpoint has its numbered ref, or an archive without faults has it; and its commit is there."""
    opened = case.workspace
    git = opened.store_git
    sound = [oid for oid in archives.oids(git) if not archives.examine(git, oid).faults]
    kept = {*refs.list_refs(git, NUMBERED.rstrip("/")).items(), *archives.entries(git, sound)}
    points = [point for point in opened.ledger.tip().here.checkpoints.values() if not point.gone]
    assert points
    lost = [
        point.name for point in points if (checkpoint_ref(point.task_id, point.number), point.tag) not in kept
    ]
    commits = {point.commit for point in points}
    assert not lost, f"no ref and no archive has {lost}"
    assert commits == object_graph.find_existing(git, commits)
