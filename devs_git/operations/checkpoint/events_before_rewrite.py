"""The old events of a ledger that `git filter-repo` rewrote, built again from the new ones.

filter-repo replaces oids of commits, in parents and in messages. The map tells the old oid for each new one. An event counts
as built again only if its bytes hash to the oid that the map says. So the tip proves all of its history, and a map that
somebody else wrote cannot bring in an event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.storage.ledger import known_tips
from devs_git.storage.ledger.store import Ledger

_OID: Final = re.compile(rf"\b{OID_FORM}\b".encode())


def rebuild(ledger: Ledger, known: str, tip: str, new_of: Mapping[str, str]) -> bool:
    """Write the events of the old ledger that ended with `known`, from the one that ends with `tip`.

    False if one of them comes out differently, or an object is missing. No ref changes, and objects alone do no harm.
    """
    before = {new: old for old, new in new_of.items() if old != new}

    def old_oid(found: re.Match[bytes]) -> bytes:
        return before.get(found[0].decode(), found[0].decode()).encode()

    last = ""
    for oid in ledger.git.text("rev-list", "--topo-order", "--reverse", tip, "--").split():
        last = before.get(oid, oid)
        if last == oid:
            continue
        header, _, text = ledger.objects.read(oid, "commit").partition(b"\n")
        data = header + b"\n" + _OID.sub(old_oid, text)
        if ledger.objects.write("commit", data) != last:
            return False
    return last == known and is_whole(ledger, known)


def is_whole(ledger: Ledger, tip: str) -> bool:
    """Whether all objects of the ledger are here."""
    return ledger.git.attempt("rev-list", "--objects", "--quiet", tip, "--", ok=(0, 1, 128))[0] == 0


def commits_name_it(ledger: Ledger, known: str, tip: str) -> bool:
    """Whether commits name events that only the old ledger has, and none names one that only the new ledger has.

    filter-repo leaves the old oid of an event in a commit that it wrote before this event.
    """
    named = {event for _, event in known_tips.named_by_commits(ledger.git)}
    old = ledger.git.text("rev-list", known, f"^{tip}", "--").split()
    new = ledger.git.text("rev-list", tip, f"^{known}", "--").split()
    return not named.isdisjoint(old) and named.isdisjoint(new)
