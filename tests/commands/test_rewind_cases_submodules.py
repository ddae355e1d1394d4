"""Rewind and undo where something of a person stands at the path of a submodule."""

from __future__ import annotations

import pytest

from tests.support.rewind_cases import Case, Link, begin


@pytest.mark.quick
@pytest.mark.parametrize("mine", [b"a file of mine\n", Link(b"a")], ids=["file", "link"])
@pytest.mark.parametrize("had", [False, True], ids=["new", "old"])
def test_what_stands_at_the_path_of_a_submodule_comes_back(case: Case, mine: bytes | Link, had: bool) -> None:
    library = str(begin(case.top.parent / "library").top)
    if had:
        case.git("submodule", "--quiet", "add", library, "sub")
    case.stage("1", {"a": b"1\n"})
    if not had:
        case.git("submodule", "--quiet", "add", library, "sub")
    case.stage("2", {"a": b"2\n"})
    case.write({"sub": mine})
    for preserve in ("branch", "discard"):
        case.there_and_back("1", preserve=preserve)
