"""`verify registry guard` finds nothing wrong in devs-git, and finds each fault that a test plants."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest

import devs_git.commands
from devs_git.commands import verify
from devs_git.domain.verbs import CHANGES, OTHER_COMMANDS, READS, VERBS, Verb
from devs_git.entrypoints import public_surface, router, selfcheck
from devs_git.entrypoints.cli import groups, log
from devs_git.entrypoints.cli.main import cli, command
from devs_git.entrypoints.http.routes import ROUTES
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool
from devs_git.values import replace
from devs_git.workspace import Workspace


def messages(part: Callable[[], tuple[Any, ...]]) -> list[str]:
    return [finding.message for finding in part()]


def only(monkeypatch: pytest.MonkeyPatch, *names: str, tools: tuple[str, ...] = ()) -> None:
    """Let the guard check only these verbs and tools, because each takes time."""
    monkeypatch.setattr(selfcheck, "VERBS", {name: VERBS[name] for name in names})
    monkeypatch.setattr(selfcheck, "TOOLS", {name: TOOLS[name] for name in tools})


@pytest.mark.quick
def test_devs_git_as_it_is_passes_both_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    before = dict(os.environ), Path.cwd()
    assert (messages(selfcheck.registry), messages(selfcheck.guard)) == ([], [])
    assert (dict(os.environ), Path.cwd()) == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_writing_verb_that_the_table_lets_go_on_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERBS, "checkpoint", replace(VERBS["checkpoint"], while_frozen=True))
    monkeypatch.setitem(VERBS, "branch", replace(VERBS["branch"], tier=READS))
    only(monkeypatch, "checkpoint", "branch", "log")
    assert messages(selfcheck.guard) == [
        "'checkpoint' changes the repository while a gate is open.",
        "'branch' changes the repository while a gate is open.",
    ]


@pytest.mark.parametrize(
    ("verbs", "tools", "name"),
    [
        (("branch", "rewind"), (), "branch"),
        ((), ("branch_from_checkpoint",), "branch_from_checkpoint (a tool)"),
    ],
)
def test_a_command_or_tool_that_goes_round_the_guard_is_found(
    verbs: tuple[str, ...], tools: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = router.call

    def call(name: str, workspace: Workspace, request: Any) -> Any:
        if name == "branch":
            from devs_git.commands import branch

            return branch.run(workspace, request)
        return guarded(name, workspace, request)

    monkeypatch.setattr(router, "call", call)
    only(monkeypatch, *verbs, tools=tools)
    assert messages(selfcheck.guard) == [
        f"'{name}' is not refused (it ran) while a gate is open.",
        f"'{name}' changes the repository while a gate is open.",
    ]


def test_a_command_that_never_comes_to_the_guard_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = command("checkout")
    assert made is not None
    monkeypatch.setattr(made, "callback", lambda **_options: 0)
    only(monkeypatch, "checkout")
    assert messages(selfcheck.guard) == ["'checkout' is not refused (it ran) while a gate is open."]


def test_a_verb_without_a_command_or_module_and_the_other_way_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(VERBS, "fly", Verb("fly", CHANGES, "Fly."))
    monkeypatch.setitem(groups.FILES, "swim", "log")
    monkeypatch.setattr(log, "dig", click.Command("dig"), raising=False)
    (tmp_path / "walk.py").write_text("")
    monkeypatch.setattr(devs_git.commands, "__path__", [*devs_git.commands.__path__, str(tmp_path)])
    assert messages(selfcheck.registry) == [
        "'fly' is in the verb table, but has no module.",
        "'fly' is in the verb table, but is no command of the command line.",
        "The command line has 'swim', which is not in the verb table.",
        "commands/walk.py is not in the verb table.",
        "The command 'dig' of cli/log.py is not in the verb table.",
        "The verb 'fly' exists, but is not on the written list.",
    ]


# What comes back into a table has to stand where it stood: pages have the order of the tables.
@patch.dict(TOOLS)
@patch.dict(OTHER_COMMANDS)
def test_what_a_table_has_lost_or_changed_is_found_by_the_written_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(TOOLS, "undo_rewind")
    monkeypatch.setitem(TOOLS, "git_status", replace(TOOLS["git_status"], verb_name="log"))
    monkeypatch.setitem(TOOLS, "preview_rewind", replace(TOOLS["preview_rewind"], fixed={}))
    monkeypatch.setitem(TOOLS, "sing", replace(TOOLS["git_status"], name="sing"))
    monkeypatch.setitem(VERBS, "checkpoint", replace(VERBS["checkpoint"], while_frozen=True))
    monkeypatch.setattr(selfcheck, "ROUTES", ROUTES[1:])
    monkeypatch.delitem(OTHER_COMMANDS, "demo")
    assert [text for text in messages(selfcheck.registry) if "written list" in text] == [
        "The verb 'checkpoint' is on the written list as tier 1, refused while frozen, but is tier 1, works while frozen.",
        "The command 'demo' is on the written list, but does not exist.",
        "The tool 'git_status' is on the written list as status, but is log.",
        "The tool 'preview_rewind' is on the written list as rewind --dry-run, but is rewind.",
        "The tool 'undo_rewind' is on the written list, but does not exist.",
        "The tool 'sing' exists, but is not on the written list.",
        "The route 'GET /timeline' is on the written list, but does not exist.",
    ]


def test_the_written_list_is_written_and_takes_nothing_from_the_tables() -> None:
    source = Path(public_surface.__file__).read_text()
    assert re.findall(r"^(?:from|import) (\S+)", source, re.MULTILINE) == ["__future__", "typing"]


def test_a_tool_without_a_verb_or_that_does_what_only_a_person_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "VERBS", {name: VERBS[name] for name in ("log", "gate approve")})
    tools = [
        Tool("fly", "fly", "Fly."),
        Tool("decide", "gate approve", "Approve."),
        Tool("list", "log", "List.", fixed={"wings": 2}),
    ]
    monkeypatch.setattr(selfcheck, "TOOLS", {tool.name: tool for tool in tools})
    assert [
        text for text in messages(selfcheck.registry) if "tool" in text and "written list" not in text
    ] == [
        "The tool 'fly' has no verb in the table.",
        "The tool 'decide' does what only a person may do.",
        "The tool 'list' sets wings, which 'log' does not have.",
    ]


def test_verify_asks_them_by_name_and_with_all_and_fails_where_they_do(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = verify.Request(("guard",), own_checks={"guard": selfcheck.guard})
    monkeypatch.setitem(VERBS, "checkpoint", replace(VERBS["checkpoint"], while_frozen=True))
    only(monkeypatch, "checkpoint")
    result = verify.run(Workspace.open(repo), request)
    assert (result.ok, [one.code for one in result.findings]) == (False, ["VERB_UNGUARDED"])
    assert verify.Request(("all",)).chosen == verify.PARTS
    assert "guard" not in verify.Request().chosen
    assert cli.main(["verify", "guard", "--json"], standalone_mode=False) == 1
