"""Archives between clones: each gets them with `sync`, the remote loses the refs that they stand for, and nothing else is lost."""

from __future__ import annotations

import pytest

from devs_git.commands import archive, init, rewind, sync
from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.event_upkeep import CheckpointsArchived
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.ids import ARCHIVES, parse_target
from devs_git.domain.ledger.resolve import resolve
from devs_git.entrypoints import router
from tests.support.archiving import archive_all, collect, entries, numbered
from tests.support.clones import LEDGER, TAGS, Clone, Pair, Trio, refs_of
from tests.support.git_calls import git

ONE = "refs/devs/checkpoints/task-10/1"


@pytest.fixture
def done(pair: Pair) -> Pair:
    """Both clones have tasks 10 and 11, which Ann completed."""
    pair.ann.task("10")
    pair.ann.task("11")
    pair.ann.git("push", "-q", "origin", "main")
    pair.meet()
    pair.bob.git("pull", "-q", "origin", "main")
    return pair


def undo(clone: Clone) -> archive.Result:
    result: archive.Result = clone.call("archive", archive.Request(undo=True))
    return result


def points(refs: dict[str, str]) -> dict[str, str]:
    """Without the ledger and archives."""
    return {ref: oid for ref, oid in refs.items() if ref != LEDGER and not ref.startswith(ARCHIVES)}


def archives_of(refs: dict[str, str]) -> list[str]:
    return [oid for ref, oid in refs.items() if ref.startswith(ARCHIVES)]


def assert_whole(pair: Pair, before: dict[str, str]) -> None:
    """Each clone and the remote has each of these checkpoints, as a ref or in an archive, and `verify` finds nothing."""
    for top in (pair.ann.top, pair.bob.top, pair.origin):
        collect(top)
    for clone in (pair.ann, pair.bob):
        assert {**entries(clone.top), **points(refs_of(clone.top))}.items() >= before.items()
        for name in ("task-10@1", "task-11"):
            point = resolve(clone.opened.ledger.tip().history, parse_target(name))
            clone.git("cat-file", "-e", f"{point.commit}^{{tree}}")
    have = set(points(refs_of(pair.origin)))
    for oid in archives_of(refs_of(pair.origin)):
        git("rev-list", "--objects", oid, where=pair.origin)
        have |= {one for one, tag in entries(pair.ann.top).items() if before.get(one) == tag}
    assert have >= set(before)
    pair.assert_sound()


@pytest.mark.quick
def test_the_remote_gets_the_archive_and_loses_the_refs_that_it_stands_for(done: Pair) -> None:
    before = points(refs_of(done.origin))
    made = archive_all(done.ann.top)
    told = done.ann.sync()
    assert archive_ref(made) in told.pushed
    assert set(told.deleted) == set(before)
    assert set(refs_of(done.origin)) == {LEDGER, archive_ref(made)}
    assert_whole_after_sync(done, before)
    # Bob keeps the refs that he has, and pushes none of them.
    assert points(refs_of(done.bob.top)) == before
    assert points(refs_of(done.origin)) == {}
    assert (done.ann.sync().pushed, done.ann.sync().fetched, done.ann.sync().left) == ((), (), ())


def assert_whole_after_sync(pair: Pair, before: dict[str, str]) -> None:
    told = pair.bob.sync()
    assert (told.pushed, told.deleted, told.left) == ((), (), ())
    assert archives_of(refs_of(pair.bob.top)) == archives_of(refs_of(pair.origin))
    assert_whole(pair, before)


def test_a_clone_that_never_had_the_checkpoints_gets_the_archive_alone(done: Pair) -> None:
    done.ann.task("12")
    made = archive_all(done.ann.top)
    done.ann.git("push", "-q", "origin", "main")
    done.ann.sync()
    done.bob.sync()
    assert archive_ref(made) in refs_of(done.bob.top)
    assert not [ref for ref in points(refs_of(done.bob.top)) if "task-12" in ref]
    collect(done.bob.top)
    done.bob.git("pull", "-q", "origin", "main")
    point = resolve(done.bob.opened.ledger.tip().history, parse_target("task-12@1"))
    done.bob.call("rewind", rewind.Request("task-12@1", preserve="branch"))
    assert done.bob.git("rev-parse", "HEAD") == point.commit
    done.assert_sound()


def test_a_fresh_clone_adopts_archives_and_goes_back_to_an_archived_checkpoint(trio: Trio) -> None:
    trio.ann.task("10")
    trio.ann.git("push", "-q", "origin", "main")
    trio.meet()
    archive_all(trio.ann.top)
    trio.ann.sync()
    collect(trio.origin)
    git("clone", "-q", str(trio.origin), "dan", where=trio.origin.parent)
    dan = Clone(trio.origin.parent / "dan")
    router.call("init", dan.opened, init.Request())
    collect(dan.top)
    assert numbered(dan.top) == []
    point = resolve(dan.opened.ledger.tip().history, parse_target("task-10@1"))
    dan.call("rewind", rewind.Request("task-10@1", preserve="branch"))
    assert dan.git("rev-parse", "HEAD") == point.commit
    assert dan.sync().left == ()
    assert dan.trouble() == []


def test_a_fresh_clone_keeps_no_archive_that_no_event_names_or_that_has_a_fault(done: Pair) -> None:
    made = archive_all(done.ann.top)
    done.ann.sync()
    rogue = git("commit-tree", "-m", "x", "main^{tree}", where=done.origin)
    git("update-ref", archive_ref(rogue), rogue, where=done.origin)
    git("update-ref", f"{ARCHIVES}/{'1' * 40}", made, where=done.origin)
    git("clone", "-q", str(done.origin), "dan", where=done.origin.parent)
    dan = Clone(done.origin.parent / "dan")
    said = router.call("init", dan.opened, init.Request()).actions
    assert archives_of(refs_of(dan.top)) == [made]
    assert [one.detail for one in said if one.what == "ledger"] == [
        "adopted from origin, without 2 archives that are not what the ledger names"
    ]
    assert dan.trouble() == []


def test_a_ref_that_another_clone_pushed_meanwhile_stays(done: Pair) -> None:
    archive_all(done.ann.top)
    done.bob.task("12")
    done.bob.sync()
    theirs = {ref for ref in refs_of(done.origin) if "task-12" in ref}
    told = done.ann.sync()
    assert theirs
    assert theirs <= set(refs_of(done.origin))
    assert not theirs & set(told.deleted)
    # A ref with another value is none that the archive has.
    git("update-ref", ONE, "main", where=done.origin)
    done.ann.sync()
    assert ONE in refs_of(done.origin)


def test_a_dry_run_of_sync_tells_of_archives_and_writes_nothing(done: Pair) -> None:
    archive_all(done.ann.top)
    there, here = refs_of(done.origin), refs_of(done.ann.top)
    told = done.ann.call("sync", sync.Request(dry_run=True))
    assert (refs_of(done.origin), refs_of(done.ann.top)) == (there, here)
    real = done.ann.sync()
    assert (told.pushed, told.deleted) == (real.pushed, real.deleted)
    before = refs_of(done.bob.top)
    told = done.bob.call("sync", sync.Request(dry_run=True))
    assert refs_of(done.bob.top) == before
    assert told.fetched == done.bob.sync().fetched
    undo(done.ann)
    done.ann.sync()
    before = refs_of(done.bob.top)
    told = done.bob.call("sync", sync.Request(dry_run=True))
    assert refs_of(done.bob.top) == before
    assert told.fetched == done.bob.sync().fetched


def test_undo_gives_the_refs_back_to_the_remote_and_to_a_clone_that_lost_its_tags(done: Pair) -> None:
    before = points(refs_of(done.origin))
    archive_all(done.ann.top)
    done.ann.sync()
    done.bob.sync()
    # Bob archives the same: he has no ref of these checkpoints any more, and git has deleted the tag objects.
    archive_all(done.bob.top)
    done.bob.sync()
    assert numbered(done.bob.top) == []
    undo(done.ann)
    told = done.ann.sync()
    assert set(told.deleted) == {archive_ref(oid) for oid in archives_of(refs_of(done.bob.top))}
    assert points(refs_of(done.origin)) == before
    done.bob.sync()
    assert points(refs_of(done.bob.top)) == before
    done.assert_same()
    for clone in (done.ann, done.bob):
        assert (clone.sync().pushed, clone.sync().fetched, clone.sync().left) == ((), (), ())


def test_two_clones_archive_at_the_same_time(done: Pair) -> None:
    before = points(refs_of(done.origin))
    made = {archive_all(done.ann.top), archive_all(done.bob.top)}
    done.meet()
    done.bob.sync()
    assert set(archives_of(refs_of(done.origin))) == made
    assert points(refs_of(done.origin)) == {}
    assert_whole(done, before)
    done.assert_same()


def test_one_clone_takes_back_while_another_archives(done: Pair) -> None:
    before = points(refs_of(done.origin))
    first = archive_all(done.ann.top)
    done.ann.sync()
    done.bob.sync()
    undo(done.ann)
    done.bob.task("12")
    done.bob.git("push", "-q", "origin", "main")
    second = archive_all(done.bob.top)
    done.meet()
    done.bob.sync()
    assert first not in archives_of(refs_of(done.origin))
    assert second in archives_of(refs_of(done.origin))
    assert_whole(done, before)


def test_a_push_that_died_after_the_archive_is_finished_by_the_next_sync(done: Pair) -> None:
    before = points(refs_of(done.origin))
    made = archive_all(done.ann.top)
    done.ann.git("push", "-q", "origin", LEDGER, f"{archive_ref(made)}:{archive_ref(made)}", f":{ONE}")
    told = done.bob.sync()
    assert ONE not in told.pushed
    told = done.ann.sync()
    assert set(told.deleted) == before.keys() - {ONE}
    assert_whole_after_sync(done, before)


def test_a_clone_that_was_offline_for_a_long_time_meets_archives(trio: Trio) -> None:
    trio.ann.task("10")
    trio.ann.task("11")
    trio.ann.git("push", "-q", "origin", "main")
    trio.meet()
    trio.cat.sync()
    trio.cat.git("pull", "-q", "origin", "main")
    before = points(refs_of(trio.origin))
    archive_all(trio.ann.top)
    trio.meet()
    undo(trio.ann)
    trio.meet()
    archive_all(trio.bob.top)
    trio.meet()
    trio.cat.task("13", "cat.txt")
    assert trio.cat.sync().left == ()
    collect(trio.cat.top)
    assert {**entries(trio.cat.top), **points(refs_of(trio.cat.top))}.items() >= before.items()
    assert trio.cat.trouble() == []
    trio.meet()
    assert_whole(trio, before)


def test_an_archive_that_no_event_names_is_left(done: Pair) -> None:
    rogue = git("commit-tree", "-m", "x", "main^{tree}", where=done.origin)
    git("update-ref", archive_ref(rogue), rogue, where=done.origin)
    told = done.ann.sync()
    assert told.left == (archive_ref(rogue),)
    assert archive_ref(rogue) not in refs_of(done.ann.top)
    assert archive_ref(rogue) in refs_of(done.origin)


def test_an_archive_with_a_fault_takes_no_ref_away(done: Pair) -> None:
    """An event names a commit that keeps nothing: the refs stay, here and there."""
    before = points(refs_of(done.origin))
    forged = done.ann.git("commit-tree", "-m", "x", "main^{tree}")
    opened = done.ann.opened
    event = opened.event_of(CheckpointsArchived(forged), "archive: forged", verb_name="archive")
    opened.append(lambda _tip: Draft(event))
    git("fetch", "-q", str(done.ann.top), forged, where=done.origin)
    git("update-ref", archive_ref(forged), forged, where=done.origin)
    done.ann.sync()
    told = done.bob.sync()
    assert told.left == (archive_ref(forged),)
    assert archive_ref(forged) not in refs_of(done.bob.top)
    assert points(refs_of(done.origin)) == points(refs_of(done.bob.top)) == before


def test_the_visible_tags_of_archived_checkpoints_stay_where_only_numbered_refs_were_archived(
    done: Pair,
) -> None:
    before = points(refs_of(done.origin))
    archive_all(done.ann.top, with_tags=False)
    done.meet()
    assert points(refs_of(done.origin)) == {r: t for r, t in before.items() if r.startswith(TAGS)}
    assert_whole(done, before)
