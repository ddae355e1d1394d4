"""Read the ledger on from one of its events, backwards, without reading what is newer again."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Final

from devs_git.domain.ledger.events import Event
from devs_git.storage.ledger.store import Ledger

# So often two ledgers are asked where they parted.
_ATTEMPTS: Final = 8


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


def joint(ledger: Ledger, tip: str, known: str) -> str:
    """The newest event up to `known` that each event after it, up to `tip` or `known`, comes after. '' if none is found soon.

    The order of the fold up to this event does not depend on what comes after it. GitFailed if one of both is missing.
    """
    start = known
    for _ in range(_ATTEMPTS):
        lines = ledger.reader.run("rev-list", "--parents", tip, f"^{start}", "--").decode().splitlines()
        rows = [line.split() for line in lines]
        inside = {row[0] for row in rows}
        others = {parent for row in rows for parent in row[1:]} - inside - {start}
        if not rows:
            # `known` is newer.
            return tip
        if any(len(row) == 1 for row in rows):
            return ""
        if not others:
            return start
        start = ledger.reader.text("merge-base", "--octopus", start, *sorted(others))
    return ""


def at(ledger: Ledger, oids: Sequence[str]) -> Generator[Event]:
    """The events with these oids, in this order. The caller has checked that these are oids: git takes options there."""
    script = "".join(f"{oid}\n" for oid in oids).encode()
    yield from ledger.read_events("--no-walk=unsorted", "--stdin", stdin=script) if oids else ()
