"""A test that hangs fails after its time, and those after it run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough
TOP = Path(__file__).parent.parent
HANGING = """
import threading, pytest
@pytest.fixture
def deaf():
    yield
    threading.Event().wait()
def test_hangs(): threading.Event().wait()
def test_is_taken_down_for_ever(deaf): pass
def test_goes_on(): pass
"""


def test_a_test_that_hangs_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    words = ["-q", "-p", "tests.support.time_limit", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-c", "/dev/null", "--rootdir", tmp_path, tmp_path],
        env=os.environ | {"DEVS_TEST_COUNT_SECONDS_OF_A_TEST": "1", "PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "1 failed, 2 passed, 1 error" in done.stdout, done.stdout
    assert done.stdout.count("took more than 1 seconds.") >= 2
