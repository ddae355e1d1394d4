"""What git does beside moments leaves them whole, and moments change nothing of what git shows."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.commands import init, sync
from devs_git.domain.moments.moment import BASE, PREFIX, Occasion
from devs_git.storage.git.objects import FILE, TREE, Entry
from devs_git.storage.moments import kept_commits, make_moment, moment_store, read_moments
from devs_git.storage.moments.kept_commits import Most
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.git_calls import git as git_in
from tests.support.moment_scene import maker

ROOT = Path(__file__).parent.parent.parent.parent
# Objects that only a moment has.
ONLY_HERE = "edited, and in no commit\n"


@pytest.fixture
def origin(repo: Path, git: Run) -> Path:
    """A bare repository beside, which the test's repository has as `origin` and has pushed to."""
    place = repo.parent / "origin.git"
    git("init", "-q", "--bare", str(place))
    git("remote", "add", "origin", str(place))
    git("push", "-q", "origin", "main")
    git("fetch", "-q", "origin")
    return place


@pytest.fixture
def here(repo: Path, git: Run, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A repository with three moments: staged and untracked files, a commit that was reset, a linked worktree.

    Only the newest commit of a moment is copied, so a ref of ours keeps what came before.
    """
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(1, 2_000, 1 << 20))
    workspace = Workspace.open(repo)
    (repo / "a.txt").write_text(ONLY_HERE)
    git("add", "a.txt")
    (repo / "a.txt").write_text(ONLY_HERE * 2)
    (repo / "new.txt").write_text("untracked\n")
    make(workspace, "2026-11-01T10:00")
    git("commit", "-qam", "work that is reset")
    make(workspace, "2026-11-02T10:00")
    git("reset", "-q", "--hard", "HEAD~1")
    (repo / "new.txt").unlink()
    git("worktree", "add", "-q", "-b", "beside", str(repo.parent / "beside"))
    linked = Workspace.open(repo.parent / "beside")
    (linked.top / "in beside.txt").write_text("untracked in a linked worktree\n")
    make(linked, "2026-11-02T11:00")
    return workspace


def make(workspace: Workspace, time: str) -> None:
    then = datetime.fromisoformat(time).replace(tzinfo=UTC)
    made = make_moment.make(
        replace(maker(workspace), clock=lambda: then), Occasion("prompt", "s1"), keep_refs=True
    )
    assert made.made


def whole(workspace: Workspace) -> list[tuple[str, str, int]]:
    """Each moment with its time and the number of its objects, all of which git could read. Its commit is there, too."""
    found = []
    opened = Workspace.open(workspace.top)
    for moment in read_moments.list_moments(opened.store_git, opened.objects):
        state, _ = read_moments.load(opened.objects, moment.id)
        listed = git_in("rev-list", "--objects", moment.id, state.head, where=workspace.top).split("\n")
        oids = "\n".join(line[:40] for line in listed if line)
        checked = git_in("cat-file", "--batch-check=%(objectsize)", where=workspace.top, stdin=oids + "\n")
        assert "missing" not in checked
        found.append((moment.id, moment.created_at, len(listed)))
    return found


# What people and programs run beside moments. `{top}` is the repository, `{beside}` a folder for something new.
HARMLESS = {
    "fetch": "git fetch -q --prune origin",
    "fetch tags": "git fetch -q --prune --prune-tags --tags origin",
    "fetch all": "git fetch -q --all --prune",
    "pull": "git pull -q --prune origin main",
    "remote update": "git remote update --prune",
    "remote prune": "git remote prune origin",
    "gc": "git reflog expire --expire=now --expire-unreachable=now --all && git gc -q --prune=now",
    "gc aggressive": "git reflog expire --expire=now --all && git gc -q --aggressive --prune=now",
    "prune": "git reflog expire --expire=now --all && git prune --expire=now && git prune-packed",
    "repack": "git repack -adfq && git prune-packed",
    "repack kept": "git repack -Adq --unpack-unreachable=now",
    "pack-refs": "git pack-refs --all --prune",
    "maintenance": "git repack -q && git maintenance run --task=gc --task=commit-graph --task=incremental-repack",
    "push all": "git push -q --all origin && git push -q --tags origin",
    "push follow": "git push -q --follow-tags origin main",
    "push prune": "git push -q --prune origin 'refs/heads/*:refs/heads/*'",
    "push mirror": "git push -q --mirror origin",
    "clone": "git clone -q {top} {beside}",
    "clone mirror": "git clone -q --mirror {top} {beside} && git -C {beside} fetch -q --prune",
    "remove worktree": "git worktree remove --force ../beside && git gc -q --prune=now",
    "prune worktree": "rm -rf ../beside && git worktree prune --expire=now && git gc -q --prune=now",
    "stash": "echo x > a.txt && git stash -q && git stash drop -q && git gc -q --prune=now",
    "branch": "git worktree remove --force ../beside && git branch -qD beside && git gc -q --prune=now",
    "reset": "git reset -q --hard HEAD~1 && git clean -qfdx && git gc -q --prune=now",
    "fsck": "git fsck --full --strict",
}


@pytest.mark.parametrize("command", HARMLESS.values(), ids=HARMLESS)
@pytest.mark.quick(4)
@pytest.mark.usefixtures("origin")
def test_moments_stay_whole_beside_what_git_does(here: Workspace, command: str) -> None:
    before = whole(here)
    assert len(before) == 3
    script = command.format(top=here.top, beside=here.top.parent / "new place")
    subprocess.run(["sh", "-ec", script.replace("new place", "new-place")], cwd=here.top, check=True)
    assert whole(here) == before


@pytest.mark.quick
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("most", [1, 100])
def test_moments_in_a_worktree_of_a_mirror_stay_whole_after_a_fetch_that_prunes(
    origin: Path, git: Run, monkeypatch: pytest.MonkeyPatch, *, left_out: bool, most: int
) -> None:
    """git deletes the branch, which the remote does not have, and our refs, too, unless a refspec leaves them out."""
    monkeypatch.setattr(kept_commits, "IN_A_HOOK", Most(most, 2_000, 1 << 20))
    mirror, top = origin.with_name("mirror.git"), origin.with_name("work")
    git("clone", "-q", "--mirror", str(origin), str(mirror))
    git("worktree", "add", "-q", "-b", "work", str(top), where=mirror)
    (top / "new.txt").write_text("committed on a branch that the remote does not have\n")
    git("add", "new.txt", where=top)
    git("commit", "-qm", "new", where=top)
    (top / "a.txt").write_text("edited\n")
    workspace = Workspace.open(top)
    make(workspace, "2026-11-01T10:00")
    before = whole(workspace)
    assert len(before) == 1
    if left_out:
        git("config", "--add", "remote.origin.fetch", "^refs/devs/*", where=mirror)
        git("config", "--add", "remote.origin.fetch", "^refs/zdevs/*", where=mirror)
    git("fetch", "-q", "--prune", "origin", where=mirror)
    assert git("for-each-ref", "refs/heads/work", where=mirror) == ""
    assert bool(moments_at(mirror)) is (left_out and most == 1)
    git("reflog", "expire", "--expire=now", "--all", where=mirror)
    git("gc", "-q", "--prune=now", where=mirror)
    listed = read_moments.list_moments(workspace.store_git, workspace.objects)
    assert [one.id for one in listed] == [before[0][0]]
    state, _ = read_moments.load(Workspace.open(mirror).objects, listed[0].id)
    git("rev-list", "--objects", listed[0].id, state.head, where=mirror)


@pytest.mark.quick
def test_no_push_or_clone_takes_moments_along_and_only_one_of_everything_their_commits(
    here: Workspace, origin: Path, git: Run, tmp_path: Path
) -> None:
    for words in (
        ("push", "-q", "--all"),
        ("push", "-q", "--tags"),
        ("push", "-q", "origin", "HEAD", "--follow-tags"),
    ):
        git(*words)
    assert moments_at(origin) == 0
    git("clone", "-q", str(here.top), str(tmp_path / "plain"))
    git("clone", "-q", "--bare", str(here.top), str(tmp_path / "bare"))
    assert (moments_at(tmp_path / "plain"), moments_at(tmp_path / "bare")) == (0, 0)
    git("push", "-q", "--mirror", "origin")
    git("clone", "-q", "--mirror", str(here.top), str(tmp_path / "mirror"))
    assert moments_at(origin) == moments_at(tmp_path / "mirror") > 0
    for place in (origin, tmp_path / "mirror", tmp_path / "plain", tmp_path / "bare"):
        assert git_in("for-each-ref", f"{PREFIX}states", where=place) == ""
        every = git_in("cat-file", "--batch-all-objects", "--batch-check=%(objectname)", where=place)
        assert {one[0] for one in whole(here)}.isdisjoint(every.split())


def moments_at(place: Path) -> int:
    return len(git_in("for-each-ref", "--format=%(refname)", PREFIX, BASE, where=place).split())


@pytest.mark.quick
def test_the_command_of_the_page_deletes_moments_and_backups_from_a_remote(
    here: Workspace, origin: Path, git: Run
) -> None:
    git("push", "-q", "--mirror", "origin")
    assert moments_at(origin) > 0
    page = (ROOT / "docs/moments.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^git ls-remote .*\n.*$", page, re.MULTILINE)
    subprocess.run(["sh", "-ec", command.replace("REMOTE", "origin")], cwd=here.top, check=True)
    assert moments_at(origin) == 0
    assert len(whole(here)) == 3


SHOWS = (
    "log --all --format=%H",
    "log --all --oneline --graph",
    "log --branches --remotes --tags --format=%H",
    "branch --all",
    "tag",
    "log --all --decorate --oneline",
    "describe --always",
    "status --porcelain=v2 --branch",
    "rev-list --all --count",
    "stash list",
    "shortlog -sn --all",
    "worktree list",
)


@pytest.mark.parametrize("many", [20, pytest.param(10_000, marks=pytest.mark.thorough)])
@pytest.mark.quick(1)
def test_git_shows_the_same_with_and_without_moments(repo: Path, git: Run, many: int) -> None:
    before = [git(*words.split()) for words in SHOWS]
    workspace = Workspace.open(repo)
    add_many(workspace, many)
    assert len(read_moments.list_moments(workspace.store_git, workspace.objects)) == many
    assert [git(*words.split()) for words in SHOWS] == before
    assert git("for-each-ref", PREFIX, BASE) == ""


def add_many(workspace: Workspace, many: int) -> None:
    """Moments of fourteen days, made of trees of their own without looking at files, so that the test is fast."""
    user, own = workspace.objects, moment_store.objects_of(workspace.objects)
    objects, git = own, moment_store.refs_of(workspace.store_git, workspace.places.common)
    (workspace.top / "seed.txt").write_text("seed\n")
    make(workspace, "2026-10-31T00:00")
    (workspace.top / "seed.txt").unlink()
    seed = read_moments.list_moments(workspace.store_git, user)[0]
    entries = objects.read_tree(seed.id)
    days: dict[str, dict[str, dict[str, Entry]]] = {}
    for number in range(many - 1):
        blob = objects.write("blob", f"{number}\n".encode())
        made = objects.write_tree(
            {**entries, "raw": Entry(TREE, objects.write_tree({"x": Entry(FILE, blob)}))}
        )
        day, at = divmod(number, many // 14 + 1)
        hour, rest = divmod(at, 3600)
        minute, second = divmod(rest, 60)
        hours = days.setdefault(f"2026-11-{day + 1:02}", {})
        hours.setdefault(f"{hour:02}", {})[f"{minute:02}{second:02}000-call"] = Entry(TREE, made)
    for name, folders in days.items():
        written = {hour: Entry(TREE, objects.write_tree(each)) for hour, each in folders.items()}
        git.run("update-ref", f"{PREFIX}states/main/{name}", objects.write_tree(written))


READ = ("README.md", "docs", "hooks", "devs_git", ".github", ".ci", ".pre-commit-hooks.yaml")


@pytest.mark.quick
def test_no_refspec_of_ours_takes_moments_or_backups_along() -> None:
    """Whatever README, docs, hooks and code hand to a fetch or a push is no pattern that has moments or backups in it.

    A file that has one all the same must leave out our refs with a refspec that begins with `^`.
    """
    found = set()
    for name in READ:
        place = ROOT / name
        for file in [place] if place.is_file() else sorted(place.rglob("*")) if place.is_dir() else []:
            if file.is_file() and "__pycache__" not in file.parts:
                text = file.read_text(encoding="utf-8", errors="replace")
                found |= {
                    (file.relative_to(ROOT).as_posix(), spec)
                    for spec in re.findall(r"\+?(refs/[\w/.-]*\*):refs/", text)
                    if matches(spec) and "^refs/devs/" not in text
                }
    assert found == set()


def matches(spec: str) -> bool:
    """Whether a refspec's left side has moments or backups in it."""
    begin = spec.partition("*")[0]
    return any(name.startswith(begin) for name in (f"{PREFIX}states/main/2026-11-01", "refs/devs/backup/x"))


@pytest.mark.quick
def test_sync_neither_pushes_nor_fetches_moments(initialised: Path, git: Run, tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    git("init", "-q", "--bare", str(origin), where=initialised)
    git("remote", "add", "origin", str(origin), where=initialised)
    workspace = Workspace.open(initialised)
    (initialised / "new.txt").write_text("untracked\n")
    make(workspace, "2026-11-01T10:00")
    git("push", "-q", "origin", "main", where=initialised)
    sync.run(Workspace.open(initialised), sync.Request("origin"))
    assert moments_at(origin) == 0
    assert git("for-each-ref", "refs/heads/devs/ledger", where=origin) != ""
    git("push", "-q", "--mirror", "origin", where=initialised)
    other = tmp_path / "other"
    git("clone", "-q", str(origin), str(other), where=tmp_path)
    init.run(Workspace.open(other), init.Request())
    sync.run(Workspace.open(other), sync.Request("origin"))
    assert moments_at(other) == 0
