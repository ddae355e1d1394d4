"""The rules of the house that a program can check (DESIGN 7)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
FILES = sorted(TOP.glob("devs_git/**/*.py"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_file_stays_under_300_lines_and_says_what_it_is_for(file: Path) -> None:
    source = file.read_text()
    assert source.count("\n") <= 300
    assert ast.get_docstring(ast.parse(source)) or not source.strip()


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_function_stays_under_50_lines(file: Path) -> None:
    nodes = [n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.FunctionDef)]
    assert [n.name for n in nodes if (n.end_lineno or 0) - n.lineno >= 50] == []
