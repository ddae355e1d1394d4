"""The refs below a folder, read from git's files: what git itself lists, whatever is packed, moved or deleted."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git import ref_files
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.git.ref_files import ListedRefs

Run = Callable[..., str]
FOLDER = "refs/tags/devs"
NAMES = [
    *(f"{FOLDER}/task-{name}" for name in ("1", "10", "2", "a.b", "A_b", "x/1", "x/2", "x-1", "long" * 50)),
    # Neighbours in the file of packed refs, which are not below the folder.
    *(
        "refs/tags/devs-1",
        "refs/tags/devs.1",
        "refs/tags/devs0",
        "refs/tags/dev",
        "refs/tags/devt/1",
        "refs/heads/z",
    ),
]
# To start it fails: it is for what must not ask git.
NO_GIT = Git(Path("/no/such/folder"))


def by_git(git: Run) -> dict[str, str]:
    lines = git("for-each-ref", "--format=%(objectname) %(refname)", FOLDER).splitlines()
    return {name: oid for oid, name in (line.split() for line in lines)}


def require_same(git: Run, found: ListedRefs) -> None:
    expected = by_git(git)
    assert ref_files.parse(found.text) == expected
    assert {name: found.find(name) for name in NAMES} == {name: expected.get(name, "") for name in NAMES}


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(3))
def test_the_files_say_what_git_lists(seed: int, repo: Path, git: Run) -> None:
    chance = random.Random(seed)
    commits = git("rev-list", "HEAD").split()
    git("tag", "-a", "-m", "one", "annotated", commits[1])
    oids = [*commits, git("rev-parse", "annotated")]
    for _ in range(30):
        name = chance.choice(NAMES)
        steps = [
            ("update-ref", name, chance.choice(oids)),
            ("update-ref", "-d", name),
            ("pack-refs", "--all"),
        ]
        git(*chance.choices(steps, (6, 2, 1))[0])
        require_same(git, ref_files.list_below(NO_GIT, repo / ".git", FOLDER))


def test_each_of_thousands_of_packed_refs_is_found(repo: Path, git: Run) -> None:
    chance, oid = random.Random(1), git("rev-parse", "HEAD")
    git("tag", "-a", "-m", "one", "annotated")
    tag = git("rev-parse", "annotated")
    names = {f"{FOLDER}/{number:05}-{'n' * chance.randrange(200)}" for number in range(3000)}
    lines = [f"update {name} {chance.choice((oid, tag))}\n" for name in names]
    git("update-ref", "--stdin", stdin="".join(lines))
    git("pack-refs", "--all")
    found, expected = ref_files.list_below(NO_GIT, repo / ".git", FOLDER), by_git(git)
    assert ref_files.parse(found.text) == expected
    assert {name: found.find(name) for name in names} == expected
    assert not any(found.find(f"{name}x") for name in names)
    assert ref_files.read_packed(repo / ".git", f"{FOLDER}/task") == b""


def test_a_lock_is_no_ref_and_empty_folders_have_none(repo: Path, git: Run) -> None:
    common = repo / ".git"
    assert ref_files.list_below(NO_GIT, common, FOLDER).text == b""
    git("update-ref", f"{FOLDER}/task-1", "HEAD")
    (common / FOLDER / "task-2.lock").touch()
    (common / FOLDER / "empty/inside").mkdir(parents=True)
    require_same(git, ref_files.list_below(NO_GIT, common, FOLDER))


def test_a_pipe_among_the_refs_is_no_ref(repo: Path, git: Run) -> None:
    """To read it would wait for ever, as git does."""
    git("update-ref", f"{FOLDER}/task-1", "HEAD")
    expected = by_git(git)
    os.mkfifo(repo / ".git" / FOLDER / "task-2")
    assert ref_files.parse(ref_files.list_below(NO_GIT, repo / ".git", FOLDER).text) == expected


def without(word: str) -> Callable[[Path], None]:
    def change(common: Path) -> None:
        path = common / "packed-refs"
        path.write_text(path.read_text().replace(f" {word}", "", 1))

    return change


def loose_file(name: str, text: str) -> Callable[[Path], None]:
    def change(common: Path) -> None:
        path = common / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return change


def many(common: Path) -> None:
    oid = (common / "refs/heads/main").read_text()
    for number in range(1001):
        loose_file(f"task-{number}", oid)(common)


def loose_link(common: Path) -> None:
    (common / FOLDER).mkdir(parents=True, exist_ok=True)
    (common / FOLDER / "task-9").symlink_to("refs/heads/main")


UNTOLD = {
    "a packed file that nobody sorted": without("sorted"),
    "a packed file without the commits of tags": without("fully-peeled"),
    "a symbolic ref": loose_file("task-9", "ref: refs/heads/main\n"),
    "a torn ref": loose_file("task-9", "0123"),
    "a name that git does not accept": loose_file("task-9..1", "0" * 39 + "1\n"),
    "a name of a person in another alphabet": loose_file("größe", "0" * 39 + "1\n"),
    "more files than git reads faster": many,
    "a link, by which git once wrote symbolic refs": loose_link,
    "another kind of store": lambda common: (common / "reftable").mkdir(),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("change", UNTOLD.values(), ids=UNTOLD.keys())
def test_git_is_asked_where_the_files_do_not_tell(
    change: Callable[[Path], None], repo: Path, git: Run
) -> None:
    common = repo / ".git"
    git("tag", "-a", "-m", "one", "devs/task-1")
    git("pack-refs", "--all")
    git("update-ref", "refs/heads/main", "HEAD~1")
    git("update-ref", "refs/heads/main", "HEAD")
    change(common)
    with pytest.raises(Exception, match="folder"):
        ref_files.list_below(NO_GIT, common, FOLDER)
    assert ref_files.list_below(Git(repo), common, FOLDER).find(f"{FOLDER}/task-1") == git(
        "rev-parse", "devs/task-1"
    )


def test_of_a_packed_file_whose_end_is_missing_git_says_what_is_wrong(repo: Path, git: Run) -> None:
    git("tag", "devs/task-1")
    git("pack-refs", "--all")
    path = repo / ".git/packed-refs"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with pytest.raises(GitFailed, match="packed-refs"):
        ref_files.list_below(Git(repo), repo / ".git", FOLDER)
