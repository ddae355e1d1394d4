"""Moments are in a store of their own: git of the user neither sees nor prunes them, and each is whole."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.moments import last_moment, moment_store, read_moments, store_packing
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support import git_calls
from tests.support.moment_scene import moment

pytestmark = pytest.mark.quick

Run = Callable[..., str]


def check_whole(top: Path) -> None:
    """The store has all objects of its moments and of their commits, or the user's store has them."""
    own = moment_store.folder(top / ".git")
    env = {
        "GIT_DIR": str(own),
        "GIT_OBJECT_DIRECTORY": str(own / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(top / ".git/objects"),
    }
    assert git_calls.git("fsck", "--connectivity-only", "--no-dangling", where=top, env=env) == ""


def prune_all(git: Run) -> None:
    """git deletes everything that none of the user's refs leads to."""
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")


def files_of(here: Workspace, moment_id: str) -> dict[str, str]:
    """The files of a moment, read by the user's git."""
    state, _ = read_moments.load(Workspace.open(here.top).objects, moment_id)
    listed = git_calls.git("ls-tree", "-r", "-z", "--name-only", state.worktree, where=here.top)
    names = listed.strip("\0").split("\0")
    return {
        name: git_calls.git("cat-file", "-p", f"{state.worktree}:{name}", where=here.top) for name in names
    }


def test_the_users_repository_gets_no_ref_and_no_object_of_a_moment(workspace: Workspace, git: Run) -> None:
    objects, every = git("count-objects", "-v"), git("for-each-ref")
    (workspace.top / "secret.txt").write_text("never added\n")
    moment(workspace)
    assert git("count-objects", "-v") == objects
    assert git("for-each-ref") == every
    assert git("fsck") == ""
    check_whole(workspace.top)


@pytest.mark.parametrize("packed", [False, True])
def test_what_only_the_index_had_stays_in_the_moment_after_git_pruned_it(
    workspace: Workspace, git: Run, *, packed: bool
) -> None:
    (workspace.top / "staged.txt").write_text("staged\n")
    (workspace.top / "folder").mkdir()
    (workspace.top / "folder" / "both.txt").write_text("first\n")
    git("add", ".")
    if packed:
        git("commit", "-qm", "to be dropped")
        git("repack", "-qad")
        git("reset", "-q", "--soft", "HEAD~1")
    (workspace.top / "folder" / "both.txt").write_text("second\n")
    made = moment(workspace)
    git("reset", "-q", "--hard")
    (workspace.top / "folder" / "both.txt").unlink(missing_ok=True)
    prune_all(git)
    check_whole(workspace.top)
    assert files_of(workspace, made.moment_id)["folder/both.txt"] == "second"
    state, _ = read_moments.load(workspace.objects, made.moment_id)
    assert git("cat-file", "-p", f"{state.index}:folder/both.txt") == "first"
    assert git("cat-file", "-p", f"{state.index}:staged.txt") == "staged"


def test_a_tree_of_another_branch_stays_in_the_moment_after_the_branch_is_gone(
    workspace: Workspace, git: Run
) -> None:
    git("switch", "-qc", "side")
    (workspace.top / "side").mkdir()
    (workspace.top / "side" / "own.txt").write_text("of the branch\n")
    git("add", ".")
    git("commit", "-qm", "side")
    git("switch", "-q", "main")
    git("checkout", "-q", "side", "--", ".")
    made = moment(workspace)
    git("reset", "-q", "--hard")
    git("branch", "-q", "-D", "side")
    prune_all(git)
    check_whole(workspace.top)
    assert files_of(workspace, made.moment_id)["side/own.txt"] == "of the branch"


def test_after_packing_all_moments_are_whole_and_new_ones_are_made(workspace: Workspace, git: Run) -> None:
    made = []
    for number in range(3):
        (workspace.top / "new.txt").write_text(f"{number}\n")
        (workspace.top / "kept.txt").write_text("kept\n")
        made.append(moment(workspace).moment_id)
    store_packing.pack(workspace.store_git, workspace.places.common)
    (workspace.top / "new.txt").write_text("after\n")
    made.append(moment(Workspace.open(workspace.top)).moment_id)
    prune_all(git)
    check_whole(workspace.top)
    found = [files_of(workspace, one) for one in made]
    assert [one["new.txt"] for one in found] == ["0", "1", "2", "after"]
    assert {one["kept.txt"] for one in found} == {"kept"}


def test_listing_and_looking_up_bring_nothing_into_the_users_repository(
    workspace: Workspace, git: Run
) -> None:
    (workspace.top / "new.txt").write_text("new\n")
    made = moment(workspace).moment_id
    objects = git("count-objects", "-v")
    assert [one.id for one in read_moments.list_moments(workspace.store_git, workspace.objects)] == [made]
    read_moments.look_up(workspace.objects, made)
    assert git("count-objects", "-v") == objects
    state, _ = read_moments.load(workspace.objects, made)
    assert git("show", f"{state.worktree}:new.txt") == "new"


def test_a_moment_that_lost_an_object_is_not_found(workspace: Workspace) -> None:
    (workspace.top / "new.txt").write_text("new\n")
    made = moment(workspace).moment_id
    state, _ = read_moments.look_up(workspace.objects, made)
    own = moment_store.objects_of(workspace.objects)
    blob = own.read_tree(state.worktree)["new.txt"].oid
    (own.folder / blob[:2] / blob[2:]).unlink()
    with pytest.raises(DevsError) as caught:
        read_moments.load(workspace.objects, made)
    assert caught.value.code == "MOMENT_NOT_FOUND"


@pytest.mark.parametrize("name", ["a:b", 'a"b', "a b"])
def test_the_folder_of_the_repository_may_have_any_name(tmp_path: Path, git: Run, name: str) -> None:
    top = tmp_path / name
    git("clone", "-q", ".", str(top))
    (top / "new.txt").write_text("new\n")
    here = Workspace.open(top)
    made = moment(here)
    assert files_of(here, made.moment_id)["new.txt"] == "new"


def test_objects_that_the_environment_adds_are_found(
    workspace: Workspace, git: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "-q", "--bare", ".", str(tmp_path / "other"))
    oid = git("hash-object", "-w", "--stdin", where=tmp_path / "other", stdin="elsewhere\n")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", os.fspath(tmp_path / "other/objects"))
    git("update-index", "--add", "--cacheinfo", f"100644,{oid},elsewhere.txt")
    made = moment(Workspace.open(workspace.top))
    monkeypatch.delenv("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    state, _ = read_moments.load(workspace.objects, made.moment_id)
    assert git("cat-file", "-p", f"{state.index}:elsewhere.txt") == "elsewhere"


def test_a_hook_that_somebody_put_into_the_store_does_not_run(repo: Path) -> None:
    here = Workspace.open(repo)
    moment(here)
    hooks = repo / ".git/devs/moments.git/hooks"
    hooks.mkdir()
    planted = hooks / "reference-transaction"
    planted.write_text("#!/bin/sh\ntouch ran\n")
    planted.chmod(0o755)
    (repo / "a.txt").write_text("more\n")
    assert moment(here).made
    assert list((repo / ".git").rglob("ran")) == []
    assert not (repo / "ran").exists()


@pytest.mark.parametrize("name", ["last", "last.doubted", "lock", "index"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_in_our_folder_is_refused_and_nothing_is_written_through_it(
    name: str, kind: str, repo: Path, tmp_path: Path
) -> None:
    here, victim = Workspace.open(repo), tmp_path / "victim"
    moment(here)
    victim.write_text("theirs")
    place = repo / ".git/devs/moments" / name
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(victim)
    else:
        os.mkfifo(place)
    (repo / "a.txt").write_text("more\n")
    with pytest.raises(DevsError, match="is not a file"):
        moment(here)
    assert victim.read_text() == "theirs"


@pytest.mark.parametrize("every", [1, 2, 3])
def test_after_a_crash_that_left_empty_objects_moments_are_made_again(repo: Path, every: int) -> None:
    """git finds the file of such an object, does not write it again, and cannot read it."""
    here = Workspace.open(repo)
    (repo / "f1.txt").write_text("kept\n")
    (repo / "sub").mkdir()
    (repo / "sub/new").write_text("new\n")
    moment(here)
    found = sorted(moment_store.folder(repo / ".git").glob("objects/??/*"))
    for place in found[::every]:
        # A new file: the store shares some files with the user's repository.
        place.unlink()
        place.touch()
    if every > 1:
        # git may need none of these objects for the next moment. The other start of the machine is the sign to look.
        last = last_moment.read(here.places)
        last_moment.write(here.places, replace(last, started="another start"))
    (repo / "f2.txt").write_text("later\n")
    made = moment(here)
    assert files_of(here, made.moment_id)["sub/new"]
    state, _ = read_moments.load(here.objects, made.moment_id)
    tree = here.objects.read_tree(state.worktree)
    assert here.objects.read(tree["f1.txt"].oid, "blob") == b"kept\n"


def test_the_lock_that_another_process_takes_right_after_us_stays(workspace: Workspace) -> None:
    moment(workspace)
    common, git = workspace.places.common, workspace.store_git
    store = moment_store.folder(common)
    (ref,) = (str(one.relative_to(store)) for one in (store / "refs/devs/moments/states/main").iterdir())
    oid, lock = refs.loose(store, ref), store / f"{ref}.lock"
    ended, lost = threading.Event(), []

    def take_in_turn() -> None:
        while not ended.is_set():
            with contextlib.suppress(FileExistsError):
                os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
                for _ in range(20):
                    store.stat()
                if not lock.exists():
                    lost.append(1)
                lock.unlink(missing_ok=True)

    other = threading.Thread(target=take_in_turn)
    other.start()
    for _ in range(300):
        with contextlib.suppress(refs.RefLocked):
            moment_store.move_ref(git, common, store / "draft", RefUpdate(ref, oid, oid))
    ended.set()
    other.join()
    assert not lost
