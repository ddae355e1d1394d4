"""The verbs that make a new commit, for the state machine of `test_model`: restore and drop."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from devs_git.commands import drop, restore
from tests.support.actors import NAMES
from tests.support.model_moments import fates
from tests.support.rewind_cases import Case, Look

names = st.sampled_from(NAMES)
some = st.integers(0, 9)


class NewCommits:
    """Rules about new commits. What they need besides is in `World`."""

    case: Case
    points: list[str]
    before: dict[str, Look]

    @rule(at=some, name=st.none() | names, fate=fates)
    def restore(self, at: int, name: bytes | None, fate: tuple[str, int, str]) -> None:
        world: Any = self
        paths = () if name is None else (os.fsdecode(world.place(name)),)
        request = restore.Request(self.points[at % len(self.points)], paths, os.fspath(self.case.top))
        done = world.move(restore, request, fate)
        if done and (isinstance(done[0], str) or done[0].restore_id):
            self.before[world._done(done[0], "restore_id")] = done[1]

    @rule(at=some, fate=fates)
    def drop(self, at: int, fate: tuple[str, int, str]) -> None:
        world: Any = self
        task = self.points[at % len(self.points)].partition("@")[0]
        done = world.move(drop, drop.Request(task), fate)
        world.active = bool(self.case.active())
        if done:
            self.before[world._done(done[0], "drop_id")] = done[1]
