"""Cursors of the stream. Each names a place in the ledger and one among the messages: both sources only grow.

So what is recorded while somebody reads changes no page, and pages together have each row exactly once.
"""

from __future__ import annotations

import re
from typing import Final

from devs_git.domain.ledger.events import NO_OID
from devs_git.domain.ledger.ids import OID_FORM, is_oid
from devs_git.errors import invalid
from devs_git.values import immutable

# A cursor as a schema tells it: the place of an oid that is not there has zeros.
FORM: Final = "[0-9a-f.]{40,200}"
_COUNT: Final = "([0-9]{1,15})"
_BACK: Final = re.compile(rf"({OID_FORM})\.{_COUNT}\.({OID_FORM})\.{_COUNT}", re.ASCII)
_ONWARD: Final = re.compile(rf"({OID_FORM})\.({OID_FORM})\.{_COUNT}\.{_COUNT}\.{_COUNT}", re.ASCII)


@immutable
class BackPlace:
    """Newest first: the next event is `event` ('' at the end of the ledger), of whose rows `rows` were read already.

    The order below a merge of two ledgers depends on where one begins to read: at `merge`, '' above the newest merge.
    The next message has a number below `message`.
    """

    event: str
    rows: int = 0
    merge: str = ""
    message: int = 0

    def text(self) -> str:
        return f"{self.event or NO_OID}.{self.rows}.{self.merge or NO_OID}.{self.message}"


@immutable
class OnwardPlace:
    """Oldest first: the events of `tip` ('' for the newest tip) that `since` does not have, without the first `skip` of them.

    Of the next event's rows `rows` were read already. The next message has a number above `message`.
    """

    since: str
    tip: str = ""
    skip: int = 0
    rows: int = 0
    message: int = 0

    def text(self) -> str:
        return f"{self.since}.{self.tip or NO_OID}.{self.skip}.{self.rows}.{self.message}"


def back(cursor: str) -> BackPlace | None:
    """The place that a cursor names; None for the id of an event alone. INVALID_ARGUMENTS if it is neither."""
    if is_oid(cursor):
        return None
    match = _BACK.fullmatch(cursor)
    if not match:
        raise _invalid("cursor")
    return BackPlace(_known(match[1]), int(match[2]), _known(match[3]), int(match[4]))


def onward(after: str) -> OnwardPlace | None:
    """The place that `after` names; None for the id of an event alone. INVALID_ARGUMENTS if it is neither."""
    if is_oid(after):
        return None
    match = _ONWARD.fullmatch(after)
    if not match:
        raise _invalid("after")
    return OnwardPlace(match[1], _known(match[2]), int(match[3]), int(match[4]), int(match[5]))


def _known(oid: str) -> str:
    return "" if oid == NO_OID else oid


def _invalid(name: str) -> Exception:
    return invalid(
        name, "The value must be the id of an event: the id or the next_cursor of an earlier answer."
    )
