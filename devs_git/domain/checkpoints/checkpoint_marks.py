"""What the ledger says of a checkpoint that is not live: which rewind undid it, or what replaced it."""

from __future__ import annotations

from devs_git.values import immutable


@immutable
class Rewound:
    """Operation `op` of `clone` ('' in older events) rewound a checkpoint on `branch` ('' for a detached HEAD).

    `at`: the branch stopped at the checkpoint's own commit, which is on the branch before and after.
    """

    clone: str
    branch: str
    op: str
    at: bool


@immutable
class Replaced:
    """The checkpoint was replaced by `heir`, for `reason`, until one of the operations `ops` restored it. The undo of such an
    operation makes it replaced again, and not rewound.
    """

    reason: str
    heir: str
    ops: tuple[str, ...]
