"""The table of attacks in docs/security.md is what these tests do: one row for each, with the codes that it asserts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from devs_git.errors import CODES

HERE = Path(__file__).parent
PAGE = (HERE.parent.parent / "docs" / "security.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([A-Z_]+)`")


def rows() -> dict[str, set[str]]:
    """The name of a row's test, and the codes of the row."""
    text = PAGE.partition("\n## The attacks\n")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {name(attack): set(CODE.findall(codes)) for attack, _, codes in cells if attack != "attack"}


def name(attack: str) -> str:
    return "test_" + re.sub(r"[^a-z0-9]+", "_", attack.lower().replace("'", "")).strip("_")


def asserted() -> dict[str, set[str]]:
    """Each test with the texts in it that may be codes; `frozen_still` asserts one for those that call it."""
    found = {}
    for file in sorted(HERE.glob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body if file != Path(__file__) else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                parts = list(ast.walk(node))
                said = {str(p.value) for p in parts if isinstance(p, ast.Constant)}
                still = any(isinstance(p, ast.Name) and p.id == "frozen_still" for p in parts)
                found[node.name] = said | ({"GATE_BLOCKED"} if still else set())
    return found


@pytest.mark.quick
def test_every_attack_is_a_row_and_every_row_a_test() -> None:
    assert sorted(rows()) == sorted(asserted())


def test_a_row_names_the_codes_that_its_test_asserts() -> None:
    told = rows()
    known = {*CODES, *(code for codes in told.values() for code in codes)}
    assert {test: said & known for test, said in asserted().items()} == told
