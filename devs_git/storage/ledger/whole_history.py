"""Read whole histories for `verify`: each event with its changes, and commits with the events that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from devs_git.domain.audit.frozen_commits import Bound
from devs_git.domain.audit.ledger_shape import Change, Step
from devs_git.domain.belief import layout
from devs_git.domain.gates import signed_decision
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import Event
from devs_git.domain.text import limits
from devs_git.domain.text.limits import Limit
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import ledger_trees
from devs_git.storage.ledger.store import Ledger
from devs_git.values import replace

# Events between two reports of progress.
_OFTEN: Final = 1000
Progress = Callable[[str, int, int], None]


def no_progress(_what: str, _done: int, _total: int) -> None:
    """For whom nobody waits."""


def steps(ledger: Ledger, progress: Progress, *tips: str) -> list[Step]:
    """All events up to these tips, parents first, each with its changes against each parent (see `Step`).

    GitFailed if a commit or a tree is missing: `git diff-tree` would not report it. A missing file is no error here; the
    code that reads the file reports it.
    """
    return _with_changes(ledger.git, *_events(ledger, progress, *tips))


def steps_after(ledger: Ledger, progress: Progress, tip: str, judged: str) -> list[Step]:
    """The same, if a check judged the event `judged` and its ancestors before. These are unread events, with only the changes of
    files that govern, against the first parent: then the rule of belief finds the same state at each event.

    GitFailed if a commit is missing, or a tree that is compared.
    """
    from devs_git.domain.ledger.indexing import unread_events  # not where all is judged

    # git prints the first event at once only if it need not sort them.
    unsorted, trees = _read(replace(ledger, parse=unread_events.unread), progress, tip)
    events = unread_events.parents_first(unsorted)
    known = unread_events.ancestors(events, judged)
    pairs = [_first_edge(event, trees) for event in events]
    older = (pair for pair, event in zip(pairs, events, strict=True) if event.oid in known)
    # In the order of the events, as above.
    wanted = dict.fromkeys(pair for pair in older if pair[0] != pair[1])
    most = ledger_trees.most_of_merge(len(known))
    changes = ledger_trees.read(ledger.git, dict.fromkeys(wanted, most), only=layout.GOVERNED)
    if None in changes.values():
        raise GitFailed(("diff-tree",), 1, "an event that was judged changes too much")
    newer = [unread_events.read(event) for event in events if event.oid not in known]
    fresh = {step.event.oid: step for step in _with_changes(ledger.git, newer, trees, len(known))}
    return [
        fresh.get(event.oid) or Step(event, (changes.get(pair) or (),), judged=True)
        for event, pair in zip(events, pairs, strict=True)
    ]


def _first_edge(event: Event, trees: Mapping[str, str]) -> tuple[str, str]:
    """The trees of an event's first parent and of the event."""
    return trees.get((event.parents or ("",))[0], EMPTY_TREE), trees[event.oid]


def _with_changes(git: Git, events: Sequence[Event], trees: Mapping[str, str], older: int = 0) -> list[Step]:
    """The steps of these events. `older`: how many events are not among them."""
    # In the order of the events: then git still has the parent's tree in its cache.
    firsts = [_first_edge(event, trees) for event in events if len(event.parents) < 2]
    along = ledger_trees.read(git, dict.fromkeys(firsts, ledger_trees.MOST))
    found = {}
    for event in events:
        if len(event.parents) < 2:
            changes = along[_first_edge(event, trees)]
            found[event.oid] = Step(event, (changes or (),), unread=changes is None)
    merges = [event for event in events if event.oid not in found]
    files = older + sum(len(step.edges[0]) for step in found.values())
    found |= _merges(git, merges, trees, ledger_trees.most_of_merge(files))
    return [found[event.oid] for event in events]


def _merges(git: Git, merges: Sequence[Event], trees: Mapping[str, str], most: int) -> dict[str, Step]:
    """The steps of merges, each of which may change `most` names."""
    along = ledger_trees.read(git, dict.fromkeys((_first_edge(one, trees) for one in merges), most))
    others = [(trees[parent], trees[one.oid]) for one in merges for parent in one.parents[1:]]
    aside = ledger_trees.read(git, dict.fromkeys(others, most), "--diff-filter=a")
    edges = {
        one.oid: [along[_first_edge(one, trees)], *(aside[trees[p], trees[one.oid]] for p in one.parents[1:])]
        for one in merges
    }
    own = _own(git, [oid for oid, found in edges.items() if None not in found])
    steps = {}
    for one in merges:
        first, *later = (edge or () for edge in edges[one.oid])
        mine = [change for change in first if (one.oid, change.path) in own]
        unread = None in edges[one.oid]
        steps[one.oid] = Step(one, (first, *(_with(edge, mine) for edge in later)), unread=unread)
    return steps


def _with(edge: Sequence[Change], own: Iterable[Change]) -> tuple[Change, ...]:
    """The changes of a merge against a later parent, with those changes that only the merge has."""
    there = {change.path for change in edge}
    return (*edge, *(Change(one.path, "", one.new) for one in own if one.path not in there))


def _own(git: Git, merges: Sequence[str]) -> set[tuple[str, str]]:
    """Pairs of a merge and a path at which it differs from every parent."""
    if not merges:
        return set()
    script = "".join(f"{oid}\n" for oid in merges).encode()
    out = git.run("diff-tree", "--stdin", "-c", "-r", "-z", "--raw", "--no-renames", stdin=script)
    found, merge, parts = set(), "", iter(out.split(b"\0"))
    for part in parts:
        if part.startswith(b":"):
            found.add((merge, os.fsdecode(next(parts))))
        else:
            merge = part.decode()
    return found


def _events(ledger: Ledger, progress: Progress, *tips: str) -> tuple[list[Event], dict[str, str]]:
    """All events up to these tips, parents first, and the tree of each by its oid."""
    with ledger.git.alongside("rev-list", "--objects", "--filter=blob:none", "--quiet", *tips, "--") as whole:
        try:
            found = _read(ledger, progress, "--topo-order", "--reverse", *tips)
        except DevsError:
            # What it says of a missing object is more exact.
            whole()
            raise
        whole()
    return found


def _read(ledger: Ledger, progress: Progress, *what: str) -> tuple[list[Event], dict[str, str]]:
    events: list[Event] = []
    trees: dict[str, str] = {}
    for event, tree in ledger.read_with_trees(*what, "--"):
        events.append(event)
        trees[event.oid] = tree
        if not len(events) % _OFTEN:
            progress("reading events", len(events), 0)
    return events, trees


_FIELDS: Final = (
    f"%H%x00%P%x00%(trailers:key={TrailerKey.LEDGER},valueonly,separator=%x2C)"
    "%x00%(trailers:key=Gate-Id,valueonly,separator=%x2C)%x00%ce%x00"
)


def commits(git: Git, heads: Iterable[str], base: str = "") -> list[Bound]:
    """The commits that `heads` reach and `base` ('' for none) does not, parents first, with their trailers."""
    names = [*heads, *([f"^{base}"] if base else [])]
    return _read_commits(git, names, "--topo-order", "--reverse") if names != [f"^{base}"] else []


def commits_touching(git: Git, head: str, paths: Iterable[str]) -> list[Bound]:
    """The commits up to `head` that change one of `paths`, or merge lines that differ there, parents first.

    The parents of each are the nearest such commits.
    """
    return _read_commits(git, [head], "--topo-order", "--reverse", "--simplify-merges", paths=paths)


def commits_alone(git: Git, oids: Iterable[str]) -> list[Bound]:
    """These commits without their ancestors."""
    names = list(oids)
    return _read_commits(git, names, "--no-walk=unsorted") if names else []


def _read_commits(git: Git, names: Iterable[str], *how: str, paths: Iterable[str] = ()) -> list[Bound]:
    words = ("rev-list", *how, "--no-commit-header", f"--format={_FIELDS}", "--stdin", "--", *paths)
    output = git.stream(*words, stdin="".join(f"{name}\n" for name in names).encode())
    found = []
    # The fields also end with NUL, which no message contains.
    parts = (os.fsdecode(part) for part in bounded.records(output, limits.COMMIT))
    for oid, parents, ledger, gate, who in zip(parts, parts, parts, parts, parts, strict=True):
        trailers = (ledger.rpartition(",")[2], gate.rpartition(",")[2])
        found.append(Bound(oid.lstrip("\n"), tuple(parents.split()), *trailers, who))
    return found


def existing_commits(git: Git, oids: Iterable[str]) -> list[str]:
    """Those of `oids` that are commits and exist."""
    wanted = sorted(oids)
    names = "".join(f"{oid}\n" for oid in wanted).encode()
    out = git.run("cat-file", "--batch-check=%(objecttype)", stdin=names) if wanted else b""
    kinds = out.splitlines()
    return [oid for oid, kind in zip(wanted, kinds, strict=True) if kind == b"commit"]


def resolve(git: Git, rev: str) -> str:
    """The commit that a user's revision names. INVALID_ARGUMENTS if it names none."""
    status, out = git.attempt(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}", ok=(0, 1, 128)
    )
    if status:
        raise DevsError(
            "INVALID_ARGUMENTS",
            f"{rev!r} names no commit here.",
            hint="If it is a commit of a remote, fetch it first: git fetch",
            field="range",
        )
    return out.decode().strip()


def typed_refs(git: Git, *patterns: str) -> dict[str, tuple[str, str]]:
    """Full names of refs, each with the oid and the type of its object."""
    out = git.run("for-each-ref", "--format=%(refname) %(objectname) %(objecttype)", *patterns)
    rows = (os.fsdecode(line).rsplit(" ", 2) for line in out.splitlines())
    return {name: (oid, kind) for name, oid, kind in rows}


def blobs(git: Git, oids: Iterable[str], limit: Limit) -> dict[str, bytes]:
    """The bytes of many blobs, with two children. Missing and too large blobs, and other objects, are left out."""
    asked = sorted(oids)
    sizes = bounded.sizes(git, asked)
    wanted = [
        oid for oid, (kind, size) in zip(asked, sizes, strict=True) if kind == "blob" and size <= limit.most
    ]
    if not wanted:
        return {}
    out = git.run("cat-file", "--batch", "--buffer", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    found, at = {}, 0
    for oid in wanted:
        end = out.index(b"\n", at)
        words = out[at:end].split()
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            if words[1] == b"blob":
                found[oid] = out[at : at + size]
            at += size + 1
    return found


def entries(git: Git, commits: Iterable[str], path: str) -> dict[str, str]:
    """The oid of the blob at `path` in each of many commits, with one child. Commits without it are left out."""
    wanted = list(dict.fromkeys(commits))
    names = b"".join(os.fsencode(f"{oid}:{path}\n") for oid in wanted)
    out = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", stdin=names)
    rows = (os.fsdecode(line).split(" ") for line in out.splitlines())
    return {commit: row[0] for commit, row in zip(wanted, rows, strict=True) if row[1:] == ["blob"]}


def below_every(git: Git, head: str, path: str) -> frozenset[str]:
    """The proper ancestors of every commit that added `path`; empty if no commit added it."""
    added = git.text("rev-list", "--no-merges", "--full-history", head, "--", path).split()
    there = entries(git, [*added, *(f"{oid}^" for oid in added)], path)
    roots = [oid for oid in added if oid in there and f"{oid}^" not in there]
    below = [set(git.text("rev-list", oid).split()) - {oid} for oid in roots]
    return frozenset(set.intersection(*below)) if below else frozenset()


def landing_commits(git: Git, commits: Sequence[Bound], gates: Mapping[str, Gate]) -> frozenset[str]:
    """The commits that write an approved TAS and change nothing else, also after a rebase.

    A trailer `Gate-Id` is only a claim: the commit must change the TAS to the approved blob, and no other path.
    """
    claimed = {}
    for commit in commits:
        gate = gates.get(commit.gate)
        if gate and gate.decision and signed_decision.lands(gate, gate.status) and len(commit.parents) == 1:
            claimed[commit.parents[0], commit.oid] = gate
    trees = _trees_of(git, {oid for pair in claimed for oid in pair})
    pairs = {(trees[parent], trees[oid]) for parent, oid in claimed}
    # One file below some folders.
    made = ledger_trees.read(git, dict.fromkeys(pairs, ledger_trees.MOST), levels=ledger_trees.MOST)
    return frozenset(
        oid
        for (parent, oid), gate in claimed.items()
        if [(change.path, change.new) for change in made[trees[parent], trees[oid]] or ()]
        == [(gate.text("tas_path"), gate.request.get("tas_after"))]
    )


def _trees_of(git: Git, commits: Iterable[str]) -> dict[str, str]:
    wanted = sorted(commits)
    names = "".join(f"{oid}^{{tree}}\n" for oid in wanted)
    out = git.run("cat-file", "--batch-check=%(objectname)", stdin=names.encode())
    return dict(zip(wanted, out.decode().splitlines(), strict=True))
