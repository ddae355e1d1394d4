"""The second part of the reference: which events are forged, and which ledgers a receiver refuses because of its old tip.

In the tree of each event, the files that govern (policy, requests, decisions, open gates) must be exactly those that the
rule gives for this event as the tip. An event is forged if it adds a difference that its first parent does not have, or
if it does something that the rule forbids to everybody. The rule is in `oracle.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.belief.abstract_ledger import (
    MARKER,
    POLICY,
    Ledger,
    Request,
    Tree,
    governs,
    request_path,
    set_aside,
)
from tests.support.belief.oracle import Oracle


def forged_events(oracle: Oracle) -> dict[str, list[str]]:
    """The forged events of the whole ledger, each with the reasons."""
    found = {event: list(_reasons(oracle, event)) for event in oracle.ledger.events}
    return {event: reasons for event, reasons in found.items() if reasons}


def _reasons(oracle: Oracle, event: str) -> Iterator[str]:
    yield from _beginning(oracle, event)
    yield from _twice(oracle, event)
    for gate in oracle.decides(event):
        if not oracle.valid(event, gate):
            yield f"its decision on {gate} does not count at its place"
    mine = deviations(oracle, event)
    parents = oracle.ledger.parents(event)
    for path, content in sorted(mine - (deviations(oracle, parents[0]) if parents else set())):
        yield f"{path} is {content or 'missing'}"
    yield from _aside(oracle.ledger, event)
    if len(parents) == 2:
        yield from _merge(oracle, event)


def _aside(ledger: Ledger, event: str) -> Iterator[str]:
    """What is kept under `superseded/` stays there for good, and only a merge sets anything aside."""
    tree, parents = ledger.tree(event), ledger.parents(event)
    sides = [ledger.tree(parent) for parent in parents]
    for side in sides:
        for path, content in side.items():
            places = (path,) if side is sides[0] else (path, f"superseded/{content}")
            if path.startswith("superseded/") and content not in map(tree.get, places):
                yield f"it does not keep {path}"
    for path in tree if len(parents) < 2 else ():
        if path.startswith("superseded/") and path not in (sides[0] if sides else {}):
            yield f"it sets {path} aside and joins nothing"


def _beginning(oracle: Oracle, event: str) -> Iterator[str]:
    """One genesis, which holds no policy; whoever asks, decides or sets a policy has the first policy behind them."""
    ledger, parents = oracle.ledger, oracle.ledger.parents(event)
    if not parents and any(not other.parents and other.name != event for other in ledger.events.values()):
        yield "there is another root"
    if not parents and POLICY in ledger.tree(event):
        yield "a genesis holds no policy"
    if len(parents) > 2:
        yield "a merge has exactly two parents"
    begun = any(oracle.begins_policy(one) for one in oracle.ancestors(event))
    if not begun and (oracle.asks(event) or oracle.decides(event)):
        yield "it comes before the first policy"


def _twice(oracle: Oracle, event: str) -> Iterator[str]:
    """`policy.yaml`, and the request of each gate, is added by exactly one event of the whole ledger."""
    events = oracle.ledger.events
    adding = [one for one in events if oracle.begins_policy(one) or _born_with_policy(oracle, one)]
    if event in adding and len(adding) > 1:
        yield "there is another first policy"
    for gate in oracle.adds_requests(event):
        said = oracle.ledger.what[oracle.ledger.tree(event)[request_path(gate)]]
        if isinstance(said, Request) and said.gate != gate:
            yield f"{gate} is asked with the request of {said.gate}"
        if gate not in oracle.asks(event):
            yield f"{gate} is asked with a request that follows another event"
            continue
        others = [one for one in events if gate in oracle.asks(one)]
        # What follows the same event with the same words is the same question.
        if (
            len({(oracle.ledger.tree(one)[request_path(gate)], oracle.ledger.parents(one)) for one in others})
            > 1
        ):
            yield f"{gate} is asked by another event, too"


def _born_with_policy(oracle: Oracle, event: str) -> bool:
    return not oracle.ledger.parents(event) and POLICY in oracle.ledger.tree(event)


def deviations(oracle: Oracle, event: str) -> set[tuple[str, str]]:
    """Where the tree of an event is not what the rule says: the path and what is there, '' for nothing."""
    tree, expected = _marked(oracle.ledger.tree(event)), oracle.expected_tree(event)
    paths = {path for path in (*tree, *expected) if governs(path)}
    return {(path, tree.get(path, "")) for path in paths if tree.get(path) != expected.get(path)}


def _marked(tree: Tree) -> Tree:
    """The tree with one content for every open gate: that the file is there says it."""
    return {path: MARKER if path.startswith("open/") else content for path, content in tree.items()}


def _merge(oracle: Oracle, event: str) -> Iterator[str]:
    """What gives way in a merge is kept under `superseded/`, and it adds nothing else there.

    Forged content never was in force: it does not give way, and stays in the history alone.
    """
    tree, parents = oracle.ledger.tree(event), oracle.ledger.parents(event)
    kept: list[tuple[str, str]] = []
    for parent in parents:
        side = oracle.expected_tree(parent)
        kept += [(set_aside(side, path), what) for path, what in gives_way(oracle, parent, event).items()]
    for other in map(oracle.ledger.tree, parents[1:]):
        kept += [(set_aside(other, path), what) for path, what in other.items() if collides(path, what, tree)]
    for path, content in kept:
        # One decision may come with several forms of its signature.
        if content not in (tree.get(path), tree.get(f"superseded/{content}")):
            yield f"{content} gives way and is lost"
    places = {path for path, _ in kept} | {f"superseded/{content}" for _, content in kept}
    for path in tree:
        known = path in places or any(path in oracle.ledger.tree(parent) for parent in parents)
        if path.startswith("superseded/") and not known:
            yield f"it adds {path}, which does not give way"


def collides(path: str, content: str, tree: Tree) -> bool:
    """Whether a tree has not this content of a file that governs nothing."""
    return not governs(path) and tree.get(path) != content


def gives_way(oracle: Oracle, parent: str, merge: str) -> Tree:
    """What governs at a parent and not at the merge. A policy that the one in force descends from did not give way.

    A signature goes with its decision, also where another decision in place has the same.
    """
    side, after = oracle.expected_tree(parent), oracle.expected_tree(merge)
    replaced = set(oracle.chain(parent)) <= set(oracle.chain(merge))
    paths = [path for path in side if not path.startswith("open/") and not (path == POLICY and replaced)]
    gone = {path for path in paths if after.get(path) != side[path]}
    return {path: side[path] for path in paths if path in gone or path.removesuffix(".sig") in gone}


def rollback(oracle: Oracle, old: str, new: str) -> list[str]:
    """Why a receiver that has seen `old` refuses `new`."""
    if old not in oracle.ancestors(new):
        return [f"{old} is left out"]
    reasons = []
    before, after = oracle.chain(old), oracle.chain(new)
    if after[: len(before)] != before:
        reasons.append(f"the policies {before} became {after}")
    for gate, event in oracle.decisions(old).items():
        now = oracle.decisions(new).get(gate, "")
        mine = oracle.signature_of(event, gate)
        copy = mine is not None and now and oracle.signature_of(now, gate) == mine
        if now != event and not copy and oracle.counts(event, gate, new):
            reasons.append(f"the decision {event} on {gate} no longer counts")
    return reasons
