"""The counts that `make test-all` sets are the counts that tests read, all of them and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent
COUNT = re.compile(r"DEVS_TEST_COUNT_[A-Z0-9_]+[A-Z0-9]")


def test_make_test_all_sets_every_count_that_a_test_reads() -> None:
    mine = Path(__file__)
    read = {
        name
        for file in TOP.glob("tests/**/*.py")
        if file != mine
        for name in COUNT.findall(file.read_text(encoding="utf-8"))
    }
    assert set(COUNT.findall((TOP / "Makefile").read_text(encoding="utf-8"))) == read
