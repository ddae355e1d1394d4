"""`agent install` writes into the project's files, which belong to others: their content is kept, or it refuses."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.errors import DevsError
from devs_git.operations.recall import spool
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.values import replace
from tests.support.hook_stage import picture

Run = Callable[..., str]


def install(top: Path, client: str = "claude") -> dict[str, str]:
    return {a.what: a.did for a in client_files.install(locate(top), top, CLIENTS[client])}


def uninstall(top: Path, client: str = "claude") -> dict[str, str]:
    return {a.what: a.did for a in client_files.uninstall(top, CLIENTS[client])}


def files(top: Path) -> dict[str, tuple[int, bytes]]:
    return {name: told for name, told in picture(top).items() if not name.startswith(".git/")}


@pytest.mark.quick(1)
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_installing_twice_changes_nothing_and_taking_out_leaves_no_trace(client: str, repo: Path) -> None:
    before = files(repo)
    assert set(install(repo, client).values()) == {"created"}
    there = files(repo)
    assert set(install(repo, client).values()) == {"kept"}
    assert files(repo) == there
    assert os.fspath(repo) not in str(there)  # no path of this machine
    assert set(uninstall(repo, client).values()) == {"removed"}
    assert files(repo) == before
    assert not (repo / f".{client}").exists()
    again = client_files.uninstall(repo, CLIENTS[client])
    assert {(a.did, a.detail) for a in again} == {("skipped", "it was not there")}


def test_files_that_are_there_keep_mode_order_and_comments(repo: Path) -> None:
    settings, config = repo / ".claude/settings.json", repo / ".codex/config.toml"
    settings.parent.mkdir()
    config.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Bash(make)"]},\t"model": "x"}')
    settings.chmod(0o640)
    config.write_text('# ours\nmodel = "x" # why\n\n[tools]\n')
    before = files(repo)
    assert install(repo) == {
        "agent hook": "created",
        ".claude/settings.json": "updated",
        ".mcp.json": "created",
        ".claude/devs-hook": "created",
    }
    assert install(repo, "codex")[".codex/config.toml"] == "updated"
    assert settings.stat().st_mode & 0o777 == 0o640
    assert list(json.loads(settings.read_text())) == ["permissions", "model", "hooks"]
    assert config.read_text().startswith('# ours\nmodel = "x" # why\n\n[tools]\n\n[mcp_servers.devs-git]\n')
    uninstall(repo)
    uninstall(repo, "codex")
    assert files(repo) == before


@pytest.mark.parametrize(
    ("name", "text", "line", "client"),
    [
        (".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}', 3, "claude"),
        (".mcp.json", '{"mcpServers": {"devs-git": {"command": "mine"}}}', 1, "claude"),
        (".codex/config.toml", "a = 1\nb =\n", 2, "codex"),
        (".codex/hooks.json", '{"hooks": 7}', 1, "codex"),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused_by_name_and_line_and_nothing_is_written(
    name: str, text: str, line: int, client: str, repo: Path
) -> None:
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(text)
    before = picture(repo)
    for do in (install, uninstall):
        if do is uninstall and ("mine" in text or "7" in text):
            continue  # nothing of ours is in it
        with pytest.raises(DevsError) as refused:
            do(repo, client)
        assert refused.value.code == "INVALID_ARGUMENTS"
        assert refused.value.message.startswith(f"{name}, line {line}: ")
        assert (refused.value.details["file"], refused.value.details["line"]) == (name, line)
        assert picture(repo) == before


def test_a_server_that_somebody_changed_is_left_alone_and_reported(repo: Path) -> None:
    install(repo)
    config = repo / ".mcp.json"
    config.write_text(config.read_text().replace('"args"', '"env": {}, "args"'))
    actions = {a.what: a for a in client_files.uninstall(repo, CLAUDE)}
    assert actions[".mcp.json"].did == "skipped"
    assert "not removed" in actions[".mcp.json"].detail
    assert config.exists()
    assert actions[".claude/settings.json"].did == "removed"


def test_a_file_with_a_comment_is_edited_around_it_and_the_client_is_said_to_refuse_it(repo: Path) -> None:
    settings = repo / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  // why\n  "model": "x"\n}\n')
    actions = {a.what: a for a in client_files.install(locate(repo), repo, CLAUDE)}
    assert actions[".claude/settings.json"].did == "updated"
    assert "Claude Code refuses the whole file: line 2" in actions[".claude/settings.json"].detail
    assert actions[".mcp.json"].detail == ""
    uninstall(repo)
    assert settings.read_text() == '{\n  // why\n  "model": "x"\n}\n'


def test_one_file_may_have_hooks_and_servers(repo: Path) -> None:
    name = ".one/folder/settings.json"
    client = replace(CLAUDE, hooks_file=name, server_file=name, small_file="")
    before = files(repo)
    done = {a.what: a.did for a in client_files.install(locate(repo), repo, client)}
    assert done == {"agent hook": "created", name: "created"}
    assert set(json.loads((repo / name).read_text())) == {"hooks", "mcpServers"}
    assert [a.did for a in client_files.install(locate(repo), repo, client)[1:]] == ["kept"]
    (repo / name).write_text((repo / name).read_text().replace('"args"', '"env": {}, "args"'))
    (left,) = client_files.uninstall(repo, client)
    assert (left.did, left.detail) == ("updated", "Its server devs-git was changed, so it is not removed.")
    assert set(json.loads((repo / name).read_text())) == {"mcpServers"}
    (repo / name).unlink()
    client_files.install(locate(repo), repo, client)
    assert [a.did for a in client_files.uninstall(repo, client)] == ["removed"]
    assert files(repo) == before
    assert not (repo / ".one").exists()


def test_a_client_that_reads_comments_is_not_said_to_refuse_them(repo: Path) -> None:
    client = replace(CLAUDE, reads_comments=True)
    (repo / ".mcp.json").write_text("{\n  // why\n}\n")
    assert [a.detail for a in client_files.install(locate(repo), repo, client)] == ["", "", "", ""]


@pytest.mark.quick
@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_lines_of_an_earlier_version_are_reported_and_install_replaces_them(client: str, repo: Path) -> None:
    def codes() -> list[tuple[str, str]]:
        return [(one.code, one.fix) for one in client_files.status(locate(repo), repo)]

    install(repo, client)
    assert codes() == []
    file = repo / CLIENTS[client].hooks_file
    now = file.read_text()
    file.write_text(now.replace("until [ -e .git ]", "until [ -d .git ]"))
    assert codes() == [("AGENT_HOOK_OUTDATED", f"devs-git agent install {client}")]
    assert install(repo, client)[CLIENTS[client].hooks_file] == "updated"
    # A new line may stand at another place in a JSON file.
    read = str if CLIENTS[client].plugin else json.loads
    assert (read(file.read_text()), codes()) == (read(now), [])


def test_the_small_file_comes_back_and_another_file_in_its_place_is_refused(repo: Path) -> None:
    install(repo)
    small = repo / CLAUDE.small_file
    small.unlink()
    assert [one.code for one in client_files.status(locate(repo), repo)] == ["AGENT_HOOK_OUTDATED"]
    assert install(repo)[CLAUDE.small_file] == "created"
    small.write_text("echo mine\n")
    with pytest.raises(DevsError, match=r"\.claude/devs-hook, line 1: it is not the file of devs-git"):
        install(repo)
    assert uninstall(repo)[CLAUDE.small_file] == "kept"
    assert small.read_text() == "echo mine\n"


def test_a_line_for_an_event_of_a_session_is_short_and_does_nothing_without_the_small_file(
    repo: Path,
) -> None:
    """The person sees it. The line before a tool needs no tracked file, which another branch may lack."""
    for event in CLAUDE.session:
        assert len(CLAUDE.command(event)) < 110
        done = subprocess.run(
            ["sh", "-c", CLAUDE.command(event)], cwd=repo, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for event in (CLAUDE.before, *CLAUDE.after):
        assert "devs-hook" not in CLAUDE.command(event)


@pytest.mark.parametrize(
    ("client", "before", "after"),
    [
        ("claude", '"args"', '"alwaysLoad": true, "args"'),
        ("codex", 'args = ["mcp"]', 'args = ["mcp"]\nrequired = true'),
    ],
)
def test_a_setting_that_a_person_added_to_our_server_stays(
    client: str, before: str, after: str, repo: Path
) -> None:
    install(repo, client)
    file = repo / CLIENTS[client].server_file
    file.write_text(file.read_text().replace(before, after))
    text = file.read_text()
    assert after in text
    assert install(repo, client)[CLIENTS[client].server_file] == "kept"
    assert file.read_text() == text


def test_a_link_out_of_the_worktree_is_not_followed(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text("{}")
    (repo / ".mcp.json").symlink_to(tmp_path / "mcp.json")
    with pytest.raises(DevsError, match=r"link to a place outside this worktree"):
        install(repo)
    assert (tmp_path / "mcp.json").read_text() == "{}"
    (repo / ".mcp.json").unlink()
    (repo / "shared.json").write_text("{}")
    (repo / ".mcp.json").symlink_to("shared.json")
    install(repo)
    assert "devs-git" in (repo / "shared.json").read_text()
    assert (repo / ".mcp.json").is_symlink()


def test_status_says_what_is_wrong_with_script_python_and_spool(repo: Path) -> None:
    def codes() -> list[str]:
        return [finding.code for finding in client_files.status(locate(repo), repo)]

    assert codes() == []
    install(repo, "codex")
    assert codes() == []
    script = repo / ".git/devs/agent-hook"
    content = script.read_text()
    script.unlink()
    assert codes() == ["AGENT_HOOK_MISSING"]
    client_files.install_hook(locate(repo), "/gone/python")
    assert codes() == ["AGENT_HOOK_MISSING"]
    script.write_text(content + "# mine\n")
    assert codes() == ["AGENT_HOOK_MISSING"]
    assert install(repo, "codex")["agent hook"] == "skipped"
    script.write_text(content)
    aside = locate(repo).spool / "rejected"
    aside.mkdir()
    (aside / "x.claude.PostToolUse").write_text("")
    found = list(spool.findings(locate(repo)))
    assert [(f.code, f.severity) for f in found] == [("SPOOL_REJECTED", "warning")]
    assert "x.claude.PostToolUse" in found[0].message


def test_a_client_is_one_file_and_one_entry_of_the_table() -> None:
    folder = Path(client_files.__file__).parent.parent.parent / "domain/clients"
    there = {path.stem for path in folder.glob("*.py") if "= Client(" in path.read_text()}
    assert there == set(CLIENTS)
    assert {CLAUDE.name, CODEX.name} <= there
