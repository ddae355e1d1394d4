"""One page of the messages of a session, as commands show them."""

from __future__ import annotations

from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation import Message
from devs_git.storage.catalog import instructions, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Place
from devs_git.values import immutable, replace


@immutable
class ShownMessage(Message):
    """A message, the task that it belongs to, and whether that was rewound."""

    session_id: str = ""
    position: int = 0
    task_id: str = ""
    rewound: bool = False


@immutable
class PageRequest:
    """The last `limit` messages; with a `cursor`, those before. `system`: also the client's own instructions at the beginning."""

    limit: int
    cursor: str = ""
    tool_calls: bool = True
    tool_results: bool = True
    system: bool = False


@immutable
class Page:
    """`message_count`: how many messages there are in all; `system_left_out`: how many of them are not shown at the beginning.

    `digest`: of the whole prefix, None without a message. `next_cursor`: for the messages before these, '' for none.
    """

    message_count: int
    messages: tuple[ShownMessage, ...]
    next_cursor: str
    digest: str | None
    system_left_out: int


def read(catalog: Catalog, session_id: str, wanted: PageRequest, upto: int = paging.NO_END) -> Page:
    """A page of the first `upto` messages of a session. A session that the catalog does not have has none."""
    place = paging.place(wanted.cursor)
    upto = min(upto, place.upto or upto)
    last = messages.places(catalog, session_id, upto, 1)
    found = messages.places(catalog, session_id, upto, wanted.limit, offset=place.offset)
    count = last[0].position if last else 0
    left_out = min(count, count_opening(catalog, session_id, wanted))
    more = place.offset + len(found) < count - left_out
    return Page(
        message_count=count,
        messages=to_show(tuple(one for one in found if one.position > left_out), wanted),
        next_cursor=replace(place, upto=count).after(len(found), more=more),
        digest=last[0].digest if last else None,
        system_left_out=left_out,
    )


def count_opening(catalog: Catalog, session_id: str, wanted: PageRequest) -> int:
    """How many messages at the beginning of a session are left out."""
    return 0 if wanted.system else instructions.count(catalog, session_id)


def to_show(found: tuple[Place, ...], wanted: PageRequest) -> tuple[ShownMessage, ...]:
    """The messages without the parts that are not wanted. A message with no other part is left out."""
    said = (_without(place, wanted) for place in found)
    return tuple(one for one in said if one is not None)


def _without(place: Place, wanted: PageRequest) -> ShownMessage | None:
    message = place.message
    if message.role == "tool" and not wanted.tool_results:
        return None
    if message.tool_calls and not wanted.tool_calls:
        if message.content is None:
            return None
        message = replace(message, tool_calls=None)
    return ShownMessage(
        **vars(replace(message, content=message.content or "")),
        session_id=place.session_id,
        position=place.position,
        task_id=place.task_id,
        rewound=place.rewound,
    )
