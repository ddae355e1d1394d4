"""The history for this clone: which rewound checkpoints are on its branches, or on the remotes' branches as last seen.

The remotes' branches are those of git's last fetch. If `sync` saw a rewound checkpoint on a branch that was not fetched
since, it stores that branch below SEEN.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import lines_of_work
from devs_git.values import TYPE_CHECKING, Final, immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.checkpoints.rewind_selection import Effect

TRACKED, SEEN = "refs/remotes/", "refs/devs/branches/"
_FILE: Final = "devs/clone"
_NEVER: Final = "0"


def clone_of(common: Path) -> str:
    """The id of this clone; '' if it has not rewound anything yet."""
    try:
        return (common / _FILE).read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return ""


def name_clone(common: Path, fresh: Callable[[], str]) -> str:
    """The id of this clone. If it has none, `fresh` makes one. The id only marks the events of this clone."""
    from devs_git.storage.git import locks
    from devs_git.storage.git.files import replace_file

    with locks.hold(common / "devs" / "ledger.lock", wait=30.0):
        if not clone_of(common):
            replace_file(common / _FILE, f"{fresh()}\n".encode(), durable=True)
    return clone_of(common)


def view_here(git: Git, common: Path, history: History) -> History:
    """The history for this clone. Its refs are only read if some checkpoint depends on them."""
    if any(point.gone for point in history.checkpoints.values()):
        from devs_git.domain.checkpoints.wanted_refs import FOLDERS

        history = clone_view.keep_held(
            history, set(refs.list_refs(git, *(folder.rstrip("/") for folder in FOLDERS)).values())
        )
    unsure = clone_view.points_in_doubt(history)
    return (
        clone_view.view_with(history, Standpoint.here(git, common).live_tags(unsure, history))
        if unsure
        else history
    )


@immutable
class Branch:
    """A branch by any name, and the oid of its tip."""

    name: str
    tip: str


@immutable
class Standpoint:
    """A clone and the branches that it knows, by their full names."""

    git: Git
    common: Path
    clone: str
    branches: Mapping[str, str]

    @classmethod
    def here(cls, git: Git, common: Path) -> Standpoint:
        return cls(git, common, clone_of(common), refs.list_refs(git, "refs/heads", TRACKED, SEEN))

    def live_tags(self, points: Iterable[Checkpoint], history: History) -> frozenset[str]:
        """The tags of those of `points` that are live for this clone."""
        named = {clone_view.name_in_events(name): oid for name, oid in self.branches.items()}
        found: set[str] = set()
        for (branch, drop), asked in clone_view.branches_to_ask(points, self.clone).items():
            oids = self.all_tips(history) if branch is None else [named[branch]] if branch in named else []
            oids = lines_of_work.tips_without(self.git, oids, drop) if drop else oids
            found |= lines_of_work.tags_reached(self.git, asked, oids)
        return frozenset(found)

    def live_changes(
        self, history: History, effect: Effect, moved: Mapping[str, str]
    ) -> tuple[tuple[Checkpoint, ...], tuple[Checkpoint, ...]]:
        """The checkpoints that become live, and those that stop being live, only because branches are `moved`.

        Without those of `effect`, which the event itself records. A task that was pulled after a rewind is live only because
        of its branch.
        """
        recorded = {point.tag for point in (*effect.undone, *effect.revived)}
        unsure = [point for point in clone_view.points_in_doubt(history) if point.tag not in recorded]
        if not unsure:
            return (), ()
        now = self.live_tags(unsure, history)
        then = replace(self, branches={**self.branches, **moved}).live_tags(unsure, history)
        return tuple(p for p in unsure if p.tag in then - now), tuple(
            p for p in unsure if p.tag in now - then
        )

    def all_tips(self, history: History) -> Iterator[str]:
        """The tips of all lines of work of this clone and of its remotes."""
        local = {name: oid for name, oid in self.branches.items() if name.startswith(lines_of_work.HEADS)}
        yield from lines_of_work.select_branches(history, local, self.git).values()
        yield from (head.oid for head in lines_of_work.heads(self.git, self.common, local))
        yield from (branch.tip for branch in self.remote_branches(history))

    def remote_branches(self, history: History) -> tuple[Branch, ...]:
        """The remotes' branches (`origin/main`) as this clone last saw them."""
        from devs_git.storage.git.remotes import remote_names

        known = remote_names.names(Places(self.common, self.common, None))
        found: list[Branch] = []
        for ref, oid in self.branches.items():
            folder = next((each for each in (TRACKED, SEEN) if ref.startswith(each)), "")
            remote, branch = remote_names.split(ref.removeprefix(folder), known) if folder else ("", "HEAD")
            if folder == SEEN:
                then, _, branch = branch.partition("/")
                branch = branch if self.last_fetch(remote, branch) == then else "HEAD"
            if branch != "HEAD" and lines_of_work.select_branches(
                history, {lines_of_work.HEADS + branch: oid}
            ):
                found.append(Branch(f"{remote}/{branch}", oid))
        return tuple(found)

    def last_fetch(self, remote: str, branch: str) -> str:
        """The short oid of a remote's branch at git's last fetch, which is part of the names of refs below SEEN.

        After a newer fetch the names differ, so what `sync` saw before no longer counts.
        """
        return self.branches.get(f"{TRACKED}{remote}/{branch}", _NEVER)[:12]

    def still_on(self, points: Collection[Checkpoint], history: History) -> dict[str, str]:
        """For each of `points` that is still on a remote's branch: its tag and the branch (`origin/main`)."""
        found: dict[str, str] = {}
        for drop in dict.fromkeys(point.drop for point in points):
            asked = [point for point in points if point.drop == drop]
            branches = self._branches_without(drop, self.remote_branches(history))
            there = lines_of_work.tags_reached(self.git, asked, [one.tip for one in branches])
            found |= {point.tag: self.holder(point, branches).name for point in asked if point.tag in there}
        return found

    def _branches_without(self, drop: tuple[str, str] | None, branches: Sequence[Branch]) -> Sequence[Branch]:
        """Those that do not have the commit of a drop; all for None."""
        if not drop:
            return branches
        tips = set(lines_of_work.tips_without(self.git, [one.tip for one in branches], drop))
        return [one for one in branches if one.tip in tips]

    def holder(self, point: Checkpoint, branches: Sequence[Branch]) -> Branch:
        """One of `branches` that has the point's commit; at least one must have it. The name of the rewound branch is preferred."""
        mine = clone_view.rewind_of(point, self.clone)
        name = (
            mine.branch.removeprefix(lines_of_work.HEADS)
            if mine
            else point.branch.removeprefix(lines_of_work.HEADS)
        )
        left = sorted(branches, key=lambda one: (not f"/{one.name}".endswith(f"/{name}"), one.name, one.tip))
        size = 1
        while len(left) > 1:
            has = lines_of_work.tags_reached(self.git, [point], [one.tip for one in left[:size]])
            left = left[:size] if has else left[size:]
            size = (len(left) + 1) // 2
        return left[0]
