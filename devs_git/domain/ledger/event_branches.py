"""Events of branches and worktrees that devs-git makes for a person: at a checkpoint, for snapshots, of a moment."""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class BranchCreated:
    """A branch was made. `branch` is its short name. At a checkpoint it has `task` and `number`; where a task began the number
    is 0, at a moment `task` is '', too.
    """

    type: ClassVar[str] = "branch.created"
    task: str
    number: int
    commit: str
    branch: str

    def fields(self) -> Fields:
        return non_empty(
            (Key.TASK, self.task),
            (Key.NUMBER, str(self.number or "")),
            (Key.COMMIT, self.commit),
            (Key.BRANCH, self.branch),
        )

    @classmethod
    def of(cls, event: Event) -> BranchCreated:
        return cls(event.task, int(event.number or "0"), event.commit, event.branch)


@immutable
class SnapshotCreated:
    """A snapshot of the worktree was made. `branch` is the short name of its branch.

    `moment` is the id of the moment with the same state; '' in events of earlier versions.
    """

    type: ClassVar[str] = "snapshot.created"
    branch: str
    commit: str
    tree: str
    moment: str = ""

    def fields(self) -> Fields:
        return non_empty(
            (Key.BRANCH, self.branch),
            (Key.COMMIT, self.commit),
            (Key.TREE, self.tree),
            (Key.MOMENT, self.moment),
        )

    @classmethod
    def of(cls, event: Event) -> SnapshotCreated:
        return cls(event.branch, event.commit, event.tree, event.get(Key.MOMENT))


@immutable
class SnapshotOpened:
    """A snapshot was checked out to a folder of its own."""

    type: ClassVar[str] = "snapshot.opened"
    branch: str
    commit: str

    def fields(self) -> Fields:
        return non_empty((Key.BRANCH, self.branch), (Key.COMMIT, self.commit))

    @classmethod
    def of(cls, event: Event) -> SnapshotOpened:
        return cls(event.branch, event.commit)


@immutable
class WorktreeRestored:
    """A linked worktree was made in the state of a moment. `branch` is the short name of its branch, '' if HEAD is detached."""

    type: ClassVar[str] = "worktree.restored"
    target: str
    commit: str
    branch: str

    def fields(self) -> Fields:
        return non_empty((Key.TARGET, self.target), (Key.COMMIT, self.commit), (Key.BRANCH, self.branch))

    @classmethod
    def of(cls, event: Event) -> WorktreeRestored:
        return cls(event.get(Key.TARGET), event.commit, event.branch)


@immutable
class SnapshotsPruned:
    """Snapshots were deleted. `pruned` has the short name and the commit of each."""

    type: ClassVar[str] = "snapshot.pruned"
    pruned: tuple[tuple[str, str], ...]

    def fields(self) -> Fields:
        return tuple((Key.PRUNED, f"{branch} {commit}") for branch, commit in self.pruned)

    @classmethod
    def of(cls, event: Event) -> SnapshotsPruned:
        return cls(event.pairs(Key.PRUNED))
