"""Archives of checkpoints that somebody pushed or planted, and events about them that nobody of us wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import archive
from devs_git.domain.checkpoints.archives import LISTS, archive_ref, list_of, write_lists
from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.text import limits
from devs_git.entrypoints import router
from devs_git.operations.rewind import rewind_plan
from devs_git.storage.ledger.archived import archives
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.archiving import archive_all, collect, entries, numbered
from tests.support.attacker import codes_in
from tests.support.git_calls import git

REFS = ["refs/devs/checkpoints/task-10/1", "refs/devs/checkpoints/task-11/1", "refs/tags/devs/task-10"]


@pytest.fixture
def made(mark: Callable[..., str], repo: Path) -> str:
    """The archive of a task; another one, task-11, is not archived. The only commit of task-10 is on no branch."""
    git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "kept by the archive alone")
    git("update-ref", "refs/tags/devs/task-10", mark(10, completed=True))
    git("reset", "-q", "--hard", "HEAD~1")
    found = archive_all(repo)
    mark(11)
    assert codes_in("tags") == set()
    return found


def told(oid: str, kind: str = "checkpoints.archived", key: str = "Devs-Archived") -> None:
    """An event about an archive, as somebody writes it who can push."""
    Workspace.open().append(lambda _tip: Draft(Event(kind, "archive: forged", ((key, oid),))))


def instead(made: str, data: bytes, *parents: str, as_file: str = "") -> str:
    """In the place of the archive another one whose files have these bytes, named by an event."""
    Path("bytes").write_bytes(data)
    blob = git("hash-object", "-w", "bytes")
    Path("bytes").unlink()
    names = [as_file] if as_file else names_of(made)
    tree = git("mktree", stdin="".join(f"100644 blob {blob}\t{name}\n" for name in names))
    return named_by_an_event(tree, made, *parents)


def named_by_an_event(tree: str, made: str, *parents: str) -> str:
    """In the place of the archive another one with this tree, named by an event."""
    words = [word for parent in parents for word in ("-p", parent)]
    forged = git("commit-tree", *words, "-m", "forged", tree)
    told(made, "checkpoints.unarchived", "Devs-Unarchived")
    told(forged)
    git("update-ref", archive_ref(forged), forged)
    git("update-ref", "-d", archive_ref(made))
    return forged


def names_of(made: str) -> list[str]:
    """The files that have tags."""
    return [name for name in git("ls-tree", "--name-only", made).splitlines() if name not in LISTS]


def file_of(made: str) -> bytes:
    (name,) = names_of(made)
    return Workspace.open().store_git.run("cat-file", "blob", f"{made}:{name}")


@pytest.mark.quick
def test_an_archive_with_other_bytes_of_a_tag(made: str) -> None:
    data = file_of(made)
    again = instead(made, data, made)
    # The same files are no fault, so each test here finds only what it changes.
    assert codes_in("tags") == set()
    forged = instead(again, data.replace(b"tagger A", b"tagger E"), made)
    assert codes_in("tags") == {"TAG_MISSING"}
    git_of = Workspace.open().store_git
    assert archives.tags(git_of, [forged], archives.entries(git_of, [forged])) == {}
    router.call("archive", Workspace.open(), archive.Request(undo=True))
    assert [ref for ref in numbered(Path.cwd()) if "task-10" in ref] == []


def test_an_archive_that_does_not_keep_the_commits_of_its_checkpoints(made: str) -> None:
    instead(made, file_of(made), "HEAD")
    assert codes_in("tags") == {"TAG_MISSING"}


def test_an_archive_that_gives_a_task_the_checkpoint_of_another(made: str) -> None:
    data = file_of(made).replace(b"refs/devs/checkpoints/task-10/1", b"refs/devs/checkpoints/task-11/1")
    instead(made, data, made)
    git("update-ref", "-d", REFS[1])
    assert codes_in("tags") == {"TAG_MISSING"}


@pytest.mark.parametrize("as_file", ["000", "00"])
def test_an_archive_with_a_tag_in_the_file_of_another_task(made: str, as_file: str) -> None:
    """Who looks for the tag reads only the file of its task."""
    instead(made, file_of(made), made, as_file=as_file)
    assert codes_in("tags") == {"TAG_MISSING"}


def with_lists(made: str, lists: dict[str, bytes]) -> str:
    """In the place of the archive another one with these lists."""
    git_of = Workspace.open().store_git
    rows = [row for row in git("ls-tree", made).splitlines() if row.rpartition("\t")[2] not in LISTS]
    for name, data in lists.items():
        blob = git_of.run("hash-object", "-w", "--stdin", stdin=data).decode().strip()
        rows.append(f"100644 blob {blob}\t{name}")
    return named_by_an_event(git("mktree", stdin="\n".join(rows) + "\n"), made, made)


@pytest.mark.parametrize("change", ["empty", "other file", "other commit", "in another list", "only one"])
def test_an_archive_whose_lists_leave_a_commit_out(made: str, change: str) -> None:
    """A rewind would pass the checkpoint and not see it there. It asks the ledger."""
    git_of = Workspace.open().store_git
    (file,) = names_of(made)
    commits = {one.commit for one in archives.here(git_of).values()}
    lists = write_lists((commit, file) for commit in commits)
    assert with_lists(made, lists)
    assert codes_in("tags") == set()
    (made,) = archives.oids(git_of)
    name = list_of(min(commits))
    other = LISTS[(LISTS.index(name) + 1) % len(LISTS)]
    forged = {
        "empty": {**lists, name: b""},
        "other file": {**lists, name: lists[name].replace(f" {file}".encode(), b" 000")},
        "other commit": {**lists, name: f"{name[-2:]}{'1' * 8} {file}\n".encode()},
        "in another list": {**lists, name: b"", other: lists[name]},
        "only one": {name: lists[name]},
    }[change]
    with_lists(made, forged)
    assert codes_in("tags") == {"TAG_MISSING"}
    at = archives.at(git_of, archives.oids(git_of), commits)
    # Who does not find all lists reads all files.
    assert bool(at) == (change == "only one")


@pytest.mark.quick
@pytest.mark.parametrize("indexed", [False, True])
def test_a_rewind_past_checkpoints_that_the_lists_of_an_archive_leave_out(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch, *, indexed: bool
) -> None:
    scene = tasks({name: {"a.txt": f"{name}\n"} for name in ("1", "2", "3")})
    monkeypatch.chdir(scene.top)
    if indexed:
        (scene.top / ".git" / INDEX).touch()
    planned = plan_of("task-1")
    assert {point.task_id for point in planned.effect.undone} == {"task-2", "task-3"}
    made = archive_all(scene.top)
    assert plan_of("task-1").effect == planned.effect
    with_lists(made, dict.fromkeys(LISTS, b""))
    assert (
        archives.at(scene.workspace.store_git, archives.oids(scene.workspace.store_git), planned.commits)
        == {}
    )
    assert plan_of("task-1").effect == planned.effect


def plan_of(target: str) -> rewind_plan.RewindPlan:
    return rewind_plan.make_plan(Workspace.open().site, Options(target, None, None, None))


@pytest.mark.quick
def test_an_archive_that_no_event_names(made: str) -> None:
    planted = git("commit-tree", "-p", made, "-m", "planted", f"{made}^{{tree}}")
    git("update-ref", archive_ref(planted), planted)
    assert codes_in("tags") == {"TAG_MOVED"}


def test_an_archive_at_the_name_of_another(made: str) -> None:
    planted = git("commit-tree", "-p", made, "-m", "planted", f"{made}^{{tree}}")
    git("update-ref", archive_ref(made), planted)
    assert entries(Path.cwd()) == {}
    assert codes_in("tags") == {"TAG_MISSING", "TAG_MOVED"}


def test_an_archive_with_a_file_that_is_too_large(made: str) -> None:
    instead(made, bytes(limits.ARCHIVED.most + 1), made)
    assert codes_in("tags") == {"TAG_MISSING"}


def test_an_archive_whose_folders_unfold_to_endless_files(made: str) -> None:
    tree = git("rev-parse", f"{made}^{{tree}}")
    for _ in range(2):
        tree = git("mktree", stdin="".join(f"040000 tree {tree}\t{name:02x}\n" for name in range(9)))
    bomb = named_by_an_event(tree, made, made)
    assert archives.examine(Workspace.open().store_git, bomb).entries == ()
    assert codes_in("tags") == {"TAG_MISSING"}
    # The same archive beside a folder: what is in the folder is not read.
    mixed = git("ls-tree", made) + f"\n040000 tree {tree}\tfolder\n"
    bomb = named_by_an_event(git("mktree", stdin=mixed), bomb, made)
    assert codes_in("tags") == {"TAG_MISSING"}
    assert {ref for ref, _ in archives.entries(Workspace.open().store_git, [bomb])} == {REFS[0], REFS[2]}


@pytest.mark.usefixtures("made")
def test_a_forged_event_that_names_an_archive_which_is_nowhere() -> None:
    before = git("for-each-ref")
    told("1" * 40)
    assert codes_in("tags") == {"TAG_MISSING"}
    assert [row for row in before.splitlines() if "ledger" not in row] == [
        row for row in git("for-each-ref").splitlines() if "ledger" not in row
    ]
    router.call("archive", Workspace.open(), archive.Request(undo=True))
    collect(Path.cwd())
    assert codes_in("tags") == set()
    assert set(REFS) <= set(numbered(Path.cwd()))


@pytest.mark.quick
def test_a_forged_event_that_takes_an_archive_back(made: str) -> None:
    told(made, "checkpoints.unarchived", "Devs-Unarchived")
    assert git("rev-parse", archive_ref(made)) == made
    assert codes_in("tags") == {"TAG_MISSING"}
    router.call("archive", Workspace.open(), archive.Request(undo=True))
    collect(Path.cwd())
    assert codes_in("tags") == set()
    assert set(REFS) <= set(numbered(Path.cwd()))
