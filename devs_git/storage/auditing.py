"""Read whole histories for `verify`: every event with what it changed, commits with what they are bound to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from devs_git.domain.audit_commits import Bound
from devs_git.domain.audit_ledger import Change, Step
from devs_git.domain.events import Event
from devs_git.errors import DevsError
from devs_git.storage import documents
from devs_git.storage.git_program import Git
from devs_git.storage.ledger import Ledger
from devs_git.storage.objects import EMPTY_TREE

_NONE: Final = "0" * 40


def steps(ledger: Ledger, tip: str) -> list[Step]:
    """Every event up to `tip`, parents first, with the changes along each parent edge."""
    events = list(ledger.events(tip, oldest_first=True))
    trees = _trees(ledger.git, tip)
    pairs = {(trees.get(p, EMPTY_TREE), trees[e.oid]) for e in events for p in (e.parents or ("",))}
    edges = changed(ledger.git, {(old, new) for old, new in pairs if old != new})
    return [Step(event, tuple(_edges(event, trees, edges))) for event in events]


def _edges(
    event: Event, trees: dict[str, str], changed: dict[tuple[str, str], tuple[Change, ...]]
) -> Iterator[tuple[Change, ...]]:
    for parent in event.parents or ("",):
        yield changed.get((trees.get(parent, EMPTY_TREE), trees[event.oid]), ())


def _trees(git: Git, tip: str) -> dict[str, str]:
    out = git.run("rev-list", "--no-commit-header", "--format=%H %T", tip, "--")
    return dict(line.split(" ") for line in out.decode().splitlines())


def changed(git: Git, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[Change, ...]]:
    """The changed paths of many pairs of trees, by one child."""
    script = "".join(f"{old} {new}\n" for old, new in pairs).encode()
    out = git.run("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", stdin=script)
    found: dict[tuple[str, str], list[Change]] = {}
    parts = iter(out.split(b"\0"))
    pair = ("", "")
    for part in parts:
        *heads, raw = part.split(b"\n")
        if heads:
            old, _, new = heads[-1].decode().partition(" ")
            pair = (old, new)
        if raw.startswith(b":"):
            fields = raw.decode().split(" ")
            change = Change(os.fsdecode(next(parts)), *(oid.replace(_NONE, "") for oid in fields[2:4]))
            found.setdefault(pair, []).append(change)
    return {pair: tuple(changes) for pair, changes in found.items()}


def commits(git: Git, head: str, base: str = "") -> list[Bound]:
    """Commits of `base..head` (all of `head` without a base), parents first, with what binds them to the ledger."""
    bound = [f"^{base}"] if base else []
    fields = "%H%x1f%P%x1f%(trailers:key=Devs-Ledger,valueonly,separator=%x2C)%x1f%(trailers:key=Gate-Id,valueonly,separator=%x2C)%x00"
    out = git.run(
        "rev-list",
        "--topo-order",
        "--reverse",
        "--no-commit-header",
        f"--format={fields}",
        head,
        *bound,
        "--",
    )
    found = []
    for record in out.split(b"\0")[:-1]:
        oid, parents, ledger, gate = os.fsdecode(record).lstrip("\n").split("\x1f")
        found.append(Bound(oid, tuple(parents.split()), ledger.rpartition(",")[2], gate.rpartition(",")[2]))
    return found


def resolve(git: Git, rev: str) -> str:
    """The commit that a person's rev names; INVALID_ARGUMENTS otherwise."""
    status, out = git.attempt(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}", ok=(0, 1, 128)
    )
    if status:
        raise DevsError(
            "INVALID_ARGUMENTS", f"{rev!r} names no commit here.", hint="Fetch it first.", field="range"
        )
    return out.decode().strip()


def typed_refs(git: Git, *patterns: str) -> dict[str, tuple[str, str]]:
    """Full names of refs with oid and type of object."""
    out = git.run("for-each-ref", "--format=%(refname) %(objectname) %(objecttype)", *patterns)
    rows = (os.fsdecode(line).rsplit(" ", 2) for line in out.splitlines())
    return {name: (oid, kind) for name, oid, kind in rows}


def heads(ledger: Ledger, events: Iterable[Step]) -> dict[str, tuple[str, ...]]:
    """For every gate the tips of branches that its request recorded; none for one that cannot be read."""
    found = {}
    for step in events:
        for change in step.edges[0] if step.edges else ():
            folder, _, name = change.path.rpartition("/")
            if name == "request.yaml" and folder.startswith("gates/") and change.new:
                record = documents.load(ledger.objects.read(change.new, "blob"), change.path)
                found[folder.removeprefix("gates/")] = tuple(dict(record.get("heads") or {}).values())
    return found
