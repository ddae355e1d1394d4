"""The agent hook keeps moments: before prompts and calls that may write, after these calls, and when a session stops."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints.hooks import moment
from devs_git.storage.hooks import client_files
from devs_git.storage.moments import behind, last_moment, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.hook_moments import kept, kinds, prompt, silent, stop
from tests.support.ledgers import in_force, put_policy_in_force

Run = Callable[..., str]
pytestmark = pytest.mark.quick(1)


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


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_an_unchanged_state_makes_no_moment_and_starts_no_python(shell: str, project: Path) -> None:
    call(project, prompt())
    call(project, before("Bash", command="make"))  # branches and stash are known from here on
    before_that = kinds(project)
    break_python(project)
    for payload in (prompt(), before("Bash", command="make"), after(), stop()):
        assert silent(call(project, payload, shell=shell)), payload
    assert kinds(project) == before_that


def test_after_a_start_of_the_machine_python_looks_whether_the_newest_moment_is_whole(project: Path) -> None:
    call(project, prompt())
    call(project, before("Bash", command="make"))
    places = Workspace.open(project).places
    last = last_moment.read(places)
    last_moment.write(places, replace(last, started="another start"))
    call(project, before("Bash", command="make"))
    assert last_moment.read(places) == last


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


@pytest.mark.parametrize(
    "command",
    ["make -v >/dev/null", "make 2>&1", "make >&2", "make 2> /dev/null", "echo x >>log", "make x=a>=b"],
)
def test_a_redirection_that_overwrites_no_file_starts_no_python(command: str, project: Path) -> None:
    call(project, before("Bash", command="make"))
    break_python(project)
    assert silent(call(project, before("Bash", command=command)))


def test_the_state_that_a_call_left_needs_no_other_moment_before_a_command_that_destroys(
    project: Path,
) -> None:
    for number in range(3):
        call(project, before("Bash", command="rm -f a"))
        (project / "a").write_text(f"{number}")
        call(project, after(tool_input={"command": "rm -f a"}))
    assert kinds(project) == ["call", "after", "after", "after"]


def test_after_a_new_branch_the_next_calls_start_no_python(project: Path, git: Run) -> None:
    for command in ("make", "echo one && true"):
        call(project, before("Bash", command=command))
        git("branch", f"other-{command[:4]}")
    call(project, before("Bash", command="echo one && true"))
    break_python(project)
    assert silent(call(project, before("Bash", command="echo one && true")))
    assert silent(call(project, before("Bash", command="make")))


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
    project: Path, git: Run, tmp_path: Path
) -> None:
    """A filter that waits at a pipe stands for a large repository."""
    assert (moment._PROMPT, moment._CALL) == (0.2, 5.0)
    pipe, moments = tmp_path / "pipe", project / ".git/devs/moments"
    os.mkfifo(pipe)
    git("config", "filter.slow.clean", f"read line <'{pipe}'; cat")
    (project / ".gitattributes").write_text("*.slow filter=slow\n")
    (project / "a.slow").write_text("before the edit")
    # The filter still waits, and holds no pipe of the client open. What waits as long as a call does says that it gave up.
    assert silent(call(project, prompt()))
    assert behind.is_at_work(moments)
    with ThreadPoolExecutor() as pool:
        edit = pool.submit(call, project, before("Edit", file_path="a.slow"), WHO="edit")
        while not has_open(moments / "lock", b"WHO=edit"):
            assert not edit.done()
        # The filter may run again. It reads one line each time.
        descriptor = os.open(pipe, os.O_RDWR)
        os.write(descriptor, b"\n" * 100)
        assert silent(edit.result())
        workspace = Workspace.open(project)
        (made,) = read_moments.list_moments(workspace.store_git, workspace.objects)
        os.close(descriptor)
    assert made.kind == "prompt"
    assert kinds(project) == ["prompt"]


def has_open(path: Path, variable: bytes) -> bool:
    """Whether a process with this variable in its environment has the file open."""
    for process in Path("/proc").glob("[0-9]*"):
        # It may end meanwhile, or belong to somebody else.
        with contextlib.suppress(OSError):
            if variable in (process / "environ").read_bytes().split(b"\0") and any(
                descriptor.readlink() == path.resolve() for descriptor in (process / "fd").iterdir()
            ):
                return True
    return False


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


def test_a_call_that_python_was_asked_about_and_allowed_has_its_moment_too(project: Path) -> None:
    """The ledger moved, as after a fetch, and no command has judged it yet."""
    (project / "a").write_text("precious")
    (project / ".git/devs/checked-tip").unlink()
    assert silent(call(project, before("Bash", command="git reset --hard")))
    assert kinds(project) == ["call"]


def test_what_was_left_out_is_kept_once_it_can_be(project: Path, git: Run) -> None:
    git("init", "-q", "nest")
    (project / "nest/q").write_text("theirs")
    call(project, prompt())
    # Branches and stash are known from here on: only the files can be a reason to look again.
    call(project, before("Bash", command="make"))
    settled = kinds(project)
    shutil.rmtree(project / "nest/.git")
    (project / "nest/work").write_text("an hour of work")
    call(project, prompt("again"))
    assert kinds(project) == [*settled, "prompt"]


def test_a_pipe_in_the_folder_of_moments_stops_no_prompt(project: Path) -> None:
    call(project, prompt())
    (project / ".git/devs/moments/prompted").unlink()
    os.mkfifo(project / ".git/devs/moments/prompted")
    assert call(project, prompt("again")).status == 0
