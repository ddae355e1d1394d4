"""The keys of our trailers, and the phases. No other Python module writes one out; the git hooks, which are shell scripts, do."""

from __future__ import annotations

from devs_git.values import Final

KEY_PREFIX: Final = "Devs-"  # of the key of each trailer that is ours
PHASES: Final = ("research", "specify", "plan", "execute", "review")  # the values of `Devs-Phase`


class TrailerKey:
    """The keys in the messages of commits, checkpoint tags and backups."""

    TASK: Final = "Devs-Task"
    AGENT: Final = "Devs-Agent"
    CLIENT: Final = "Devs-Client"
    PHASE: Final = "Devs-Phase"
    LEDGER: Final = "Devs-Ledger"  # the ledger's tip at that time
    CHECKPOINT: Final = "Devs-Checkpoint"
    COMPLETED: Final = "Devs-Completed"
    CONVERSATION: Final = "Devs-Conversation"
    DROP: Final = "Devs-Drop"  # the operation whose commit takes a task back
    POINT: Final = "Devs-Point"  # where the client can cut that conversation
    FORKED_FROM: Final = "Devs-Forked-From"


class Key(TrailerKey):
    """The keys of events. Only the modules of this folder use them; others read `Event`, or the class of an event's type."""

    # Of every event.
    EVENT: Final = "Devs-Event"  # its type
    FORMAT: Final = "Devs-Format"
    VERB: Final = "Devs-Verb"
    ACTOR: Final = "Devs-Actor"
    TIER: Final = "Devs-Tier"
    WORKTREE: Final = "Devs-Worktree"
    STARTED: Final = "Devs-Started"
    FINISHED: Final = "Devs-Finished"
    OUTCOME: Final = "Devs-Outcome"
    CODE: Final = "Devs-Code"  # of the error, if it failed
    TYPE: Final = "Devs-Type"  # the type of an event with a newer format, in the event that is read instead

    # What an event changes.
    MOVED: Final = "Devs-Moved"
    RENUMBERED: Final = "Devs-Renumbered"
    UNDONE: Final = "Devs-Undone"
    REVIVED: Final = "Devs-Revived"
    GONE: Final = "Devs-Gone"
    STATUS: Final = "Devs-Status"
    NEXT: Final = "Devs-Next"

    # Of tasks and checkpoints.
    NUMBER: Final = "Devs-Number"
    TAG: Final = "Devs-Tag"
    COMMIT: Final = "Devs-Commit"
    TREE: Final = "Devs-Tree"
    MESSAGE: Final = "Devs-Message"
    STAT: Final = "Devs-Stat"
    TITLE: Final = "Devs-Title"
    CONTRACT: Final = "Devs-Contract"
    CAUSE: Final = "Devs-Cause"
    PARENT: Final = "Devs-Parent"
    SPAWNED_BY: Final = "Devs-Spawned-By"
    FORKED_SESSION: Final = "Devs-Forked-Session"

    # Of contracts, phases and directives.
    SUPERVISOR: Final = "Devs-Supervisor"
    FROM_PHASE: Final = "Devs-From-Phase"
    DIRECTIVE: Final = "Devs-Directive"

    # Of operations that move the tree.
    OP: Final = "Devs-Op"
    UNDOES: Final = "Devs-Undoes"
    CLONE: Final = "Devs-Clone"
    BRANCH: Final = "Devs-Branch"
    FROM_BRANCH: Final = "Devs-From-Branch"
    FROM: Final = "Devs-From"
    TO: Final = "Devs-To"
    TARGET: Final = "Devs-Target"
    REASON: Final = "Devs-Reason"
    BACKUP: Final = "Devs-Backup"
    PRESERVE: Final = "Devs-Preserve"
    PRESERVED: Final = "Devs-Preserved"
    DECIDED: Final = "Devs-Decided"
    MESSAGES_UNDONE: Final = "Devs-Messages-Undone"
    MESSAGES_REVIVED: Final = "Devs-Messages-Revived"
    SESSION: Final = "Devs-Session"

    # Of gates.
    GATE: Final = "Devs-Gate"
    GATE_TYPE: Final = "Devs-Gate-Type"
    EVENT_NAME: Final = "Devs-Event-Name"
    DECISION: Final = "Devs-Decision"
    APPROVAL: Final = "Devs-Approval"
    REVIEWER: Final = "Devs-Reviewer"

    # Of init, sync, purge, prune and archive.
    DID: Final = "Devs-Did"
    GENESIS: Final = "Devs-Genesis"
    REMOTE: Final = "Devs-Remote"
    SUPERSEDED: Final = "Devs-Superseded"
    SOUGHT: Final = "Devs-Sought"
    PURGED: Final = "Devs-Purged"
    DROPPED: Final = "Devs-Dropped"
    PRUNED: Final = "Devs-Pruned"
    MOMENT: Final = "Devs-Moment"
    UPTO: Final = "Devs-Upto"
    ARCHIVED: Final = "Devs-Archived"
    UNARCHIVED: Final = "Devs-Unarchived"
