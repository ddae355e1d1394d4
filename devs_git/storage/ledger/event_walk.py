"""Read the ledger on from one of its events, backwards, without reading what is newer again."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from devs_git.domain.ledger.events import Event
from devs_git.storage.ledger.store import Ledger


def back(ledger: Ledger, start: str, merge: str = "") -> Iterator[tuple[Event, str]]:
    """The event `start` and those before it, each with the merge of two ledgers at which one has to begin to get to it.

    The order is that of `Ledger.newest_first`. `merge` is what this function said of `start` when it was read before, ''
    above the newest merge.
    """
    if not merge:
        for event in ledger.events(start):
            if len(event.parents) > 1:
                merge = event.oid
                break
            yield event, ""
        start = merge
    if merge:
        # The oids alone are read quickly.
        order = ledger.reader.run("rev-list", "--topo-order", merge, "--").split()
        newer = order.index(start.encode()) if start.encode() in order else len(order)
        for event in ledger.events(merge, order=("--topo-order", f"--skip={newer}")):
            yield event, merge


def has(ledger: Ledger, tip: str, oid: str) -> bool:
    """Whether the ledger up to `tip` has this event."""
    if ledger.reader.attempt("merge-base", "--is-ancestor", oid, tip, ok=(0, 1, 128))[0]:
        return False
    # git takes a tag for its commit.
    return ledger.reader.text("rev-parse", f"{oid}^{{commit}}") == oid


def at(ledger: Ledger, oids: Sequence[str]) -> Generator[Event]:
    """The events with these oids, in this order. The caller has checked that these are oids: git takes options there."""
    script = "".join(f"{oid}\n" for oid in oids).encode()
    yield from ledger.read_events("--no-walk=unsorted", "--stdin", stdin=script) if oids else ()
