"""Whether a client runs our hooks: the client is asked, and nothing that it answers breaks or endangers who asks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import doctor
from devs_git.domain.clients import trust
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.storage.git.places import locate
from devs_git.storage.git.program import Git
from devs_git.storage.hooks import client_files, client_programs, client_trust
from devs_git.workspace import Workspace

Plant = Callable[[str], Path]
# A Codex that answers as the real one, with what the file `hooks` beside it holds.
ANSWERS = """\
read -r line && echo noise && echo '{"id":0,"result":{}}'
read -r line && read -r line
printf '%s' "$line" >"${0%/*}/asked"
pwd >"${0%/*}/where"
printf '{"method":"configWarning"}\\n{"id":1,"result":{"data":[{"hooks":%s}]}}\\n' "$(cat "${0%/*}/hooks")"
"""


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """`plant(script)`: a program `codex` with this script is the first on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()

    def planted(script: str) -> Path:
        (folder / "codex").write_text(f"#!/bin/sh\n{script}")
        (folder / "codex").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return folder

    return planted


def hooks(top: Path, **changed: Any) -> list[dict[str, Any]]:
    """What Codex says of our lines in this repository: the first one with other values."""
    one = {
        "sourcePath": str(top / CODEX.hooks_file),
        "source": "project",
        "enabled": True,
        "trustStatus": "trusted",
    }
    every = [{**one, "command": CODEX.command(event)} for event in CODEX.events]
    return [{**every[0], **changed}, *every[1:]]


def asked(top: Path) -> trust.Trust:
    return client_trust.of(CODEX, locate(top), top)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("changed", "state", "said"),
    [
        ({}, "trusted", "trusts the project and all 7 hooks"),
        ({"trustStatus": "untrusted"}, "untrusted", "1 of 7 are not trusted"),
        ({"trustStatus": "modified"}, "untrusted", "1 of 7 were changed after you trusted them"),
        ({"enabled": False}, "off", "turned off"),
        ({"command": "echo other"}, "unknown", "6 of 7"),
    ],
)
def test_codex_is_asked_for_the_trust_of_our_hooks(
    changed: dict[str, Any], state: str, said: str, repo: Path, plant: Plant
) -> None:
    folder = plant(ANSWERS)
    (folder / "hooks").write_text(json.dumps(hooks(repo, **changed)))
    found = asked(repo)
    assert found.state == state
    assert said in found.text
    assert json.loads((folder / "asked").read_text())["params"] == {"cwds": [str(repo)]}
    assert (folder / "where").read_text() == "/\n"


def test_in_a_linked_worktree_codex_takes_the_hooks_of_the_main_one(
    repo: Path, tmp_path: Path, plant: Plant
) -> None:
    (plant(ANSWERS) / "hooks").write_text(json.dumps(hooks(tmp_path / "main")))
    assert asked(repo).state == "trusted"


def test_a_main_worktree_without_our_hooks_is_said_in_a_linked_one(
    initialised: Path, tmp_path: Path, plant: Plant
) -> None:
    (plant(ANSWERS) / "hooks").write_text("[]")
    there = tmp_path / "there"
    Git(initialised).run("worktree", "add", "-q", str(there))
    client_files.install(locate(there), there, CODEX)
    found = asked(there)
    assert (found.state, found.fix) == ("untrusted", f"cd {initialised} && devs-git agent install codex")
    client_files.install(locate(initialised), initialised, CODEX)
    assert "Trust all and continue" in asked(there).fix


def test_a_hook_of_the_user_is_not_one_of_the_project(repo: Path, plant: Plant) -> None:
    (plant(ANSWERS) / "hooks").write_text(json.dumps([{**one, "source": "user"} for one in hooks(repo)]))
    assert asked(repo).state == "untrusted"


def test_a_project_that_codex_does_not_trust_has_no_hook_of_ours(repo: Path, plant: Plant) -> None:
    (plant(ANSWERS) / "hooks").write_text("[]")
    found = asked(repo)
    assert found.state == "untrusted"
    assert "Trust all and continue" in found.fix


@pytest.mark.quick
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 1", "codex app-server"),
        ("echo no such command >&2; exit 2", "codex app-server"),
        ('echo \'{"id":0,"error":{"code":-32601}}\'; cat', "may be too old"),
        ("head -c 100000 /dev/urandom; exit", "codex app-server"),
        (
            "echo '[[[]]]'; echo 7; echo '{\"id\":0,\"result\":7}'; echo '{\"id\":1}'; cat >/dev/null",
            "may be too old",
        ),
        ("yes '{\"id\":7}'", "more than 4 MiB"),
    ],
)
def test_a_codex_that_answers_garbage_is_unknown(script: str, said: str, repo: Path, plant: Plant) -> None:
    plant(script)
    found = asked(repo)
    assert found.state == "unknown"
    assert said in found.text


def test_a_codex_that_hangs_is_ended_with_its_children(
    repo: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_programs, "SECONDS", 0.5)
    folder = plant('sleep 600 & echo $! >"${0%/*}/child"; trap "" TERM; wait; sleep 600')
    began = time.monotonic()
    assert "gave no answer within 0.5 seconds" in asked(repo).text
    assert time.monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "child").read_text()), 0)


@pytest.mark.quick
@pytest.mark.parametrize("link", [False, True])
def test_a_codex_that_the_repository_brought_is_not_started(
    link: bool, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = repo / "node_modules/.bin/codex"
    planted.parent.mkdir(parents=True)
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    planted.chmod(0o755)
    entry = str(planted.parent)
    if link:
        entry = str(tmp_path / "bin")
        Path(entry).mkdir()
        (Path(entry) / "codex").symlink_to(planted)
    plain = "/usr/bin:/bin"
    monkeypatch.chdir(planted.parent)
    monkeypatch.setenv("PATH", f"{entry}:.::{plain}")
    assert asked(repo).text == (
        "Codex was not asked: there is no program `codex` on the PATH (programs in this repository do not count)."
    )
    assert not (tmp_path / "started").exists()


def test_a_node_that_the_repository_brought_does_not_start_codex(
    repo: Path, tmp_path: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex from npm begins with `#!/usr/bin/env node`."""
    folder = plant("")
    (folder / "codex").write_text("#!/usr/bin/env node\n")
    (repo / "node").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (repo / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{repo}:{os.environ['PATH']}")
    assert asked(repo).state == "unknown"
    assert not (tmp_path / "started").exists()


@pytest.mark.quick
def test_doctor_asks_only_for_a_client_that_is_installed_here_and_its_finding_is_no_error(
    initialised: Path, plant: Plant
) -> None:
    folder = plant(ANSWERS)
    (folder / "hooks").write_text("[]")
    assert not codes(doctor.run(Workspace.open(), doctor.Request()))
    assert not (folder / "asked").exists()
    client_files.install(locate(initialised), initialised, CODEX)
    found = doctor.run(Workspace.open(), doctor.Request())
    assert codes(found) == [("AGENT_HOOK_UNTRUSTED", "warning")]
    assert found.ok


def codes(result: doctor.Result) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in result.findings if one.code.startswith("AGENT_HOOK")]


@pytest.fixture
def claude_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's settings of Claude Code, which is not there."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "user"))
    return tmp_path / "user"


@pytest.mark.quick
@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (".claude/settings.json", '{"disableAllHooks": true}', ".claude/settings.json sets disableAllHooks"),
        (".claude/settings.local.json", '{"disableAllHooks": true}', "settings.local.json sets"),
        (
            ".claude/settings.local.json",
            '{"disabledMcpjsonServers": ["devs-git"]}',
            "does not start our MCP server",
        ),
        (".claude/settings.json", '{"disableAllHooks": "yes"}', ""),
        (".claude/settings.json", "]", ""),
    ],
)
def test_settings_of_claude_code_that_keep_our_hooks_from_running_are_named(
    file: str, text: str, said: str, repo: Path, claude_home: Path
) -> None:
    assert not claude_home.exists()
    (repo / ".claude").mkdir()
    (repo / file).write_text(text)
    found = client_trust.of(CLAUDE, locate(repo), repo)
    assert (found.state == "off") == bool(said)
    assert said in found.text


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "state", "said"),
    [
        ("gemini", "unknown", "devs-git cannot see whether Gemini CLI trusts this folder."),
        ("opencode", "trusted", "OpenCode asks for no trust."),
    ],
)
def test_of_a_client_that_nobody_asks_the_reason_is_said(
    name: str, state: str, said: str, repo: Path
) -> None:
    found = client_trust.of(CLIENTS[name], locate(repo), repo)
    assert (found.state, found.text) == (state, said)


@pytest.mark.quick
def test_where_no_setting_turns_the_hooks_of_claude_code_off_that_is_said() -> None:
    assert trust.of_claude((), ()).text == (
        "No settings file turns our hooks off. At a terminal Claude Code asks once whether you trust the folder."
    )


def test_the_stronger_settings_of_claude_code_count_and_those_of_the_machine_before_all() -> None:
    weak, strong = ("user", {"disableAllHooks": True}), ("local", {"disableAllHooks": False})
    assert trust.of_claude((), (weak, strong)).state == "trusted"
    assert trust.of_claude((), (strong, weak)).text == "Claude Code runs no hook: user sets disableAllHooks."
    found = trust.of_claude((("managed", {"allowManagedHooksOnly": True}),), (strong,))
    assert found.text == "Claude Code runs no hook of this project: managed sets allowManagedHooksOnly."
