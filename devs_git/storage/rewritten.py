"""Whether the commits that checkpoints name are still what the ledger says of them; HISTORY_REWRITTEN where they are not.

A program that rewrites a whole history gives its commits other oids. Some (`git filter-repo`) put these into the ledger's
own texts, too, while a tree keeps the oid that it had there: so a commit is compared with the tree that was recorded
with it. A commit that is not here was rewritten where its checkpoint's ref holds something that the ledger does not know;
else it was never fetched, or a shallow clone ends before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.history import Checkpoint
from devs_git.domain.ids import checkpoint_ref
from devs_git.domain.report import Finding
from devs_git.errors import DevsError
from devs_git.storage import refs
from devs_git.storage.git_program import Git

CODE: Final = "HISTORY_REWRITTEN"
WAY_OUT: Final = (
    "Tell where the commits are now: devs-git history-rewritten --map .git/filter-repo/commit-map"
    " (without --map it goes by their files)"
)
RESTORE: Final = (
    "Put it back from another clone: git fetch <clone> +refs/heads/devs/ledger:refs/heads/devs/ledger"
)


def trees(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """The tree of each commit that is here; asked of a git that sees objects as they are, with one child."""
    script = "".join(f"{oid}\n" for oid in dict.fromkeys(commits)).encode()
    options = ("--no-walk=unsorted", "--ignore-missing", "--no-commit-header", "--format=%H %T")
    out = git.run("rev-list", *options, "--stdin", stdin=script) if script else b""
    return dict(line.split(" ") for line in out.decode().splitlines())


def strays(
    points: Iterable[Checkpoint], trees: Mapping[str, str], held: Mapping[str, str]
) -> Iterator[Checkpoint]:
    """The checkpoints whose commit is not what was recorded. `held`: what the numbered refs that exist hold.

    Those that are `gone` are known to be.
    """
    for point in points:
        if point.gone:
            continue
        tree, ref = trees.get(point.commit), held.get(checkpoint_ref(point.task_id, point.number), point.tag)
        if (tree != point.tree) if tree else (ref != point.tag):
            yield point


def require(git: Git, *points: Checkpoint) -> None:
    """HISTORY_REWRITTEN where the commit of one of them is not what was recorded, or is kept no more."""
    for point in points:
        if point.gone:
            text = (
                f"{point.name} is kept no more: its commit {point.commit[:12]} was taken out of the history."
            )
            raise DevsError(CODE, text, hint="See what took its place: devs-git log", checkpoint=point.name)
    found = trees(git, (point.commit for point in points))
    gone = [point for point in points if point.commit not in found]
    held = refs.matching(git, *(checkpoint_ref(p.task_id, p.number) for p in gone)) if gone else {}
    for point in strays(points, found, held):
        raise DevsError(CODE, _said(point, found), hint=WAY_OUT, checkpoint=point.name)


def _said(point: Checkpoint, trees: Mapping[str, str]) -> str:
    what = "has other files now" if point.commit in trees else "is not here any more"
    return f"The history was rewritten: commit {point.commit[:12]} of {point.name} {what}."


def of_ledger(tip: str) -> DevsError:
    """For a ledger of which the last tip that was judged here is no object any more."""
    text = f"The history was rewritten, and the ledger with it: event {tip[:12]}, which was here, is gone."
    way_out = (
        f"{RESTORE}; no other clone has it: devs-git history-rewritten --map .git/filter-repo/commit-map"
    )
    return DevsError(CODE, text, hint=way_out, event=tip)


def findings(git: Git, points: Iterable[Checkpoint]) -> Iterator[Finding]:
    """One finding for all of them."""
    every = tuple(points)
    found = trees(git, (point.commit for point in every))
    stray = tuple(strays(every, found, refs.matching(git, "refs/devs/checkpoints")))
    if stray:
        more = f" So are {len(stray) - 1} more checkpoints." if len(stray) > 1 else ""
        yield Finding(CODE, "error", _said(stray[0], found) + more, WAY_OUT, stray[0].name)
