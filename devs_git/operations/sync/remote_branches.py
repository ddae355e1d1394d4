"""Which rewound checkpoints the branches of a remote still have. Each `sync` asks, and fetches if it must.

The answer decides the remote's visible tags. If this clone knows only from `sync` that the remote has such a checkpoint,
it keeps the branch below `clone_history.SEEN`, so that other commands need no network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.history import History
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.git.remotes.remote_repository import Remote
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.ledger.clone_history import SEEN, TRACKED, Branch, Standpoint
from devs_git.values import immutable


@immutable
class RemoteBranches:
    """The branches of one remote that people work on (full names and oids), and a history of the ledger."""

    other: Remote
    branches: Mapping[str, str]
    history: History

    @classmethod
    def of(cls, other: Remote, branches: Mapping[str, str], history: History) -> RemoteBranches:
        return cls(other, lines_of_work.select_branches(history, branches), history)

    def find_tags(self, exists: Callable[[str], bool]) -> frozenset[str]:
        """The tags of the doubtful checkpoints that the remote has; RemoteMoved if one of its branches moved meanwhile."""
        unsure = clone_view.points_in_doubt(self.history)
        if not unsure:
            return frozenset()
        here = {oid for oid in self.branches.values() if exists(oid)}
        found = lines_of_work.tags_reached(self.other.git, unsure, here)
        missing = dict.fromkeys(oid for oid in self.branches.values() if oid not in here)
        left = [point for point in unsure if point.tag not in found]
        if not missing or not left:
            return found
        self.other.fetch(missing, contents=False)
        return found | lines_of_work.tags_reached(self.other.git, left, missing)

    def remember(self, git: Git, here: Standpoint, has: frozenset[str]) -> None:
        """Keep a ref for each branch of the remote that has a checkpoint which git's tracking branches lack, and no other ref.

        Other branches of this clone do not count: they may be deleted, and then only the remote has the checkpoint.
        """
        folder = f"{SEEN}{self.other.remote}/"
        points = [point for point in clone_view.points_in_doubt(self.history) if point.tag in has]
        tracked = (
            f"{TRACKED}{self.other.remote}/{name.removeprefix(lines_of_work.HEADS)}" for name in self.branches
        )
        known = [here.branches[ref] for ref in tracked if ref in here.branches]
        known_here = lines_of_work.tags_reached(here.git, points, known)
        keep: dict[str, str] = {}
        for point in points:
            if point.tag not in known_here:
                branch = here.holder(point, [Branch(*one) for one in self.branches.items()])
                name = branch.name.removeprefix(lines_of_work.HEADS)
                keep[f"{folder}{here.last_fetch(self.other.remote, name)}/{name}"] = branch.tip
        held = {ref: oid for ref, oid in here.branches.items() if ref.startswith(folder)}
        updates = [
            RefUpdate(ref, oid, held.get(ref, NO_OID)) for ref, oid in keep.items() if held.get(ref) != oid
        ]
        updates += [RefUpdate(ref, NO_OID, oid) for ref, oid in held.items() if ref not in keep]
        if updates:
            refs.transaction(git, updates, "devs: seen by sync")
