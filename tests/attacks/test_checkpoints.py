"""Tampering with checkpoints: their refs are compared with the ledger's events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.attacker import assert_succeeds, verify_codes

VISIBLE, NUMBERED = "refs/tags/devs/task-10", "refs/devs/checkpoints/task-10/1"


@pytest.fixture(autouse=True)
def tag(mark: Callable[..., str]) -> str:
    """A completed task, all its refs in place."""
    made = mark(10, completed=True)
    assert_succeeds("update-ref", VISIBLE, made)
    assert verify_codes("tags") == set()
    return made


@pytest.mark.quick(1)
@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_deleted(ref: str) -> None:
    assert_succeeds("update-ref", "-d", ref)
    assert verify_codes("tags") == {"TAG_MISSING"}


@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_moved(ref: str) -> None:
    assert_succeeds("tag", "-a", "-m", "x", "x", "HEAD~1")
    assert_succeeds("update-ref", ref, "refs/tags/x")
    assert verify_codes("tags") == {"TAG_MOVED"}


@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_made_lightweight(ref: str) -> None:
    assert_succeeds("update-ref", ref, "HEAD")
    assert verify_codes("tags") == {"TAG_NOT_ANNOTATED"}


def test_a_tag_that_no_event_explains(tag: str) -> None:
    assert_succeeds("update-ref", "refs/tags/devs/task-11", tag)
    assert verify_codes("tags") == {"TAG_MOVED"}
