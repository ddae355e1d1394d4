"""What a person keeps in sight when a tree moves away under them: a branch, a stash entry, or the backup alone."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git import branches, refs
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import commit
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable

STASH = "refs/stash"


@immutable
class Kept:
    """Where the state before can be found: type branch, stash or discard, and its reference."""

    type: str
    reference: str
    updates: tuple[RefUpdate, ...] = ()

    @property
    def trailer(self) -> str:
        """`<ref> <oid>` of what was left, '' where only the backup keeps it."""
        return f"{self.updates[0].ref} {self.updates[0].new}" if self.updates else ""


def branch_name(op_id: str, name: str | None) -> str:
    return f"refs/heads/{name}" if name else f"refs/heads/devs/preserved/{op_id}"


def require_free(site: Site, mode: str, name: str | None) -> None:
    """INVALID_BRANCH where the branch that a person named cannot be made."""
    if mode == "branch" and name:
        branches.require_free(site.git, name)


def keep(site: Site, state: State, op_id: str, mode: str, name: str | None) -> Kept:
    """Build what `mode` leaves of `state` and the ref update for it; nothing is moved yet."""
    sign = site.signature()
    if mode == "branch":
        ref = branch_name(op_id, name)
        require_free(site, mode, name)
        tip = state.head
        if state.worktree != site.objects.read(state.head, "commit")[5:45].decode():
            tip = commit(
                site.objects,
                state.worktree,
                [state.head],
                sign,
                f"Uncommitted work before devs-git {op_id}\n\n{TrailerKey.LEDGER}: {site.ledger.tip().oid}",
            )
        return Kept("branch", ref.removeprefix("refs/heads/"), (RefUpdate(ref, tip, NO_OID),))
    if mode == "stash":
        on = state.branch.removeprefix("refs/heads/") or "(no branch)"
        staged = commit(
            site.objects, state.index, [state.head], sign, f"index on {on}: before devs-git {op_id}"
        )
        tip = commit(
            site.objects, state.worktree, [state.head, staged], sign, f"On {on}: before devs-git {op_id}"
        )
        old = refs.read(site.git, STASH) or NO_OID
        return Kept("stash", "stash@{0}", (RefUpdate(STASH, tip, old),))
    return Kept("discard", f"refs/devs/backup/{op_id}")
