"""Whether a branch can have a name here: git keeps refs as files and folders, so others can be in its way."""

from __future__ import annotations

from devs_git.domain.checkpoints import branch_names
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git


def require_free(git: Git, name: str) -> None:
    """INVALID_BRANCH where there is a branch of that name, one above it or one below it."""
    taken = refs.list_refs(git, "refs/heads")
    parts = name.split("/")
    above = {"refs/heads/" + "/".join(parts[:count]) for count in range(1, len(parts) + 1)}
    for other in taken:
        if other in above or other.startswith(f"refs/heads/{name}/"):
            short = other.removeprefix("refs/heads/")
            because = " already." if short == name else f", so {name!r} cannot be."
            raise branch_names.refusal(f"There is a branch {short!r}{because}", name)
