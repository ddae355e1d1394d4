"""Whether a commit reaches the commits of old checkpoints. To say so, git walks over all commits in between.

The result of one walk is noted for all checkpoints. What another commit reaches follows from the commits that only one of
both reaches.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.errors import DevsError
from devs_git.storage.git import locks
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger.index import index_file, index_queries, index_tables

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Ledger, Tip

# git walks over so many commits in a few milliseconds. A checkpoint with so many events after it is an old one.
OLD: Final = 2000
# More commits than these that only one of two commits reaches are a reason to walk again.
APART: Final = 2000


def reaches(tip: Tip, head: str, commits: Collection[str]) -> dict[str, bool]:
    """See `listing`."""
    return index_queries.ask(tip, lambda base: _reaches(tip.ledger, base, head, commits)) or {}


def agrees(ledger: Ledger, base: sqlite3.Connection) -> bool:
    """Whether git says the same as the noted walk. Rows that are missing only cost time."""
    noted = index_tables.about(base, index_tables.WALKED)
    if not is_oid(noted) or _is_shallow(ledger):
        return True
    try:
        found = _walk(ledger, noted)
    except GitFailed:
        return True
    return all(yes == (oid in found) for oid, yes in base.execute("SELECT commit_oid, yes FROM reached"))


def _reaches(
    ledger: Ledger, base: sqlite3.Connection, head: str, commits: Collection[str]
) -> dict[str, bool]:
    old = _old(base, commits)
    if not old or _is_shallow(ledger):
        return {}
    known = dict(
        index_queries.rows(base, "SELECT commit_oid, yes FROM reached WHERE commit_oid IN ({})", old)
    )
    apart = _apart(ledger, index_tables.about(base, index_tables.WALKED), head)
    if apart is None or len(apart) > APART or known.keys() != old:
        return _walk_anew(ledger, base, head, old)
    return {oid: apart.get(oid, bool(known[oid])) for oid in old}


def _is_shallow(ledger: Ledger) -> bool:
    """Whether a later fetch may add parents to a commit that is here."""
    return (ledger.common / "shallow").exists()


def _old(base: sqlite3.Connection, commits: Collection[str]) -> set[str]:
    """Those of these commits with a checkpoint far below the newest event."""
    newest = base.execute("SELECT max(seq) FROM events").fetchone()[0]
    query = "SELECT commit_oid, min(seq) FROM points WHERE commit_oid IN ({}) GROUP BY commit_oid"
    return {oid for oid, seq in index_queries.rows(base, query, commits) if newest - seq > OLD}


def _apart(ledger: Ledger, one: str, other: str) -> dict[str, bool] | None:
    """The commits that only one of these two reaches, True for those of `other`; None if git cannot tell."""
    if not is_oid(one):
        return None
    with suppress(GitFailed):
        out = ledger.reader.run("rev-list", "--left-right", f"{one}...{other}", "--") if one != other else b""
        return {line[1:]: line[0] == ">" for line in out.decode().split()}
    return None


def _walk(ledger: Ledger, head: str) -> set[str]:
    return set(ledger.reader.run("rev-list", head, "--").decode().split())


def _walk_anew(ledger: Ledger, base: sqlite3.Connection, head: str, old: set[str]) -> dict[str, bool]:
    if not ledger.keeps_index:
        return {}
    found = _walk(ledger, head)
    with (
        suppress(sqlite3.OperationalError, OSError, DevsError),
        locks.hold(ledger.common / index_file.LOCK, wait=0.0),
        index_tables.transaction(base),
    ):
        every = base.execute("SELECT DISTINCT commit_oid FROM points").fetchall()
        base.execute("DELETE FROM reached")
        base.executemany("INSERT INTO reached VALUES (?, ?)", ((oid, oid in found) for (oid,) in every))
        index_tables.set_about(base, **{index_tables.WALKED: head})
    return {oid: oid in found for oid in old}
