"""The commits that moments need stay whole, whatever the user's git deletes, and no ref of ours shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import BASE, COMMITS, TIPS
from devs_git.storage.git import refs
from devs_git.storage.moments import kept_commits, moment_store, prune_moments, read_moments, store_packing
from devs_git.storage.moments.kept_commits import Most
from devs_git.workspace import Workspace
from tests.support import git_calls
from tests.support.moment_scene import moment, prune

Run = Callable[..., str]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook copies at most three commits, so that a short history has a base."""
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(3, 2_000, 1 << 20))


@pytest.fixture
def long(workspace: Workspace, git: Run) -> Workspace:
    """Twenty commits."""
    for number in range(20):
        commit(workspace.top, git, f"{number}\n")
    return workspace


def commit(top: Path, git: Run, text: str) -> str:
    (top / "a.txt").write_text(text)
    git("commit", "-qam", f"commit {text.strip()}", where=top)
    return git("rev-parse", "HEAD", where=top)


def prune_all(git: Run) -> None:
    """git deletes everything that none of the user's refs leads to."""
    git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    git("gc", "-q", "--prune=now")


def refs_in_store(workspace: Workspace, prefix: str = TIPS) -> list[str]:
    git = moment_store.refs_of(workspace.store_git, workspace.places.common)
    return sorted(refs.list_refs(git, prefix.rstrip("/")).values())


def settle(workspace: Workspace) -> None:
    kept_commits.settle(workspace.store_git, workspace.places.common)


def shown(git: Run, what: str = "--all") -> list[str]:
    """The commits that git shows. All have the same time, so their order says nothing."""
    return sorted(git("log", what, "--format=%H").split())


def base_of(git: Run) -> list[str]:
    return git("for-each-ref", "--format=%(objectname)", BASE.rstrip("/")).split()


def all_objects(top: Path, tip: str) -> list[str]:
    """Everything that a commit reaches, in the user's repository alone."""
    return git_calls.git("rev-list", "--objects", "--no-object-names", tip, where=top).split()


def unchanged_without(git: Run, words: str) -> bool:
    """Whether git says the same as without any ref of ours."""
    with_refs = git(*words.split())
    ours = git("for-each-ref", "--format=%(objectname) %(refname)", BASE.rstrip("/")).splitlines()
    for line in ours:
        git("update-ref", "-d", line.split()[1])
    without = git(*words.split())
    for line in ours:
        oid, name = line.split()
        git("update-ref", name, oid)
    return with_refs == without


NAMES = (
    "log --all --format=%H",
    "log --all --oneline --decorate=full",
    "name-rev HEAD",
    "name-rev HEAD~2",
    "describe --all HEAD",
    "describe --all --always HEAD~2",
    "describe --contains --all HEAD",
    "rev-list --all --count",
    "branch --all --contains HEAD",
)


@pytest.mark.quick
def test_a_short_history_is_in_the_store_and_the_users_repository_has_no_ref_of_ours(
    workspace: Workspace, git: Run
) -> None:
    before = git("for-each-ref")
    commit(workspace.top, git, "one\n")
    moment(workspace)
    for number in range(3):
        (workspace.top / "a.txt").write_text(f"amended {number}\n")
        git("commit", "-qa", "--amend", "--no-edit")
        moment(workspace)
    assert git("for-each-ref", "refs/devs", "refs/zdevs") == ""
    assert len(git("for-each-ref")) == len(before)
    assert git("rev-list", "--all", "--count") == git("rev-list", "main", "--count")


@pytest.mark.quick
@pytest.mark.parametrize("words", NAMES)
def test_git_names_and_shows_commits_as_without_moments(long: Workspace, git: Run, words: str) -> None:
    moment(long)
    (long.top / "a.txt").write_text("amended\n")
    git("commit", "-qa", "--amend", "--no-edit")
    moment(long)
    git("rebase", "-q", "--force-rebase", "HEAD~10")
    assert unchanged_without(git, words)
    assert "devs" not in git(*words.split())


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_an_amended_commit_is_not_shown_although_a_long_history_has_a_base(long: Workspace, git: Run) -> None:
    moment(long)
    assert base_of(git) == [git("rev-parse", "HEAD~3")]
    assert shown(git) == shown(git, "main")
    (long.top / "a.txt").write_text("amended\n")
    git("commit", "-qa", "--amend", "--no-edit")
    moment(long)
    assert shown(git) == shown(git, "main")
    for words in ("name-rev HEAD", "describe --all HEAD"):
        assert git(*words.split()).endswith("main")


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_what_a_deep_reset_left_to_our_ref_alone_is_copied_and_then_no_ref_shows_it(
    long: Workspace, git: Run
) -> None:
    made, head = moment(long), git("rev-parse", "HEAD")
    everything = all_objects(long.top, head)
    git("reset", "-q", "--hard", "HEAD~15")
    assert shown(git) != shown(git, "main")
    settle(long)
    assert shown(git) == shown(git, "main")
    # A base keeps what is still before it, also without the branch.
    git("switch", "-q", "--orphan", "empty")
    git("branch", "-D", "main")
    prune_all(git)
    store_packing.pack(long.store_git, long.places.common, 0.0)
    read_moments.load(Workspace.open(long.top).objects, made.moment_id)
    assert all_objects(long.top, head) == everything


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_a_base_that_a_fetch_of_a_mirror_deleted_comes_back_when_the_store_is_packed(
    long: Workspace, git: Run
) -> None:
    made, head = moment(long), git("rev-parse", "HEAD")
    everything = all_objects(long.top, head)
    for oid in base_of(git):
        git("update-ref", "-d", f"{BASE}{oid}")
    store_packing.pack(long.store_git, long.places.common, 0.0)
    git("switch", "-q", "--orphan", "empty")
    git("branch", "-D", "main")
    prune_all(git)
    read_moments.load(Workspace.open(long.top).objects, made.moment_id)
    assert all_objects(long.top, head) == everything


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_after_many_commits_the_base_moves_up_and_the_store_stays_small(
    long: Workspace, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_commits, "_MANY", 10)
    for number in range(30):
        commit(long.top, git, f"later {number}\n")
        moment(long)
    head = git("rev-parse", "HEAD")
    store_packing.pack(long.store_git, long.places.common, 0.0)
    assert git("rev-parse", "HEAD~3") in base_of(git)
    settle(long)
    assert shown(git) == shown(git, "main")
    store_packing.pack(long.store_git, long.places.common, 0.0)
    here = store_packing._Store(long.store_git, long.places.common)._here()
    assert git("rev-parse", "HEAD~2") in here
    assert git("rev-parse", "HEAD~20") not in here
    everything = all_objects(long.top, head)
    git("switch", "-q", "--orphan", "empty")
    git("branch", "-D", "main")
    prune_all(git)
    newest = read_moments.list_moments(long.store_git, long.objects)[0]
    read_moments.load(Workspace.open(long.top).objects, newest.id)
    assert all_objects(long.top, head) == everything


@pytest.mark.quick
@pytest.mark.parametrize("by", [settle, moment])
@pytest.mark.parametrize("packed", [False, True])
def test_refs_of_an_older_version_are_taken_over_and_deleted(
    long: Workspace, git: Run, *, packed: bool, by: Callable[[Workspace], object]
) -> None:
    made, head = moment(long), git("rev-parse", "HEAD")
    store = moment_store.refs_of(long.store_git, long.places.common)
    for ref, oid in refs.list_refs(store, TIPS.rstrip("/")).items():
        git("update-ref", ref.replace(TIPS, COMMITS), oid)
        store.run("update-ref", "-d", ref)
    for oid in base_of(git):
        git("update-ref", "-d", f"{BASE}{oid}")
    # What the older version had in the store: no commit.
    store_packing._delete_loose(
        moment_store.folder(long.places.common) / "objects", all_objects(long.top, head), 0
    )
    everything = all_objects(long.top, head)
    git("reset", "-q", "--hard", "HEAD~1")
    if packed:
        git("pack-refs", "--all")
    by(long)
    assert git("for-each-ref", "refs/devs") == ""
    assert shown(git) == shown(git, "main")
    assert head in refs_in_store(long)
    prune_all(git)
    read_moments.load(Workspace.open(long.top).objects, made.moment_id)
    assert all_objects(long.top, head) == everything


@pytest.mark.quick
def test_old_refs_that_nobody_took_over_go_with_their_day(workspace: Workspace, git: Run) -> None:
    moment(workspace)
    git("update-ref", f"{COMMITS}main/2001-02-03/{git('rev-parse', 'HEAD')}", "HEAD")
    prune(workspace.store_git, prune_moments.days(workspace.store_git))
    assert git("for-each-ref", "refs/devs") == ""
    assert refs_in_store(workspace) == []


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_without_moments_no_ref_stays_and_the_space_is_free(long: Workspace, git: Run) -> None:
    moment(long)
    assert base_of(git)
    prune(long.store_git, prune_moments.days(long.store_git))
    store_packing.pack(long.store_git, long.places.common, 0.0)
    assert base_of(git) == []
    assert store_packing._Store(long.store_git, long.places.common)._here() == set()


@pytest.mark.quick
def test_a_commit_that_a_gc_deleted_in_the_same_call_comes_back_with_its_branch_and_its_stash(
    workspace: Workspace, git: Run
) -> None:
    git("switch", "-qc", "side")
    head = commit(workspace.top, git, "only on the side\n")
    (workspace.top / "a.txt").write_text("stashed\n")
    git("stash", "-q")
    stash = git("rev-parse", "refs/stash")
    made = moment(workspace, keep_refs=True)
    objects = {oid: all_objects(workspace.top, oid) for oid in (head, stash)}
    git("stash", "drop", "-q")
    git("switch", "-q", "main")
    git("branch", "-q", "-D", "side")
    prune_all(git)
    for oid in (head, stash):
        with pytest.raises(AssertionError):
            git("cat-file", "-e", oid)
    read_moments.load(Workspace.open(workspace.top).objects, made.moment_id)
    assert {oid: all_objects(workspace.top, oid) for oid in (head, stash)} == objects


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_many_stale_branches_need_one_copy_a_day(long: Workspace, git: Run) -> None:
    for number in range(15):
        git("branch", f"stale-{number}", f"HEAD~{number}")
    moment(long, "call", keep_refs=True)
    first = refs_in_store(long)
    (long.top / "a.txt").write_text("more\n")
    moment(long, "after")
    moment(long, "call", keep_refs=True)
    assert len(refs_in_store(long)) <= 16
    assert set(first) <= set(refs_in_store(long))
    assert len(base_of(git)) <= 1


@pytest.mark.quick
@pytest.mark.usefixtures("few")
def test_the_next_moment_copies_what_a_deep_reset_left_to_our_ref_alone(long: Workspace, git: Run) -> None:
    moment(long)
    git("reset", "-q", "--hard", "HEAD~10")
    assert shown(git) != shown(git, "main")
    moment(long)
    assert shown(git) == shown(git, "main")
