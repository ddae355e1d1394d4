"""`history-rewritten` moves the checkpoints to the commits of a history that `git filter-repo` rewrote, really run."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.commands import branch, diff, doctor, history_rewritten, log, purge, rewind, show, undo, verify
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.workspace import Workspace
from tests.support.clones import Clone, Pair, refs_of
from tests.support.filter_repo import MAP, filter_repo
from tests.support.scene import Scene, contents

SECRET = "TOKEN=hunter2-and-more\n"
PURGED = ("--invert-paths", "--path", "secret.env")
TEXTS = (*PURGED, "--message-callback", 'return message.replace(b"done", b"made")')  # the ledger's, too
NOW = datetime.now(UTC).isoformat(timespec="seconds")
REQUEST = history_rewritten.Request(MAP)


@pytest.fixture
def scene(initialised: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """task-1 without the secret, task-2 with it, task-3 of the secret alone, task-4 on top.

    All of it in one second: filter-repo follows an oid in a message only where the commit of that oid was written before,
    and of commits of two branches the older comes first. A second that ends between an event and its commit changes that.
    """
    for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, NOW)
    made = Scene(Workspace.open(initialised))
    made.task("1", {"a.txt": "one\n"})
    made.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    made.task("3", {"secret.env": SECRET * 2})
    made.task("4", {"a.txt": "four\n"})
    for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)
    return made


def follow(scene: Scene, request: history_rewritten.Request = REQUEST) -> history_rewritten.Result:
    opened = Workspace.open(scene.top)
    made = history_rewritten.Request(request.map, str(scene.top), request.dry_run)
    result: history_rewritten.Result = router.call("history-rewritten", opened, made)
    return result


def agreed(scene: Scene) -> None:
    """`doctor` finds nothing, `verify` proves all, `log` and `show` tell the same, and `rewind` and `undo` go and return."""
    opened = Workspace.open(scene.top)
    assert [one for one in doctor.run(opened, doctor.Request()).findings if one.severity == "error"] == []
    assert [
        one for one in verify.run(opened, verify.Request(("repository",))).findings if one.severity == "error"
    ] == []
    rows = [row for row in log.run(opened, log.Request()).checkpoints if row.status == "completed"]
    assert [row.task_id for row in rows] == ["task-4", "task-3", "task-2", "task-1"]
    assert [show.show_checkpoint(opened, show.Request(row.task_id)).commit for row in rows] == [
        row.commit for row in rows
    ]
    assert {row.state for row in rows} == {"completed"}
    diff.run(opened, diff.Request("task-2"))
    before = contents(scene.top)
    router.call("rewind", Workspace.open(scene.top), rewind.Request("task-2"))
    now = contents(scene.top)
    assert (now["a.txt"][1], "secret.env" in now) == (b"two\n", False)
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert contents(scene.top) == before


# How much of the old ledger its second names still hold: all, the newest commit, or nothing.
WAYS = pytest.mark.parametrize(
    ("options", "names"),
    [
        (TEXTS[3:], 64),
        (TEXTS[3:], 1),
        (TEXTS[3:], 0),
        (("--preserve-commit-hashes",), 64),
        (("--refs", "main"), 64),
    ],
    ids=[
        "texts too",
        "texts too, large ledger",
        "texts too, no second names",
        "all of it",
        "code branches only",
    ],
)


def remember(scene: Scene, names: int) -> None:
    """Leave so many second names."""
    newest = scene.workspace.ledger.tip().oid
    for path in (scene.top / ".git/devs/newest").iterdir():
        if names < 2 and not (names and path.name == newest):
            path.unlink()


@pytest.mark.quick(1)
@WAYS
def test_after_it_every_verb_agrees(scene: Scene, options: tuple[str, ...], names: int) -> None:
    remember(scene, names)
    filter_repo(scene.top, *PURGED, *options)
    result = follow(scene)
    assert [(row.before, row.name) for row in result.moved][-3:] == [
        (f"task-{number}@1", f"task-{number}@2") for number in (2, 3, 4)
    ]
    assert not [ref for ref in refs.list_refs(scene.workspace.store_git) if "tags/refs/" in ref]
    agreed(scene)
    again = follow(scene)
    assert (again.moved, again.refs, again.event) == ((), (), "")


def test_a_dry_run_says_the_same_and_writes_nothing(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED)
    before = refs.list_refs(scene.workspace.store_git)
    planned = follow(scene, history_rewritten.Request(MAP, dry_run=True))
    assert refs.list_refs(scene.workspace.store_git) == before
    done = follow(scene)
    assert [row.commit for row in planned.moved] == [row.commit for row in done.moved]
    assert (planned.refs, planned.emptied, planned.lost) == (done.refs, done.emptied, done.lost)


def test_the_event_names_who_and_what_became_of_each(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED)
    result = follow(scene)
    (event,) = [one for one in Workspace.open(scene.top).ledger.events() if one.oid == result.event]
    assert (event.type, event.get("Devs-Cause")) == ("history.rewritten", "map")
    assert event.get("Devs-Actor") == "Ada <ada@example.org>"
    assert [line.split()[3] for line in event.all("Devs-Moved")] == [row.commit for row in result.moved]
    assert len(event.all("Devs-Gone")) == 3


# The messages of commits change, their trees stay; the ledger is left alone.
REWORDED = (
    "--commit-callback",
    'commit.message += b"" if b"Devs-Event:" in commit.message else b"Reworded: yes\\n"',
)


@pytest.mark.parametrize("only", [(), ("--refs", "main")], ids=["all of it", "code branches only"])
def test_without_a_map_it_goes_by_the_files(scene: Scene, only: tuple[str, ...]) -> None:
    filter_repo(scene.top, *REWORDED, "--preserve-commit-hashes", *only)
    result = follow(scene, history_rewritten.Request())
    assert [row.before for row in result.moved] == [f"task-{number}@1" for number in (1, 2, 3, 4)]
    assert [one.code for one in doctor.run(Workspace.open(scene.top), doctor.Request()).findings] == []


@pytest.mark.quick
def test_if_a_branch_of_a_remote_still_has_the_old_commits_it_says_why_nothing_moves(scene: Scene) -> None:
    scene.git("update-ref", "refs/remotes/origin/main", "HEAD")
    filter_repo(scene.top, *REWORDED, "--preserve-commit-hashes", "--refs", "main")
    result = follow(scene, history_rewritten.Request())
    assert (result.moved, result.event) == ((), "")
    assert "here or of a remote" in result.reason
    words = (sys.executable, "-m", "devs_git", "history-rewritten", "--dry-run")
    shown = subprocess.run(words, cwd=scene.top, capture_output=True, text=True, check=True).stdout
    assert shown == f"would move: 0 checkpoints\n{result.reason}\n"
    assert follow(scene).reason == ""
    assert follow(scene).reason.startswith("The map has no new commit")


def test_files_that_no_commit_or_several_have_are_listed_and_nothing_changes(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    before = refs.list_refs(scene.workspace.store_git)
    with pytest.raises(DevsError) as error:
        follow(scene, history_rewritten.Request())
    told = error.value.details["unknown"]
    assert error.value.code == "CONFLICT"
    assert [row.partition(":")[0] for row in told] == ["task-2@1", "task-3@1", "task-4@1"]
    assert all("no commit of a branch has its files" in row for row in told)
    assert "--map" in error.value.hint
    assert refs.list_refs(scene.workspace.store_git) == before


def test_a_tree_of_several_commits_is_not_guessed(scene: Scene) -> None:
    scene.git("commit", "-q", "--allow-empty", "-m", "the files of task-4 once more")
    filter_repo(scene.top, *REWORDED, "--preserve-commit-hashes")
    with pytest.raises(DevsError) as error:
        follow(scene, history_rewritten.Request())
    (row,) = error.value.details["unknown"]
    assert row.startswith("task-4@1: 2 commits have its files: ")
    follow(scene)
    assert [one.code for one in doctor.run(Workspace.open(scene.top), doctor.Request()).findings] == []


def test_a_map_that_does_not_name_a_commit_is_refused(scene: Scene) -> None:
    filter_repo(scene.top, *PURGED, "--preserve-commit-hashes")
    (scene.top / MAP).write_text(f"{'1' * 40} {'2' * 40}\n")
    with pytest.raises(DevsError) as error:
        follow(scene)
    assert (error.value.code, "task-2@1: the map does not name" in error.value.message) == ("CONFLICT", True)


@pytest.mark.parametrize("text", [None, "", "old new\n"])
def test_what_is_no_map_is_an_argument_that_is_refused(scene: Scene, text: str | None) -> None:
    if text is not None:
        (scene.top / "map").write_text(text)
    with pytest.raises(DevsError) as error:
        follow(scene, history_rewritten.Request("map"))
    assert (error.value.code, error.value.details["field"]) == ("INVALID_ARGUMENTS", "map")


def test_a_rewound_checkpoint_stays_rewound_and_can_be_returned_to(scene: Scene) -> None:
    router.call("rewind", Workspace.open(scene.top), rewind.Request("task-2"))
    filter_repo(scene.top, *PURGED)
    follow(scene)
    opened = Workspace.open(scene.top)
    shown = [show.show_checkpoint(opened, show.Request(f"task-{number}@2")).status for number in (2, 4)]
    assert shown == ["completed", "rewound"]
    router.call("branch", opened, branch.Request("task-4@2", "look"))


@pytest.fixture
def shared(pair: Pair) -> Pair:
    """Both clones have task-1 to task-3, of which task-2 brought the secret."""
    ann = Scene(pair.ann.opened)
    ann.task("1", {"a.txt": "one\n"})
    ann.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    ann.task("3", {"a.txt": "three\n"})
    ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    pair.bob.git("pull", "-q", "origin", "main")
    pair.bob.sync()
    return pair


def rows(clone: Clone) -> list[tuple[str, str, str]]:
    listed = clone.call("log", log.Request()).checkpoints
    return [(f"{row.task_id}@{row.number}", row.state, row.commit) for row in listed]


@pytest.mark.parametrize("options", [(), ("--refs", "main")], ids=["all of it", "code branches only"])
def test_a_second_clone_agrees_after_a_sync(shared: Pair, options: tuple[str, ...]) -> None:
    ann, bob = shared.ann, shared.bob
    url = ann.git("remote", "get-url", "origin")
    filter_repo(ann.top, *PURGED, *options)
    if not options:
        ann.git("remote", "add", "origin", url)
        ann.git("fetch", "-q", "origin", "+refs/heads/devs/ledger:refs/heads/devs/ledger")
    follow(Scene(ann.opened))
    ann.git("push", "-q", "--force", "origin", "main")
    ann.sync()
    bob.git("fetch", "-q", "origin")
    bob.git("reset", "-q", "--hard", "origin/main")
    # Ann's rewrite removed these checkpoints. Here a person must agree, too.
    for kept in bob.sync().kept:
        bob.call("purge", purge.Request(event=kept.event))
    bob.sync()
    ann.sync()
    assert rows(ann) == rows(bob)
    assert refs_of(ann.top) == refs_of(bob.top) == refs_of(shared.origin)
    for clone in (ann, bob):
        assert clone.trouble() == []
        assert [one.code for one in doctor.run(clone.opened, doctor.Request()).findings] == []


def test_a_rewritten_ledger_that_a_remote_has_is_put_back_first(shared: Pair) -> None:
    ann = shared.ann
    remember(Scene(ann.opened), 0)
    filter_repo(ann.top, *TEXTS)
    with pytest.raises(DevsError) as error:
        follow(Scene(ann.opened))
    assert (error.value.code, "git fetch <clone>" in error.value.hint) == ("HISTORY_REWRITTEN", True)


def test_an_old_ledger_that_is_whole_here_comes_back_where_the_new_one_is_another(scene: Scene) -> None:
    old = scene.git("rev-parse", "refs/heads/devs/ledger")
    filter_repo(scene.top, "--email-callback", 'return b"eve@example.org"')
    assert follow(scene, history_rewritten.Request(MAP, dry_run=True)).moved
    assert len(follow(scene).moved) == 4
    assert scene.git("rev-parse", "refs/heads/devs/ledger^") == old
    found = verify.run(Workspace.open(scene.top), verify.Request(("ledger", "tags")))
    assert found.ok, found.findings


def test_so_it_does_where_a_remote_has_it(shared: Pair) -> None:
    ann = shared.ann
    old = ann.tip
    filter_repo(ann.top, *TEXTS)
    follow(Scene(ann.opened))
    assert ann.git("rev-parse", "refs/heads/devs/ledger^") == old


def test_a_ledger_with_another_genesis_is_a_fork(scene: Scene) -> None:
    remember(scene, 0)
    filter_repo(scene.top, "--email-callback", 'return b"eve@example.org"')
    with pytest.raises(DevsError) as error:
        follow(scene)
    assert error.value.code == "LEDGER_FORK"
