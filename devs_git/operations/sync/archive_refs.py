"""What `sync` does with archives of checkpoints: which it takes over, pushes and deletes, and which refs they stand for.

An archive counts if the ledger names it and no event took it back. It gets a ref here, or at the remote, only if each of
its files was read without fault. Few repositories have archives; the others pay nothing for this module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.checkpoints.archives import Entry, archive_ref, oid_of
from devs_git.domain.checkpoints.wanted_refs import NUMBERED
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.storage.git.remotes.remote_repository import list_devs_refs
from devs_git.storage.ledger import clone_history
from devs_git.values import field, mutable
from devs_git.workspace import Workspace

# Refs that archives stand for, each with its tag.
Archived = frozenset[tuple[str, str]]


def in_refs(refs: Mapping[str, str]) -> list[str]:
    """The archives that these refs have. A ref that is not at the commit of its name is none."""
    return [oid for ref, oid in refs.items() if ref.startswith(ARCHIVES) and oid_of(ref) == oid]


@mutable
class Archives:
    """The archives of this clone and of one remote. `there`: the remote's refs below FOLDERS; their objects are here."""

    workspace: Workspace
    there: Mapping[str, str]
    _entries: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    _sound: dict[str, bool] = field(default_factory=dict)
    _back: dict[str, frozenset[str]] = field(default_factory=dict)

    def tags_here(self, held: Mapping[str, str]) -> frozenset[str]:
        """The tags that the archives among the refs `held` of this clone have: they need not be fetched."""
        return frozenset(one.tag for oid in in_refs(held) for one in self.entries(oid))

    def archived_here(self, history: History, held: Mapping[str, str]) -> Archived:
        """What the archives among the refs `held` of this clone stand for."""
        return self._stand_for(oid for oid in in_refs(held) if oid in history.archives)

    def updates_here(self, history: History) -> tuple[RefUpdate, ...]:
        """The updates of this clone's refs: archives that it lacks, and what events took back. It makes tag objects again."""
        git, held = self.workspace.ledger.git, self._held()
        mine = set(in_refs(held))
        new = [oid for oid in history.archives if archive_ref(oid) not in held and self._can_take(oid)]
        archived = self._stand_for([*new, *(oid for oid in mine if oid in history.archives)])
        ended = [oid for oid in (*mine, *in_refs(self.there)) if self._is_ended(history, oid)]
        view = clone_history.view_here(git, self.workspace.ledger.common, history)
        # What another clone purged stays here until a person purges it here.
        view = clone_view.keep_held(view, {e.tag for oid in ended if oid in mine for e in self.entries(oid)})
        # One that events still name may have a checkpoint under the number that it had before a merge.
        self._restore(view, held, [*ended, *new, *mine], archived)
        steps = wanted_refs.updates(view, held, self.workspace.objects.is_tag, archived)
        steps += tuple(RefUpdate(archive_ref(oid), oid, NO_OID) for oid in new)
        kept = _tags_after(held, steps, archived)
        return steps + tuple(
            RefUpdate(archive_ref(oid), NO_OID, oid)
            for oid in dict.fromkeys(ended)
            if oid in mine and self._may_end(view, oid, kept)
        )

    def to_push(self, history: History, held: Mapping[str, str]) -> tuple[tuple[RefUpdate, ...], Archived]:
        """The archives among the refs `held` of this clone that the remote lacks, and what the archives stand for that it has
        after these were pushed.
        """
        lacks = [oid for oid in in_refs(held) if oid in history.archives and oid not in self._there]
        new = [oid for oid in lacks if archive_ref(oid) not in self.there and self.is_sound(oid)]
        had = [oid for oid in self._there if oid in history.archives and self.is_sound(oid)]
        return tuple(RefUpdate(archive_ref(oid), oid, NO_OID) for oid in new), self._stand_for([*new, *had])

    def to_delete(
        self, history: History, steps: tuple[RefUpdate, ...], archived: Archived
    ) -> Iterator[RefUpdate]:
        """What to delete at the remote after the push of `steps`: refs that its archives stand for, and archives that events
        took back. A ref that this clone has stays.
        """
        if not archived and not self._there:
            return
        held, moved = self._held(), {step.ref for step in steps}
        view = self.workspace.ledger.tip().here
        want = wanted_refs.ledger_refs(view)
        for ref, tag in sorted(archived):
            if self.there.get(ref) == tag == want.get(ref) and ref not in held and ref not in moved:
                yield RefUpdate(ref, NO_OID, tag)
        kept = _tags_after(self.there, steps, archived)
        for oid in self._there:
            if self._is_ended(history, oid) and self._may_end(history, oid, kept):
                yield RefUpdate(archive_ref(oid), NO_OID, oid)

    def refs_left(self, history: History, held: Mapping[str, str]) -> Iterator[str]:
        """The refs of archives, there or among the refs `held` of this clone, that are not taken over, pushed or deleted: no event names them, or something is wrong."""
        for refs in (self.there, held):
            for ref, oid in refs.items():
                if ref.startswith(f"{ARCHIVES}/") and not self._is_right(history, ref, oid):
                    yield ref

    def entries(self, oid: str) -> tuple[Entry, ...]:
        """What an archive has."""
        if oid not in self._entries:
            from devs_git.storage.ledger.archived import archives

            self._entries[oid] = tuple(archives.entries(self.workspace.ledger.git, [oid]).values())
        return self._entries[oid]

    def is_sound(self, oid: str) -> bool:
        """Whether all of an archive is here, without fault."""
        if oid not in self._sound:
            from devs_git.storage.ledger.archived import archives

            found = archives.examine(self.workspace.ledger.git, oid)
            self._sound[oid] = not found.faults
            if not found.faults:
                self._entries[oid] = found.entries
        return self._sound[oid]

    @property
    def _there(self) -> list[str]:
        return in_refs(self.there)

    def _held(self) -> dict[str, str]:
        return list_devs_refs(self.workspace.ledger.git)

    def _can_take(self, oid: str) -> bool:
        return self.workspace.objects.exists(oid) and self.is_sound(oid)

    def _stand_for(self, oids: Iterable[str]) -> Archived:
        return frozenset((one.ref, one.tag) for oid in oids for one in self.entries(oid))

    def _is_right(self, history: History, ref: str, oid: str) -> bool:
        named = oid_of(ref) == oid and (oid in history.archives or self._is_ended(history, oid))
        return named and self.is_sound(oid)

    def _is_ended(self, history: History, oid: str) -> bool:
        """Whether an event took the archive back."""
        if oid in history.archives:
            return False
        if history.tip not in self._back:
            from devs_git.domain.audit import checkpoint_archives

            events = self.workspace.ledger.events(history.tip)
            self._back[history.tip] = checkpoint_archives.taken_back(events)
        return oid in self._back[history.tip]

    def _restore(
        self, view: History, held: Mapping[str, str], oids: Collection[str], archived: Archived
    ) -> None:
        """Make the tag objects again that get refs, from the archives `oids`."""
        from devs_git.storage.ledger.archived import archives

        have = {one.tag for oid in oids for one in self.entries(oid)}
        wanted = [
            (ref, tag)
            for ref, tag in wanted_refs.ledger_refs(view).items()
            if tag in have and ref not in held and (ref, tag) not in archived
        ]
        if wanted:
            archives.restore_tags(self.workspace.ledger.git, oids, wanted)

    def _may_end(self, history: History, oid: str, kept: frozenset[str]) -> bool:
        """Whether the archive may go: each of its checkpoints is among the tags `kept`."""
        known = history.checkpoints
        return self.is_sound(oid) and all(
            one.tag in kept or one.tag not in known or bool(known[one.tag].gone) for one in self.entries(oid)
        )


def _tags_after(refs: Mapping[str, str], steps: Iterable[RefUpdate], archived: Archived) -> frozenset[str]:
    """The tags that numbered refs or archives have after `steps`."""
    after = {**refs, **{step.ref: step.new for step in steps}}
    both = (*after.items(), *archived)
    return frozenset(tag for ref, tag in both if ref.startswith(NUMBERED) and tag != NO_OID)
