"""`init` makes one ledger, says what it did, and can be run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands.init import Result
from devs_git.domain.ledger.events import Draft
from devs_git.errors import DevsError
from devs_git.storage.git.locks import hold
from devs_git.workspace import Workspace

Run = Callable[..., str]
SetUp = Callable[..., Result]


def did(result: Result) -> dict[str, str]:
    return {action.what: action.did for action in result.actions}


def events(git: Run) -> list[str]:
    return git(
        "log", "--format=%(trailers:key=Devs-Event,valueonly,separator=%x20)", "refs/heads/devs/ledger"
    ).split()


@pytest.mark.quick
def test_a_first_init_makes_ledger_policy_and_view_and_says_so(repo: Path, git: Run, set_up: SetUp) -> None:
    result = set_up(repo)
    assert set(did(result).values()) == {"created"}
    assert git("rev-list", "--max-parents=0", "devs/ledger") == result.genesis
    assert git("ls-tree", "-r", "--name-only", result.genesis) == "README.md"
    assert events(git) == ["policy.set", "ledger.created"]
    assert f'genesis: "{result.genesis}"' in git("show", "devs/ledger:policy.yaml")
    assert f'genesis: "{result.genesis}"' in (repo / "devs-policy.yaml").read_text()
    assert git("status", "--porcelain") == "?? devs-policy.yaml"
    assert "devs-policy.yaml" in " ".join(result.advice)


def test_a_second_init_changes_nothing_and_says_so(repo: Path, git: Run, set_up: SetUp) -> None:
    first = set_up(repo)
    git("add", "-A")
    git("commit", "-qm", "policy")
    again = set_up(repo)
    assert set(did(again).values()) == {"kept"}
    assert (again.ledger, again.genesis, again.advice) == (first.ledger, first.genesis, ())


def test_an_init_that_was_cut_off_after_the_genesis_is_finished_by_the_next(
    repo: Path, git: Run, workspace: Workspace, set_up: SetUp
) -> None:
    """Version 0.1 wrote the first policy after the genesis, by itself."""
    begin = workspace.event("ledger.created", "ledger: begin", verb_name="init")
    genesis = workspace.ledger.append(lambda _tip: Draft(begin, (("README.md", b"The ledger.\n"),))).oid
    with pytest.raises(DevsError, match="no policy yet") as caught:
        Workspace.open(repo).ledger.require()
    assert caught.value.code == "NOT_INITIALIZED"
    assert set_up(repo).genesis == genesis
    assert events(git)[-2:] == ["policy.set", "ledger.created"]


def test_inits_at_once_make_one_root(repo: Path, git: Run) -> None:
    command = [sys.executable, "-m", "devs_git", "init", "--json"]
    with hold(repo / ".git" / "devs" / "init.lock", wait=1):
        children = [subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE) for _ in range(3)]
    told = [json.loads(child.communicate()[0]) for child in children]
    assert len({answer["genesis"] for answer in told}) == 1
    assert events(git) == ["policy.set", "ledger.created"]


def test_init_that_finds_something_to_do_in_a_set_up_repository_leaves_one_event(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    set_up(repo)
    set_up(repo, uninstall=True)
    set_up(repo)
    assert events(git)[:2] == ["repository.prepared", "repository.released"]


def test_a_policy_that_the_user_wrote_is_not_touched(repo: Path, git: Run, set_up: SetUp) -> None:
    first = set_up(repo)
    text = f"genesis: '{first.genesis}'\nbackup_limit: 1MiB\n"
    (repo / "devs-policy.yaml").write_text(text)
    set_up(repo)
    assert (repo / "devs-policy.yaml").read_text() == text
    assert "2GiB" in git("show", "devs/ledger:policy.yaml")


def test_uninstall_takes_out_what_init_put_in_and_nothing_else(repo: Path, git: Run, set_up: SetUp) -> None:
    exclude = repo / ".git" / "info" / "exclude"
    exclude.write_bytes(b"mine\n*.o")  # no end of line: ours must not stick to it
    linked = repo.parent / "linked"
    git("worktree", "add", "-q", str(linked))
    set_up(repo)
    set_up(linked)
    (linked / ".devs" / "note").write_text("mine")
    result = set_up(repo, uninstall=True)
    assert exclude.read_bytes() == b"mine\n*.o"
    assert not (repo / ".devs").exists()
    assert [path.name for path in (linked / ".devs").iterdir()] == ["note"]
    assert git("cat-file", "-t", "devs/ledger") == "commit"
    assert (repo / "devs-policy.yaml").exists()
    assert "stay" in result.advice[0]
    assert "removed" in did(result).values()


def test_a_second_uninstall_finds_nothing_and_leaves_no_event(repo: Path, git: Run, set_up: SetUp) -> None:
    set_up(repo)
    set_up(repo, uninstall=True)
    tip = git("rev-parse", "devs/ledger")
    assert "removed" not in did(set_up(repo, uninstall=True)).values()
    assert git("rev-parse", "devs/ledger") == tip


def test_the_command_line_tells_people_and_programs_what_was_done(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.parent)

    def call(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["devs-git", "init", *options])
        assert main() == 0
        return capsys.readouterr().out

    lines = call("--repo", "repo").splitlines()
    assert lines[0] == "created  ledger"
    assert lines[-1].startswith("next: Commit the policy")
    told = json.loads(call("--repo", "repo", "--json"))
    assert list(told) == ["ledger", "genesis", "actions", "advice", "to_delete"]
    assert {"what": "ledger", "did": "kept", "detail": ""} in told["actions"]


def test_what_init_makes_for_itself_is_nobody_elses_to_read(repo: Path, set_up: SetUp) -> None:
    set_up(repo)
    ours = repo / ".git" / "devs"
    assert ours.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in ours.iterdir() if path.is_file()} == {0o600}
    assert (repo / ".git" / "info" / "exclude").stat().st_mode & 0o777 == 0o644


def test_uninstall_leaves_a_folder_alone_that_belongs_to_another_repository_by_now(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    linked = repo.parent / "linked"
    git("worktree", "add", "-q", str(linked))
    set_up(repo)
    git("worktree", "move", "--", str(linked), str(repo.parent / "moved"))
    set_up(repo.parent / "moved")
    (repo.parent / "moved").rename(repo.parent / "away")
    git("init", "-q", str(repo.parent / "moved"))
    set_up(repo.parent / "moved")
    set_up(repo, uninstall=True)
    assert (repo.parent / "moved" / ".devs").is_dir()


@pytest.mark.parametrize("path", [".git/devs/ledger.lock", ".git/info/exclude"])
def test_a_place_that_cannot_be_written_is_a_clear_refusal(path: str, repo: Path, set_up: SetUp) -> None:
    (repo / path).unlink(missing_ok=True)
    (repo / path).mkdir(parents=True)
    with pytest.raises(DevsError, match="cannot be written") as caught:
        set_up(repo)
    assert caught.value.code == "INVALID_ARGUMENTS"
    (repo / path).rmdir()
    set_up(repo)


@pytest.mark.quick
def test_uninstall_works_where_init_would_refuse_by_now_or_never_ran(
    repo: Path, git: Run, set_up: SetUp
) -> None:
    assert "removed" not in did(set_up(repo, uninstall=True)).values()
    set_up(repo)
    git("branch", "snapshot")
    set_up(repo, uninstall=True)
    assert not (repo / ".devs").exists()


def left(top: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of every file but history (refs, objects, logs) and our own folder, which stay."""
    stays = (".git/refs", ".git/objects", ".git/logs", ".git/devs")
    files = {os.fspath(path.relative_to(top)): path for path in top.rglob("*") if path.is_file()}
    return {
        name: (path.stat().st_mode, path.read_bytes())
        for name, path in files.items()
        if not name.startswith(stays)
    }


def test_after_uninstall_every_file_is_as_it_was_before_init(repo: Path, set_up: SetUp) -> None:
    hook = repo / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho mine\n")
    hook.chmod(0o750)
    (repo / ".git" / "info" / "exclude").write_bytes(b"mine")
    before = left(repo)
    set_up(repo)
    set_up(repo)
    assert left(repo).keys() > before.keys()
    set_up(repo, uninstall=True)
    (repo / "devs-policy.yaml").unlink()
    assert left(repo) == before
    assert sorted(path.name for path in repo.iterdir()) == [".git", "a.txt", "f1.txt", "f2.txt", "f3.txt"]
