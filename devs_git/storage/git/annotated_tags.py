"""Annotated tag objects, read with git. So showing one does not load the object library."""

from __future__ import annotations

from devs_git.errors import DevsError
from devs_git.storage.git.program import Git, GitFailed


def message(git: Git, tag: str) -> str:
    """The message of the tag object `tag`. TAG_MISSING if git does not have it."""
    try:
        data = git.run("cat-file", "tag", "--end-of-options", tag)
    except GitFailed as error:
        raise DevsError(
            "TAG_MISSING", f"The tag object {tag} is missing.", hint="Run: devs-git doctor", tag=tag
        ) from error
    return data.partition(b"\n\n")[2].decode("utf-8", "replace")
