"""The commit that a line of a file comes from, as `git blame` finds it. No program of the configuration is started."""

from __future__ import annotations

import os

from devs_git.errors import invalid
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Origin:
    """`commit` is '' for a line that is not committed yet. `path` and `line` are those in that commit."""

    commit: str
    path: str
    line: int
    text: str
    author: str
    summary: str


def find(workspace: Workspace, path: str, line: int) -> Origin:
    """The origin of a line of the working tree. `path` is relative to the root; INVALID_ARGUMENTS if there is no such line."""
    words = ("blame", "--porcelain", "--no-textconv", "-L", f"{line},{line}", "--", path)
    try:
        out = os.fsdecode(workspace.git.run(*words))
    except GitFailed as error:
        if error.lacks_objects:
            raise
        raise invalid(
            "target",
            f"git knows no line {line} of {path!r} in this worktree.",
            hint="Is the file tracked, and has it so many lines? See: git ls-files",
        ) from error
    head, *lines = out.split("\n")
    oid, before = head.split()[:2]
    facts = dict(row.partition(" ")[::2] for row in lines if not row.startswith("\t"))
    if oid in refs.cut_commits(workspace.places.common):
        raise invalid(
            "target",
            "This clone is shallow, so git does not know from which commit this line comes.",
            hint="Fetch the rest: git fetch --unshallow",
        )
    text = next((row[1:] for row in lines if row.startswith("\t")), "")
    return Origin(
        commit="" if set(oid) == {"0"} else oid,
        path=facts.get("filename", path),
        line=int(before),
        text=text,
        author=f"{facts.get('author', '')} {facts.get('author-mail', '')}".strip(),
        summary=facts.get("summary", ""),
    )
