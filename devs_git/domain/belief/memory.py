"""What a receiver refuses that knows an earlier tip of the ledger: a server, or `sync` for a remote's last tip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.belief.masks import bits
from devs_git.domain.belief.walk import NONE, Walk

_JOIN: Final = "Merge the other ledger first: devs-git sync"
_PERSON: Final = "Call a person: git log --graph --oneline "


def rollback(walk: Walk, events: Sequence[str], old: str, new: str) -> list[Finding]:
    """LEDGER_ROLLBACK for each reason why `new` does not continue `old`:

    - `new` lacks events;
    - its chain of policies does not begin with the whole chain of `old`;
    - a decision that counted at `old` was replaced, although the policy in force still allows it.
    """
    before, after = walk.numbers.get(old, NONE), walk.numbers[new]
    if before == NONE or not _contains(walk, after, before):
        return [_finding(new, "The ledger lacks events that are here.", _JOIN)]
    had, has = (walk.chains.get(walk.states[at].policy, ()) for at in (before, after))
    if has[: len(had)] != had:
        text = f"The policy of event {events[had[-1]][:12]} is in force here, but not there."
        return [_finding(new, text, f"{_PERSON}{new}")]
    return list(_replaced(walk, events, before, after))


def _replaced(walk: Walk, events: Sequence[str], before: int, after: int) -> Iterator[Finding]:
    old, new = walk.states[before], walk.states[after]
    for gate in bits(walk.gates_of(old.stands & ~new.stands)):
        had, has = walk.decision_on(before, gate), walk.decision_on(after, gate)
        if had and not had.same(has) and walk.counts(had.number, new.policy):
            text = f"The decision of event {events[had.at][:12]} on gate {walk.names[gate]} no longer counts."
            yield _finding(events[after], text, f"{_PERSON}{events[after]}")


def _contains(walk: Walk, later: int, earlier: int) -> bool:
    waiting, seen = [later], {later}
    while waiting:
        at = waiting.pop()
        if at == earlier:
            return True
        for parent in walk.parents[at]:
            if parent >= earlier and parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False


def _finding(where: str, text: str, fix: str) -> Finding:
    return Finding("LEDGER_ROLLBACK", "error", text, fix, where)
