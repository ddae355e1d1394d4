"""Which operation of git is in progress in a worktree: a merge, a rebase, a cherry-pick, a revert, am or a bisect."""

from __future__ import annotations

from devs_git.errors import DevsError, immovable
from devs_git.storage.git.places import Places
from devs_git.values import Final, immutable

_UNDER_WAY: Final = (
    ("MERGE_HEAD", "a merge", "git merge --continue or --abort"),
    ("rebase-merge", "a rebase", "git rebase --continue or --abort"),
    ("rebase-apply", "a rebase or am", "git rebase --abort or git am --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue or --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue or --abort"),
    ("sequencer", "a cherry-pick or revert", "git cherry-pick --abort or git revert --abort"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
)


@immutable
class OperationUnderWay:
    """An operation of git that is in progress, such as `a merge`, and the commands that end it."""

    name: str
    commands: str

    def refusal(self, code: str = "GIT_RESET_FAILED") -> DevsError:
        text = f"{self.name.capitalize()} is in progress."
        return immovable("operation_under_way", text, code=code, hint=f"End it first: {self.commands}")


def operation_under_way(places: Places) -> OperationUnderWay | None:
    """The operation of git that is in progress, if there is one."""
    for file, name, commands in _UNDER_WAY:
        if (places.git_dir / file).exists():
            return OperationUnderWay(name, commands)
    return None
