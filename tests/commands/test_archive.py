"""`archive`: old checkpoints share one ref, nothing is lost to `git gc`, and `--undo` gives all refs back."""

from __future__ import annotations

import subprocess

import pytest

from devs_git.commands import archive, rewind, show, task_abandon, task_start, undo
from devs_git.domain.checkpoints.archives import LISTS, archive_ref, choose
from devs_git.domain.ledger.event_upkeep import CheckpointsArchived
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.ids import ARCHIVES, completed_tag
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts.upkeep_text import archive_text
from devs_git.errors import DevsError
from devs_git.operations.archive import archive_checkpoints
from devs_git.storage.git import refs
from devs_git.storage.ledger.archived import archived_points, archives
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.scene import Scene


@pytest.fixture
def two(tasks: Tasks) -> Scene:
    """Tasks 1 and 2 are completed."""
    return tasks({"1": {"a.txt": "one\n"}, "2": {"a.txt": "two\n"}})


def run(
    scene: Scene, *, older_than: str = "0s", tags: bool = False, undo: bool = False, dry_run: bool = False
) -> archive.Result:
    request = archive.Request(older_than, tags, undo, dry_run)
    done: archive.Result = router.call("archive", Workspace.open(scene.top), request)
    return done


def ours(scene: Scene) -> dict[str, str]:
    return refs.list_refs(Workspace.open(scene.top).store_git, "refs/devs/checkpoints", "refs/tags/devs")


def collect(scene: Scene) -> None:
    """Delete every object that nothing reaches."""
    for words in ("reflog expire --expire=now --all", "gc -q --prune=now"):
        subprocess.run(["git", *words.split()], cwd=scene.top, check=True)


@pytest.mark.quick
def test_archived_checkpoints_have_one_ref_and_come_back_from_it_after_gc(two: Scene) -> None:
    before = ours(two)
    done = run(two, tags=True)
    assert (done.refs, done.tags, len(done.archives)) == (len(before), 2, 1)
    assert list(ours(two)) == [archive_ref(done.archives[0])]
    collect(two)
    tags = set(before.values())
    assert all(not Workspace.open(two.top).objects.exists(tag) for tag in tags)
    back = run(two, undo=True)
    assert (back.refs, back.archives) == (len(before), done.archives)
    assert ours(two) == before


def test_without_tags_the_visible_tags_stay(two: Scene) -> None:
    visible = {ref: oid for ref, oid in ours(two).items() if ref.startswith("refs/tags/")}
    done = run(two)
    assert ours(two) == {**visible, archive_ref(done.archives[0]): done.archives[0]}
    assert done.tags == 0


def test_a_dry_run_counts_and_writes_nothing(two: Scene) -> None:
    before, tip = ours(two), Workspace.open(two.top).ledger.tip().oid
    said = run(two, tags=True, dry_run=True)
    assert (said.refs, said.archives, said.dry_run) == (len(before), (), True)
    assert (ours(two), Workspace.open(two.top).ledger.tip().oid) == (before, tip)


def test_a_dry_run_of_undo_says_what_it_would_delete(two: Scene) -> None:
    (made,) = run(two).archives
    assert f"\n  would delete archive {made}" in archive_text(run(two, undo=True, dry_run=True))
    assert archive_ref(made) in ours(two)
    assert f"\n  deleted archive {made}\n" in archive_text(run(two, undo=True))


def test_a_date_in_the_environment_that_git_cannot_read_ends_nothing_in_the_middle(
    two: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git reads it when it writes the reflog of the ledger. The ref of the archive was there already then."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "nonsense")
    before = ours(two)
    (made,) = run(two, tags=True).archives
    assert list(ours(two)) == [archive_ref(made)]
    assert made in Workspace.open(two.top).ledger.tip().history.archives
    run(two, undo=True)
    assert ours(two) == before


@pytest.mark.parametrize("nowhere", ["tag", "commit"])
def test_an_archive_stays_if_a_checkpoint_cannot_come_back(two: Scene, nowhere: str) -> None:
    """It may keep what is left of the checkpoint."""
    (made,) = run(two).archives
    workspace = Workspace.open(two.top)
    found, entries = archive_checkpoints.plan_return(workspace)
    lost = replace(entries[0], **{nowhere: "a" * 40})
    archive_checkpoints.take_back(workspace, found, (lost, *entries[1:]))
    assert {one.ref for one in entries} - ours(two).keys() == {lost.ref}
    assert archive_ref(made) in ours(two)


def test_an_archive_has_a_checkpoint_only_at_the_commit_that_the_ledger_says(two: Scene) -> None:
    run(two)
    workspace = Workspace.open(two.top)
    git, points = workspace.store_git, [*workspace.ledger.tip().history.checkpoints.values()]
    assert archived_points.without_ref(git, points) == points
    elsewhere = [replace(point, commit="1" * 40) for point in points]
    assert archived_points.without_ref(git, elsewhere) == []


def test_what_is_archived_already_is_not_written_again(two: Scene) -> None:
    first = run(two)
    again = run(two)
    assert (again.refs, again.archives) == (0, ())
    two.task("3", {"a.txt": "three\n"})
    third = run(two, tags=True)
    # The numbered refs of task 3, and the visible tags of all three.
    assert (third.refs, third.tags) == (4, 3)
    assert sorted(oid for ref, oid in ours(two).items() if ref.startswith(ARCHIVES)) == sorted(
        (*first.archives, *third.archives)
    )


def test_a_task_that_was_completed_later_than_the_age_keeps_its_refs(two: Scene) -> None:
    before = ours(two)
    assert run(two, older_than="30d").refs == 0
    assert ours(two) == before


def test_a_checkpoint_of_an_archive_can_be_named_shown_and_returned_to(two: Scene) -> None:
    top, commit = two.top, Workspace.open(two.top).ledger.tip().history.completion("task-1")
    assert commit
    run(two, tags=True)
    collect(two)
    shown = router.call("show", Workspace.open(top), show.Request("task-1@1"))
    assert shown.commit == commit.commit
    done = router.call("rewind", Workspace.open(top), rewind.Request("1"))
    assert done.reset_commit == commit.commit


def test_an_archive_with_other_bytes_than_its_tags_deletes_no_ref(two: Scene) -> None:
    """A disk may give back something else than was written: each file is read again before a ref goes."""
    workspace, before = Workspace.open(two.top), ours(two)
    git = workspace.store_git
    done = run(two)
    archive_oid = done.archives[0]
    run(two, undo=True)
    tree = git.text("rev-parse", f"{before[completed_tag('task-1')]}^{{tree}}")
    forged = git.text("commit-tree", tree, "-p", archive_oid, "-m", "x")
    git.run("update-ref", archive_ref(forged), forged)
    assert archives.examine(git, forged).faults
    assert run(two).refs == len([ref for ref in before if ref.startswith("refs/devs/")])
    assert archive_ref(forged) in ours(two)


@pytest.mark.parametrize(
    ("older_than", "undo", "tags"), [("long", False, False), ("", False, False), ("30d", True, True)]
)
def test_a_wrong_value_is_refused_before_anything_is_read(older_than: str, undo: bool, tags: bool) -> None:
    with pytest.raises(DevsError) as said:
        archive.Request(older_than, tags, undo)
    assert said.value.code == "INVALID_ARGUMENTS"


def test_no_archive_is_made_that_would_not_be_whole(two: Scene) -> None:
    workspace = Workspace.open(two.top)
    before, tip = ours(two), workspace.ledger.tip()
    wanted = choose(tip.here, before, "9999", with_tags=False)
    missing = replace(wanted[0], tag="a" * 40)
    with pytest.raises(DevsError, match=r"tag a{40} is missing") as said:
        archive_checkpoints.carry_out(workspace, archive_checkpoints.Plan((*wanted, missing), frozenset()))
    assert said.value.code == "CONFLICT"
    assert (ours(two), workspace.ledger.tip().oid) == (before, tip.oid)


def test_an_archive_that_no_event_names_deletes_no_ref(two: Scene) -> None:
    """The remote would not get it, and another clone would not take it."""
    workspace, before = Workspace.open(two.top), ours(two)
    git, history = workspace.store_git, workspace.ledger.tip().here
    wanted = choose(history, before, "9999", with_tags=True)
    planted = archives.write(git, workspace.objects, wanted, (workspace.signature(), "planted"))
    assert not archives.examine(git, planted).faults
    git.run("update-ref", archive_ref(planted), planted)
    done = run(two, tags=True)
    assert done.archives not in ((), (planted,))
    assert {*ours(two)} == {archive_ref(planted), archive_ref(done.archives[0])}


def test_a_ref_goes_only_if_an_archive_without_fault_has_it(two: Scene) -> None:
    """The event of the archive may be forged: then it keeps no commits, and a new archive is made."""
    workspace, before = Workspace.open(two.top), ours(two)
    git = workspace.store_git
    wanted = choose(workspace.ledger.tip().here, before, "9999", with_tags=True)
    whole = archives.write(git, workspace.objects, wanted, (workspace.signature(), "x"))
    tree = git.text("rev-parse", f"{whole}^{{tree}}")
    forged = workspace.objects.write("commit", f"tree {tree}\ncommitter A <a@b.c> 1 +0000\n\nx\n".encode())
    event = workspace.event_of(CheckpointsArchived(forged), "archive: forged", verb_name="archive")
    workspace.append(lambda _tip: Draft(event, updates=(RefUpdate(archive_ref(forged), forged, NO_OID),)))
    made = run(two, tags=True).archives
    assert made not in ((), (forged,))
    assert archives.examine(git, made[0]).faults == ()
    assert set(ours(two)) == {archive_ref(forged), archive_ref(made[0])}


def test_the_checkpoints_at_some_commits_are_read_from_the_files_that_the_archive_names(two: Scene) -> None:
    run(two, tags=True)
    git = Workspace.open(two.top).store_git
    every = archives.here(git)
    commits = {one.commit for one in every.values()}
    assert len(commits) > 1
    for commit in commits:
        found = archives.at(git, archives.oids(git), {commit})
        assert found == {key: one for key, one in every.items() if one.commit == commit}
    assert archives.at(git, archives.oids(git), commits) == every
    # No commit here has all digits of these: their file has a commit that begins like the second one.
    assert archives.at(git, archives.oids(git), {"1" * 40, min(commits)[:10] + "0" * 30}) == {}


def test_an_archive_of_an_earlier_devs_git_is_sound_and_read_whole(two: Scene) -> None:
    """Its files are named by two digits, and it has no lists."""
    (made,) = run(two, tags=True).archives
    git = Workspace.open(two.top).store_git
    every = archives.here(git)
    rows = [row.rpartition("\t") for row in git.text("ls-tree", made).splitlines()]
    files = {facts: name[:2] for facts, _, name in rows if name not in LISTS}
    assert len(set(files.values())) == len(files) == 2
    former = [f"{facts}\t{name}" for facts, name in files.items()]
    tree = git.run("mktree", stdin="\n".join(former).encode()).decode().strip()
    first = git.text("commit-tree", "-p", made, "-m", "x", tree)
    assert archives.examine(git, first) == archives.examine(git, made)
    refs.transaction(
        git, [RefUpdate(archive_ref(first), first, NO_OID), RefUpdate(archive_ref(made), NO_OID, made)], "x"
    )
    assert archives.at(git, archives.oids(git), {one.commit for one in every.values()}) == every
    for task in ("task-1", "task-2"):
        found = archives.here(git, {task})
        assert found == {key: one for key, one in every.items() if task in one.ref}
        assert set(archives.tags(git, archives.oids(git), found)) == {tag for _, tag in found}


def test_only_the_refs_of_the_plan_go(two: Scene) -> None:
    workspace, before = Workspace.open(two.top), ours(two)
    wanted = choose(workspace.ledger.tip().here, before, "9999", with_tags=True)
    made, gone = archive_checkpoints.carry_out(workspace, archive_checkpoints.Plan(wanted[:1], frozenset()))
    assert gone == wanted[:1]
    assert set(before) - set(ours(two)) == {wanted[0].ref}
    assert archive_ref(made) in ours(two)


def test_a_tag_of_an_undone_task_that_comes_back_is_deleted_and_undo_makes_it_again(two: Scene) -> None:
    """Somebody fetches it from a remote that still has it. Only the archive keeps the checkpoint then."""
    visible = completed_tag("task-2")
    tag = ours(two)[visible]
    run(two)
    router.call("rewind", Workspace.open(two.top), rewind.Request("1"))
    assert visible not in ours(two)
    subprocess.run(["git", "update-ref", visible, tag], cwd=two.top, check=True)
    router.call("task start", Workspace.open(two.top), task_start.Request("3"))
    router.call("task abandon", Workspace.open(two.top), task_abandon.Request("3"))
    assert visible not in ours(two)
    collect(two)
    assert not Workspace.open(two.top).objects.exists(tag)
    router.call("undo", Workspace.open(two.top), undo.Request())
    assert ours(two)[visible] == tag


# It deletes the files of an archive, which are the only pack, as soon as the archive has its ref.
DAMAGE = """#!/bin/sh
[ "$1" = committed ] || exit 0
while read -r _ _ ref; do
  case $ref in refs/devs/checkpoints/archive/*) rm -f "$GIT_DIR"/objects/pack/pack-* ;; esac
done
"""


def test_no_ref_goes_if_git_deleted_a_part_of_the_archive_before_it_had_its_ref(two: Scene) -> None:
    """A `git prune` in another process may delete objects that no ref reaches yet."""
    before, hook = ours(two), two.top / ".git/hooks/reference-transaction"
    hook.write_text(DAMAGE)
    hook.chmod(0o755)
    done = run(two, tags=True)
    assert (done.refs, len(done.archives)) == (0, 1)
    assert before.items() <= ours(two).items()
