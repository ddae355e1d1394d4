"""Whether the merges of a ledger are what `sync` makes: unions of two clones' events that bring nothing of their own.

`audit_ledger.mutations` finds what a merge dropped or changed; here is what it may not add, each a LEDGER_MUTATED:
- a path that neither side has, but for content that gave way, under `superseded/<its oid>`: a decision that came with
  a merge would be judged by nobody;
- a policy that is not the one side's, or that is the older of the two, or that made the other side's be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from devs_git.domain.audit_ledger import WAY_OUT, Step
from devs_git.domain.events import Event
from devs_git.domain.policy import IN_FORCE
from devs_git.domain.report import Finding


def judge(steps: Sequence[Step], kept: Iterable[str]) -> Iterator[Finding]:
    """Findings about the merges among `steps` (parents first); `kept` are all blobs under `superseded/`."""
    safe = frozenset(kept)
    policy: dict[str, str] = {}
    seen: dict[str, frozenset[str]] = {}
    for step in steps:
        oid, parents = step.event.oid, step.event.parents
        before = policy.get(parents[0], "") if parents else ""
        changed = [change.new for change in step.edges[0] if change.path == IN_FORCE]
        policy[oid] = changed[0] if changed else before
        below = [seen.get(parent, frozenset()) for parent in parents]
        seen[oid] = frozenset({policy[oid]}).union(*below) if changed or len(parents) != 1 else below[0]
        if len(parents) > 1:
            yield from _added(step)
            for theirs, other in zip(parents, reversed(parents), strict=True):
                lost = policy.get(theirs, "")
                known = lost in seen.get(other, ()) or lost in safe
                if policy[oid] != lost and not (known and policy[oid] == policy.get(other)):
                    yield _mutated(step.event, "puts a policy into force that gave way on one side")
                    break


def _added(step: Step) -> Iterator[Finding]:
    new = [{change.path: change.new for change in edge if not change.old} for edge in step.edges]
    for path, blob in new[0].items():
        folder, _, name = path.rpartition("/")
        gave_way = folder == "superseded" and (name == blob or name.endswith(".sig"))
        if not gave_way and all(path in edge for edge in new[1:]):
            yield _mutated(step.event, f"brings {path}, which neither side has")


def _mutated(event: Event, what: str) -> Finding:
    text = f"Event {event.oid[:12]}, a merge, {what}."
    return Finding("LEDGER_MUTATED", "error", text, WAY_OUT, event.oid)
