"""Whether a name is free for a new branch. git stores refs as files and folders, so another branch can block a name."""

from __future__ import annotations

from devs_git.domain.checkpoints import branch_names
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git


def require_free(git: Git, name: str) -> None:
    """Raise INVALID_BRANCH if a branch has this name, or a name that is a folder of it or below it."""
    taken = refs.list_refs(git, "refs/heads")
    parts = name.split("/")
    above = {"refs/heads/" + "/".join(parts[:count]) for count in range(1, len(parts) + 1)}
    for other in taken:
        if other in above or other.startswith(f"refs/heads/{name}/"):
            short = other.removeprefix("refs/heads/")
            because = "." if short == name else f", so git cannot create {name!r}."
            raise branch_names.refusal(f"A branch {short!r} exists already{because}", name)
