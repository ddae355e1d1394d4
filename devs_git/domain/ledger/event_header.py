"""The trailers that every event of a command has: verb, actor, tier, worktree, times and outcome."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import FORMAT, Event, Fields
from devs_git.values import Protocol, immutable


class Content(Protocol):
    """What an event says, without its header (`Header`).

    Each class also has `of(event)`, which reads what `fields` wrote. It does not check oids and names. A missing trailer
    is '' or (). It raises ValueError for a number that cannot be read.
    """

    @property
    def type(self) -> str:
        """The type of the event."""

    def fields(self) -> Fields:
        """The trailers in the order in which they are written. Those without a value are left out."""


@immutable
class Header:
    """`tier` is that of the verb. `worktree` is git's name of it, '.' for the main one. Times are UTC with milliseconds."""

    verb: str
    actor: str
    tier: int
    worktree: str
    started: str
    finished: str
    outcome: str

    def fields(self) -> Fields:
        return (
            (Key.FORMAT, str(FORMAT)),
            (Key.VERB, self.verb),
            (Key.ACTOR, self.actor),
            (Key.TIER, str(self.tier)),
            (Key.WORKTREE, self.worktree),
            (Key.STARTED, self.started),
            (Key.FINISHED, self.finished),
            (Key.OUTCOME, self.outcome),
        )

    def event_of(self, content: Content, subject: str) -> Event:
        """The event with this header and this content."""
        return Event(content.type, subject, (*content.fields(), *self.fields()))
