"""Who is believed: which policy is in force at an event of a ledger, which decisions count, which gates are open.

This is one rule for hooks, server, `sync`, `init`, the verbs that need the policy, and `verify`. It reads only events: no
clock, no ref, no merge base. `docs/decisions/01-who-is-believed.md` has the whole rule. The parts:

- `records`: the content of requests, decisions and policies, read before the rule is applied;
- `claims`, `allowed`: whether a decision is valid at its event, and whether a policy lets it count;
- `layout`: which paths of a ledger's tree govern;
- `masks`: sets of gates, decisions and paths as bit masks;
- `walk`: the rule itself, event by event;
- `trees`: whether each event's tree has what the rule says, and what a merge must have;
- `memory`: what a receiver refuses if it knows an earlier tip.
"""

from devs_git.domain.belief.records import DecisionRecord, Records, RequestRecord
from devs_git.domain.belief.trees import MARKER, ReplacedFile
from devs_git.domain.belief.verdict import VIRTUAL, Belief, Merge, believe

__all__ = (
    "MARKER",
    "VIRTUAL",
    "Belief",
    "DecisionRecord",
    "Merge",
    "Records",
    "ReplacedFile",
    "RequestRecord",
    "believe",
)
