"""git takes over what the hook saw while the rest of the program is loaded, and the moment is the same as without that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.calls.reading_programs import GIT, PROGRAMS
from devs_git.domain.clients.client import BEFORE, PROMPT
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.moments.moment import Occasion
from devs_git.domain.text import limits
from devs_git.entrypoints.hooks import moment as moment_hook
from devs_git.storage.git import locks
from devs_git.storage.moments import last_moment, loss_note, make_moment, read_moments, seen_changes
from devs_git.storage.worktree.modes import umask
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import begin, files_of, look_as_hook, maker, moment, moment_of_hook, on_disk

pytestmark = pytest.mark.quick
_IMPORTING = {"PYTHONPATH": str(Path(moment_hook.__file__).parents[3])}


@pytest.fixture
def here(repo: Path) -> Workspace:
    """A first moment, and changes of each kind since."""
    workspace = Workspace.open(repo)
    (repo / "gone.txt").write_text("untracked\n")
    (repo / "folder").mkdir()
    (repo / "folder" / "inner.txt").write_text("x\n")
    moment(workspace)
    (repo / "a.txt").write_bytes(b"edited\r\n")
    (repo / "f1.txt").unlink()
    (repo / "gone.txt").unlink()
    (repo / "folder" / "inner.txt").unlink()
    (repo / "folder").rmdir()
    (repo / "folder").write_text("a file now\n")
    (repo / "f2.txt").chmod(0o700)
    (repo / "new \u00e9").mkdir()
    (repo / "new \u00e9" / "one.bin").write_bytes(b"\0")
    (repo / "link").symlink_to("nowhere")
    return workspace


def _modes(workspace: Workspace, made: str) -> dict[str, int]:
    return dict(read_moments.load(workspace.objects, made)[0].modes)


def test_a_moment_that_git_began_is_that_of_a_git_that_looks_again(here: Workspace) -> None:
    (here.top / "nested").mkdir()
    subprocess.run(["git", "init", "-q", "nested"], cwd=here.top, check=True)
    made = moment_of_hook(here)
    assert made.made
    assert made.left_out == ("nested/",)
    expected = {path: data for path, data in on_disk(here.top).items() if not path.startswith("nested/")}
    assert files_of(here, made.moment_id) == expected
    assert _modes(here, made.moment_id) == ({} if umask() == 0o077 else {"f2.txt": 0o700})
    assert not moment(here).made
    last_moment.doubt(here.places)
    assert not moment(here).made


def test_git_begins_where_only_files_changed(here: Workspace) -> None:
    seen = look_as_hook(here)
    begun = begin(here, seen)
    assert begun
    found = begun.result()
    begun.close()
    assert found
    assert last_moment.is_doubted(here.places)
    made = moment(here)
    assert read_moments.load(here.objects, made.moment_id)[0].worktree == found[0]
    assert _modes(here, made.moment_id)["f2.txt"] == 0o700


def _another_rule(here: Workspace) -> None:
    (here.top / ".gitignore").write_text("a.txt\n")


def _a_journal(here: Workspace) -> None:
    here.places.journals.mkdir(parents=True, exist_ok=True)
    (here.places.journals / "x.json").write_text("{}")


def _a_link(here: Workspace) -> None:
    (here.places.moments / "elsewhere").symlink_to("/nowhere")


def _a_doubt(here: Workspace) -> None:
    last_moment.doubt(here.places)


def _a_large_file(here: Workspace) -> None:
    with (here.top / "large").open("wb") as file:
        file.truncate(65 << 20)


def _something_staged(here: Workspace) -> None:
    here.git.run("add", "a.txt")


@pytest.mark.parametrize(
    "change", [_another_rule, _a_journal, _a_link, _a_doubt, _a_large_file, _something_staged]
)
def test_git_does_not_begin_where_somebody_must_look_first(
    change: Callable[[Workspace], None], here: Workspace
) -> None:
    change(here)
    before = last_moment.read(here.places)
    assert not begin(here, look_as_hook(here))
    assert last_moment.read(here.places) == before


def test_git_does_not_begin_while_another_moment_is_made(here: Workspace) -> None:
    with locks.hold(here.places.moments / "lock", wait=0):
        assert not begin(here, look_as_hook(here))
    begun = begin(here, look_as_hook(here))
    assert begun
    assert locks.owner_alive(here.places.moments / "lock")
    begun.close()
    with locks.hold(here.places.moments / "lock", wait=0):
        pass


def test_after_head_moved_the_moment_has_files_and_index_of_the_new_head(here: Workspace, git: Run) -> None:
    seen = look_as_hook(here)
    assert begin(here, seen)
    (here.top / "a.txt").write_text("committed meanwhile\n")
    git("commit", "-qam", "meanwhile")
    made = make_moment.make(replace(maker(here), seen=seen), Occasion("prompt", "s1"))
    state, _ = read_moments.load(here.objects, made.moment_id)
    assert (state.head, state.index) == (git("rev-parse", "HEAD"), git("rev-parse", "HEAD^{tree}"))
    assert files_of(here, made.moment_id) == on_disk(here.top)
    assert state.modes["f2.txt"] == 0o700


def test_a_git_that_fails_costs_no_moment(here: Workspace) -> None:
    """git takes over no pipe."""
    seen = look_as_hook(here)
    (here.places.moments / "index").unlink()
    os.mkfifo(here.top / "pipe")
    seen.new += b"pipe\0"
    begun = begin(here, seen)
    assert begun
    assert begun.result() is None
    (here.top / "pipe").unlink()
    made = make_moment.make(replace(maker(here), seen=seen), Occasion("prompt", "s1"))
    assert files_of(here, made.moment_id) == on_disk(here.top)
    assert _modes(here, made.moment_id)["f2.txt"] == 0o700


def test_what_the_first_lines_of_the_hook_spell_out_is_that_of_the_program() -> None:
    """They import nothing that takes time, so they cannot ask for these values."""
    assert limits.PAYLOAD.most == moment_hook._PAYLOAD
    assert limits.DOCUMENT.most == seen_changes._MOST
    assert moment_hook._OURS == (BEFORE, PROMPT)
    assert {*loss_note.SAID, "gap", "unsaid"} == {*moment_hook._TOLD}
    for client in CLIENTS.values():
        events = {BEFORE, PROMPT, client.end, *client.after, "Stop", "AfterAgent"}
        assert {event for event in events if moment_hook._waits(event)} == {BEFORE, *client.after}
    verbs = {f"git {verb}" for verb in (*GIT, "devs")}
    assert {word.decode() for word in moment_hook._READERS} == {*PROGRAMS, *verbs, "devs-git"}


def test_the_first_lines_of_the_hook_load_nothing_that_takes_time() -> None:
    code = "import sys, devs_git.entrypoints.hooks.moment; print(*sys.modules)"
    said = subprocess.run(
        [sys.executable, "-S", "-c", code], env=_IMPORTING, capture_output=True, text=True, check=True
    )
    assert not {"typing", "re", "json", "pathlib", "subprocess", "datetime"} & {*said.stdout.split()}


@pytest.mark.quick
def test_the_process_that_makes_a_moment_loads_no_typing_and_nothing_that_most_moments_do_without() -> None:
    code = (
        "import sys, devs_git.entrypoints.hooks.moment_answer, devs_git.operations.moments.make_in_hook\n"
        "list(devs_git.entrypoints.hooks.moment_answer.CLIENTS.values())\n"
        "print(*sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", code], env=_IMPORTING, capture_output=True, text=True, check=True
    )
    ours = {"git.discovery", "git.filters", "git.locks", "git.newest_objects", "worktree.unconverted_bytes"}
    unwanted = {"typing", "subprocess", *(f"devs_git.storage.{name}" for name in ours)}
    assert not unwanted & {*said.stdout.split()}
