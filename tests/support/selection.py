"""Which tests a run takes: all that it names. `make test` takes those that are marked `quick`, with fewer examples.

`make test-rest` takes exactly those that `make test` leaves out.
"""

from __future__ import annotations

import os
from collections import Counter

import hypothesis
import pytest

QUICK = "DEVS_TEST_QUICK" in os.environ  # set by `make test`
REST = "DEVS_TEST_REST" in os.environ  # set by `make test-rest`
# What takes seconds comes first, so that no worker is left alone with it at the end.
LONG = (
    "test_package.py",
    "test_kill_steps.py",
    "test_kill_moments.py",
    "test_kill_landing.py",
    "test_kill_gits.py",
    "test_model.py",
)
hypothesis.settings.register_profile("quick", max_examples=15, deadline=None, database=None)
hypothesis.settings.register_profile("thorough", max_examples=150, deadline=None, database=None)
hypothesis.settings.load_profile("quick" if QUICK else "thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of `make test` what is not marked `quick`; pytest's last line counts it as deselected.

    `quick(2)` takes the first two cases of a test. A test or a case that is marked `thorough` is left out of
    `make test` although its file or its test is marked `quick`.
    """
    if QUICK or REST:
        cases = Counter[str]()
        chosen: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            (chosen if _is_quick(item, cases) is QUICK else left_out).append(item)
        config.hook.pytest_deselected(items=left_out)
        items[:] = chosen
    items.sort(key=lambda item: item.path.name not in LONG)


def _is_quick(item: pytest.Item, cases: Counter[str]) -> bool:
    mark = item.get_closest_marker("quick")
    if mark is None or item.get_closest_marker("thorough"):
        return False
    test = item.nodeid.partition("[")[0]
    cases[test] += 1
    return not mark.args or cases[test] <= mark.args[0]
