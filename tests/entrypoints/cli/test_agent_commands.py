"""`agent install` on the command line: it says what it did, writes no event, and works in clones and linked worktrees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.__main__ import main
from devs_git.commands import doctor, init
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints import router
from devs_git.errors import EXIT_CONFLICT, EXIT_NO, EXIT_REFUSED, EXIT_USAGE
from devs_git.workspace import Workspace
from tests.support.agent_calls import after, before, call
from tests.support.gate_scene import approve, ask
from tests.support.terminal_person import at_terminal

TOP = Path(__file__).parents[3]
Run = Callable[..., str]
Say = Callable[..., tuple[int, str]]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """`say("install", "claude")` runs the command and returns its exit status and output."""

    def run(*words: str, of: str = "agent") -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["devs-git", of, *words])
        try:
            status = main()
        except SystemExit as error:
            status = int(error.code or 0)
        told = capsys.readouterr()
        return status, told.out + told.err

    return run


def told(said: tuple[int, str]) -> dict[str, Any]:
    assert said[0] == 0, said[1]
    found: dict[str, Any] = json.loads(said[1])
    return found


@pytest.mark.quick(1)
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_it_says_what_it_did_and_leaves_no_event(client: str, initialised: Path, say: Say, git: Run) -> None:
    tip = git("rev-parse", "refs/heads/devs/ledger")
    known = CLIENTS[client]
    names = (known.hooks_file, known.server_file, known.small_file)
    files = list(dict.fromkeys(name for name in names if name))
    in_environment = ["alias git devs"] * (sys.prefix != sys.base_prefix)
    found = told(say("install", client, "--json"))
    assert [(a["what"], a["did"]) for a in found["actions"]] == [
        (name, "created") for name in ("agent hook", *files, *in_environment)
    ]
    assert files[0] in found["advice"][0]
    steps = (
        ("Trust the project", "codex exec --trust", "Trust the hooks", "/hooks") if client == "codex" else ()
    )
    assert all(step in "\n".join(found["advice"]) for step in steps)
    status, text = say("install", client)
    assert (status, text.count("kept")) == (0, 1 + len(files) + len(in_environment))
    assert "next:" not in text
    assert call(initialised, before("Write"), client=client).denied == ""
    gate_id = ask(Workspace.open(), kind="MANUAL")
    assert "GATE_BLOCKED" in call(initialised, before("Write"), client=client).denied
    tip_now = git("rev-parse", "refs/heads/devs/ledger^")
    assert tip_now == tip  # only the gate's event came
    approve(Workspace.open(), gate_id)
    found = told(say("install", client, "--uninstall", "--json"))
    assert [(a["what"], a["did"]) for a in found["actions"]] == [(name, "removed") for name in files]
    assert git("status", "--porcelain") == ""


def test_it_works_from_any_folder_and_refuses_what_it_cannot_do(
    initialised: Path, say: Say, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (initialised / "sub").mkdir()
    monkeypatch.chdir(initialised / "sub")
    assert say("install", "claude")[0] == 0
    assert (initialised / ".mcp.json").exists()
    assert say("install", "another")[0] == EXIT_USAGE
    (initialised / ".codex").mkdir()
    (initialised / ".codex/hooks.json").write_text("{\n]\n}")
    status, text = say("install", "codex")
    assert status == EXIT_REFUSED
    assert ".codex/hooks.json, line 2: " in text
    git("update-ref", "-d", "refs/heads/devs/ledger")
    assert say("install", "claude")[0] in {EXIT_CONFLICT, EXIT_REFUSED, 5}


@pytest.mark.quick
def test_while_a_gate_is_open_an_agent_writes_no_setup_and_a_person_does(
    initialised: Path, say: Say, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(Workspace.open(initialised), kind="MANUAL")
    calls = [("agent", "install", "claude"), ("aliases", "install"), ("aliases", "uninstall")]
    before = git("config", "--local", "--list")
    with monkeypatch.context() as agents:
        agents.setenv("CLAUDECODE", "1")
        for words in calls:
            status, text = say(*words[1:], of=words[0])
            assert (status, f"'{' '.join(words[:2])}' is refused" in text) == (EXIT_NO, True)
    assert git("config", "--local", "--list") == before
    assert not (initialised / ".claude").exists()
    assert [say(*words[1:], of=words[0])[0] for words in calls] == [0, 0, 0]
    assert (initialised / ".claude").exists()


@pytest.mark.quick
def test_an_agent_adds_aliases_where_nobody_ran_init(
    repo: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repo.exists()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert say("install", of="aliases")[0] == 0


def test_a_clone_has_the_script_as_soon_as_somebody_runs_init(
    initialised: Path, say: Say, git: Run, tmp_path: Path
) -> None:
    say("install", "codex")
    git("add", "-A")
    git("commit", "-qm", "agents")
    clone = tmp_path / "clone"
    git("clone", "-q", str(initialised), str(clone))
    subprocess.run(["git", "fetch", "-q", "origin", "devs/ledger"], cwd=clone, check=True)
    assert call(clone, after(), client="codex").err == ""
    assert not (clone / ".git/devs").exists()
    done = router.call("init", Workspace.open(clone), init.Request())
    assert ("agent hook", "created") in [(action.what, action.did) for action in done.actions]
    assert call(clone, after(), client="codex").status == 0
    assert len(list((clone / ".git/devs/spool").iterdir())) == 1
    done = router.call("init", Workspace.open(clone), init.Request(uninstall=True))
    assert ("agent hook", "removed") in [(action.what, action.did) for action in done.actions]
    assert call(clone, after(), client="codex").err == ""


def test_doctor_names_the_command_that_brings_a_missing_script_back(initialised: Path, say: Say) -> None:
    say("install", "claude")
    (initialised / ".git/devs/agent-hook").unlink()
    found = doctor.run(Workspace.open(), doctor.Request()).findings
    assert [(f.code, f.fix) for f in found if f.code.startswith("AGENT")] == [
        ("AGENT_HOOK_MISSING", "devs-git agent install claude")
    ]
    say("install", "claude")
    assert not [f for f in doctor.run(Workspace.open(), doctor.Request()).findings if "AGENT" in f.code]


@pytest.mark.quick
def test_the_list_says_of_each_client_what_was_tried_and_whether_it_is_installed_here(
    initialised: Path, say: Say
) -> None:
    assert initialised.exists()
    say("install", "codex")
    found = told(say("list", "--json"))["clients"]
    assert [(one["name"], one["installed"]) for one in found] == [
        (name, name == "codex") for name in sorted(CLIENTS)
    ]
    status, text = say("list")
    assert status == 0
    assert "codex: Codex, our hooks are installed in this repository" in text
    assert (
        "claude: Claude Code, our hooks are not installed in this repository: devs-git agent install" in text
    )
    for one in found:
        known = CLIENTS[one["name"]].evidence
        assert f"tried with {known.version}:" in text
        for name, title in (("tried", ""), ("documented", "documents only:"), ("lacks", "what it lacks:")):
            assert one[name] == list(getattr(known, name))
            assert title in text
            assert all(f"    - {each}" in text for each in one[name])


def test_the_list_gives_one_reason_why_no_moments_are_kept(initialised: Path, say: Say) -> None:
    assert "because no client has our hooks in this repository" in say("list")[1]
    say("install", "codex")
    assert "moments: kept in this clone" in say("list")[1]
    say("--uninstall", of="init")
    text = say("list")[1]
    assert "moments: not kept, because this clone does not have our hook: devs-git init" in text
    assert "no client" not in text
    assert "codex: Codex, the files of the project call our hook, and this clone does not have it" in text
    assert told(say("list", "--json"))["hook"] is False
    assert "CLIENT" not in text
    shown = at_terminal(initialised, "--no-pager", "agent", "list", size=(40, 80))[1]
    assert shown.splitlines()[0].split() == ["CLIENT", "OUR", "HOOKS", "TRIED", "WITH"]


def test_an_uninstallation_says_that_files_which_were_committed_are_gone(
    initialised: Path, say: Say, git: Run
) -> None:
    assert initialised.exists()
    say("install", "claude")
    assert "next:" not in say("install", "claude", "--uninstall")[1]
    say("install", "claude")
    git("add", "-A")
    git("commit", "-qm", "claude")
    shown = say("install", "claude", "--uninstall")[1]
    command = shown.partition("clones have it too: ")[2].splitlines()[0]
    assert command.startswith("git add .claude/settings.json")
    subprocess.run(["sh", "-c", f"{command} -qm 'no claude'"], check=True)
    assert git("status", "--porcelain") == ""


@pytest.mark.quick
def test_the_versions_that_the_list_names_are_those_that_are_run_and_the_page_has_the_same_sentences() -> (
    None
):
    pins = set(json.loads((TOP / "tests/clients/package.json").read_text())["dependencies"].values())
    page = (TOP / "docs/agents.md").read_text()
    for client in CLIENTS.values():
        known = client.evidence
        assert known.version in pins
        assert f"{client.title} {known.version}" in page
        for text in (*known.tried, *known.documented, *known.lacks):
            assert text in page


@pytest.mark.quick
def test_git_devs_works_in_a_shell_that_does_not_know_the_virtual_environment(
    initialised: Path, say: Say, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A login shell forgets the PATH of its caller. Hints then name what works."""
    monkeypatch.setattr(sys, "prefix", f"{sys.base_prefix}/environment")
    found = told(say("install", "claude", "--json"))
    assert ("alias git devs", "created") in [(one["what"], one["did"]) for one in found["actions"]]
    assert "alias" not in found["advice"][0]
    folder = initialised / "folder of mine"
    folder.mkdir()
    plain = {name: text for name, text in os.environ.items() if name != "PATH"} | {"PATH": os.defpath}

    def call_shell(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command], cwd=folder, env=plain, capture_output=True, text=True, check=False
        )

    assert call_shell("devs-git status").returncode == 127
    assert "On main" in call_shell("git devs status").stdout
    refusal = call_shell("git devs task complete 77").stderr
    assert "hint: Start it: git devs task start task-77" in refusal
    assert told(say("install", "claude", "--json"))["actions"][-1]["did"] == "kept"
    git("config", "alias.devs", "!echo mine")
    assert told(say("install", "claude", "--json"))["actions"][-1]["did"] == "skipped"
    assert git("config", "alias.devs") == "!echo mine"


def test_the_alias_goes_with_devs_git_and_is_not_set_outside_of_a_virtual_environment(
    initialised: Path, say: Say, git: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    say("install", "claude")
    assert "alias.devs" not in git("config", "--list")
    monkeypatch.setattr(sys, "prefix", f"{sys.base_prefix}/environment")
    done = router.call("init", Workspace.open(initialised), init.Request())
    assert ("alias git devs", "created") in [(action.what, action.did) for action in done.actions]
    done = router.call("init", Workspace.open(initialised), init.Request(uninstall=True))
    assert ("alias git devs", "removed") in [(action.what, action.did) for action in done.actions]
    assert "alias.devs" not in git("config", "--list")
