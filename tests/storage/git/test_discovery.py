"""What is found without git is what git finds; where something is out of the ordinary, git is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.storage.git import aliases, discovery
from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git

Run = Callable[..., str]


def git_finds(where: Path) -> list[Path]:
    asked = ["git", "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel"]
    return [Path(line) for line in subprocess.check_output(asked, cwd=where, text=True).splitlines()]


@pytest.mark.quick
def test_an_ordinary_repository_is_found_from_each_of_its_folders_as_git_finds_it(
    repo: Path, git: Run
) -> None:
    (repo / "deep/er").mkdir(parents=True)
    (repo.parent / "way in").symlink_to(repo / "deep")
    git("config", "branch.worktree.remote", "origin")
    git("config", "remote.origin.url", "../other")
    git("config", "-f", ".git/config", "user.name", "Ada Lovelace")
    for where in (repo, repo / "deep/er", repo.parent / "way in"):
        top = discovery.top_of(where)
        assert top is not None
        assert [top / ".git", top / ".git", top] == git_finds(where)


def moved_by_a_quoted_setting(repo: Path, git: Run) -> Path:
    assert git("rev-parse", "HEAD")
    (repo.parent / "other").mkdir()
    with (repo / ".git/config").open("a") as config:
        config.write('[core]\n\tworktree = "../../other"\n')
    return repo


@pytest.mark.quick
def test_git_is_not_asked_because_of_our_own_aliases(repo: Path, git: Run) -> None:
    aliases.install(program := Git(repo), "/a python")
    aliases.install_devs(program)
    assert "\\" in (repo / ".git/config").read_text()
    assert discovery.top_of(repo) == repo
    git("config", "alias.odd", 'a \\ b "c" ; # d\n\te')
    assert discovery.top_of(repo) == repo


def bare(repo: Path, git: Run) -> Path:
    git("init", "-q", "--bare", str(repo / "bare.git"))
    return repo / "bare.git"


def bare_before_its_first_commit(repo: Path, git: Run) -> Path:
    """As old gits made it: HEAD is a link, to what is not there yet."""
    head = bare(repo, git) / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    return head.parent


def worktree(repo: Path, git: Run) -> Path:
    git("worktree", "add", "-q", str(repo.parent / "second"))
    return repo.parent / "second"


def inside_the_git_directory(repo: Path, git: Run) -> Path:
    assert git("rev-parse", "HEAD")
    return repo / ".git/objects"


def linked_git_directory(repo: Path, git: Run) -> Path:
    assert git("rev-parse", "HEAD")
    (repo / ".git").rename(repo.parent / "elsewhere")
    (repo / ".git").symlink_to(repo.parent / "elsewhere")
    return repo


def moved_by_configuration(repo: Path, git: Run) -> Path:
    (repo.parent / "other").mkdir()
    git("config", "core.worktree", "../../other")
    return repo


def moved_by_an_included_file(repo: Path, git: Run) -> Path:
    (repo.parent / "other").mkdir()
    (repo / ".git/more").write_text("[core]\n\tworktree = ../../other\n")
    git("config", "include.path", "more")
    return repo


def named_in_one_line(repo: Path, git: Run) -> Path:
    assert git("rev-parse", "HEAD")
    (repo.parent / "other").mkdir()
    with (repo / ".git/config").open("a") as config:
        config.write("[CORE] WorkTree = ../../other\n")
    return repo


def continued_on_the_next_line(repo: Path, git: Run) -> Path:
    assert git("rev-parse", "HEAD")
    (repo.parent / "other").mkdir()
    with (repo / ".git/config").open("a") as config:
        config.write("[core]\n\tworktree = \\\n../../other\n")
    return repo


def worktree_configuration(repo: Path, git: Run) -> Path:
    git("config", "extensions.worktreeConfig", "true")
    return repo


def detached(repo: Path, git: Run) -> Path:
    git("checkout", "-q", "--detach")
    return repo


ODD = [
    worktree,
    inside_the_git_directory,
    linked_git_directory,
    moved_by_configuration,
    moved_by_an_included_file,
    moved_by_a_quoted_setting,
    named_in_one_line,
    continued_on_the_next_line,
    worktree_configuration,
    detached,
    bare,
    bare_before_its_first_commit,
]


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_git_is_asked_where_the_place_is(make: Callable[[Path, Run], Path], repo: Path, git: Run) -> None:
    where = make(repo, git)
    assert discovery.top_of(where) is None
    if make not in (inside_the_git_directory, bare, bare_before_its_first_commit):
        places = locate(where)
        assert [places.git_dir, places.common, places.top] == git_finds(where)


def test_git_is_asked_in_a_subfolder_that_is_a_bare_repository(repo: Path, git: Run) -> None:
    assert discovery.top_of(bare(repo, git) / "refs") is None


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"])
def test_git_is_asked_where_the_environment_says_something(
    name: str, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, os.fspath(repo))
    assert discovery.top_of(repo) is None
    assert discovery.top_of(repo, unset=(name,)) == repo.resolve()


def test_a_repository_of_somebody_else_is_gits_to_trust(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert discovery.top_of(repo) is None


def test_a_repository_beyond_a_mount_point_is_not_found(
    repo: Path, record_property: Callable[[str, object], None]
) -> None:
    (repo / "mounted").mkdir()
    mounted = ["unshare", "-Urm", "sh", "-c", 'mount -t tmpfs none mounted && eval "$1"', "sh"]
    if subprocess.run([*mounted, "true"], cwd=repo, check=False, capture_output=True).returncode:
        record_property("counted", "discovery: no private mount is permitted here; nothing ran beyond one")
        return
    ask = "from pathlib import Path; from devs_git.storage.git import discovery; print(discovery.top_of(Path.cwd()))"
    found = f"{sys.executable} -c '{ask}'"
    script = f"{found} && cd mounted && {found} && ! git rev-parse"
    done = subprocess.run([*mounted, script], cwd=repo, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.returncode) == ([os.fspath(repo.resolve()), "None"], 0)


def test_a_configuration_that_git_cannot_read_is_gits_to_name(repo: Path) -> None:
    config = repo / ".git/config"
    before = config.read_bytes()
    for text in (
        "\x0b[user]",
        "[user]\n1 = x",
        "[user]\n\u00e4 = x",
        "[us er]\nname = x",
        "\x85",
        "[user]\nna_me = x",
    ):
        config.write_bytes(before + text.encode() + b"\n")
        assert subprocess.run(["git", "rev-parse"], cwd=repo, stderr=subprocess.PIPE, check=False).returncode
        assert discovery.top_of(repo) is None, text


def test_no_repository_and_a_damaged_one_are_gits_to_name(repo: Path, tmp_path: Path) -> None:
    assert discovery.top_of(tmp_path / "nowhere") is None
    (tmp_path / "empty").mkdir()
    assert discovery.top_of(tmp_path / "empty") is None
    (repo / "file").write_text("")
    assert discovery.top_of(repo / "file") is None
    (repo / ".git/HEAD").write_text("nothing\n")
    assert discovery.top_of(repo) is None
    (repo / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (repo / ".git/config").write_bytes(b"[core]\n\tbare = false\n[user]\n\tname = \xff\n")
    assert discovery.top_of(repo) is None
    (repo / ".git/config").write_text("[core\n")
    assert discovery.top_of(repo) is None
