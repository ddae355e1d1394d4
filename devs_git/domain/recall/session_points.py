"""Points of sessions: places at which a session can be cut, in the words of its client."""

from __future__ import annotations

from devs_git.domain.ledger.events import one_line
from devs_git.values import field, immutable


@immutable
class SessionPoint:
    """The place just after a message of a session.

    `message_id` is the id of this message in the catalog, and `message_count` its position, as `conversation show` counts.
    `entry` is the client's own name of the place: of Claude Code the `uuid` of the line of its transcript, of Codex the
    `turn_id`, of others the id of the message. `ordinal` is the number of Codex's line; left out if there is none.
    """

    client: str
    session_id: str
    entry: str
    message_id: str
    message_count: int
    ordinal: int | None = field(default=None, metadata={"optional": True})

    @property
    def name(self) -> str:
        """The value of the trailer `Devs-Point`: client, entry and, if there is one, ordinal."""
        said = f"{self.client} {self.entry}"
        return one_line(said if self.ordinal is None else f"{said} {self.ordinal}")


def entry_of(message_id: str, turn_id: str) -> str:
    """The client's own name of the place after a message. A line with several messages has one name."""
    own, dot, number = message_id.rpartition(".")
    return turn_id or (own if dot and number.isdecimal() else message_id)
