"""What the ledger remembers of a checkpoint that was taken away: by which rewind, or why something else is in its place."""

from __future__ import annotations

from devs_git.values import immutable


@immutable
class Rewound:
    """That operation `op` of a clone ('' in events that do not say) took a checkpoint from `branch` ('': a detached HEAD).

    `at`: the branch stopped at the checkpoint's own commit, so that it has this commit before and after.
    """

    clone: str
    branch: str
    op: str
    at: bool


@immutable
class Replaced:
    """That something else was in the checkpoint's place, for `reason` and with this `heir`, until one of the operations `ops`
    brought it back. The undo of such an operation makes it replaced again, and not rewound.
    """

    reason: str
    heir: str
    ops: tuple[str, ...]
