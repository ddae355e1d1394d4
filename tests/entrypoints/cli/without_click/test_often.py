"""What agents and prompts call most is answered without click, and the answer is the same as with click."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.commands import trace_put
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import next_page
from devs_git.workspace import Workspace
from tests.conftest import Tasks

pytestmark = pytest.mark.quick

LOADED = """import sys
from devs_git.__main__ import main
status = main()
sys.stderr.write(str([name for name in ("click", "typing") if name in sys.modules]))
sys.exit(status)
"""
WITH_CLICK = "import sys; from devs_git.entrypoints.cli.main import main; sys.exit(main())"
PLAIN = [
    ("status",),
    ("status", "--json"),
    ("log",),
    ("log", "--json"),
    ("log", "-n", "1"),
    ("log", "--json", "--limit", "1"),
    ("task", "status", "10"),
    ("task", "status", "--json", "task10"),
    ("gate", "list"),
    ("gate", "list", "-n", "1", "--json"),
]
REFUSED = [("task", "status"), ("task", "status", "no-such-task"), ("task", "status", "--json", "77")]
LEFT = [
    ("log", "-n", "0"),
    ("log", "-n", "many"),
    ("log", "-n1"),
    ("log", "--task", "10"),
    ("log", "10"),
    ("status", "--colour"),
    ("status", "--help"),
    ("task", "status", ""),
    ("task", "status", "--", "10"),
    ("task", "strat"),
    ("gate", "list", "--status", "ALL"),
    ("gate",),
]


@pytest.fixture
def top(tasks: Tasks) -> Path:
    top = tasks({"10": {"b.txt": "b\n"}, "11": {"c.txt": "c\n"}}).top
    router.call("trace put", Workspace.open(top), trace_put.Request(b"printed"))  # status counts traces
    return top


def run(code: str, where: Path, *words: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=where,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [*PLAIN, *REFUSED])
def test_it_loads_no_click_and_no_typing_and_answers_as_with_click(top: Path, words: tuple[str, ...]) -> None:
    status, answer, errors = run(LOADED, top, *words)
    assert errors.endswith(b"[]")
    assert run(WITH_CLICK, top, *words) == (status, answer, errors.removesuffix(b"[]"))


@pytest.mark.parametrize("words", LEFT)
def test_other_words_are_left_to_the_command_line(top: Path, words: tuple[str, ...]) -> None:
    status, answer, errors = run(LOADED, top, *words)
    assert errors.endswith(b"['click', 'typing']")
    assert run(WITH_CLICK, top, *words) == (status, answer, errors.removesuffix(b"['click', 'typing']"))


def test_a_refusal_outside_of_a_repository_is_the_same(tmp_path: Path) -> None:
    status, answer, errors = run(LOADED, tmp_path, "status", "--json")
    assert errors == b"[]"
    assert run(WITH_CLICK, tmp_path, "status", "--json") == (status, answer, b"")
    assert b'"code"' in answer


def test_a_shell_that_completes_words_gets_its_words(top: Path) -> None:
    asked = {"_DEVS_GIT_COMPLETE": "bash_complete", "COMP_WORDS": "devs-git stat", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "devs_git", "status"]
    done = subprocess.run(command, cwd=top, env=os.environ | asked, capture_output=True, check=True)
    assert done.stdout == b"plain,status\n"


def test_an_answer_leaves_nothing_behind_for_the_next_one_in_the_process(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(top)
    monkeypatch.setattr(sys, "argv", ["devs-git", "log", "-n", "1"])
    assert main() == 0
    assert next_page.line("log", "abc", ["--moments"]).endswith("devs-git log --moments --cursor abc")
