"""Move old checkpoints from refs of their own into an archive, and back.

A ref is deleted only after the event names the archive, its ref keeps it, and each of its files was read again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from devs_git.domain.audit import checkpoint_archives
from devs_git.domain.checkpoints import archives as archives_of_refs
from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.checkpoints.archives import Entry, archive_ref
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.event_upkeep import CheckpointsArchived, CheckpointsUnarchived
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.git import object_graph, refs
from devs_git.storage.git.remotes.remote_repository import list_devs_refs
from devs_git.storage.ledger.archived import archives
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Plan:
    """`wanted`: the refs that archives will have instead. `kept`: what archives have now, that events name and that have no
    fault: refs, each with its tag.
    """

    wanted: tuple[Entry, ...]
    kept: frozenset[tuple[str, str]]

    @property
    def new(self) -> tuple[Entry, ...]:
        """What no archive has yet."""
        return tuple(one for one in self.wanted if (one.ref, one.tag) not in self.kept)


def make_plan(workspace: Workspace, before: str, *, with_tags: bool) -> Plan:
    """What to archive of the tasks that were completed before the time `before`; reads only."""
    git, tip = workspace.store_git, workspace.ledger.tip()
    wanted = archives_of_refs.choose(tip.here, list_devs_refs(git), before, with_tags=with_tags)
    # One that no event names is not at the remote, and another clone would not take it.
    named = [oid for oid in archives.oids(git) if oid in tip.history.archives]
    return Plan(wanted, checkpoint_archives.stand_for(archives.examine(git, oid) for oid in named))


def carry_out(workspace: Workspace, plan: Plan) -> tuple[str, tuple[Entry, ...]]:
    """Write the archive and its event, then delete the refs. Returns the oid of the archive, '' if no new one was needed, and
    the refs that were deleted.

    CONFLICT if another process moves a ref meanwhile: then every checkpoint still has its ref, and maybe also its archive.
    """
    made, kept = "", plan.kept
    if plan.new:
        made = _write(workspace, plan.new)
        workspace.progress("reading the archive again", 0, 0)
        # Before it had a ref, git may have deleted a part of it.
        kept |= checkpoint_archives.stand_for([archives.examine(workspace.store_git, made)])
    gone = tuple(one for one in plan.wanted if (one.ref, one.tag) in kept)
    workspace.progress("deleting the refs", 0, 0)
    try:
        updates = [RefUpdate(one.ref, NO_OID, one.tag) for one in gone]
        refs.transaction(workspace.store_git, updates, "devs: archive")
    except (refs.RefMoved, refs.RefLocked) as error:
        raise _conflict() from error
    return made, gone


def _write(workspace: Workspace, new: Sequence[Entry]) -> str:
    workspace.progress(f"writing {len(new)} refs into an archive", 0, 0)
    subject = f"archive: {len(new)} refs of old tasks"
    git = workspace.store_git
    missing = {one.tag for one in new} - object_graph.find_existing(git, [one.tag for one in new])
    made = (
        archives.write(git, workspace.objects, new, (workspace.signature(), subject)) if not missing else ""
    )
    wrong = archives.examine(git, made).faults if made else tuple(f"tag {oid} is missing" for oid in missing)
    if wrong:
        text = f"No archive was made, because it would not be whole: {wrong[0]}."
        raise DevsError("CONFLICT", text, hint="Look for damage: devs-git doctor, git fsck")
    event = workspace.event_of(CheckpointsArchived(made), subject, verb_name="archive")
    update = RefUpdate(archive_ref(made), made, NO_OID)
    try:
        workspace.append(lambda _tip: Draft(event, updates=(update,)))
    except (refs.RefMoved, refs.RefLocked) as error:
        # Another process wrote the same archive in the same second.
        raise _conflict() from error
    return made


def plan_return(workspace: Workspace) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    """The archives of this repository or of its ledger, and the refs to make again; reads only."""
    git, history = workspace.store_git, workspace.ledger.tip().here
    found = archives.oids(git)
    # What another clone purged stays here until a person purges it here.
    history = clone_view.keep_held(history, {tag for _, tag in archives.entries(git, found)})
    every = tuple(dict.fromkeys((*found, *history.archives)))
    return every, to_return(workspace, wanted_refs.ledger_refs(history), found)


def to_return(workspace: Workspace, wanted: dict[str, str], found: Collection[str]) -> tuple[Entry, ...]:
    """The refs that are `wanted` and not here, of the checkpoints that the archives `found` have, under any number."""
    held = list_devs_refs(workspace.store_git)
    have = {entry.tag: entry.commit for entry in archives.entries(workspace.store_git, found).values()}
    return tuple(Entry(ref, tag, have[tag]) for ref, tag in wanted.items() if tag in have and ref not in held)


def take_back(workspace: Workspace, found: Sequence[str], entries: Sequence[Entry]) -> str:
    """Make the refs of `entries` again and delete the archives `found`, in one transaction; the oid of the event.

    If a tag or commit of `entries` is nowhere, no archive is deleted: one may keep what is left of the checkpoint.
    CONFLICT if another process moves a ref meanwhile: then nothing has changed.
    """
    workspace.progress(f"making {len(entries)} refs again", 0, 0)
    git = workspace.store_git
    here = [oid for oid in archives.oids(git) if oid in found]
    archives.restore_tags(git, here, ((one.ref, one.tag) for one in entries))
    there = object_graph.find_existing(git, {oid for one in entries for oid in (one.tag, one.commit)})
    made = [RefUpdate(one.ref, one.tag, NO_OID) for one in entries if {one.tag, one.commit} <= there]
    gone = [RefUpdate(archive_ref(oid), NO_OID, oid) for oid in here] if len(made) == len(entries) else []
    event = workspace.event_of(
        CheckpointsUnarchived(tuple(found)), f"archive: take back {len(found)}", verb_name="archive"
    )
    try:
        return workspace.append(lambda _tip: Draft(event, updates=(*made, *gone))).oid
    except (refs.RefMoved, refs.RefLocked) as error:
        raise _conflict() from error


def take_back_rewritten(workspace: Workspace) -> str:
    """Delete the archives that a program rewrote, after their checkpoints got refs again; the oid of the event, '' for none.

    A program that rewrites a history makes another commit of an archive, whose ref then has a wrong name. A checkpoint whose own
    commit was rewritten gets no ref here.
    """
    git = workspace.store_git
    moved = archives.moved_refs(git)
    if not moved:
        return ""
    have = archives.entries(git, moved.values())
    archives.restore_tags(git, moved.values(), have)
    history = clone_view.keep_held(workspace.ledger.tip().here, {tag for _, tag in have})
    wanted = to_return(workspace, wanted_refs.ledger_refs(history), moved.values())
    there = object_graph.find_existing(git, {oid for one in wanted for oid in (one.tag, one.commit)})
    made = [RefUpdate(one.ref, one.tag, NO_OID) for one in wanted if {one.tag, one.commit} <= there]
    gone = [RefUpdate(ref, NO_OID, oid) for ref, oid in moved.items()]
    names = {archives_of_refs.oid_of(ref): None for ref in moved} | dict.fromkeys(moved.values())
    known = tuple(oid for oid in names if oid in history.archives)
    event = workspace.event_of(
        CheckpointsUnarchived(known),
        f"archive: take back {len(moved)} that was rewritten",
        verb_name="archive",
    )
    return workspace.append(lambda _tip: Draft(event, updates=(*made, *gone))).oid


def _conflict() -> DevsError:
    return DevsError(
        "CONFLICT",
        "Another process moved or deleted a ref at this moment. No checkpoint was lost.",
        hint="Run the command again.",
    )
