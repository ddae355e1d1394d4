"""The error messages of git in our refusals."""

from __future__ import annotations

import pytest

from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree.capture import git_words


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("status", "stderr", "words"),
    [
        (128, "error: one\nfatal: two\n", "one two"),
        (128, "hint: Support for <GIT_DIR>/info/grafts is deprecated\nhint:\nfatal: no\n", "no"),
        (
            128,
            "Preparing worktree (detached HEAD d1646f7)\nfatal: 'x' already exists\n",
            "'x' already exists",
        ),
        (-9, "", "it was killed"),
        (1, "\n", "it ended with status 1"),
    ],
)
def test_a_git_without_a_message_is_reported_by_its_exit_status(status: int, stderr: str, words: str) -> None:
    assert git_words(GitFailed(["read-tree"], status, stderr)) == words
