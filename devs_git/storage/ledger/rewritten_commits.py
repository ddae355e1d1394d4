"""Whether the commits of checkpoints still are what the ledger records. If not: HISTORY_REWRITTEN.

A program that rewrites a whole history gives its commits new oids. Some programs (`git filter-repo`) also replace oids of
commits in the texts of the ledger, but not oids of trees. So a commit is compared with the recorded tree. If a commit is
missing, it was rewritten only if its checkpoint's ref has an oid that the ledger does not know; else it was never fetched,
or the clone is shallow. `git filter-repo --refs main` does not change our refs, so all old commits still exist. Then
filter-repo's own map shows that HEAD has other commits in their place.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import ARCHIVES, checkpoint_ref
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Finding

CODE: Final = "HISTORY_REWRITTEN"
WAY_OUT: Final = (
    "Record where the commits are now: devs-git history-rewritten --map .git/filter-repo/commit-map"
    " (without --map, commits are found by their files)"
)
RESTORE: Final = (
    "Restore it from another clone: git fetch <clone> +refs/heads/devs/ledger:refs/heads/devs/ledger"
)


def trees(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """The tree of each commit that exists, with one child. `git` must not apply replace refs."""
    script = "".join(f"{oid}\n" for oid in dict.fromkeys(commits)).encode()
    options = ("--no-walk=unsorted", "--ignore-missing", "--no-commit-header", "--format=%H %T")
    out = git.run("rev-list", *options, "--stdin", stdin=script) if script else b""
    return dict(line.split(" ") for line in out.decode().splitlines())


def strays(
    points: Iterable[Checkpoint], trees: Mapping[str, str], ref_oids: Mapping[str, str]
) -> Iterator[Checkpoint]:
    """The checkpoints whose commit is not as recorded. `ref_oids` has the oids of the existing numbered refs.

    Checkpoints that are `gone` are skipped: the ledger records that they are.
    """
    for point in points:
        if point.gone:
            continue
        tree, ref = (
            trees.get(point.commit),
            ref_oids.get(checkpoint_ref(point.task_id, point.number), point.tag),
        )
        if (tree != point.tree) if tree else (ref != point.tag):
            yield point


def require(git: Git, *points: Checkpoint) -> None:
    """Raise HISTORY_REWRITTEN if the commit of one of `points` is not as recorded, or is no longer kept."""
    for point in points:
        if point.gone:
            text = f"{point.name} is no longer kept: its commit {point.commit[:12]} was removed from the history."
            raise DevsError(CODE, text, hint="See what replaced it: devs-git log", checkpoint=point.name)
    found = trees(git, (point.commit for point in points))
    gone = [point for point in points if point.commit not in found]
    held = refs.list_refs(git, *(checkpoint_ref(p.task_id, p.number) for p in gone)) if gone else {}
    for point in strays(points, found, held):
        raise DevsError(CODE, _mismatch_text(point, found), hint=WAY_OUT, checkpoint=point.name)


def points_replaced_in_head(
    git: Git, common: Path, points: Iterable[Checkpoint], among: Container[str] = ()
) -> tuple[Checkpoint, ...]:
    """The live ones of `points` that have another commit in the history of HEAD, by the map of filter-repo.

    `git` reads HEAD of this worktree. If `among` is not empty, only these new commits count. Without a readable map the
    result is empty.
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
    """Raise HISTORY_REWRITTEN if the history of HEAD has another commit in place of one of `points`."""
    for point in points_replaced_in_head(git, common, points, among):
        raise DevsError(CODE, _elsewhere_text(point), hint=WAY_OUT, checkpoint=point.name)


def _elsewhere_text(point: Checkpoint) -> str:
    return (
        f"The history was rewritten: HEAD has another commit in place of {point.commit[:12]} ({point.name})."
    )


def _mismatch_text(point: Checkpoint, trees: Mapping[str, str]) -> str:
    what = "has different files now" if point.commit in trees else "is missing"
    return f"The history was rewritten: commit {point.commit[:12]} of {point.name} {what}."


def ledger_rewritten(tip: str) -> DevsError:
    """HISTORY_REWRITTEN for a ledger whose checked tip is missing."""
    text = f"The history was rewritten, and the ledger with it: event {tip[:12]}, which this clone had, is missing."
    way_out = (
        f"{RESTORE}. If no other clone has it: devs-git history-rewritten --map .git/filter-repo/commit-map"
    )
    return DevsError(CODE, text, hint=way_out, event=tip)


def findings(git: Git, points: Iterable[Checkpoint], head_git: Git, common: Path) -> Iterator[Finding]:
    """At most one finding for all checkpoints. `head_git` is the git that reads this worktree's HEAD."""
    from devs_git.domain.audit.findings import Finding

    every = tuple(points)
    found = trees(git, (point.commit for point in every))
    held = refs.list_refs(git, "refs/devs/checkpoints")
    for ref, oid in held.items():
        if ref.startswith(ARCHIVES) and not ref.endswith(oid):
            yield Finding(
                CODE, "error", f"The history was rewritten: the archive {ref} is {oid[:12]}.", WAY_OUT, ref
            )
            return
    stray = tuple(strays(every, found, held))
    old = () if stray else points_replaced_in_head(head_git, common, every)
    if stray or old:
        first, count = (stray or old)[0], len(stray or old) - 1
        text = _mismatch_text(first, found) if stray else _elsewhere_text(first)
        more = f" The same is true of {count} more checkpoints." if count else ""
        yield Finding(CODE, "error", text + more, WAY_OUT, first.name)
