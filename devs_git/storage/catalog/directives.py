"""Directives in the catalog: what the ledger's events say, which were written in this clone, and how each was handed over.

The texts are in the ledger. A row of `own_directives` is the proof that a person wrote a directive at a terminal of this
clone: nothing that is fetched or imported makes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from devs_git.domain.directives.directive import Standing
from devs_git.domain.ledger.event_tasks import DirectiveAdded, DirectiveWithdrawn
from devs_git.domain.ledger.events import Event
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

_TYPES: Final = (DirectiveAdded.type, DirectiveWithdrawn.type)
_LAST: Final = (
    "SELECT {} FROM handovers h WHERE h.directive_id = d.directive_id ORDER BY h.number DESC LIMIT 1"
)
_STANDINGS: Final = f"""
SELECT d.directive_id, d.task_id, d.created_at, d.withdrawn_at,
  coalesce((SELECT max(upto) FROM rewinds WHERE operation = d.rewound_by AND task_id = d.task_id), ''),
  coalesce((SELECT digest FROM own_directives o WHERE o.directive_id = d.directive_id), ''),
  coalesce(({_LAST.format("at")}), ''), coalesce(({_LAST.format("session_id")}), ''),
  coalesce((SELECT min(seen_at) FROM handovers h WHERE h.directive_id = d.directive_id AND seen_at <> ''), ''),
  (SELECT count(*) FROM handovers h WHERE h.directive_id = d.directive_id),
  coalesce(({_LAST.format("provable")}), 1)
FROM directives d
"""


def apply_event(catalog: Catalog, event: Event) -> None:
    """Note what an event says, inside `fulltext.write_transaction`. An event that was noted already changes nothing."""
    if event.failed or event.type not in _TYPES:
        return
    # Both types have the same fields.
    said = DirectiveAdded.of(event)
    if not said.directive or not said.task:
        return
    if event.type == DirectiveAdded.type:
        catalog.base.execute(
            "INSERT OR IGNORE INTO directives (directive_id, task_id, created_at, rewound_by) VALUES (?1, ?2, ?3, "
            "coalesce((SELECT operation FROM rewinds WHERE task_id = ?2 AND upto >= ?3 LIMIT 1), ''))",
            (said.directive, said.task, event.finished),
        )
    else:
        catalog.base.execute(
            "UPDATE directives SET withdrawn_at = ? WHERE directive_id = ? AND task_id = ? AND withdrawn_at = ''",
            (event.finished, said.directive, said.task),
        )


def forget(catalog: Catalog) -> None:
    """Delete what the ledger says: it is another one. What this clone wrote and handed over stays."""
    catalog.base.execute("DELETE FROM directives")


def note_own(catalog: Catalog, directive_id: str, digest: str) -> None:
    """Note, before the event is written, that a person at a terminal of this clone wrote a file with this SHA-256."""
    with catalog.transaction() as base:
        base.execute("INSERT OR REPLACE INTO own_directives VALUES (?, ?)", (directive_id, digest))


def standings(catalog: Catalog, task_id: str = "") -> list[Standing]:
    """All directives, or those of one task, oldest first."""
    rows = catalog.rows(
        f"{_STANDINGS} WHERE ?1 = '' OR d.task_id = ?1 ORDER BY d.created_at, d.directive_id", task_id
    )
    return [_standing(row) for row in rows]


def find(catalog: Catalog, directive_id: str) -> Standing | None:
    """One directive; None if the ledger has none with this id."""
    rows = catalog.rows(f"{_STANDINGS} WHERE d.directive_id = ?", directive_id)
    return _standing(rows[0]) if rows else None


def _standing(row: Any) -> Standing:
    return Standing(*(*row[:-1], bool(row[-1])))


@immutable
class Receiver:
    """To whom directives are handed over. `transcript`: the file that will show it, b'' if unknown; `start`: its size now.

    `provable`: whether a transcript of this client shows it.
    """

    way: str
    client: str
    session: str
    transcript: bytes = b""
    start: int = 0
    provable: bool = True


@immutable
class Handover:
    """A hand-over that no transcript has shown yet."""

    number: int
    directive_id: str
    client: str
    transcript: bytes
    start: int


def note_handed(catalog: Catalog, ids: Iterable[str], to: Receiver, at: str) -> None:
    """Note that these directives are handed over at this time."""
    rows = [(one, to.way, to.client, to.session, to.transcript, to.start, to.provable, at) for one in ids]
    if rows:
        with catalog.transaction() as base:
            base.executemany(
                "INSERT INTO handovers (directive_id, way, client, session_id, transcript, start, provable, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )


def without_proof(catalog: Catalog, task_id: str = "") -> list[Handover]:
    """The hand-overs that a transcript may show by now, of the directives of a task, or of all for ''."""
    rows = catalog.rows(
        "SELECT h.number, h.directive_id, h.client, h.transcript, h.start FROM handovers h "
        "JOIN directives d USING (directive_id) WHERE (?1 = '' OR d.task_id = ?1) AND h.provable AND h.transcript <> x'' "
        "AND NOT EXISTS (SELECT 1 FROM handovers s WHERE s.directive_id = h.directive_id AND s.seen_at <> '') "
        "ORDER BY h.number",
        task_id,
    )
    return [Handover(*row) for row in rows]


def note_seen(catalog: Catalog, number: int, at: str) -> None:
    """Note that the transcript shows a hand-over, since this time."""
    with catalog.transaction() as base:
        base.execute("UPDATE handovers SET seen_at = ? WHERE number = ?", (at, number))
