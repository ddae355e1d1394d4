"""The local branches and stash entries that a moment has recorded and that are gone, and branches that are elsewhere now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from devs_git.domain.moments.moment import Details
from devs_git.storage.git import refs
from devs_git.storage.ledger.lines_of_work import HEADS
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.ref_changes import RefChanges, is_free
from devs_git.values import immutable

# Branches of devs-git. Some are removed after a while, which is no loss.
_OURS: Final = "refs/heads/devs/"
# So many branches are compared.
_COMPARED: Final = 100


@immutable
class MovedBranch:
    """A branch that exists, and no longer has the commit of the moment. `command` moves it back; devs-git never does."""

    branch: str
    then: str
    now: str
    command: str


def find_lost(site: Site, details: Details, held: Mapping[str, str]) -> RefChanges:
    """The branches and stash entries to make again. `held`: all local branches of now."""
    names = [*held]
    made = {}
    for ref, oid in details.branches.items():
        if not ref.startswith(_OURS) and is_free(ref, names) and site.objects.exists(oid):
            made[ref] = oid
            names.append(ref)
    there = set(refs.stashes(site.ledger.git)) if details.stashes else set()
    gone = (oid for oid in details.stashes if oid not in there and site.objects.exists(oid))
    return RefChanges(made=made, stashed=tuple(gone), order=details.stashes)


def find_moved(site: Site, details: Details, held: Mapping[str, str], own: str) -> tuple[MovedBranch, ...]:
    """Branches other than `own` from which commits of the moment are gone, at most a hundred."""
    differing = [
        (ref, then, held[ref])
        for ref, then in details.branches.items()
        if ref != own and not ref.startswith(_OURS) and ref in held and held[ref] != then
    ]
    return tuple(_moved(site, differing[:_COMPARED]))


def _moved(site: Site, branches: Sequence[tuple[str, str, str]]) -> list[MovedBranch]:
    git = site.ledger.git
    found = []
    for ref, then, now in branches:
        if site.objects.exists(then) and not git.says("merge-base", "--is-ancestor", then, now):
            name = ref.removeprefix(HEADS)
            found.append(MovedBranch(name, then, now, f"git branch --force {name} {then[:12]}"))
    return found
