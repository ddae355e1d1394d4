"""An example of what each type of event says, and the trailers that are written for it, by hand."""

from __future__ import annotations

from typing import Final

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.ledger.event_branches import (
    BranchCreated,
    SnapshotCreated,
    SnapshotOpened,
    SnapshotsPruned,
    WorktreeRestored,
)
from devs_git.domain.ledger.event_checkpoints import CheckpointRecorded
from devs_git.domain.ledger.event_header import Content
from devs_git.domain.ledger.event_merges import LedgersMerged
from devs_git.domain.ledger.event_operations import (
    CheckedOut,
    ConversationRewound,
    Dropped,
    Movement,
    OperationFailed,
    Restored,
    Rewound,
    Undone,
)
from devs_git.domain.ledger.event_rewrites import CheckpointsRewritten, HistoryRewritten, Move
from devs_git.domain.ledger.event_setup import (
    FirstPolicy,
    LedgerCreated,
    RepositoryPrepared,
    RepositoryReleased,
)
from devs_git.domain.ledger.event_tasks import TaskResult, TaskStarted
from devs_git.domain.ledger.event_upkeep import Pruned, Purged, TracesPruned
from devs_git.values import replace
from tests.support.archive_event_examples import ARCHIVES
from tests.support.contract_event_examples import CONTRACTS, OP
from tests.support.gate_event_examples import GATES

A, B, C, D = "a" * 40, "b" * 40, "c" * 40, "d" * 40
MAIN, NEWLINE = "refs/heads/main", "\n"
WORK: Final = Work("task-1", "developer", "Claude Code", "execute")
WORK_LINES: Final = """
Devs-Task: task-1
Devs-Agent: developer
Devs-Client: Claude Code
Devs-Phase: execute"""
MOVEMENT: Final = Movement(
    OP,
    MAIN,
    A,
    B,
    C,
    "branch",
    f"refs/heads/kept {A}",
    (D,),
    (A, B),
    (("task-1", "rewound"),),
    ("s m1 m9",),
    ("s m3 m7", "t m1 m2"),
)
DROP: Final = Movement(OP, MAIN, A, B, C, undone=(D,), statuses=(("task-1", "dropped"),))
MOVEMENT_LINES: Final = f"""
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-From: {A}
Devs-To: {B}
Devs-Backup: {C}
Devs-Preserve: branch
Devs-Preserved: refs/heads/kept {A}
Devs-Undone: {D}
Devs-Revived: {A}
Devs-Revived: {B}
Devs-Status: task-1 rewound
Devs-Messages-Undone: s m1 m9
Devs-Messages-Revived: s m3 m7
Devs-Messages-Revived: t m1 m2"""
RECORDED_LINES: Final = f"""{WORK_LINES}
Devs-Number: 3
Devs-Tag: {A}
Devs-Commit: {B}
Devs-Tree: {C}
Devs-Branch: main
Devs-Message: Parse dates
Devs-Stat: 2 30 4
Devs-Op: {OP}
Devs-Conversation: s 7 {D}
Devs-Point: claude u-7
Devs-Forked-From: task-9@2"""
_ORIGIN: Final = (f"s 7 {D}", "claude u-7", "task-9@2")
_RECORDED: Final = (WORK, 3, A, B, C, "main", "Parse dates", (2, 30, 4), OP, *_ORIGIN)
_MOVES: Final = (Move(A, B, 4, C, D, (1, 2, 3)), Move(B, C, 5, D, A))
_SETTLED: Final = (((B, 4),), (C,), (("task-1", "active"),))
_SETTLED_LINES: Final = f"\nDevs-Renumbered: {B} 4\nDevs-Undone: {C}\nDevs-Status: task-1 active"

# What an event says, its type, and its own trailers.
EXAMPLES: Final[tuple[tuple[Content, str, str], ...]] = (
    (LedgerCreated(), "ledger.created", ""),
    (FirstPolicy(A), "policy.set", f"Devs-Genesis: {A}"),
    (
        RepositoryPrepared((("created", "ledger"), ("installed", "hook pre-commit"))),
        "repository.prepared",
        "Devs-Did: created ledger\nDevs-Did: installed hook pre-commit",
    ),
    (RepositoryReleased((("removed", ".devs/"),)), "repository.released", "Devs-Did: removed .devs/"),
    (
        TaskStarted(WORK, "Dates", "main", "main", A, OP, 3),
        "task.started",
        f"""{WORK_LINES}
Devs-Title: Dates
Devs-Contract: main
Devs-Branch: main
Devs-From: {A}
Devs-Op: {OP}
Devs-Next: task-1 3""",
    ),
    (
        TaskStarted(Work("task-1"), "", "main", "main", "", OP, 1),
        "task.started",
        f"Devs-Task: task-1\nDevs-Contract: main\nDevs-Branch: main\nDevs-Op: {OP}\nDevs-Next: task-1 1",
    ),
    (
        TaskStarted(Work("task-1"), "", "main", "main", "", OP, 1, "task-9", "claude s1", "task-9@2", "s1"),
        "task.started",
        f"""Devs-Task: task-1
Devs-Contract: main
Devs-Branch: main
Devs-Op: {OP}
Devs-Next: task-1 1
Devs-Parent: task-9
Devs-Spawned-By: claude s1
Devs-Forked-From: task-9@2
Devs-Forked-Session: s1""",
    ),
    *CONTRACTS,
    (TaskResult("task-1", OP), "task.result", f"Devs-Task: task-1\nDevs-Op: {OP}"),
    (CheckpointRecorded(False, *_RECORDED), "checkpoint.created", RECORDED_LINES),
    (CheckpointRecorded(True, *_RECORDED), "task.completed", RECORDED_LINES),
    (
        BranchCreated("task-1", 3, A, "try"),
        "branch.created",
        f"Devs-Task: task-1\nDevs-Number: 3\nDevs-Commit: {A}\nDevs-Branch: try",
    ),
    (
        SnapshotCreated("snapshot/1", A, B, C),
        "snapshot.created",
        f"Devs-Branch: snapshot/1\nDevs-Commit: {A}\nDevs-Tree: {B}\nDevs-Moment: {C}",
    ),
    (WorktreeRestored("m", A, "w"), "worktree.restored", f"Devs-Target: m\nDevs-Commit: {A}\nDevs-Branch: w"),
    (SnapshotOpened("snapshot/1", A), "snapshot.opened", f"Devs-Branch: snapshot/1\nDevs-Commit: {A}"),
    (
        SnapshotsPruned((("snapshot/1", A), ("snapshot/2", B))),
        "snapshot.pruned",
        f"Devs-Pruned: snapshot/1 {A}\nDevs-Pruned: snapshot/2 {B}",
    ),
    (
        CheckpointsRewritten("amend", _MOVES, (C,), (("task-1", 6),)),
        "checkpoints.rewritten",
        f"""Devs-Cause: amend
Devs-Moved: {A} {B} 4 {C} {D} 1 2 3
Devs-Moved: {B} {C} 5 {D} {A}
Devs-Undone: {C}
Devs-Next: task-1 6""",
    ),
    (
        HistoryRewritten("map", _MOVES[:1], (C,), (("task-1", 5), ("task-2", 9)), (C, D)),
        "history.rewritten",
        f"""Devs-Cause: map
Devs-Moved: {A} {B} 4 {C} {D} 1 2 3
Devs-Undone: {C}
Devs-Gone: {C}
Devs-Gone: {D}
Devs-Next: task-1 5
Devs-Next: task-2 9""",
    ),
    (
        CheckedOut(OP, "refs/heads/old", A, MAIN, B),
        "checked-out",
        f"""Devs-Op: {OP}
Devs-From-Branch: refs/heads/old
Devs-From: {A}
Devs-Branch: refs/heads/main
Devs-Commit: {B}""",
    ),
    (
        Rewound("task-1", "task-1@2", "It waits.", "c1", replace(MOVEMENT, messages_revived=()), "codex s2"),
        "rewound",
        f"""Devs-Task: task-1
Devs-Target: task-1@2
Devs-Reason: It waits.
Devs-Clone: c1{MOVEMENT_LINES.partition(NEWLINE + "Devs-Messages-Revived")[0]}
Devs-Session: codex s2""",
    ),
    (
        Undone("20010203T040506-00000000", "branch", "c1", MOVEMENT),
        "undone",
        f"Devs-Undoes: 20010203T040506-00000000\nDevs-Preserve: branch\nDevs-Clone: c1{MOVEMENT_LINES}",
    ),
    (
        Undone("20010203T040506-00000000", "none", "c1", Movement(OP, MAIN, A, B)),
        "undone",
        f"""Devs-Undoes: 20010203T040506-00000000
Devs-Preserve: none
Devs-Clone: c1
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-From: {A}
Devs-To: {B}""",
    ),
    (
        ConversationRewound("claude s2", "c1", Movement(OP, MAIN, "", "", C, messages_undone=("s m1 m9",))),
        "conversation.rewound",
        f"""Devs-Target: claude s2
Devs-Clone: c1
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-Backup: {C}
Devs-Messages-Undone: s m1 m9""",
    ),
    (
        Dropped("task-1", "Broken.", "c1", DROP),
        "dropped",
        f"""Devs-Task: task-1
Devs-Reason: Broken.
Devs-Clone: c1
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-From: {A}
Devs-To: {B}
Devs-Backup: {C}
Devs-Undone: {D}
Devs-Status: task-1 dropped""",
    ),
    (
        Restored("task-1@2", Movement(OP, MAIN, A, B, C, "branch", f"refs/heads/kept {A}")),
        "restored",
        f"""Devs-Target: task-1@2
Devs-Op: {OP}
Devs-Branch: refs/heads/main
Devs-From: {A}
Devs-To: {B}
Devs-Backup: {C}
Devs-Preserve: branch
Devs-Preserved: refs/heads/kept {A}""",
    ),
    (OperationFailed(OP, "INTERRUPTED"), "operation.failed", f"Devs-Op: {OP}\nDevs-Code: INTERRUPTED"),
    *GATES,
    (
        LedgersMerged("origin", (("a file.yaml", f"superseded/{A}"),), (), *_SETTLED),
        "ledger.merged",
        f"Devs-Remote: origin\nDevs-Superseded: a file.yaml superseded/{A}{_SETTLED_LINES}",
    ),
    (
        LedgersMerged("origin", (("x", f"superseded/{A}"),), ("gate-1", "gate-2"), *_SETTLED),
        "superseded",
        f"""Devs-Remote: origin
Devs-Superseded: x superseded/{A}
Devs-Gate: gate-1
Devs-Gate: gate-2{_SETTLED_LINES}""",
    ),
    (
        Purged(
            "a text",
            ("2 refs", "1 file"),
            ((MAIN, A), ("refs/devs/x", B)),
            ((C, True), (D, False), (A, True)),
        ),
        "purged",
        f"""Devs-Sought: a text
Devs-Purged: 2 refs
Devs-Purged: 1 file
Devs-Dropped: refs/heads/main {A}
Devs-Dropped: refs/devs/x {B}
Devs-Gone: {C}
Devs-Undone: {C}
Devs-Gone: {D}
Devs-Gone: {A}
Devs-Undone: {A}""",
    ),
    (
        TracesPruned(3, 4096, "2001-02-03T04:05:06.000Z"),
        "trace.pruned",
        "Devs-Pruned: 3 traces 4096 bytes\nDevs-Upto: 2001-02-03T04:05:06.000Z",
    ),
    *ARCHIVES,
    (
        Pruned(("412 moments", "1 backup"), ((f"refs/devs/backup/{OP}", A),)),
        "pruned",
        f"Devs-Pruned: 412 moments\nDevs-Pruned: 1 backup\nDevs-Dropped: refs/devs/backup/{OP} {A}",
    ),
)
TYPES: Final = frozenset(kind for _, kind, _ in EXAMPLES)


def fields_of(lines: str) -> tuple[tuple[str, str], ...]:
    """Key and value of each line of an example."""
    pairs = (line.partition(": ") for line in lines.strip().splitlines())
    return tuple((key, value) for key, _, value in pairs)
