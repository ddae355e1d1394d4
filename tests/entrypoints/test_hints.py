"""Over MCP and HTTP a refusal names tools and arguments, not commands and options of the command line."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import devs_git
from devs_git.entrypoints.cli.main import command
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.hints import translate_text
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool
from devs_git.workspace import Workspace
from tests.conftest import Moulded
from tests.support import gate_scene
from tests.support.web_client import serve

pytestmark = pytest.mark.quick

SOURCES = Path(devs_git.__file__).parent
FOR_PERSONS = ("cli", "selfcheck.py", "git_hook.py", "deciding.py", "signatures.py", "verify.py", "doctor.py")


@pytest.mark.parametrize(
    ("tool", "said", "words"),
    [
        (
            "rewind_to_task",
            "Say how: --preserve branch, --preserve stash or --preserve discard; or commit them.",
            'Say how: preserve="branch", preserve="stash" or preserve="discard"; or commit them.',
        ),
        (
            "rewind_to_task",
            "Add --untracked save to keep them, or move them.",
            'Add untracked="save" to keep them, or move them.',
        ),
        (
            "rewind_to_task",
            "Undo the rewind: devs-git undo. Or create a branch there: devs-git branch task-1.5 -b NAME",
            'Undo the rewind: undo_rewind. Or create a branch there: branch_from_checkpoint(checkpoint="task-1.5", branch_name="NAME")',
        ),
        (
            "start_task",
            "Complete it first (devs-git task complete task-1), or use another worktree.",
            'Complete it first (commit_task(task_id="task-1")), or use another worktree.',
        ),
        (
            "rewind_to_task",
            "Make a plan with it: devs-git rewind task-1 --dry-run …",
            'Make a plan with it: preview_rewind(task_id="task-1") …',
        ),
        (
            "preview_rewind",
            "Add --untracked save, or call: devs-git rewind task-1",
            'Add untracked="save", or call: rewind_to_task(task_id="task-1")',
        ),
        (
            "undo_rewind",
            "Any command without --dry-run finishes it or takes it back, for example: devs-git status",
            "Any command without dry_run finishes it or takes it back, for example: git_status",
        ),
        (
            "git_diff",  # is also checkpoint_diff's verb
            "See: devs-git diff --hunks",
            "See: git_diff(hunks=true)",
        ),
        ("get_task_trace", "List all: devs-git trace list", "List all: search_traces"),
        (
            "get_conversation",
            "Find it: devs-git trace search --in messages",
            'Find it: search_traces(in="messages")',
        ),
        # No tool is that: for a shell, or for a person.
        (
            "git_status",
            "Finish it: devs-git doctor --finish, or look.",
            "Finish it: devs-git doctor --finish, or look.",
        ),
        ("commit_task", "Wait for it: devs-git gate wait X", "Wait for it: devs-git gate wait X"),
        ("git_diff", "First: git diff --stat a b", "First: git diff --stat a b"),
        ("git_diff", "'--hunks' and devs-git 'unclosed", "'--hunks' and devs-git 'unclosed"),
    ],
)
def test_a_hint_names_tools_and_arguments(tool: str, said: str, words: str) -> None:
    assert translate_text(TOOLS[tool], said) == words


def _texts() -> Iterator[tuple[str, str]]:
    """Every message and hint in the sources that a tool may return, with X1 for each value."""
    for file in sorted(SOURCES.rglob("*.py")):
        if file.name in FOR_PERSONS or file.parent.name in FOR_PERSONS:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("DevsError", "invalid", "immovable", "refused"):
                values = [*node.args[1:], *(word.value for word in node.keywords if word.arg == "hint")]
                yield from ((file.name, text) for value in values for text in _read(value))


def _read(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from (*_read(value.body), *_read(value.orelse))
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "X1" for one in value.values)


def test_no_hint_of_the_sources_keeps_an_option_where_a_tool_has_an_argument() -> None:
    texts = list(_texts())
    assert len(texts) > 200
    theirs = {option for tool in TOOLS.values() for option in _options_of(tool)}
    assert {"--preserve", "--untracked", "--dry-run", "--branch-name"} <= theirs
    kept = [
        (file, text)
        for file, text in texts
        if all(_left(tool.name, text) & theirs for tool in TOOLS.values())
    ]
    assert kept == []


def _options_of(tool: Tool) -> list[str]:
    """The options of its verb for which a tool has an argument."""
    found, known = command(tool.verb_name), {one.target for one in tool.params}
    assert found
    return [word for param in found.params if param.name in known for word in param.opts if word[:2] == "--"]


def _left(tool: str, text: str) -> set[str]:
    """Options that were not translated, without those of shell commands."""
    rest = re.sub(r"\b(git|devs-git|pip|ssh-keygen) [^;,()]*", "", translate_text(TOOLS[tool], text))
    return set(re.findall(r"(?<!\S)--[a-z-]+", rest))


@pytest.fixture
def top(initialised: Path, moulded: Moulded) -> Path:
    def make() -> None:
        for task in ("1", "2"):
            assert not calling.call("start_task", {"task_id": task}, initialised).is_error
            (initialised / f"{task}.txt").write_text(task)
            assert not calling.call("commit_task", {"task_id": task, "message": "m"}, initialised).is_error

    return moulded("hints", make)


def _said(top: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    return calling.call(tool, arguments, top).value


def test_a_refused_tool_says_which_argument_lets_it_go_on_and_that_does(top: Path) -> None:
    (top / "1.txt").write_text("edited")
    said = _said(top, "rewind_to_task", task_id="1")
    assert 'preserve="stash"' in said["hint"]
    planned = _said(top, "rewind_to_task", task_id="1", dry_run=True)
    assert planned["blocked_by"][0]["hint"] == said["hint"]
    assert "error" not in _said(top, "rewind_to_task", task_id="1", preserve="stash")
    (top / "2.txt").write_text("mine")
    said = _said(top, "undo_rewind")
    assert (said["reason"], said["hint"]) == (
        "untracked_in_the_way",
        'Add untracked="save" to save them in the backup, or move them to another place.',
    )
    assert "error" not in _said(top, "undo_rewind", untracked="save")
    assert (top / "2.txt").read_text() == "2"


@pytest.mark.thorough
def test_a_rewind_over_an_untracked_file_goes_on_with_untracked_over_http(top: Path) -> None:
    subprocess.run(["git", "rm", "-q", "1.txt"], cwd=top, check=True)
    subprocess.run(["git", "commit", "-qm", "gone"], cwd=top, check=True)
    (top / "1.txt").write_text("mine")
    with serve(top) as web:
        said = web.tool("rewind_to_task", task_id="1")
        assert 'untracked="save"' in said.value["hint"]
        done = web.send("POST", "/api/v1/mesh/tasks/1/rewind", b'{"untracked": "save"}')
        assert (done.status, (top / "1.txt").read_text()) == (200, "1")


def test_a_tool_takes_untracked_files_away_by_its_plan_and_undo_brings_them_back(top: Path) -> None:
    (top / "new.txt").write_text("mine")
    planned = _said(top, "preview_rewind", task_id="1", untracked="remove")
    assert (planned["removed_untracked"], planned["removed_untracked_count"]) == (["new.txt"], 1)
    assert "+remove:" in planned["plan_id"]
    done = _said(top, "rewind_to_task", plan_id=planned["plan_id"])
    assert (done["removed_untracked"], (top / "new.txt").exists()) == (["new.txt"], False)
    _said(top, "undo_rewind")
    assert (top / "new.txt").read_text() == "mine"


@pytest.mark.thorough
def test_a_rewind_takes_untracked_files_away_over_http(top: Path) -> None:
    (top / "new.txt").write_text("mine")
    with serve(top) as web:
        done = web.send("POST", "/api/v1/mesh/tasks/1/rewind", b'{"untracked": "remove"}')
    assert (done.status, (top / "new.txt").exists()) == (200, False)


@pytest.mark.thorough
def test_an_open_gate_is_shown_by_a_tool_and_waited_for_in_a_shell(top: Path) -> None:
    gate = gate_scene.ask(Workspace.open(top))
    assert _said(top, "start_task", task_id="3")["hint"] == f'See it: get_gate(gate_id="{gate}")'
    again = _said(
        top, "request_tas_revision", **{k: v for k, v in gate_scene.WHOLE.items() if k != "gate_type"}
    )
    assert again["hint"] == f"Wait for it: devs-git gate wait {gate}"
