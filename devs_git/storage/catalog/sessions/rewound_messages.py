"""Marks of the messages that a rewind of a conversation took back. They follow from the ledger, and no message is deleted.

A message that several sessions have may be rewound in one of them. So the path of a session has the mark, and the message
itself only where it is rewound in all its sessions: that is what a search hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from devs_git.storage.catalog import instructions
from devs_git.storage.catalog.database import Catalog

_PLACE: Final = "(SELECT o.position FROM paths o JOIN messages m ON m.number = o.number WHERE o.session_id = ?2 AND m.message_id = {})"
_MARK_PATH: Final = (
    "UPDATE paths SET cut_by = ?1 WHERE session_id = ?2 AND cut_by = '' "
    f"AND position > {_PLACE.format('?3')} AND position <= {_PLACE.format('?4')}"
)
_MARK_MESSAGES: Final = (
    "UPDATE messages SET rewound_by = ?1 WHERE rewound_by = '' AND number IN (SELECT number FROM paths WHERE cut_by = ?1) "
    "AND NOT EXISTS (SELECT 1 FROM paths p WHERE p.number = messages.number AND p.cut_by = '')"
)


class Line(NamedTuple):
    """A message of a session without its content. `cut`: it was taken back."""

    position: int
    message_id: str
    timestamp: str
    cut: bool


def outline(catalog: Catalog, session_id: str) -> list[Line]:
    """The messages of a session in their order, without the client's own instructions at its beginning."""
    query = (
        "SELECT p.position, m.message_id, m.created_at, p.cut_by <> '' FROM paths p JOIN messages m ON m.number = p.number "
        "WHERE p.session_id = ? AND p.position > ? ORDER BY p.position"
    )
    found = catalog.rows(query, session_id, instructions.count(catalog, session_id))
    return [Line(position, name, said_at, bool(cut)) for position, name, said_at, cut in found]


def clear(catalog: Catalog) -> None:
    """Take all marks away, inside `fulltext.write_transaction`. Those of rewound tasks stay."""
    catalog.base.execute("UPDATE paths SET cut_by = '' WHERE cut_by <> ''")
    catalog.base.execute("UPDATE messages SET rewound_by = '' WHERE rewound_by IN (SELECT mark FROM cuts)")
    catalog.base.execute("DELETE FROM cuts")


def mark(catalog: Catalog, cuts: Mapping[str, str]) -> None:
    """Mark what these cuts took back, each with the id of its operation, inside `fulltext.write_transaction`."""
    # Who reads a transcript has no cut to read.
    from devs_git.domain.recall.message_cuts import cut_of

    for text, op_id in cuts.items():
        # The same operation may have rewound tasks, too: their marks are others.
        known = (f"{op_id}/messages", *cut_of(text))
        catalog.base.execute(
            "INSERT OR REPLACE INTO cuts (mark, session_id, kept, last) VALUES (?, ?, ?, ?)", known
        )
        _apply(catalog, *known)


def mark_again(catalog: Catalog, session_id: str) -> None:
    """Mark the messages of a session that were read again after they were taken back, inside `fulltext.write_transaction`."""
    query = "SELECT mark, session_id, kept, last FROM cuts WHERE session_id = ?"
    for known in catalog.base.execute(query, (session_id,)).fetchall():
        _apply(catalog, *known)


def show_again(catalog: Catalog, number: int) -> None:
    """A message is on the path of one more session, inside `fulltext.write_transaction`: a search finds it again."""
    query = "UPDATE messages SET rewound_by = '' WHERE number = ? AND rewound_by IN (SELECT mark FROM cuts)"
    catalog.base.execute(query, (number,))


def _apply(catalog: Catalog, mark_text: str, session_id: str, kept: str, last: str) -> None:
    catalog.base.execute(_MARK_PATH, (mark_text, session_id, kept, last))
    catalog.base.execute(_MARK_MESSAGES, (mark_text,))
