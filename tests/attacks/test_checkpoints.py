"""Tampering with checkpoints: their refs are compared with the ledger's events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.attacker import codes_in
from tests.support.git_calls import git

VISIBLE, NUMBERED = "refs/tags/devs/task-10", "refs/devs/checkpoints/task-10/1"


@pytest.fixture(autouse=True)
def tag(mark: Callable[..., str]) -> str:
    """A completed task, all its refs in place."""
    made = mark(10, completed=True)
    git("update-ref", VISIBLE, made)
    assert codes_in("tags") == set()
    return made


@pytest.mark.quick(1)
@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_deleted(ref: str) -> None:
    git("update-ref", "-d", ref)
    assert codes_in("tags") == {"TAG_MISSING"}


@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_moved(ref: str) -> None:
    git("tag", "-a", "-m", "x", "x", "HEAD~1")
    git("update-ref", ref, "refs/tags/x")
    assert codes_in("tags") == {"TAG_MOVED"}


@pytest.mark.parametrize("ref", [VISIBLE, NUMBERED])
def test_a_tag_made_lightweight(ref: str) -> None:
    git("update-ref", ref, "HEAD")
    assert codes_in("tags") == {"TAG_NOT_ANNOTATED"}


def test_a_tag_that_no_event_explains(tag: str) -> None:
    git("update-ref", "refs/tags/devs/task-11", tag)
    assert codes_in("tags") == {"TAG_MOVED"}
