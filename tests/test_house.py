"""The rules of the house that a program can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints.cli.main import cli

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent
FILES = sorted(TOP.glob("devs_git/**/*.py"))
TESTS = sorted(TOP.glob("tests/**/*.py"))


def test_a_file_stays_under_300_lines_and_says_what_it_is_for() -> None:
    sources = {str(file.relative_to(TOP)): file.read_text() for file in (*FILES, *TESTS)}
    assert [name for name, source in sources.items() if source.count("\n") > 300] == []
    silent = [name for name, source in sources.items() if source and not ast.get_docstring(ast.parse(source))]
    assert silent == []


def test_no_comment_stands_behind_a_closing_bracket() -> None:
    """The formatter moves a long comment there. A comment stands above its line."""
    behind = re.compile(r"^\s*[\])}]+[:,]?  # (?!fmt:|noqa)(.+)$", re.MULTILINE)
    found = {str(file.relative_to(TOP)): behind.findall(file.read_text()) for file in (*FILES, *TESTS)}
    assert {name: comments for name, comments in found.items() if comments} == {}


def test_one_place_writes_for_people() -> None:
    """Whatever a text holds, no terminal obeys it (`console`). What goes to programs names its reason here."""
    ways = re.compile(
        r"click\.(?:echo|secho|style|confirm|prompt)\b|\bprint\(|sys\.std(?:out|err)\.(?:write|buffer)|StreamHandler"
    )
    programs = {
        "entrypoints/console.py",
        "entrypoints/hooks/after_tool.py",  # an answer in the client's own JSON
        "entrypoints/hooks/agent_hook.py",  # an answer in the client's own JSON
        "entrypoints/hooks/recall.py",  # an answer in the client's own JSON
        "entrypoints/hooks/moment.py",  # an answer in the client's own JSON
        "entrypoints/cli/demo.py",  # lines of a program that the tour writes
        "entrypoints/cli/traces.py",  # an export is no text
    }
    found = {str(file.relative_to(TOP / "devs_git")): ways.findall(file.read_text()) for file in FILES}
    assert {name for name, calls in found.items() if calls} - programs == set()


def test_one_place_has_the_pattern_of_an_oid_and_one_renames_what_it_wrote() -> None:
    oid, atomic = re.compile(r"0-9a-f\]\{40\}"), re.compile(r"temporary\.(?:rename|replace)\(")
    sources = {str(file.relative_to(TOP / "devs_git")): file.read_text() for file in FILES}
    assert [name for name, source in sources.items() if oid.search(source)] == ["domain/ledger/ids.py"]
    assert [name for name, source in sources.items() if atomic.search(source)] == ["storage/git/files.py"]


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    """What is missing fails with the line that installs it; what is known to be broken is mended."""
    ways = re.compile(r"\b(skip|skipif|importorskip|xfail|SkipTest)\b *\(|mark\.(skip|skipif|xfail)\b")
    found = {file.name: ways.findall(file.read_text()) for file in TOP.glob("tests/**/*.py")}
    assert {name: ways for name, ways in found.items() if ways} == {}


def test_every_file_of_tests_says_what_make_test_runs_of_it() -> None:
    """A test without a mark is not in `make test`; of a file without any mark nobody decided that."""
    files = TOP.glob("tests/**/test_*.py")
    marks = re.compile(r"pytest\.mark\.quick|^pytestmark = .*pytest\.mark\.thorough", re.MULTILINE)
    assert [file.name for file in files if not marks.search(file.read_text())] == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their base names, and would run the first alone and call the other an error."""
    counts = Counter(file.name for file in TOP.glob("tests/**/test_*.py"))
    assert [name for name, count in counts.items() if count > 1] == []


def test_a_function_stays_under_50_lines() -> None:
    functions = [
        (file.name, node.name, (node.end_lineno or 0) - node.lineno)
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [found for found in functions if found[2] >= 50] == []


def commands(group: click.Group = cli, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command of the command line that is there to be called, with its name as it is typed."""
    context = click.Context(group)
    for word in group.list_commands(context):
        name = " ".join((*words, word))
        command = group.get_command(context, word)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from commands(command, (*words, word))
        else:
            yield name, command


def test_every_command_has_help_with_an_example_that_names_it() -> None:
    for name, command in commands():
        text = command.get_help(click.Context(command, info_name=name))
        assert "Example" in text, name
        assert f"devs-git {name}" in text or name in OTHER_COMMANDS, name


def test_every_option_and_command_says_what_it_is_for() -> None:
    for name, command in commands():
        assert command.get_short_help_str(), name
        for param in command.params:
            assert not isinstance(param, click.Option) or param.help, f"{name} {param.name}"


FOREIGN = ("mcp", "jsonschema", "markdown_it", "pydantic", "rich")
# The classes of events: a command that only reads the log uses none.
EVENTS = tuple(
    f"devs_git.domain.ledger.{file.stem}"
    for file in TOP.glob("devs_git/domain/ledger/event_*.py")
    if file.stem not in ("event_keys", "event_names")
)
SCRIPT = """
import sys
words, unwanted = sys.argv[1].split(), sys.argv[2].split(",")
sys.argv = ["devs-git", *words]
from devs_git.__main__ import main
try:
    main()
finally:
    sys.stderr.write("loaded: " + ",".join(name for name in unwanted if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        ("--help", ("click", "pathlib", "pygit2", "ruamel.yaml", "sqlite3", "subprocess")),
        ("log --help", ("pygit2", "ruamel.yaml", "sqlite3")),
        ("--version", ("pygit2", "ruamel.yaml", "sqlite3", "subprocess", "json", "pathlib")),
        ("log", ("pygit2", "ruamel.yaml", "sqlite3", "random", "hashlib", "tempfile", *EVENTS)),
        ("status", ("pygit2", "ruamel.yaml", "random", *EVENTS)),
    ],
)
def test_a_quick_command_loads_only_what_it_uses(
    words: str, unwanted: tuple[str, ...], mark: Callable[..., str]
) -> None:
    mark(10)
    names = ",".join((*FOREIGN, *unwanted))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, words, names], capture_output=True, text=True, check=True
    )
    assert done.stderr == "loaded: "
    assert done.stdout
