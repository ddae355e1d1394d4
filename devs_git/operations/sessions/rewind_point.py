"""Where a conversation is cut when it is rewound: the last message that is kept, and what is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from devs_git.domain.recall.message_cuts import Cut
from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.errors import DevsError, invalid
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point
from devs_git.storage.catalog.sessions import rewound_messages
from devs_git.storage.catalog.sessions.rewound_messages import Line
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog


# Characters of an id that an event can name.
_LONGEST: Final = 200
# When the hook of a call runs, the transcript may have so many messages after the call: parallel calls and their results.
_AROUND: Final = 20
_NEVER: Final = "9999"


class Choice(NamedTuple):
    """Exactly one is set: how many messages go, the id of the last one that stays, or the latest time (a stamp) of one that stays."""

    by_messages: int = 0
    to_message: str = ""
    until: str = ""


@immutable
class RewindPoint:
    """`kept`: how many messages of the session stay. `taken_back`: how many go; those that went before do not count.

    `said_at`: the time of the last message that stays. `next_at`: that of the message after it. `much_later`: that of a
    message some messages after that.
    """

    cut: Cut
    kept: int
    taken_back: int
    said_at: str
    next_at: str
    much_later: str


def find(catalog: Catalog, session_id: str, choice: Choice) -> RewindPoint:
    """The point in the session. MESSAGE_NOT_FOUND; INVALID_ARGUMENTS if nothing would be kept, or nothing taken back."""
    lines = rewound_messages.outline(catalog, session_id)
    chosen = _chosen(lines, choice)
    known, kept = write_session.kept_part(catalog, Point(session_id, chosen.message_id))
    end = _end(known, kept, lines, chosen)
    after = [line for line in lines if line.position > end.position]
    if not after:
        raise invalid(
            _field(choice), "There is no message after this point, so there is nothing to take back."
        )
    cut = Cut(session_id, end.message_id, after[-1].message_id)
    if any(len(text) > _LONGEST or len(text.split()) != 1 for text in cut):
        raise invalid(
            "session", "The ids of this session cannot be recorded, because they have spaces or are too long."
        )
    return RewindPoint(
        cut=cut,
        kept=end.position,
        taken_back=sum(not line.cut for line in after),
        said_at=end.timestamp,
        next_at=after[0].timestamp,
        much_later=after[_AROUND].timestamp if len(after) > _AROUND else _NEVER,
    )


def _field(choice: Choice) -> str:
    return "to_message" if choice.to_message else "to" if choice.until else "by_messages"


def _chosen(lines: Sequence[Line], choice: Choice) -> Line:
    """The last message that the caller wants to keep."""
    if choice.to_message:
        found = [line for line in lines if line.message_id == choice.to_message]
    elif choice.until:
        found = [line for line in lines if line.timestamp <= choice.until]
    else:
        # Messages that were taken back before are no longer the end of the conversation.
        found = [line for line in lines if not line.cut][: -choice.by_messages]
    if found:
        return found[-1]
    if choice.to_message:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "The session has no such message.",
            hint="See its messages: devs-git conversation show --format json",
            message_id=choice.to_message,
        )
    text = "Then the session would have no message left."
    raise invalid(_field(choice), text, hint="Keep at least one message.")


def _end(
    known: Sequence[SessionEntry], kept: Sequence[SessionEntry], lines: Sequence[Line], chosen: Line
) -> Line:
    """The last message that stays. Notes of the client after it stay, too, if nothing else lies between."""
    last = max(entry.position for entry in kept)
    between = [entry for entry in known if last < entry.position <= chosen.position]
    if all(entry.message.role == "system" for entry in between):
        return chosen
    found = next((line for line in lines if line.position == last), None)
    if found is None:
        raise invalid("to_message", "Then the session would have only the client's own instructions left.")
    return found
