"""Who is believed: which policy is in force at an event of a ledger, which decisions count, which gates are open.

One rule for hooks, server, `sync`, `init`, the verbs that ask for the policy, and `verify`. It reads events alone: no
clock, no ref, no merge base. `docs/decisions/01-who-is-believed.md` states it in full. The parts:

- `records`: what requests, decisions and policies say, read before the rule is asked;
- `claims`, `allowed`: whether a decision is good at its event, and whether a policy lets it count;
- `layout`: which paths of a ledger's tree govern;
- `masks`: sets of gates, decisions and paths as whole numbers;
- `walk`: the rule itself, event by event;
- `trees`: whether each event's tree holds what the rule says, and what a merge has to hold;
- `memory`: what a receiver refuses that knows an earlier tip.
"""

from devs_git.domain.belief.records import Asked, Decided, Records
from devs_git.domain.belief.trees import MARKER, GaveWay
from devs_git.domain.belief.verdict import VIRTUAL, Belief, Merge, believe

__all__ = ("MARKER", "VIRTUAL", "Asked", "Belief", "Decided", "GaveWay", "Merge", "Records", "believe")
