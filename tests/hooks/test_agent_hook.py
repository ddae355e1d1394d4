"""The agent hook: it saves the output of each tool, and denies tools that write while a gate is open."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import init, task_start
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints import router
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support.agent_calls import EXAMPLES, after, before, call, event_of, install_hooks
from tests.support.dying_programs import dying_git, gits_run
from tests.support.gate_scene import ask

Run = Callable[..., str]


@pytest.fixture
def project(initialised: Path, git: Run) -> Path:
    """A repository with the agent hook installed for all clients, and a linked worktree."""
    install_hooks(initialised)
    git("worktree", "add", "-q", "../linked")
    return initialised


def spooled(project: Path) -> list[Path]:
    return sorted((project / ".git/devs/spool").iterdir(), key=lambda path: path.stat().st_mtime_ns)


@pytest.mark.quick(1)
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_while_a_gate_is_open_only_reading_goes_on_from_any_folder(client: str, project: Path) -> None:
    assert call(project, before("Write"), client=client).denied == ""
    gate = ask(Workspace.open(), kind="MANUAL")
    (project / "sub").mkdir()
    denied = call(project, before("apply_patch"), client=client, where=project / "sub").denied
    assert denied.startswith(f"GATE_BLOCKED: this repository is frozen, because gate {gate} waits")
    assert f"git devs gate wait {gate}" in denied
    linked = project.parent / "linked"
    assert "GATE_BLOCKED" in call(linked, before("Bash", command="make"), client=client).denied
    assert call(project, before(min(CLIENTS[client].reading)), client=client, where=linked).denied == ""


@pytest.mark.quick
def test_the_denial_of_a_command_names_the_characters_of_which_words_may_consist(project: Path) -> None:
    ask(Workspace.open(), kind="MANUAL")
    denied = call(project, before("Bash", command="git show HEAD~1")).denied
    assert "Words have only letters, digits and _./:@%+=,- (in quotes also spaces)." in denied


def test_our_own_tools_and_one_call_of_ours_are_left_to_our_own_guard(project: Path) -> None:
    ask(Workspace.open(), kind="MANUAL")
    assert call(project, before("mcp__devs-git__start_task")).denied == ""
    assert call(project, before("Bash", command="devs-git gate list")).denied == ""
    assert "GATE_BLOCKED" in call(project, before("mcp__other__start_task")).denied


@pytest.mark.quick(1)
@pytest.mark.parametrize("client", sorted(CLIENTS))
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_payload_is_kept_whole_with_client_event_task_and_commit(
    shell: str, client: str, project: Path, git: Run
) -> None:
    router.call("task start", Workspace.open(), task_start.Request(task_id="10", title="Dates"))
    payload = after(output="x" * 300_000 + "\u2713\n")
    said = call(project, payload, client=client, shell=shell)
    assert (said.status, said.out, said.err) == (0, "", "")
    path = spooled(project)[0]
    top, _, raw = path.read_bytes().partition(b"\n\n")
    head = git("rev-parse", "HEAD")
    ended = event_of(client, "PostToolUse")
    begin = [f"{client} {ended}", f"PWD {project}", f"HEAD {head}", "Devs-Task: task-10"]
    assert top.decode().splitlines()[:4] == begin
    assert raw == json.dumps(payload).encode()
    assert path.name.endswith(f".{client}.{ended}")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_tool_that_works_in_a_linked_worktree_has_that_ones_task_and_commit(
    project: Path, git: Run
) -> None:
    linked = project.parent / "linked"
    git("commit", "--allow-empty", "-qm", "there", where=linked)
    router.call("task start", Workspace.open(linked), task_start.Request(task_id="11", title="There"))
    assert call(project, after(), where=linked).status == 0
    assert call(project, after(), where=project.parent).status == 0
    kept = [path.read_text().split("\n\n")[0].splitlines() for path in spooled(project)]
    assert kept[0][2:4] == [f"HEAD {git('rev-parse', 'HEAD', where=linked)}", "Devs-Task: task-11"]
    assert kept[1] == ["claude PostToolUse", f"PWD {project.parent}"]  # a folder of nobody's


def test_what_cannot_be_looked_at_while_a_gate_is_open_is_not_let_through_and_says_so(project: Path) -> None:
    assert call(project, b"{", event="PreToolUse").status == 0
    ask(Workspace.open(), kind="MANUAL")
    said = call(project, b"{", event="PreToolUse")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("devs-git: INVALID_ARGUMENTS: a gate may be open")
    assert said.err.count("\n") == 1
    hook = project / ".git/devs/agent-hook"
    hook.write_text(hook.read_text().replace(" -P -m ", " -P -m no_such_"))
    said = call(project, before("Read"))
    assert (said.status, said.out) == (2, "")
    assert said.err.splitlines()[-1].startswith("devs-git: INTERNAL: this tool is denied")


def test_a_capture_starts_two_children_and_a_look_one_git(project: Path, tmp_path: Path) -> None:
    (project / ".git/devs/moments-on").unlink()
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    for name in ("cat", "date", "git", "head", "mkdir", "mv", "python3", "rm", "sed", "sh"):
        found = shutil.which(name)
        script = f'#!/bin/sh\necho {name} >>"{log}"\nexec {found} "$@"\n'
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    shell = shutil.which("sh") or ""
    # The first turn of a worktree makes a folder for notes of turns. The end of a turn looks whose turn it was.
    first, again = ("PreToolUse", "git cat mkdir"), ("PreToolUse", "git cat")
    for event, started in (
        ("PostToolUse", "cat mv"),
        ("Stop", "cat mv"),
        first,
        again,
        ("Stop", "cat head mv"),
    ):
        said = call(project, after(), event=event, shell=shell, PATH=os.fspath(programs))
        assert (said.status, said.out, said.err) == (0, "", "")
        assert log.read_text().split() == started.split()
        log.unlink()


def test_variables_of_another_repository_do_not_lead_the_hook_astray(
    project: Path, tmp_path: Path, git: Run
) -> None:
    other = tmp_path / "other"
    git("init", "-q", str(other))
    env: dict[str, Any] = {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": str(other),
        "GIT_OBJECT_DIRECTORY": "/nowhere",
    }
    assert call(project, before("Write"), **env).denied == ""
    gate = ask(Workspace.open(), kind="MANUAL")
    assert f"gate {gate} waits" in call(project, before("Write"), **env).denied
    assert call(project, after(), **env).status == 0
    assert spooled(project)[0].read_text().splitlines()[2] == f"HEAD {git('rev-parse', 'HEAD')}"


def test_a_ledger_that_is_gone_freezes_writing_and_not_reading(project: Path, git: Run) -> None:
    git("update-ref", "-d", "refs/heads/devs/ledger")
    assert call(project, before("Write")).denied.startswith("LEDGER_MISSING")
    assert call(project, before("Read")).denied == ""


@pytest.mark.quick
def test_the_gate_of_another_repository_in_which_the_tool_works_counts_too(
    project: Path, git: Run, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns("worktrees"))
    ask(Workspace.open(other), kind="MANUAL")
    assert call(project, before("Write")).denied == ""
    assert "GATE_BLOCKED" in call(project, before("Write"), where=other).denied
    git("init", "-q", str(tmp_path / "plain"))
    (tmp_path / "plain/.git/devs").mkdir()  # a reading verb of ours ran there, and no init
    assert call(project, before("Write"), where=tmp_path / "plain").denied == ""


def test_nothing_open_starts_no_python_and_reads_the_payload_to_its_end(project: Path) -> None:
    hook = project / ".git/devs/agent-hook"
    hook.write_text(hook.read_text().replace(" -P -m ", " -P -m no_such_"))
    said = call(project, before("Write", content="x" * 500_000))
    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_clone_without_our_script_is_left_in_peace(project: Path) -> None:
    (project / ".git/devs/agent-hook").unlink()
    for client in CLIENTS:
        for event in CLIENTS[client].events:
            assert call(project, after(), client=client, event=event).err == ""


def test_hooks_at_the_same_moment_keep_every_payload_and_leave_nothing_half_written(project: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: call(project, after(n)), range(24)))
    assert len(spooled(project)) == 24
    assert not [path for path in spooled(project) if path.name.startswith(".")]


def test_a_capture_that_fails_is_one_line_and_never_a_denial(project: Path) -> None:
    shutil.rmtree(project / ".git/devs/spool")
    (project / ".git/devs/spool").write_text("a file stands there")
    said = call(project, after())
    assert said.status == 1
    assert said.err.splitlines()[-1].startswith("devs-git: the output of this tool could not be saved")
    (project / ".git/devs/spool").unlink()
    assert call(project, after()).status == 0  # and the folder is made where it is missing
    assert len(spooled(project)) == 1


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_each_example_is_taken_by_the_hook_as_its_client_sends_it(name: str, project: Path) -> None:
    example = EXAMPLES[name]
    said = call(project, example["payload"], client=example["client"])
    assert (said.status, said.out, said.err) == (0, "", "")


def test_a_submodule_and_a_packed_branch_are_found(project: Path, git: Run, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git("init", "-q", str(outer))
    git("submodule", "--quiet", "add", str(project), "inner", where=outer)
    inner = outer / "inner"
    assert (inner / ".git").is_file()
    client_files.install_hook(locate(inner))
    git("pack-refs", "--all", where=inner)
    assert call(inner, after()).err == ""
    kept = list((outer / ".git/modules/inner/devs/spool").iterdir())
    branch = git("symbolic-ref", "HEAD", where=inner)
    assert kept[0].read_text().splitlines()[2] == f"HEAD ref: {branch}"


def test_the_line_is_the_same_in_a_shell_that_is_none_of_posix(project: Path) -> None:
    fish = shutil.which("fish")
    words = CLIENTS["codex"].command("PostToolUse")
    assert words.startswith("sh -c '")
    assert "'" not in words[7:-1]  # so that any shell hands it on as it stands
    if fish:
        done = subprocess.run(
            [fish, "-c", words], cwd=project, input=b"{}", check=False, env=dict(os.environ)
        )
        assert done.returncode == 0
    assert CLAUDE.command("Stop").count("Stop") == 1


@pytest.mark.parametrize("place", ["here", "another repository"])
def test_no_tool_writes_through_an_open_gate_because_a_git_died(
    place: str, project: Path, tmp_path: Path, git: Run
) -> None:
    """A tool that works in another repository, without clients, is denied by a gate of that repository."""
    where = project
    if place != "here":
        where = tmp_path / "other"
        git("clone", "-q", ".", str(where))
        router.call("init", Workspace.open(where), init.Request())
    ask(Workspace.open(where), kind="MANUAL")
    folder, at = tmp_path / "bin", 0
    while not at or at <= 2 * gits_run(folder):
        at += 1
        env = dying_git(folder, at=(at + 1) // 2, before=bool(at % 2))
        denied = call(project, before("Write"), where=where, **env).denied
        assert denied, at
        assert "bug of devs-git" not in denied, (at, denied)
    assert at > 1


@pytest.mark.quick
def test_the_hook_loads_nothing_of_what_reads_transcripts() -> None:
    script = (
        "import sys, devs_git.entrypoints.hooks.agent_hook as hook\n"
        "list(hook.CLIENTS.values())\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "devs_git.domain.clients.codex" in loaded.split()
    unwanted = {"devs_git.domain.clients.transcript_lines", "devs_git.domain.recall.conversation", "datetime"}
    assert not unwanted & {*loaded.split()}
