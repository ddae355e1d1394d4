"""The agent hook keeps moments: before prompts and calls that may write, after these calls, and when a session stops."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.moments.moment import Details, Moment
from devs_git.storage.git import locks
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import behind, gaps, read_moments
from devs_git.workspace import Workspace
from tests.support.agent_calls import HookAnswer, after, before, call
from tests.support.ledgers import in_force, put_policy_in_force

Run = Callable[..., str]
pytestmark = pytest.mark.quick(1)


@pytest.fixture
def project(initialised: Path, git: Run) -> Path:
    """A repository with the agent hook installed for all clients."""
    for client in CLIENTS.values():
        client_files.install(locate(initialised), initialised, client)
    git("add", "-A")
    git("commit", "-qm", "agents")
    return initialised


def prompt(words: str = "make it quick", **more: Any) -> dict[str, Any]:
    return {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": words, **more}


def stop(**more: Any) -> dict[str, Any]:
    return {"session_id": "s", "hook_event_name": "Stop", **more}


def kept(top: Path) -> list[tuple[Moment, Details]]:
    """All moments of a worktree, oldest first, with those that are still made behind the client."""
    workspace = Workspace.open(top)
    while behind.is_at_work(workspace.places.own / "moments"):
        time.sleep(0.02)
    found = read_moments.list_moments(
        workspace.store_git, workspace.objects, worktree=workspace.places.worktree_id
    )
    return [(one, read_moments.load(workspace.objects, one.id)[1]) for one in reversed(found)]


def kinds(top: Path) -> list[str]:
    return [moment.kind for moment, _ in kept(top)]


def devs(*words: str) -> str:
    """What a command of ours prints here."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *words], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def silent(answer: HookAnswer) -> bool:
    return (answer.status, answer.out, answer.err) == (0, "", "")


def break_python(project: Path) -> None:
    """From now on the hook's Python fails at once."""
    hook = project / ".git/devs/agent-hook"
    hook.write_text(hook.read_text().replace(" -P -m ", " -P -m no_such_"))


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_session_has_moments_at_prompts_at_calls_that_may_write_and_at_its_end(
    client: str, project: Path
) -> None:
    known = CLIENTS[client]
    shell, editing = min(known.shells), min(known.editing)
    (project / "a").write_text("a person's")
    assert silent(call(project, prompt("first\n prompt"), client=client))
    (project / "a").write_text("an edit")
    assert silent(call(project, before(editing, file_path="a"), client=client))
    assert silent(call(project, before(min(known.reading)), client=client))
    assert silent(call(project, before(shell, command="ls -l a"), client=client))
    assert kinds(project) == ["prompt"]
    assert silent(call(project, before(shell, command="make"), client=client))
    (project / "b").write_text("made")
    assert silent(call(project, after(tool_name=shell), client=client))
    (project / "b").write_text("more")
    assert silent(call(project, stop(), client=client))
    found = kept(project)
    assert [moment.kind for moment, _ in found] == ["prompt", "call", "after", "stop"]
    first, second, third, last = (details.occasion for _, details in found)
    assert (first.session, first.client, first.words) == ("s", client, "first prompt")
    identified = "u" if known.fields.use_id else ""
    assert (second.call_id, second.words) == (identified, "make")
    assert third.words == "make"
    assert (last.session, last.words) == ("s", "")


def test_an_unchanged_state_makes_no_moment_and_starts_no_python(project: Path) -> None:
    call(project, prompt())
    call(project, before("Bash", command="make"))  # branches and stash are known from here on
    before_that = kinds(project)
    break_python(project)
    for payload in (prompt(), before("Bash", command="make"), after(), stop()):
        assert silent(call(project, payload)), payload
    assert kinds(project) == before_that


@pytest.mark.parametrize(
    "change",
    [
        "echo 2 >>README.md",
        "echo x >new",
        "mkdir -p sub && echo x >sub/new",
        "rm README.md",
        "chmod +x README.md",
        "git rm -q --cached README.md",
        "git commit -q --allow-empty -m more",
        "git switch -qc other",
        "git branch other",
        "git stash -q",
        "git checkout -q --detach",
        "git pack-refs --all && git commit -q --allow-empty -m more",
    ],
)
def test_each_change_makes_a_moment_before_a_call(change: str, project: Path, git: Run) -> None:
    (project / "README.md").write_text("1\n")
    git("add", "README.md")
    git("commit", "-qm", "readme")
    (project / "README.md").write_text("1\n\n")
    call(project, before("Bash", command="make"))
    number = len(kept(project))
    os.system(f"cd '{project}' && {change}")  # noqa: S605 - a test's own words
    assert silent(call(project, before("Bash", command="make")))
    assert len(kept(project)) == number + 1


def test_a_command_that_may_drop_refs_keeps_the_tips_of_branches_and_the_stash(
    project: Path, git: Run
) -> None:
    call(project, prompt())
    git("branch", "other")
    call(project, before("Bash", command="git branch -D other"))
    moment, details = kept(project)[-1]
    assert moment.kind == "call"
    assert "refs/heads/other" in details.branches


def test_permissions_are_compared_with_the_umask_of_the_user(project: Path) -> None:
    """The hook's own files are for this user alone. Each file of the worktree would be unusual to such a umask."""
    call(project, prompt())
    (project / "b").write_text("x")
    call(project, after())
    workspace = Workspace.open(project)
    for moment, _ in kept(project):
        assert not read_moments.load(workspace.objects, moment.id)[0].modes, moment.kind


def test_where_moments_are_off_nothing_is_kept(project: Path) -> None:
    (project / ".git/devs/moments-on").unlink()
    for payload in (prompt(), before("Bash", command="make"), after(), stop()):
        assert silent(call(project, payload))
    assert not kept(project)


def test_the_switch_follows_the_policy_in_force(project: Path) -> None:
    workspace, switch = Workspace.open(project), project / ".git/devs/moments-on"
    assert switch.exists()
    in_force(workspace, recording={"moments": False})
    assert not switch.exists()
    client_files.install(workspace.places, project, CLIENTS["claude"])
    assert not switch.exists()
    put_policy_in_force(workspace, recording={"moments": True})
    assert switch.exists()


def test_each_worktree_has_its_own_moments_also_with_odd_names(project: Path, git: Run) -> None:
    linked = project.parent / "a b'$x"
    git("worktree", "add", "-q", "-b", "linked", str(linked))
    (linked / "there").write_text("x")
    (linked / "sub dir").mkdir()
    call(project, before("Bash", command="make"), where=linked / "sub dir")
    call(project, before("Bash", command="make"))
    assert [len(kept(top)) for top in (project, linked)] == [1, 1]
    break_python(project)
    assert silent(call(project, before("Bash", command="make"), where=linked))


def test_variables_of_another_repository_and_a_missing_home_change_nothing(
    project: Path, tmp_path: Path, git: Run
) -> None:
    git("init", "-q", str(tmp_path / "other"))
    env: dict[str, Any] = {
        "GIT_DIR": f"{tmp_path}/other/.git",
        "GIT_WORK_TREE": f"{tmp_path}/other",
        "HOME": "",
    }
    env |= {"GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index"}
    assert silent(call(project, prompt(), **env))
    assert kinds(project) == ["prompt"]
    break_python(project)
    assert silent(call(project, prompt(), **env))


def test_a_git_directory_that_cannot_be_written_stops_no_prompt_and_no_tool(project: Path) -> None:
    shutil.rmtree(project / ".git/devs/moments", ignore_errors=True)
    (project / ".git/devs/moments").write_text("a file stands there")
    for payload in (prompt(), before("Bash", command="make"), before("Bash", command="rm x")):
        said = call(project, payload)
        assert (said.status, said.out) == (0, "")
        assert said.err.startswith("devs-git: the state of the worktree could not be kept")
    assert call(project, after()).status == 0
    assert call(project, stop()).status == 0


def test_python_that_cannot_start_stops_no_prompt_and_no_tool(project: Path) -> None:
    break_python(project)
    for payload in (prompt(), before("Bash", command="make"), after(), stop()):
        said = call(project, payload)
        assert (said.status, said.out) == (0, "")


def test_a_prompt_waits_a_fifth_of_a_second_and_the_next_call_that_writes_waits_for_the_rest(
    project: Path, git: Run
) -> None:
    """A filter that takes a second stands for a large repository."""
    git("config", "filter.slow.clean", "sleep 1; cat")
    (project / ".gitattributes").write_text("*.slow filter=slow\n")
    (project / "a.slow").write_text("before the edit")
    begun = time.monotonic()
    assert silent(call(project, prompt()))
    # Two hundred milliseconds, on a machine that does other things, too. No pipe of the client is held open.
    assert time.monotonic() - begun < 0.6
    assert behind.is_at_work(project / ".git/devs/moments")
    assert silent(call(project, before("Edit", file_path="a.slow")))
    assert time.monotonic() - begun > 0.9
    assert kinds(project) == ["prompt"]


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_moment_that_cannot_be_made_stops_nothing_and_is_told_once_to_the_agent(
    client: str, project: Path
) -> None:
    shell, own = min(CLIENTS[client].shells), project / ".git/devs/moments"
    (own / "lock").mkdir(parents=True)
    said = call(project, before(shell, command="make"), client=client)
    assert (said.status, said.err, said.denied) == (0, "", "")
    (own / "lock").rmdir()
    event = CLIENTS[client].before
    if not CLIENTS[client].tells_before:
        assert said.out == ""
        event = min(CLIENTS[client].after)
        said = call(project, after(tool_name=shell), client=client)
    told = json.loads(said.out)["hookSpecificOutput"]
    assert told["hookEventName"] == event
    assert "the state of the worktree was not kept at" in told["additionalContext"]
    assert "because Is a directory" in told["additionalContext"]
    assert silent(call(project, prompt(), client=client))
    assert [gap.kind for gap in gaps.since(own, "")] == ["call"]
    assert kinds(project) == ["prompt" if CLIENTS[client].tells_before else "after"]


def test_doctor_says_that_moments_could_not_be_made_and_agent_list_whether_they_are(project: Path) -> None:
    assert "moments: kept in this clone" in devs("agent", "list")
    own = project / ".git/devs/moments"
    (own / "lock").mkdir(parents=True)
    call(project, before("Bash", command="make"))
    assert "(call), because Is a directory." in devs("doctor")
    shutil.rmtree(own)
    own.write_text("")
    assert "devs/moments is a file" in devs("doctor")


@pytest.mark.thorough
def test_a_call_waits_five_seconds_for_another_moment_and_then_runs(project: Path) -> None:
    own = project / ".git/devs/moments"
    with locks.hold(own / "lock", wait=0):
        begun = time.monotonic()
        said = call(project, before("Bash", command="make"))
        assert 4.5 < time.monotonic() - begun < 7
    assert "it took more than 5 seconds" in said.out
    assert said.status == 0


@pytest.mark.quick
def test_the_shell_knows_the_tools_of_the_table(project: Path) -> None:
    text = (Path(client_files.__file__).parents[3] / "hooks/agent/known-tools.sh").read_text()
    del project
    for name, client in CLIENTS.items():
        part = text.partition(f"  {name})\n")[2].partition(";;")[0]
        reads, _, edits = part.partition("edits=")
        words = set(
            reads.replace("'", " ").replace('"', " ").replace("$reads", "").replace("reads=", "").split()
        )
        assert words == {*client.reading, *client.seen}, name
        assert set(edits.replace("'", " ").split()) == client.editing, name
