"""A limit of some minutes for each test with its fixtures. A test that takes longer fails, and the run continues."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

SECONDS = int(os.environ.get("DEVS_TEST_COUNT_SECONDS_OF_A_TEST", "300"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """The alarm is repeated every few seconds, so that it also ends a fixture that hangs in its clean-up."""

    def late(_number: int, _frame: object) -> None:
        pytest.fail(f"{item.nodeid} took more than {SECONDS} seconds.")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, max(1, SECONDS / 10))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
