"""Our folders in the git directory are real ones, in every worktree, or nothing of ours goes on."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import status, task_start
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.storage.git.places import locate_cached, worktrees
from devs_git.storage.worktree import journal
from devs_git.workspace import Workspace

Git = Callable[..., str]
pytestmark = pytest.mark.quick
FOLDERS = ("op", "raw", "journal", "spool", "spool/rejected", "hooks", "open")
FILES = ("catalog.db", "ledger.lock", "unrecorded", "snapshot-index", "task", "view")


def refusal(where: Path) -> str:
    """What opening the repository at `where` refuses, the same each time it is asked."""
    told = set()
    for find in (Workspace.open, locate_cached):
        with pytest.raises(DevsError) as caught:
            find(where)
        assert (caught.value.code, caught.value.details["field"]) == ("INVALID_ARGUMENTS", "repository")
        told.add(caught.value.message)
    assert len(told) == 1
    return told.pop()


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A folder elsewhere, with a folder and a file in it that are nobody's business here."""
    folder = tmp_path / "precious"
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "thesis.txt").write_text("years\n")
    return folder


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_ours_that_is_a_link_is_named_and_nothing_is_removed_through_it(
    name: str, repo: Path, precious: Path
) -> None:
    locate_cached(repo)
    place = repo / ".git" / "devs" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(precious)
    assert f"devs/{name}" in refusal(repo)
    answer = calling.call("git_status", {}, repo)
    assert (answer.is_error, answer.value["code"]) == (True, "INVALID_ARGUMENTS")
    assert (precious / "work" / "thesis.txt").read_text() == "years\n"
    place.unlink()
    place.write_text("a file\n")
    assert f"devs/{name}" in refusal(repo)
    place.unlink()
    place.mkdir()
    assert Workspace.open(repo).places == locate_cached(repo)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_ours_that_is_a_link_is_named_too(name: str, repo: Path, tmp_path: Path) -> None:
    place = repo / ".git" / "devs" / name
    place.parent.mkdir()
    place.symlink_to(tmp_path / "not-there")
    assert f"devs/{name}" in refusal(repo)
    assert not (tmp_path / "not-there").exists()


def test_what_is_neither_a_file_nor_a_folder_is_not_waited_for(repo: Path) -> None:
    (repo / ".git" / "devs").mkdir()
    os.mkfifo(repo / ".git" / "devs" / "task")
    assert "devs/task" in refusal(repo)
    (repo / ".git" / "devs" / "task").unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(repo / ".git" / "devs" / "s"))
        assert "devs/s" in refusal(repo)


@pytest.mark.parametrize("name", ["devs", "devs/op", "devs/raw"])
def test_a_linked_worktree_has_real_folders_too(
    name: str, repo: Path, precious: Path, git: Git, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "--detach", str(tmp_path / "beside"))
    place = repo / ".git" / "worktrees" / "beside" / name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(precious)
    assert "a link" in refusal(tmp_path / "beside")
    here = Workspace.open(repo)
    with pytest.raises(DevsError, match="a link"):  # it is none that could be passed over
        worktrees(here.store_git, here.places.common)
    assert (precious / "work" / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["...json", ".json", "-x.json", "a b.json", "*.json", "a_b.json", "ä.json"])
def test_a_journal_whose_name_is_no_id_is_nobodys_and_removes_nothing(
    name: str, initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(initialised)
    ours = initialised / ".git" / "devs"
    router.call("task start", Workspace.open(), task_start.Request("10"))
    (ours / "journal").mkdir(exist_ok=True)
    for text in (
        "",
        "{}",
        json.dumps({"op_id": name.removesuffix(".json"), "worktree": ".", "kind": "move"}),
    ):
        (ours / "journal" / name).write_text(text)
        found = router.call("status", Workspace.open(), status.Request())
        assert (found.active_task, found.journals) == ("task-10", (name,))
        assert journal.open_ones(Workspace.open().places) == []
        assert (ours / "journal" / name).read_text() == text
    told = [one for one in router.call("doctor", Workspace.open(), _doctor()).findings if name in one.message]
    assert [(one.code, one.severity) for one in told] == [("JOURNAL_OPEN", "error")]


def _doctor() -> VerbRequest:
    from devs_git.commands import doctor

    return doctor.Request()


@pytest.mark.parametrize("name", ["*", "x y", "-x", "..x", "[0-9]"])
def test_a_folder_whose_name_is_no_id_is_no_litter_of_ours(name: str, initialised: Path) -> None:
    places = Workspace.open(initialised).places
    kept = places.own / "op" / name
    kept.mkdir(parents=True)
    places.journals.mkdir(exist_ok=True)
    # A running command writes this journal.
    half = places.journals / ".20010203T040506-1a2b3c4d.json.77"
    half.write_text("{")
    router.call("status", Workspace.open(initialised), status.Request())
    assert kept.is_dir()
    assert half.exists()


def test_litter_that_is_a_link_goes_and_what_it_leads_to_stays(initialised: Path, precious: Path) -> None:
    places = Workspace.open(initialised).places
    (places.own / "op").mkdir(parents=True, exist_ok=True)
    planted = places.own / "op" / "20010203T040506-1a2b3c4d"
    planted.symlink_to(precious)
    router.call("status", Workspace.open(initialised), status.Request())
    assert not planted.is_symlink()
    assert (precious / "work" / "thesis.txt").exists()
