"""husky, lefthook and pre-commit also write hooks: if ours are gone, every command says so; lines in husky's files stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import init, task_start
from devs_git.domain.clients.claude import CLAUDE
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call
from tests.support.dying_programs import dying_git, gits_run
from tests.support.gate_scene import ask
from tests.support.other_tools import lefthook_install, npm_install_with_husky

Run = Callable[..., str]
Done = subprocess.CompletedProcess[str]


def devs(*words: str, **env: str) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "devs_git", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | env,
    )


def warned(*words: str) -> list[str]:
    """The warnings of one command."""
    return [line for line in devs(*words).stderr.splitlines() if line.startswith("warning: ")]


def set_up() -> init.Result:
    done: init.Result = router.call("init", Workspace.open(), init.Request())
    return done


def commit(top: Path, *options: str) -> Done:
    with (top / "a.txt").open("a") as stream:
        stream.write("more\n")
    words = ("git", "commit", "-qam", "more", *options)
    return subprocess.run(words, cwd=top, capture_output=True, text=True, check=False)


def offered(result: init.Result) -> str:
    """The command that adds our lines to husky's tracked files, as `init` tells it."""
    (told,) = (action.detail for action in result.actions if action.what == "lines for husky")
    assert told in result.advice
    return told.split("tracked files: ")[1]


@pytest.fixture
def husky(initialised: Path) -> Path:
    npm_install_with_husky(initialised)
    (initialised / ".husky/pre-commit").write_text("true")  # no line end, as editors leave it
    return initialised


@pytest.mark.quick
def test_after_npm_install_each_command_says_that_our_hooks_are_gone_and_init_brings_them_back(
    husky: Path,
) -> None:
    set_up()
    assert warned("status") == []
    npm_install_with_husky(husky)
    ask(Workspace.open(), kind="MANUAL")
    assert commit(husky).returncode == 0  # this is what the warning is about
    (line,) = warned("status")
    assert ".husky/_/" in line
    assert "(10 more like this)" in line
    assert line.endswith("Run: devs-git init")
    shown = devs("gate", "list", "--json")
    assert json.loads(shown.stdout)
    assert shown.stderr == line + "\n"
    assert warned("checkpoint") == [line]  # though it is refused
    assert warned("trace", "get", "nothing") == []
    set_up()
    assert warned("status") == []
    assert "GATE_BLOCKED" in commit(husky).stderr


def test_the_lines_in_huskys_tracked_files_outlive_npm_install(husky: Path, git: Run) -> None:
    subprocess.run(["sh", "-c", offered(set_up())], check=True)
    git("commit", "-qm", "lines")
    npm_install_with_husky(husky)
    assert warned("status") == []
    assert devs("doctor").stdout.startswith("No problems were found.")
    assert not [action for action in set_up().actions if action.what == "lines for husky"]
    npm_install_with_husky(husky)
    gate = ask(Workspace.open(), kind="MANUAL")
    assert gate in commit(husky).stderr


def test_a_commit_is_one_checkpoint_where_ours_stand_in_huskys_folder_and_a_line_calls_them(
    husky: Path, git: Run
) -> None:
    subprocess.run(["sh", "-c", offered(set_up())], check=True)
    git("commit", "-qm", "lines")
    router.call("task start", Workspace.open(), task_start.Request("1"))
    assert commit(husky).returncode == 0
    assert commit(husky, "--amend").returncode == 0
    history = Workspace.open().ledger.tip().history
    assert [point.number for point in history.of_task("task-1") if point.live] == [2]
    assert git("log", "-1", "--format=%B").count("Devs-Ledger") == 1


def test_a_branch_without_the_lines_is_guarded_by_the_hooks_in_huskys_folder(husky: Path, git: Run) -> None:
    git("branch", "before")
    subprocess.run(["sh", "-c", offered(set_up())], check=True)
    git("commit", "-qm", "lines")
    git("switch", "-q", "before")
    assert warned("status") == []
    gate = ask(Workspace.open(), kind="MANUAL")
    assert gate in commit(husky).stderr
    npm_install_with_husky(husky)
    assert len(warned("status")) == 1


@pytest.mark.quick
def test_a_gate_stops_a_push_though_huskys_file_reads_what_is_pushed_before_our_line(
    husky: Path, git: Run
) -> None:
    """As `git lfs pre-push "$@"` does in husky's file. Only the ledger reaches other clones then, by a sync."""
    git("init", "-q", "--bare", "../origin.git")
    git("remote", "add", "origin", "../origin.git")
    (husky / ".husky/pre-push").write_text("cat >/dev/null\n")
    subprocess.run(["sh", "-c", offered(set_up())], check=True)
    git("commit", "-qm", "lines")
    npm_install_with_husky(husky)
    words = ("git", "push", "-q", "origin", "HEAD")
    assert subprocess.run(words, check=False).returncode == 0
    git("commit", "-q", "--allow-empty", "-m", "more")
    gate = ask(Workspace.open(), kind="MANUAL")
    pushed = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (pushed.returncode, gate in pushed.stderr) == (1, True), pushed.stderr
    assert devs("sync").returncode == 0
    assert git("ls-remote", "origin", "refs/heads/devs/ledger")


@pytest.mark.quick
@pytest.mark.parametrize("folder", [".husky", "my app/.husky"])
def test_a_new_worktree_without_huskys_folder_is_told_the_command_that_makes_it(
    initialised: Path, folder: str, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("config", "core.hooksPath", f"{folder}/_")
    set_up()
    git("worktree", "add", "-q", "../beside")
    monkeypatch.chdir(initialised.parent / "beside")
    command = {".husky": "npx husky"}.get(folder, f"npx husky '{folder}'")
    told = f"This worktree has no {folder}/_, so git calls no hook here, not even husky's."
    assert warned("log") == [
        f"warning: {told} An open gate does not stop git here. Run: {command} && devs-git init"
    ]
    said = json.loads(devs("doctor", "--json").stdout)["findings"]
    found = [(one["message"], one["fix"]) for one in said if one["code"] == "HOOK_MISSING"]
    assert found == [(told, f"{command} && devs-git init")]
    assert told in devs("status").stdout
    npm_install_with_husky(Path.cwd(), folder)
    set_up()
    assert warned("log") == []


def test_lefthook_that_moves_ours_away_is_told_and_init_brings_them_back(initialised: Path) -> None:
    lefthook_install(initialised, "pre-commit")
    (line,) = warned("log")
    assert "hooks/pre-commit" in line
    set_up()
    assert warned("log") == []
    lefthook_install(initialised, "pre-push")
    assert len(warned("log")) == 1


def test_pre_commit_is_told_when_its_installation_drops_ours_and_not_when_it_goes(initialised: Path) -> None:
    (initialised / ".pre-commit-config.yaml").write_text("repos: []\n")
    tool = Path(sys.executable).with_name("pre-commit")
    for words, told in ((("install",), 0), (("uninstall",), 0), (("install", "-f"), 1), (("uninstall",), 1)):
        subprocess.run([tool, *words], check=True, capture_output=True)
        assert len(warned("log")) == told, words


@pytest.mark.parametrize("scope", ["--local", "--global"])
@pytest.mark.parametrize("value", [".hooks", "/dev/null", "~/my hooks", ""])
@pytest.mark.usefixtures("initialised")
def test_a_new_hooks_path_is_told(scope: str, value: str, git: Run) -> None:
    git("config", scope, "core.hooksPath", value)
    assert len(warned("status")) == 1
    git("config", scope, "--unset", "core.hooksPath")
    assert warned("status") == []


@pytest.mark.quick
@pytest.mark.usefixtures("initialised")
def test_where_an_empty_hooks_path_stops_all_hooks_nobody_is_told_to_install_them() -> None:
    """As in the shell of Gemini CLI. The hooks are there, and git does not look for them."""
    variables = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": ""}
    found = json.loads(devs("doctor", "--json", **variables).stdout)["findings"]
    assert [(one["code"], one["fix"]) for one in found] == [("HOOK_NOT_CALLED", "unset GIT_CONFIG_COUNT")]


def test_a_setting_that_looks_odd_is_asked_of_git(initialised: Path) -> None:
    with (initialised / ".git/config").open("a") as stream:
        stream.write('[core]\n\thooksPath = ".git/hooks" ; the usual one\n')
    assert warned("status") == []


def test_a_server_says_it_in_its_log_once(
    initialised: Path, caplog: pytest.LogCaptureFixture, git: Run
) -> None:
    git("config", "core.hooksPath", ".hooks")
    for _ in range(2):
        assert not calling.call("git_status", {}, initialised).is_error
        assert caplog.text.count("does not stop git here. Run: devs-git init") == 1


@pytest.mark.usefixtures("initialised")
def test_who_took_the_hooks_out_is_not_told_of_them() -> None:
    assert devs("init", "--uninstall", "--yes").returncode == 0
    assert warned("status") == []


@pytest.mark.parametrize("tool", ["none", "husky"])
def test_looking_at_the_hooks_starts_no_git(tool: str, initialised: Path, tmp_path: Path) -> None:
    if tool == "husky":
        npm_install_with_husky(initialised)
        subprocess.run(["sh", "-c", offered(set_up())], check=True)
        npm_install_with_husky(initialised)
    env = dying_git(tmp_path / "bin", at=0, before=False)

    def gits(*words: str) -> int:
        (tmp_path / "bin/count").write_bytes(b"")
        assert devs(*words, **env).returncode == 0
        return gits_run(tmp_path / "bin")

    watched = gits("gate", "list")
    devs("init", "--uninstall", "--yes")  # nobody looks then
    assert gits("gate", "list") == watched


def test_the_agents_hook_says_that_git_calls_none_of_ours(initialised: Path, git: Run) -> None:
    client_files.install(locate(initialised), initialised, CLAUDE)
    assert call(initialised, before("Read")).err == ""
    npm_install_with_husky(initialised)
    said = call(initialised, before("Read"))
    assert (said.status, said.out) == (0, "")
    assert said.err.count("\n") == 1
    assert said.err.startswith("devs-git: warning: git does not call the hooks of devs-git here")
    lines = offered(set_up())
    assert call(initialised, before("Read")).err == ""
    subprocess.run(["sh", "-c", lines], check=True)
    npm_install_with_husky(initialised)
    assert call(initialised, before("Read")).err == ""
    git("config", "core.hooksPath", "/dev/null")
    assert call(initialised, before("Read")).err == said.err
