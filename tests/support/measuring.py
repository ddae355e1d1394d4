"""Measure coverage only in the tests of storage and of the rewind, because tracing doubles the time of a test."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import devs_git

# Coverage measures the test processes, but not each devs-git that a test starts: that would take a fifth more time.
WORKER = "PYTEST_XDIST_WORKER" in os.environ
MEASURING = os.environ.pop("COVERAGE_PROCESS_CONFIG", "") if WORKER else ""
# The folders, with all below them, whose tests test storage and the rewind at their own level.
TESTS = Path(__file__).parent.parent
MEASURED = ("commands", "operations", "storage")
TRACER = sys.gettrace()
if TRACER:
    # Imported here, so that the statements of the modules themselves count too.
    for module in pkgutil.walk_packages(devs_git.__path__, "devs_git."):
        if module.name.startswith(
            tuple(f"devs_git.{floor}" for floor in ("storage", "operations", "domain", "commands"))
        ):
            importlib.import_module(module.name)
    sys.settrace(None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure this test with its fixtures, if it is in one of the measured folders."""
    if item.path.relative_to(TESTS).parts[0] in MEASURED:
        sys.settrace(TRACER)
    try:
        return (yield)
    finally:
        sys.settrace(None)


@pytest.fixture
def children_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the processes that this test starts, too, for code that only the Python of a hook runs."""
    if MEASURING:
        monkeypatch.setenv("COVERAGE_PROCESS_CONFIG", MEASURING)
