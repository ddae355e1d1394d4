"""What all classes of events have in common. Each type of event has one class, in a module `event_*.py` beside this one."""

from __future__ import annotations

from typing import Protocol

from devs_git.domain.ledger.events import Fields


class Content(Protocol):
    """What an event says besides who wrote it and when (`event_header.Header`).

    A class also has `of(event)`, which reads what `fields` wrote. It never checks oids and names, and leaves '' and ()
    where a trailer is missing; ValueError where a number cannot be read.
    """

    @property
    def type(self) -> str:
        """The type of the event."""

    def fields(self) -> Fields:
        """The trailers in the order in which they are written, without those that have no value."""
