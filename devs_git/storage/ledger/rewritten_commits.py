"""Whether the commits that checkpoints name are still what the ledger says of them; HISTORY_REWRITTEN where they are not.

A program that rewrites a whole history gives its commits other oids. Some (`git filter-repo`) put these into the ledger's
own texts, too, while a tree keeps the oid that it had there: so a commit is compared with the tree that was recorded
with it. A commit that is not here was rewritten where its checkpoint's ref holds something that the ledger does not know;
else it was never fetched, or a shallow clone ends before it. `git filter-repo --refs main` leaves our refs alone, so that
the old commits are all here, and whole: there its own map tells that HEAD has other commits in their place.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import checkpoint_ref
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git, GitFailed

CODE: Final = "HISTORY_REWRITTEN"
WAY_OUT: Final = (
    "Record where the commits are now: devs-git history-rewritten --map .git/filter-repo/commit-map"
    " (without --map, commits are found by their files)"
)
RESTORE: Final = (
    "Restore it from another clone: git fetch <clone> +refs/heads/devs/ledger:refs/heads/devs/ledger"
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
            text = f"{point.name} is no longer kept: its commit {point.commit[:12]} was removed from the history."
            raise DevsError(CODE, text, hint="See what replaced it: devs-git log", checkpoint=point.name)
    found = trees(git, (point.commit for point in points))
    gone = [point for point in points if point.commit not in found]
    held = refs.list_refs(git, *(checkpoint_ref(p.task_id, p.number) for p in gone)) if gone else {}
    for point in strays(points, found, held):
        raise DevsError(CODE, _said(point, found), hint=WAY_OUT, checkpoint=point.name)


def left_behind(
    git: Git, common: Path, points: Iterable[Checkpoint], among: Container[str] = ()
) -> tuple[Checkpoint, ...]:
    """Those of `points`, of the live ones, in whose place the history of HEAD has another commit, as filter-repo's map tells.

    `git` sees HEAD of this worktree; `among` are those of its commits that count, all where there are none. A map that is
    missing or cannot be read tells nothing.
    """
    from devs_git.domain.checkpoints.rewritten_history import NONE, parse_map
    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded

    asked = [point for point in points if point.live and not point.replaced and not point.gone]
    try:
        if not asked:
            return ()
        text = bounded.read_file(common / "filter-repo" / "commit-map", limits.REFS, "map")
        new_of = parse_map(text.decode("ascii", "replace")) or {}
        asked = [p for p in asked if new_of.get(p.commit, NONE) not in (NONE, p.commit)]
        asked = [p for p in asked if not among or new_of[p.commit] in among]
        here = set(git.text("rev-list", "HEAD", "--").split()) if asked else set()
    except (OSError, DevsError, GitFailed):
        return ()
    return tuple(point for point in asked if point.commit not in here and new_of[point.commit] in here)


def require_followed(git: Git, common: Path, *points: Checkpoint, among: Container[str] = ()) -> None:
    """HISTORY_REWRITTEN where the history of HEAD has another commit in the place of one of these checkpoints'."""
    for point in left_behind(git, common, points, among):
        raise DevsError(CODE, _elsewhere(point), hint=WAY_OUT, checkpoint=point.name)


def _elsewhere(point: Checkpoint) -> str:
    return (
        f"The history was rewritten: HEAD has another commit in place of {point.commit[:12]} ({point.name})."
    )


def _said(point: Checkpoint, trees: Mapping[str, str]) -> str:
    what = "has different files now" if point.commit in trees else "is missing"
    return f"The history was rewritten: commit {point.commit[:12]} of {point.name} {what}."


def of_ledger(tip: str) -> DevsError:
    """For a ledger of which the last tip that was judged here is no object any more."""
    text = f"The history was rewritten, and the ledger with it: event {tip[:12]}, which this clone had, is missing."
    way_out = (
        f"{RESTORE}. If no other clone has it: devs-git history-rewritten --map .git/filter-repo/commit-map"
    )
    return DevsError(CODE, text, hint=way_out, event=tip)


def findings(git: Git, points: Iterable[Checkpoint], here: Git, common: Path) -> Iterator[Finding]:
    """One finding for all of them; `here` is the git that sees this worktree's HEAD."""
    every = tuple(points)
    found = trees(git, (point.commit for point in every))
    stray = tuple(strays(every, found, refs.list_refs(git, "refs/devs/checkpoints")))
    old = () if stray else left_behind(here, common, every)
    if stray or old:
        first, count = (stray or old)[0], len(stray or old) - 1
        said = _said(first, found) if stray else _elsewhere(first)
        more = f" The same is true of {count} more checkpoints." if count else ""
        yield Finding(CODE, "error", said + more, WAY_OUT, first.name)
