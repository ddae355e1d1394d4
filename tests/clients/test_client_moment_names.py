"""With real clients: a turn names the state before it, and `diff moment:-1` is what the last turn did."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from devs_git.commands import diff, log
from devs_git.operations.moments.resolve_moment import resolve
from devs_git.storage.moments import behind, read_moments
from devs_git.workspace import Workspace
from tests.clients.workbench import Workbench

pytestmark = pytest.mark.thorough


def at_rest(top: Path) -> Workspace:
    """The workspace, after moments that are being made."""
    workspace = Workspace.open(top)
    while behind.is_at_work(workspace.places.own / "moments"):
        time.sleep(0.05)
    return workspace


def files_of(workspace: Workspace, name: str) -> set[str]:
    """The untracked files of the moment with this name that the test wrote."""
    state, _ = read_moments.load(workspace.objects, resolve(workspace, name).id)
    return set(workspace.git.text("ls-tree", "--name-only", state.worktree).split()) & {
        "one.txt",
        "two.txt",
        "three.txt",
    }


def test_turns_name_the_states_before_them_and_the_difference_is_what_the_last_turn_did(
    workbench: Workbench,
) -> None:
    program, top = workbench.program, workbench.top
    run = workbench.run(
        (program.shell("echo 1 >one.txt"),),
        (program.write(top / "two.txt", "2\n"),),
        prompt="Make two files.",
    )
    session = run.payloads[-1]["session_id"]
    first = {one.path for one in diff.run(at_rest(top), diff.Request("moment:-1")).files}
    assert first == {"one.txt", "two.txt"}
    workbench.run(
        (program.shell("echo 3 >three.txt; rm two.txt"),), prompt="Now a third one.", resume=session
    )
    here = at_rest(top)
    second = {(one.path, one.action) for one in diff.run(here, diff.Request("moment:-1")).files}
    assert second == {("three.txt", "added"), ("two.txt", "deleted")}
    assert files_of(here, f"moment:{session}/1") == set()
    assert files_of(here, f"moment:{session[:13]}/2") == {"one.txt", "two.txt"}
    listed = log.run(here, log.Request(session=session)).moments
    said = {one.words for one in listed} | {one.next_prompt for one in listed}
    assert {"Make two files.", "Now a third one.", "echo 1 >one.txt"} <= said
    assert {one.turn for one in listed} == {1, 2}
