"""Stores a moment behind its refs, in one transaction."""

from __future__ import annotations

import json
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.moments.moment import (
    COMMITS,
    Details,
    commit_ref,
    day_of,
    entry_of,
    path_of,
    states_ref,
)
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.objects import FILE, TREE, Entry, Objects
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.moments import moment_store
from devs_git.storage.moments.captured_state import Captured, stage_entries
from devs_git.storage.moments.maker import KnownMoment, Maker
from devs_git.storage.worktree.backups import META
from devs_git.values import as_mapping, replace

_ATTEMPTS: Final = 20


def keep(maker: Maker, captured: Captured, details: Details, last: KnownMoment | None) -> str:
    """Store the moment, and return its id. BUSY if other processes move the same refs all the time; GitFailed.

    We wait for the disk as much as git does for an object that it writes: a loss of power may cost the newest moments.
    """
    _adopt(maker, captured, details, last)
    # Each object that we write here goes into the store of moments, even if the user's store has it.
    maker = replace(maker, objects=replace(maker.objects, durable=False, alternates=()))
    for _ in range(_ATTEMPTS):
        details, update, moment_id = _add(maker, captured, details)
        commits = _commits(maker, captured.state.head, details, last)
        try:
            if commits:
                refs.transaction(maker.store, commits, "devs: moment")
            refs.transaction(maker.moments, (update,), "devs: moment")
        except (refs.RefMoved, refs.RefLocked):
            for one in commits:
                moment_store.mend_ref(maker.places.common, one.ref)
            moment_store.mend_ref(moment_store.folder(maker.places.common), update.ref)
            continue
        return moment_id
    raise DevsError("BUSY", "Other processes change the moments of this worktree.", hint="Try it again.")


def _adopt(maker: Maker, captured: Captured, details: Details, last: KnownMoment | None) -> None:
    """Take into the store of moments what the moment does not share with HEAD's commit or with the moment before."""
    state, git = captured.state, maker.git
    same_head = last is not None and last.state.head == state.head
    if captured.stored and same_head and not (state.raw or details.ignored):
        return
    known = {last.state.index, last.state.worktree} if last and same_head else set()
    oids = moment_store.new_objects(git, state.head, {state.index, state.worktree} - known)
    oids |= moment_store.new_objects(git, "", {state.raw, details.ignored} - {""})
    oids |= {*captured.stages, state.index_raw} - {""}
    moment_store.adopt(git, maker.places.common, oids)


def is_kept(maker: Maker, details: Details) -> bool:
    """Whether the ref of a moment's day still exists."""
    return bool(_value(maker, states_ref(maker.places.worktree_id, day_of(details.created_at))))


def _value(maker: Maker, ref: str) -> str:
    """What a ref names; '' if there is none. git is started only for a packed ref."""
    return refs.loose(moment_store.folder(maker.places.common), ref) or refs.read(maker.moments, ref)


def _add(maker: Maker, captured: Captured, details: Details) -> tuple[Details, RefUpdate, str]:
    """Write the trees of the day with the moment in them. If its time has a moment already, it gets the next free one."""
    objects, ref = maker.objects, states_ref(maker.places.worktree_id, day_of(details.created_at))
    before = _value(maker, ref)
    hours = _entries(objects, before)
    hour, name = entry_of(details.created_at, details.occasion.kind)
    entries = _entries(objects, hours[hour].oid if hour in hours else "")
    if name in entries:
        return _add(maker, captured, replace(details, created_at=_later(details.created_at)))
    moment_id = _write(objects, captured, details)
    folder = objects.write_tree({**entries, name: Entry(TREE, moment_id)})
    day = objects.write_tree({**hours, hour: Entry(TREE, folder)})
    return details, RefUpdate(ref, day, before or NO_OID), moment_id


def _entries(objects: Objects, tree: str) -> dict[str, Entry]:
    """The entries of a tree of ours; none for '', or if the tree is gone: then what was in it is lost already."""
    try:
        return objects.read_tree(tree) if tree else {}
    except DevsError:
        return {}


def _later(created_at: str) -> str:
    """The time a millisecond later."""
    from datetime import datetime, timedelta

    return stamp(datetime.fromisoformat(created_at) + timedelta(milliseconds=1))


def _write(objects: Objects, captured: Captured, details: Details) -> str:
    """Write the moment's own tree."""
    state = captured.state
    entries = {"index": Entry(TREE, state.index), "worktree": Entry(TREE, state.worktree)}
    trees = {"raw": state.raw, "ignored": details.ignored}
    entries |= {name: Entry(TREE, oid) for name, oid in trees.items() if oid}
    if captured.stages:
        entries["stages"] = Entry(TREE, objects.write_tree(stage_entries(captured.stages)))
    if state.index_raw:
        entries["index.raw"] = Entry(FILE, state.index_raw)
        # The intent-to-add entries of the index name the empty blob.
        entries["empty"] = Entry(FILE, objects.write("blob", b""))
    record = {"state": as_mapping(state), "moment": details.record()}
    entries[META] = Entry(FILE, objects.write("blob", json.dumps(record, indent=1).encode()))
    return objects.write_tree(entries)


def _commits(maker: Maker, head: str, details: Details, last: KnownMoment | None) -> tuple[RefUpdate, ...]:
    """The refs that keep HEAD's commit, and the recorded branches and stash entries.

    If HEAD moved forward on the same day, the ref of the earlier commit is not needed any more.
    """
    git, worktree, day = maker.store, maker.places.worktree_id, day_of(details.created_at)
    before = last if last and day_of(last.details.created_at) == day else None
    wanted = _kept_commits(head, details)
    if before and wanted.keys() <= _kept_commits(before.state.head, before.details).keys():
        return ()
    held = set(refs.list_refs(git, f"{COMMITS}{path_of(worktree)}/{day}").values())
    new = [oid for oid in wanted if oid not in held]
    if len(wanted) > 1 and new:
        new = [oid for oid in _independent(git, [*new, *held]) if oid not in held]
    updates = [RefUpdate(commit_ref(worktree, day, oid), oid, NO_OID) for oid in new]
    earlier = before.state.head if before else ""
    if earlier in held and head in new and git.says("merge-base", "--is-ancestor", earlier, head):
        updates.append(RefUpdate(commit_ref(worktree, day, earlier), NO_OID, earlier))
    return tuple(updates)


def _kept_commits(head: str, details: Details) -> dict[str, None]:
    """HEAD's commit, and the recorded branches and stash entries, each once. No commit is kept before the first one."""
    return dict.fromkeys(oid for oid in (head, *details.branches.values(), *details.stashes) if oid)


def _independent(git: Git, oids: list[str]) -> list[str]:
    """Those of the commits that no other one reaches. All of them if git cannot tell, for example in a shallow clone."""
    try:
        return git.text("merge-base", "--independent", *oids).split()
    except GitFailed:
        return oids
