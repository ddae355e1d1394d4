"""HEAD, refs and locks of an interrupted move: each moves on or back only from the value that we gave it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.interrupted import positions
from devs_git.storage.worktree.journal import Journal
from devs_git.values import replace
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick
Run = Callable[..., str]
MAIN, NEW = "refs/heads/main", "refs/x/new"


@pytest.fixture
def site(ledgered: Workspace) -> Site:
    return ledgered.site


@pytest.fixture
def journal(site: Site, git: Run) -> Journal:
    """A move of `main` one commit back, which also makes a ref."""
    head, before, *trees = git("rev-parse", "HEAD", "HEAD~1", "HEAD^{tree}", "HEAD~1^{tree}").split()
    return Journal(
        op_id="op",
        verb="rewind",
        subject="rewind: x",
        worktree=".",
        kind="move",
        old=State(head, MAIN, trees[0], trees[0]),
        new=State(before, MAIN, trees[1], trees[1]),
        backup="refs/devs/backup/op",
        ledger=site.ledger.tip().oid,
        updates=(RefUpdate(MAIN, before, head), RefUpdate(NEW, head, NO_OID)),
        trees=(trees[0], trees[1]),
        draft={},
        lock_inode=0,
        packed_refs_locked=False,
    )


def places(git: Run) -> str:
    return git("for-each-ref", "--format=%(refname) %(objectname)", MAIN, "refs/x")


def test_refs_go_on_to_where_they_were_going_and_back_to_where_they_were(
    site: Site, journal: Journal, git: Run
) -> None:
    was = places(git)
    positions.finish_refs(site, journal)
    assert places(git) == f"{MAIN} {journal.new.head}\n{NEW} {journal.old.head}"
    positions.finish_refs(site, journal)  # the refs are there already
    positions.take_back_refs(site, journal)
    assert places(git) == was
    positions.take_back_refs(site, journal)
    assert places(git) == was


def test_a_ref_that_somebody_moved_since_is_left_alone(site: Site, journal: Journal, git: Run) -> None:
    positions.finish_refs(site, journal)
    theirs = git("commit-tree", "-m", "theirs", "HEAD^{tree}")
    git("update-ref", MAIN, theirs)
    positions.take_back_refs(site, journal)
    assert places(git) == f"{MAIN} {theirs}"
    positions.finish_refs(site, journal)
    assert places(git).startswith(f"{MAIN} {theirs}\n")


def test_a_ref_that_another_git_holds_is_busy(site: Site, journal: Journal, git: Run) -> None:
    was = places(git)
    (site.places.common / f"{MAIN}.lock").touch()
    with pytest.raises(DevsError) as caught:
        positions.finish_refs(site, journal)
    assert (caught.value.code, places(git)) == ("BUSY", was)


def test_head_names_the_branch_again_that_it_named_or_none(site: Site, journal: Journal, git: Run) -> None:
    git("branch", "other", "HEAD~1")
    to_other = replace(journal, new=replace(journal.new, branch="refs/heads/other"))
    positions.point_head(site, MAIN, "refs/heads/other")
    positions.take_back_head(site, to_other)
    assert git("symbolic-ref", "HEAD") == MAIN
    positions.take_back_head(site, to_other)  # it is there already
    positions.point_head(site, MAIN, "refs/heads/other")
    positions.take_back_head(site, replace(to_other, old=replace(journal.old, branch="")))
    assert git("rev-parse", "--symbolic-full-name", "HEAD") == "HEAD"
    assert git("rev-parse", "HEAD") == journal.old.head


def test_the_ledger_may_grow_meanwhile_but_not_go_away_or_back(site: Site, git: Run) -> None:
    then = site.ledger.tip().oid
    grown = git("commit-tree", "-p", then, "-m", "x", f"{then}^{{tree}}")
    positions.require_same_ledger(site, then, grown)
    positions.require_same_ledger(site, "", then)
    for now, code in (("", "LEDGER_MISSING"), (git("rev-parse", "HEAD"), "LEDGER_ROLLBACK")):
        with pytest.raises(DevsError) as caught:
            positions.require_same_ledger(site, then, now)
        assert caught.value.code == code


def test_locks_that_stay_are_removed_those_of_the_journals_refs_alone(
    site: Site, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "LOCK_QUIET_SECONDS", 0.06)  # only the waiting time is shorter
    monkeypatch.setattr(positions, "PACKED_REFS_QUIET_SECONDS", 0.06)
    common = site.places.common
    ours = ["HEAD.lock", f"{MAIN}.lock", f"{LEDGER}.lock", "packed-refs.lock", "packed-refs.new"]
    for name in (*ours, "refs/heads/theirs.lock"):
        (common / name).touch()
    positions.clear_locks(site, journal)
    assert [name for name in ours if (common / name).exists()] == []
    assert (common / "refs/heads/theirs.lock").exists()
    (common / "packed-refs.new").touch()
    positions.clear_locks(site, journal)
    assert not (common / "packed-refs.new").exists()
    (common / "packed-refs.lock").touch()
    positions.clear_locks(site, replace(journal, packed_refs_locked=True))  # the lock existed before our move
    assert (common / "packed-refs.lock").exists()


def test_a_lock_that_changes_belongs_to_a_living_git(
    site: Site, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock: Path = site.places.common / f"{MAIN}.lock"
    lock.touch()
    look = positions._identity

    def written(path: Path) -> tuple[int, int, int] | None:
        """git continues to write to it."""
        found = look(path)
        if path == lock and found:
            lock.write_text(lock.read_text() + "x")
        return found

    monkeypatch.setattr(positions, "_identity", written)
    positions.clear_locks(site, journal)
    assert lock.exists()
