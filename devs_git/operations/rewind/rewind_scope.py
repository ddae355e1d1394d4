"""What a rewind reads of the ledger and of the refs: of a large ledger only the tasks that it may concern."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import parse_target
from devs_git.storage.git import refs
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree.engine_site import Site
from devs_git.values import immutable


@immutable
class Scope:
    """`history` has the tasks that the rewind may concern: all, or those at `commits`. `branches`: the local ones with their oids.

    `held`: the refs of checkpoints, by which one sees that a program rewrote the history; empty if it is known that none did.
    """

    tip: Tip
    history: History
    branches: Mapping[str, str]
    held: Mapping[str, str]
    commits: frozenset[str] | None = None

    def for_commits(self, site: Site, commits: Collection[str]) -> Scope:
        """The same; the whole ledger is read if HEAD moved meanwhile, so that other `commits` are passed."""
        return (
            self if self.commits is None or self.commits >= set(commits) else whole(self.tip, every_ref(site))
        )


@contextmanager
def begin(site: Site, target: str) -> Iterator[Callable[[], Scope]]:
    """git lists refs while the body does something else. Yields the function that reads the ledger. NOT_INITIALIZED.

    The function raises NO_CHECKPOINT.
    """
    tip = site.ledger.require()
    if not listing.has_index(tip):
        with refs.list_refs_alongside(site.git, lines_of_work.HEADS, lines_of_work.FOLDER) as listed:
            yield lambda: whole(tip, listed())
        return
    from devs_git.operations.rewind import tasks_passed  # a small ledger is read whole

    def read() -> Scope:
        branches = refs.list_refs(site.git, lines_of_work.HEADS)
        found = tasks_passed.history(site, tip, parse_target(target), branches)
        return Scope(tip, found[0], branches, {}, found[1]) if found else whole(tip, every_ref(site))

    yield read


def every_ref(site: Site) -> dict[str, str]:
    return refs.list_refs(site.git, lines_of_work.HEADS, lines_of_work.FOLDER)


def whole(tip: Tip, held: Mapping[str, str]) -> Scope:
    """The scope with all tasks."""
    branches = {name: oid for name, oid in held.items() if name.startswith(lines_of_work.HEADS)}
    return Scope(tip, tip.here, branches, held)
