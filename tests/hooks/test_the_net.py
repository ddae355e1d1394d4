"""Destructive commands of the field, run by a real shell under the real hook: one command brings everything back to the byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call, install_hooks
from tests.support.hook_moments import kept
from tests.support.ledgers import put_policy_in_force
from tests.support.net_agent import Agent
from tests.support.net_scene import Picture, dirty, picture, shell
from tests.support.own_calls import devs_git

Run = Callable[..., str]
Moulded = Callable[[str, Callable[[], object]], Path]
pytestmark = pytest.mark.quick(1)


@pytest.fixture
def project(request: pytest.FixtureRequest, moulded: Moulded) -> Path:
    """A repository with the hooks, with dirty files of each kind, and with a branch and a stash entry of their own."""

    def make() -> None:
        top = install_hooks(request.getfixturevalue("initialised"))
        shell(
            top,
            "echo '*.log' >.gitignore && echo build/ >>.gitignore && git add -A && git commit -qm ignore"
            " && git switch -qc topic && echo t >t && git add t && git commit -qm 'only in topic' && git switch -q main"
            " && echo stashed >>f1.txt && git stash -q"
            " && echo one >one && git add one && git commit -qm one && echo two >two && git add two && git commit -qm two",
        )

    return moulded("under the net", make)


def comes_back(agent: Agent, command: str, before: Picture) -> str:
    """Run the command, and then what the line says; the line."""
    agent.run(command)
    assert picture(agent.top) != before
    (line,) = agent.status()
    assert "\n" not in line
    assert agent.prompt() == line
    assert agent.prompt() == ""
    agent.bring_back(line)
    assert picture(agent.top) == before
    assert agent.status() == []
    return line


COMMANDS = (
    "git reset --hard",
    "git reset --hard HEAD~2",
    "git checkout -- .",
    "git checkout HEAD~1 -- .",
    "git restore .",
    "git restore --staged --worktree .",
    "git clean -fd",
    "git clean -fdx",
    "rm -rf src build *.txt",
    "rm -rf ./* && git checkout -q .",
    "git rm -rqf '*.txt'",
    "find . -name '*.txt' -not -path './.git/*' -delete",
    "git branch -D topic",
    "git stash drop",
    "git stash clear && git branch -D topic && git reset -q --hard HEAD~1 && git clean -qfdx",
    "git checkout -qf HEAD~1 && git checkout -qf main",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_one_command_brings_everything_back_to_the_byte_after(command: str, project: Path) -> None:
    dirty(project)
    comes_back(Agent(project), command, picture(project))


@pytest.mark.parametrize(
    "command", ["git stash", "git stash -u", "git stash -a", "git stash -qu && git stash drop -q"]
)
def test_one_command_brings_everything_back_after_a_stash(command: str, project: Path) -> None:
    dirty(project, intended=False)
    before = picture(project)
    comes_back_with_entries(Agent(project), command, before)


def comes_back_with_entries(agent: Agent, command: str, before: Picture) -> None:
    """A stash entry that the command made stays: nothing of the user's is deleted."""
    agent.run(command)
    (line,) = agent.status()
    assert agent.prompt() == line
    agent.bring_back(line)
    now = picture(agent.top)
    entries = str(before.pop("git stash"))
    assert str(now.pop("git stash")).endswith(entries)
    assert now == before
    assert agent.status() == []


@pytest.mark.parametrize(
    "command",
    [
        "git rebase -q --onto HEAD~2 HEAD~1",
        "GIT_SEQUENCE_EDITOR=\"sed -i '/ one$/d'\" git rebase -qi HEAD~2",
        "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --index-filter 'git rm -q --cached --ignore-unmatch one' HEAD",
        "git reset -q --hard HEAD~1 && git reflog expire --expire=now HEAD main && git gc -q --prune=now",
    ],
)
def test_one_command_brings_everything_back_after_a_rewrite_of_the_branch(
    command: str, project: Path
) -> None:
    (project / "debug.log").write_text("ignored\n")
    comes_back(Agent(project), command, picture(project))


SCRIPTS = {
    "x.py": (
        "import pathlib, shutil, subprocess\n"
        "subprocess.run(['git', 'reset', '-q', '--hard'])\n"
        "shutil.rmtree('build')\n"
        "pathlib.Path('debug.log').unlink()\n"
    ),
    "x.sh": "#!/bin/sh\ngit checkout -q -- .\ngit clean -qfdx -e x.sh\ngit branch -qD topic\n",
    "Makefile": "clean:\n\trm -rf build *.log src\n\tgit stash drop -q\n",
}


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("x.py", "python3 x.py"),
        ("x.sh", "sh x.sh"),
        ("x.sh", "chmod +x x.sh && ./x.sh"),
        ("Makefile", "make clean"),
    ],
)
def test_one_command_brings_everything_back_after_a_script(name: str, command: str, project: Path) -> None:
    dirty(project)
    (project / name).write_text(SCRIPTS[name])
    (project / name).chmod(0o755)
    shell(project, f"git add {name} && git commit -qm script {name}")
    agent = Agent(project)
    # The state is that of the newest moment already: then the words alone start Python.
    agent.run("true")
    comes_back(agent, command, picture(project))


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_the_agent_of_each_client_is_told_what_no_moment_holds(client: str, project: Path) -> None:
    with (project / "large.log").open("wb") as file:
        file.truncate(65 << 20)
    shell(project, "git init -q build/inner && touch build/inner/x")
    agent = Agent(project, client)
    agent.run("rm -rf build *.log")
    told = agent.warned if client != "gemini" else json_context(agent)
    assert "`rm -rf build *.log` may destroy what no moment holds" in told
    assert "build/inner/ (a repository of its own), large.log (65 MiB)" in told


def json_context(agent: Agent) -> str:
    """Gemini CLI takes no text before a tool, so it is told after it."""
    from tests.support.net_agent import context

    assert agent.said
    assert agent.said.out == ""
    return context(agent.answer)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_where_the_net_is_strict_a_command_that_takes_what_no_moment_holds_is_refused(
    client: str, project: Path
) -> None:
    put_policy_in_force(Workspace.open(project), net="strict")
    with (project / "large.log").open("wb") as file:
        file.truncate(65 << 20)
    agent = Agent(project, client)
    assert agent.run("git clean -fdx") == -1
    assert agent.said
    assert "refused, because the policy says net: strict" in agent.said.denied
    assert "large.log (65 MiB)" in agent.said.denied
    assert "Copy this to another folder first" in agent.said.denied
    assert agent.run("git clean -fd") == 0
    assert (project / "large.log").exists()


def test_a_line_does_not_come_back_with_an_edit_after_the_work_was_brought_back(project: Path) -> None:
    dirty(project)
    agent = Agent(project)
    agent.run("git reset -q --hard")
    (line,) = agent.status()
    agent.bring_back(line)
    (project / "f2.txt").write_text("edited after that\n")
    assert agent.status() == []


@pytest.mark.parametrize("command", ["git reset -q --hard", "git branch -q -D topic"])
def test_after_a_client_was_killed_during_its_command_the_next_prompt_says_what_is_gone(
    command: str, project: Path
) -> None:
    dirty(project)
    agent = Agent(project)
    call(project, before("Bash", command=command))
    shell(project, command)
    assert "gone" not in agent.prompt("another session")
    # A prompt waits only a fifth of a second for it.
    said = agent.prompt()
    kept(project)
    (line,) = agent.status()
    assert line in said + agent.prompt()


def test_a_line_goes_when_the_work_is_back_in_another_way(project: Path) -> None:
    dirty(project, intended=False)
    agent = Agent(project)
    agent.run("git stash -qu")
    assert agent.status()
    agent.run("git stash pop -q --index")
    assert agent.status() == []
    assert agent.prompt() == ""


@pytest.mark.parametrize(
    "command",
    [
        "echo theirs > .env",
        "echo theirs >.env 2>&1",
        "echo theirs 2>/dev/null>|.env",
        "sort -o .env f1.txt",
        "curl -s -o .env file://$PWD/f1.txt",
        "tar -xf theirs.tar",
        "unzip -qo theirs.zip",
        "sqlite3 .env 'create table x(y)'",
    ],
)
def test_an_ignored_file_is_kept_before_a_command_writes_over_it_also_if_nothing_else_changed(
    command: str, project: Path
) -> None:
    shell(project, "echo theirs >.env && tar -cf theirs.tar .env && python3 -m zipfile -c theirs.zip .env")
    (project / ".git/info/exclude").write_text(".env\ntheirs.*\n")
    (project / ".env").write_text("")
    agent = Agent(project)
    # The state is that of the newest moment already.
    agent.run("true")
    agent.run(command)
    assert (project / ".env").read_bytes()
    shell(project, "rm .env")
    devs_git("restore", "moment:-1", "--", ".env", where=project)
    assert (project / ".env").read_bytes() == b""
