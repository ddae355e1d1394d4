"""A name that we let through is a local branch's, and git takes it."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devs_git.domain.checkpoints.branch_names import REMOTE, check
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick

COUNT = int(os.environ.get("DEVS_TEST_COUNT_BRANCH_NAMES", "20"))
GOOD = [
    "main",
    "feature/x",
    "a",
    "_a",
    "1.2",
    "fix-3",
    "snapshot/edit-2026-01-01-0900",
    "devs/preserved/x",
    "heads/x",
]
REMOTES = [
    "origin",
    "origin/main",
    "remotes/origin/main",
    "refs/remotes/origin/main",
    "up",
    "up/x",
    "team/fork/x",
]
BAD = {
    "": "empty",
    "HEAD": "special ref",
    "ORIG_HEAD": "special ref",
    "FETCH_HEAD": "special ref",
    "@": "special ref",
    "refs/heads/main": "full name of a ref",
    "devs/ledger": "the ledger",
    "@{-1}": "an older value",
    "main@{1}": "an older value",
    "a..b": "'..'",
    "..\\x": "'..'",
    "../x": "'..'",
    "a~1": "'~'",
    "a^": "'^'",
    "a:b": "':'",
    "a@b": "'@'",
    "a?": "'?'",
    "a*": "'*'",
    "a[": "'['",
    "a b": "' '",
    "a\\b": "\\",
    "-f": "begins with '-'",
    "--orphan": "begins with '-'",
    "/a": "begins with '/'",
    ".a": "begins with '.'",
    "a/.b": "begins with '.'",
    "a\nb": "control character",
    "a\x7f": "control character",
    "main\n": "control character",
    "a.lock": ".lock",
    "a.lock/b": ".lock",
    "a/": "ends in '/'",
    "a.": "ends in '.'",
    "a//b": "'//'",
    "käse": "'ä'",
    "a" * 251: "longer than 250",
    "a/" * 600 + "b": "longer than 1000",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_local_branch_name_passes(name: str) -> None:
    check(name, ("up", "team/fork"))


@pytest.mark.parametrize("name", REMOTES)
def test_a_remote_name_is_refused_with_the_one_message(name: str) -> None:
    with pytest.raises(DevsError) as caught:
        check(name, ("up", "team/fork"))
    assert (caught.value.code, caught.value.message) == ("INVALID_BRANCH", REMOTE)


@pytest.mark.parametrize("name", BAD)
def test_a_special_or_malformed_name_is_refused_and_the_message_says_why(name: str) -> None:
    with pytest.raises(DevsError) as caught:
        check(name)
    assert caught.value.code == "INVALID_BRANCH"
    assert BAD[name] in caught.value.message


NAMES = st.text("aZ0_./-", max_size=12) | st.text("abHED_.lock/@{}~^:-\\ \x01", max_size=14)


@settings(max_examples=COUNT, deadline=None)
@given(st.lists(NAMES, min_size=20, max_size=60))
def test_git_takes_every_name_that_we_let_through(names: list[str]) -> None:
    passed = []
    for name in names:
        try:
            check(name)
        except DevsError:
            continue
        passed.append(name)
    script = 'for name; do git check-ref-format --branch "$name" >/dev/null 2>&1 || echo "$name"; done'
    refused = subprocess.run(["sh", "-c", script, "sh", *passed], capture_output=True, text=True, check=True)
    assert refused.stdout == ""
