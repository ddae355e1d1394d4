"""`status` names the last moment of the worktree in one line, and says how to see more."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from devs_git.commands import status
from devs_git.commands.status import Request
from devs_git.domain.text.times import stamp
from devs_git.entrypoints.cli.texts.log_text import status_text
from devs_git.storage.moments import gaps
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import moment
from tests.support.turn_scene import Turns

pytestmark = pytest.mark.quick


def line(workspace: Workspace) -> str:
    text = status_text(status.run(Workspace.open(workspace.top), Request()))
    return next((one for one in text.split("\n") if "moment" in one), "")


def test_the_last_moment_is_named_with_its_words(ledgered: Workspace, tmp_path: Path) -> None:
    turns = Turns(ledgered, tmp_path)
    assert status.run(ledgered, Request()).last_moment is None
    assert line(ledgered) == ""
    turns.moment(0, words="first")
    turns.edit("a.txt", "edited\n")
    made = turns.moment(60, "prompt", "s1", "fix the\nparser")
    assert line(ledgered) == (
        f"Last moment: moment:{made[:10]}, 2026-11-23T09:01:00.000Z, before a prompt: fix the parser. "
        "See: devs-git log --moments"
    )
    found = status.run(Workspace.open(ledgered.top), Request()).last_moment
    assert found is not None
    assert (found.id, found.kind, found.words) == (made, "prompt", "fix the\nparser")


def test_gaps_of_the_last_day_are_shown_whether_somebody_was_told_or_not(ledgered: Workspace) -> None:
    moment(ledgered)
    assert status.run(ledgered, Request()).gaps == ()
    for hours, kind in ((25, "stop"), (2, "call"), (1, "prompt")):
        at = stamp(ledgered.clock() - timedelta(hours=hours))
        gaps.add(ledgered.places.moments, gaps.Gap(at, kind, f"git needed too long {hours}"))
        if kind == "call":
            gaps.take_new(ledgered.places.moments)
    found = status.run(Workspace.open(ledgered.top), Request())
    assert [(one.kind, one.reason) for one in found.gaps] == [
        ("call", "git needed too long 2"),
        ("prompt", "git needed too long 1"),
    ]
    assert (
        f"2 moments of the last day are missing, the newest of them {found.gaps[1].created_at}, before a prompt, "
        "because git needed too long 1. To make one now: devs-git snapshot create"
    ) in status_text(found).split("\n")


def test_a_worktree_without_moments_names_none_of_another_one(
    ledgered: Workspace, git: Run, tmp_path: Path
) -> None:
    moment(ledgered)
    git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    assert line(Workspace.open(tmp_path / "side")) == ""
    assert "by snapshot create" not in line(ledgered)


def test_a_moment_that_was_pruned_is_not_named(ledgered: Workspace) -> None:
    made = moment(ledgered).moment_id
    (ledgered.places.common / "devs/moments.git/objects" / made[:2] / made[2:]).unlink()
    assert line(ledgered) == ""
