"""What each event of a command says besides its own: by which verb, who, where, when, and whether it was done."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import FORMAT, Fields
from devs_git.values import immutable


@immutable
class Header:
    """`tier` is that of the verb, `worktree` git's name of it ('.' for the main one), times are UTC with milliseconds."""

    verb: str
    actor: str
    tier: int
    worktree: str
    started: str
    finished: str
    outcome: str

    def fields(self) -> Fields:
        return (
            (Key.FORMAT, str(FORMAT)),
            (Key.VERB, self.verb),
            (Key.ACTOR, self.actor),
            (Key.TIER, str(self.tier)),
            (Key.WORKTREE, self.worktree),
            (Key.STARTED, self.started),
            (Key.FINISHED, self.finished),
            (Key.OUTCOME, self.outcome),
        )
