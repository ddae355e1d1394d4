"""A command that a message or hint of the program names can be typed: the command and its options exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import devs_git
from devs_git.domain.verbs import OTHER_COMMANDS, VERBS
from devs_git.entrypoints.cli.main import command

pytestmark = pytest.mark.quick

SOURCES = Path(devs_git.__file__).parent
GROUPS = {name.split()[0] for name in VERBS if " " in name}
FIRST = {name.split()[0] for name in (*VERBS, *OTHER_COMMANDS)}
PROSE = {"always", "did", "made"}  # after `: devs-git`, where a sentence follows and no command
# `devs-git` or `git devs` and the rest of the command. After `: ` it is one; elsewhere it may be a sentence.
CALL = re.compile(r"(: )?(?<![\w/.@-])(?:devs-git|git devs) (?=[a-z])([^;|&(){}`\n]*)")


def _texts(file: Path) -> Iterator[str]:
    """Each text of the module but its docstrings, with X1 for each value that it takes."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    parts = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
    lone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in parts | lone:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "X1" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _calls() -> Iterator[tuple[str, str]]:
    for file in sorted(SOURCES.rglob("*.py")):
        for text in _texts(file):
            for sure, call in CALL.findall(re.sub(r"'[^']*'", "''", text)):
                first = call.split()[0]
                if first in FIRST or (sure and first not in PROSE):
                    yield file.relative_to(SOURCES).as_posix(), re.split(r" -- |[.,:] |[.,:]$", call)[0]


def _fault(call: str) -> str:
    """What of this call does not exist; '' if all of it does."""
    words = call.split()
    name = next((one for one in (" ".join(words[:2]), words[0]) if one in {*VERBS, *OTHER_COMMANDS}), "")
    if not name:
        return "" if words[0] in GROUPS and len(words) == 1 else "command"
    found = command(name)
    known = {option for param in found.params for option in param.opts} | {"--help"} if found else set()
    return " ".join(one for one in re.findall(r"(?<= )--?[a-z][a-z-]*", call) if one not in known)


def test_each_command_that_a_text_of_the_program_names_exists_with_its_options() -> None:
    calls = list(_calls())
    assert len(calls) > 300
    assert [(file, call, _fault(call)) for file, call in calls if _fault(call)] == []
