"""Ranked search over messages. It works as the search over traces."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.domain.recall import snippets
from devs_git.domain.recall.message_text import text_of
from devs_git.domain.recall.query import Query
from devs_git.domain.recall.snippets import Snippet
from devs_git.storage.catalog import fulltext, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Place
from devs_git.storage.catalog.search import Found, Page, numbers
from devs_git.values import immutable


@immutable
class Hit:
    """A message that was found, with a snippet of it."""

    place: Place
    snippet: Snippet


def search(catalog: Catalog, query: Query, page: Page) -> Found[Hit]:
    """The page of the best matching messages, newer ones first if they match equally. Without a word: the newest."""
    found = numbers(catalog, fulltext.MESSAGES, query, page)
    return found.of(hit for number in found.hits for hit in _hit(catalog, number, query))


def _hit(catalog: Catalog, number: int, query: Query) -> Iterator[Hit]:
    place = messages.place_of(catalog, number, query.equal.get("session", ""))
    if place:
        yield Hit(place, snippets.cut((text_of(place.message.record()),), query.wanted))
