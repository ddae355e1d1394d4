"""Where `init` works, and where it refuses with one clear line and writes nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands.init import Result
from devs_git.errors import DevsError
from devs_git.operations.setup import suitability
from devs_git.values import replace
from devs_git.workspace import Workspace

Run = Callable[..., str]
SetUp = Callable[..., Result]


def make(where: Path, *commands: str) -> Path:
    where.mkdir(parents=True, exist_ok=True)
    for line in commands:
        subprocess.run(["sh", "-ec", line], cwd=where, check=True, capture_output=True)
    return where


def one_root(where: Path) -> int:
    out = subprocess.run(
        ["git", "rev-list", "--max-parents=0", "refs/heads/devs/ledger"],
        cwd=where,
        check=True,
        capture_output=True,
    )
    return len(out.stdout.split())


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("no commit yet", ["git init -q -b main"]),
        ("a name with späces and 漢字", ["git init -q -b main", "git commit -q --allow-empty -m 1"]),
        ("default branch is not main", ["git init -q -b trunk", "git commit -q --allow-empty -m 1"]),
        ("detached", ["git init -q -b main", "git commit -q --allow-empty -m 1", "git checkout -q --detach"]),
        (
            "packed",
            ["git init -q -b main", "git commit -q --allow-empty -m 1", "git gc -q", "rm -rf .git/info"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_init_works_on(name: str, commands: list[str], tmp_path: Path, set_up: SetUp) -> None:
    where = make(tmp_path / name, *commands)
    set_up(where)
    assert one_root(where) == 1
    assert sorted(path.name for path in (where / ".devs").iterdir()) == ["README.md", "policy.yaml"]
    status = subprocess.run(["git", "status", "--porcelain"], cwd=where, check=True, capture_output=True)
    assert status.stdout == b"?? devs-policy.yaml\n"


@pytest.mark.quick
def test_init_works_in_a_linked_worktree_and_its_ledger_is_everybodys(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    git("worktree", "add", "-q", "../linked")
    first = set_up(repo.parent / "linked")
    second = set_up(repo)
    assert first.genesis == second.genesis
    assert (repo.parent / "linked" / ".devs" / "policy.yaml").exists()


def test_init_works_in_a_bare_repositorys_worktree(repo: Path, git: Run, set_up: SetUp) -> None:
    git("clone", "-q", "--bare", ".", "../bare.git")
    tree = repo.parent / "tree"
    git("worktree", "add", "-q", str(tree), "main", where=repo.parent / "bare.git")
    set_up(tree)
    assert one_root(repo.parent / "bare.git") == 1
    assert git("status", "--porcelain", where=tree) == "?? devs-policy.yaml"


@pytest.mark.parametrize("config", ["", "[user]\n\tuseConfigOnly = true\n"])
def test_init_works_on_a_machine_with_no_user_name(config: str, repo: Path, git: Run, set_up: SetUp) -> None:
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(config)
    set_up(repo)
    assert git("log", "-1", "--format=%cn", "devs/ledger") != ""
    assert one_root(repo) == 1


def test_init_works_where_the_user_signs_and_names_other_hooks(repo: Path, git: Run, set_up: SetUp) -> None:
    git("config", "commit.gpgSign", "true")
    git("config", "gpg.program", "false")
    set_up(repo)
    assert one_root(repo) == 1


def refused(where: Path, set_up: SetUp, code: str = "INVALID_ARGUMENTS") -> DevsError:
    with pytest.raises(DevsError) as caught:
        set_up(where)
    error = caught.value
    assert (error.code, error.details.get("field")) == (
        code,
        "repository" if code == "INVALID_ARGUMENTS" else None,
    )
    assert "\n" not in error.message
    assert str(where) not in error.message
    assert not (where / "devs-policy.yaml").exists()
    return error


@pytest.mark.quick
def test_init_refuses_where_there_is_no_repository(tmp_path: Path, set_up: SetUp) -> None:
    refused(make(tmp_path / "plain"), set_up, "NOT_A_REPOSITORY")


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("git init -q --bare .", "bare"),
        ("git init -q --object-format=sha256", "SHA-256"),
        (
            "git init -q && git config core.repositoryFormatVersion 1 && git config extensions.refStorage reftable",
            "reftable",
        ),
        ("git init -q && mkdir .devs && echo x > .devs/x && git add .devs", ".devs"),
        ("git init -q && mkdir .devs && echo x > .devs/x", ".devs"),
        ("git init -q && ln -s /tmp .devs", ".devs"),
    ],
)
def test_init_refuses(command: str, word: str, tmp_path: Path, set_up: SetUp) -> None:
    where = make(tmp_path / "unfit", command)
    assert word in refused(where, set_up).message
    assert not list(where.glob("**/heads/devs*"))


def test_init_refuses_inside_the_git_directory(repo: Path, set_up: SetUp) -> None:
    assert "git directory" in refused(repo / ".git", set_up).message


@pytest.mark.quick
def test_init_refuses_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, set_up: SetUp) -> None:
    where = make(tmp_path / "somebody", "git init -q")
    (tmp_path / "by-link").symlink_to(where)
    monkeypatch.setenv("HOME", str(tmp_path / "by-link"))
    assert "home" in refused(where, set_up).message


def fits(workspace: Workspace) -> None:
    suitability.check(workspace.places, workspace.git, workspace.store_git)


IN_THE_WAY = (
    "refs/heads/devs",
    "refs/tags/devs",
    "refs/devs",
    "refs/heads/devs/ledger/x",
    "refs/heads/devs/preserved",
    "refs/tags/devs/task-10/x",
    "refs/devs/backup",
    "refs/heads/snapshot",
)


def test_init_refuses_where_a_ref_stands_in_the_way_and_its_hint_clears_it_and_loses_nothing(
    workspace: Workspace, git: Run
) -> None:
    for ref in IN_THE_WAY:
        theirs = git("commit-tree", "-m", ref, "HEAD^{tree}")
        git("update-ref", ref, theirs)
        with pytest.raises(DevsError) as caught:
            fits(workspace)
        error = caught.value
        assert (error.code, error.details) == ("INVALID_ARGUMENTS", {"field": "repository"})
        assert ref.removeprefix("refs/heads/").removeprefix("refs/tags/") in error.message
        command = error.hint.removeprefix("Rename it: ").replace("<other>", f"elsewhere-{len(ref)}")
        subprocess.run(["sh", "-ec", command], cwd=workspace.top, check=True, capture_output=True)
        fits(workspace)
        assert git("for-each-ref", "--points-at", theirs)


def test_init_refuses_a_branch_of_our_name_that_is_no_ledger(repo: Path, git: Run, set_up: SetUp) -> None:
    git("branch", "devs/ledger")
    assert "devs/ledger" in refused(repo, set_up).message


@pytest.mark.quick
def test_init_refuses_the_root_folder(workspace: Workspace) -> None:
    with pytest.raises(DevsError, match="root folder"):
        suitability.check(replace(workspace.places, top=Path("/")), workspace.git, workspace.store_git)


def test_init_works_in_a_submodule_and_leaves_the_outer_repository_alone(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    git("clone", "-q", ".", "../library")
    git("submodule", "--quiet", "add", str(repo.parent / "library"), "sub")
    set_up(repo / "sub")
    assert one_root(repo / "sub") == 1
    assert git("for-each-ref", "refs/heads/devs") == ""
    assert git("status", "--porcelain", where=repo / "sub") == "?? devs-policy.yaml"


def test_init_in_a_folder_below_sets_the_whole_repository_up(repo: Path, set_up: SetUp) -> None:
    (repo / "below").mkdir()
    set_up(repo / "below")
    assert (repo / "devs-policy.yaml").exists()
    assert (repo / ".devs").is_dir()
    assert list((repo / "below").iterdir()) == []


def test_init_obeys_the_callers_repository_and_keeps_the_ledger_out_of_its_index(
    repo: Path, git: Run, tmp_path: Path, set_up: SetUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", "repo/.git")
    monkeypatch.setenv("GIT_WORK_TREE", "repo")
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    set_up(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert one_root(repo) == 1
    assert git("status", "--porcelain") == "?? devs-policy.yaml"
    assert not (tmp_path / "other-index").exists()


def test_a_replaced_commit_does_not_change_what_the_ledgers_root_is(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    genesis = set_up(repo).genesis
    git("replace", genesis, "HEAD")
    assert set_up(repo).genesis == genesis


@pytest.mark.quick
def test_init_sees_names_in_its_way_as_the_file_system_does(workspace: Workspace, git: Run) -> None:
    git("branch", "Devs")
    fits(workspace)
    git("config", "core.ignoreCase", "true")
    with pytest.raises(DevsError, match="branch Devs"):
        fits(workspace)
