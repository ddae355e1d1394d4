"""What the classes of events have in common. Each type of event has one class, in a module `event_*.py` of this folder."""

from __future__ import annotations

from typing import Protocol

from devs_git.domain.ledger.events import Fields


class Content(Protocol):
    """What an event says, without its header (`event_header.Header`).

    Each class also has `of(event)`, which reads what `fields` wrote. It does not check oids and names. A missing trailer
    is '' or (). It raises ValueError for a number that cannot be read.
    """

    @property
    def type(self) -> str:
        """The type of the event."""

    def fields(self) -> Fields:
        """The trailers in the order in which they are written. Those without a value are left out."""
