"""An abstract ledger as an argument of the program's function: steps with their changes against each parent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from devs_git.domain.audit.ledger_shape import Change, Step
from devs_git.domain.ledger.events import Event
from tests.support.belief.abstract_ledger import POLICY, Ledger, Tree


def oid(name: str) -> str:
    """The oid that stands for an event or a content; '' for none."""
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest() if name else ""


def path_of(path: str, oids: dict[str, str]) -> str:
    """A path of the ledger's tree; what is kept under `superseded/` is named by its oid."""
    folder, _, name = path.partition("superseded/")
    if folder or not name:
        return path
    plain = name.removesuffix(".sig")
    return f"superseded/{oids[plain]}{name.removeprefix(plain)}"


def steps(ledger: Ledger) -> list[Step]:
    """The events, parents first."""
    oids = {name: oid(name) for name in ledger.what} | {"marker": oid("marker")}
    found = []
    for event in ledger.events.values():
        sides = [ledger.tree(parent) for parent in event.parents] or [{}]
        first, *others = [tuple(_changes(side, event.tree, oids)) for side in sides]
        new = {change.path for change in first if not change.old}
        edges = (first, *(tuple(one for one in edge if one.old or one.path in new) for edge in others))
        parents = tuple(map(oid, event.parents))
        found.append(
            Step(Event(kind(ledger, event.name), event.title, (), "", oid(event.name), parents), edges)
        )
    return found


def _changes(before: Tree, after: Tree, oids: dict[str, str]) -> Iterator[Change]:
    rows = [(path, before.get(path, ""), after.get(path, "")) for path in {*before, *after}]
    named = [
        (path_of(path, oids), oids.get(old, ""), oids.get(new, "")) for path, old, new in rows if old != new
    ]
    yield from (Change(*row) for row in sorted(named))


def kind(ledger: Ledger, name: str) -> str:
    """The type of an event with these changes."""
    parents = ledger.parents(name)
    if len(parents) != 1:
        return "ledger.merged" if parents else "ledger.created"
    before, after = ledger.tree(parents[0]), ledger.tree(name)
    new = [path for path in after if before.get(path) != after[path]]
    if POLICY in new:
        return "policy.set"
    if any(path.endswith("/decision.yaml") for path in new):
        return "gate.resolved"
    return "gate.requested" if any(path.endswith("/request.yaml") for path in new) else "task.started"
