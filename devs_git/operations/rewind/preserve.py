"""How the previous state is preserved when a tree moves: as a branch, as a stash entry, or only in the backup."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.errors import immovable
from devs_git.storage.git import branches, refs
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import commit
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable

STASH = "refs/stash"


@immutable
class Preserved:
    """Where the previous state is: `type` is branch, stash or discard, or none if nothing was changed."""

    type: str
    reference: str
    updates: tuple[RefUpdate, ...] = ()

    @property
    def trailer(self) -> str:
        """`<ref> <oid>` of the branch or stash entry; '' if only the backup has the state."""
        return f"{self.updates[0].ref} {self.updates[0].new}" if self.updates else ""


NOT_PRESERVED: Final = Preserved("none", "")


def branch_name(op_id: str, name: str | None) -> str:
    return f"refs/heads/{name}" if name else f"refs/heads/devs/preserved/{op_id}"


def require_free(site: Site, mode: str, name: str | None) -> None:
    """INVALID_BRANCH if git cannot make the branch that a person named."""
    if mode == "branch" and name:
        branches.require_free(site.git, name)


def keep(site: Site, state: State, op_id: str, mode: str, name: str | None) -> Preserved:
    """Write the objects that preserve `state`, and return the ref update that names them; no ref moves yet."""
    sign = site.ledger.signature()
    if mode == "branch":
        ref = branch_name(op_id, name)
        require_free(site, mode, name)
        tip = state.head
        if not tip or state.worktree != site.objects.read(tip, "commit")[5:45].decode():
            tip = commit(
                site.objects,
                state.worktree,
                [tip] if tip else [],
                sign,
                f"Uncommitted work before devs-git {op_id}\n\n{TrailerKey.LEDGER}: {site.ledger.tip().oid}",
            )
        return Preserved("branch", ref.removeprefix("refs/heads/"), (RefUpdate(ref, tip, NO_OID),))
    if mode == "stash":
        if not state.head:
            raise immovable(
                "no_commit",
                "git makes no stash entry before the first commit.",
                hint="Keep a branch: --preserve branch",
            )
        tree = site.objects.read(state.head, "commit")[5:45].decode()
        if state.worktree == state.index == tree:
            # There is nothing to stash, and git makes no empty entry, either. The backup has the state.
            return NOT_PRESERVED
        on = state.branch.removeprefix("refs/heads/") or "(no branch)"
        staged = commit(
            site.objects, state.index, [state.head], sign, f"index on {on}: before devs-git {op_id}"
        )
        tip = commit(
            site.objects, state.worktree, [state.head, staged], sign, f"On {on}: before devs-git {op_id}"
        )
        old = refs.read(site.git, STASH) or NO_OID
        return Preserved("stash", "stash@{0}", (RefUpdate(STASH, tip, old),))
    return Preserved("discard", f"refs/devs/backup/{op_id}")
