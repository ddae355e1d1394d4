"""Earlier tips of the ledger that this clone knows. They show whether the ledger was set back.

The sources are the branch's reflog, the tip that each worktree's view shows, what `sync` saw at remotes, and the
`Devs-Ledger` trailers of commits on local branches. If only a commit names a tip and its object is missing, another clone
has that tip.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.domain.ledger.ids import is_oid
from devs_git.storage.git import refs
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.program import Git, split_lines

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Finding

# Number of commits whose trailers are read.
_MOST: Final = "2000"


def tips(git: Git, common: Path, *, own: bool = False) -> dict[str, str]:
    """Oids of tips, each with its source, the most reliable first. With `own` only tips that this clone itself has had."""
    found: dict[str, str] = {}
    for oid in refs.reflog(common, LEDGER):
        found.setdefault(oid, "the reflog")
    for folder in (common, *sorted(common.glob("worktrees/*"))):
        found.setdefault(_line(folder / "devs" / "view"), "the view .devs/")
    for name, oid in () if own else refs.list_refs(git, "refs/devs/remotes").items():
        found.setdefault(oid, f"sync with {name.removeprefix('refs/devs/remotes/').removesuffix('/ledger')}")
    for commit, oid in () if own else named_by_commits(git):
        found.setdefault(oid, f"commit {commit[:12]}")
    return {oid: how for oid, how in found.items() if is_oid(oid) and oid != NO_OID}


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def named_by_commits(git: Git) -> Iterator[tuple[str, str]]:
    """The newest commits of local branches, each with the event that it names ('' for none)."""
    form = f"--format=%H %(trailers:key={TrailerKey.LEDGER},valueonly,separator=%x2C)"
    limits = (f"--max-count={_MOST}", "--no-commit-header", "--exclude=devs/*", "--branches")
    for line in split_lines(git.run("rev-list", form, *limits, "--").decode("utf-8", "replace")):
        commit, _, values = line.partition(" ")
        yield commit, values.rpartition(",")[2]


def findings(git: Git, objects: Objects, sources: Mapping[str, str], tip: str) -> Iterator[Finding]:
    """LEDGER_ROLLBACK if the ledger at `tip` lacks an event that this clone had; LEDGER_BEHIND if others have more events.

    `sources` is the result of `tips`, which must be read before `tip`: another process may write events in between.
    """
    from devs_git.domain.audit.findings import Finding

    here = set(git.text("rev-list", tip, "--").split())
    gone = {oid: how for oid, how in sources.items() if oid not in here}
    for oid, how in gone.items():
        if objects.exists(oid):
            yield Finding(
                "LEDGER_ROLLBACK",
                "error",
                f"The ledger lacks event {oid[:12]}, which this clone had (known from {how}).",
                _way_back(git, oid, tip),
                oid,
            )
            return
    if gone:
        oid, how = next(iter(gone.items()))
        text = f"{how[:1].upper()}{how[1:]} names event {oid[:12]}, which this clone does not have."
        yield Finding(
            "LEDGER_BEHIND",
            "warning",
            text,
            f"devs-git sync <remote>, then check: git log {oid[:12]}",
            oid,
        )


def _way_back(git: Git, oid: str, tip: str) -> str:
    if git.says("merge-base", "--is-ancestor", tip, oid):
        return f"git update-ref {LEDGER} {oid} {tip}"
    return f"Nothing is lost yet. Call a person: git log --graph --oneline {LEDGER} {oid}"


def newest(git: Git, objects: Objects, common: Path, genesis: str = "", *, own: bool = False) -> str:
    """The known tip with most events, if its objects exist and its root is `genesis` ('' for any); '' if there is none."""
    best, length = "", 0
    for oid in tips(git, common, own=own):
        if not objects.exists(oid):
            continue
        events = git.text("rev-list", "--topo-order", oid, "--").split()
        if len(events) > length and genesis in ("", events[-1]):
            best, length = oid, len(events)
    return best


def ledger_gone(tip: str, common: Path) -> Finding:
    """LEDGER_MISSING for a ledger whose last known tip is `tip`, with the command that restores it."""
    from devs_git.domain.audit.findings import Finding

    what, first = "missing", ""
    # git does not overwrite a damaged file.
    if refs.has_file(common, LEDGER):
        what, first = "damaged", f'rm "$(git rev-parse --git-path {LEDGER})" && '
    text = f"The ledger is {what}. Its last event that this clone had is {tip[:12]}."
    return Finding("LEDGER_MISSING", "error", text, f"{first}git update-ref {LEDGER} {tip} ''")
