"""Children are read to their end, whatever they say and wherever they say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.git.program import Git, GitFailed

pytestmark = pytest.mark.quick

LOUD = "!head -c 300000 /dev/zero >&2; echo done; exit"


def test_a_git_that_warns_more_than_a_pipe_holds_is_read_to_its_end(repo: Path) -> None:
    git = Git(repo)
    assert b"".join(git.stream("-c", f"alias.loud={LOUD} 0 #", "loud")) == b"done\n"
    with pytest.raises(GitFailed, match="exited 3"):
        list(git.stream("-c", f"alias.loud={LOUD} 3 #", "loud"))
