"""Stores a moment behind its refs, in one transaction."""

from __future__ import annotations

import json
from pathlib import Path

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.moments.moment import (
    TIPS,
    Details,
    day_of,
    entry_of,
    path_of,
    states_ref,
    tip_ref,
)
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.objects import FILE, TREE, Entry, Objects
from devs_git.storage.git.places import Places
from devs_git.storage.moments import moment_store
from devs_git.storage.moments.captured_state import Captured, stage_entries
from devs_git.storage.moments.maker import KnownMoment, Maker
from devs_git.storage.worktree.backups import META
from devs_git.values import Final, as_mapping, replace

_ATTEMPTS: Final = 20
# Branches and stash entries of which each may have a ref.
_FEW: Final = 50


def keep(maker: Maker, captured: Captured, details: Details, last: KnownMoment | None) -> str:
    """Store the moment, and return its id. BUSY if other processes move the same refs all the time; GitFailed.

    We wait for the disk as much as git does for an object that it writes: a loss of power may cost the newest moments.
    """
    _adopt(maker, captured, details, last)
    tips, straight = _tips(maker, captured.state.head, details, last)
    # Each object that we write here goes into the store of moments, even if the user's store has it.
    maker = replace(maker, objects=replace(maker.objects, durable=False, alternates=()))
    for _ in range(_ATTEMPTS):
        details, update, moment_id = _add(maker, captured, details)
        try:
            if tips:
                refs.transaction(maker.moments, (update, *tips), "devs: moment")
            else:
                draft, common = maker.folder / "ref", maker.places.common
                moment_store.move_ref(maker.store, common, draft, update, durable=maker.seen is None)
        except (refs.RefMoved, refs.RefLocked):
            for one in (update, *tips):
                moment_store.mend_ref(moment_store.folder(maker.places.common), one.ref)
            continue
        if not straight:
            from devs_git.storage.moments import kept_commits

            kept_commits.settle_soon(maker.store, maker.places.common)
        return moment_id
    raise DevsError("BUSY", "Other processes change the moments of this worktree.", hint="Try it again.")


def sync(places: Places, created_at: str) -> None:
    """Wait until the moments of a worktree and day are on disk, after a moment for which somebody waited."""
    moment_store.sync_ref(places.common, states_ref(places.worktree_id, day_of(created_at)))


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


def _tips(
    maker: Maker, head: str, details: Details, last: KnownMoment | None
) -> tuple[tuple[RefUpdate, ...], bool]:
    """Keep HEAD's commit, and the recorded branches and stash entries; the refs of the day that say so.

    If HEAD moved forward on the same day, the ref of the earlier commit is not needed any more. The second value is false
    on a new day, or if HEAD moved in another way: then our refs may show a commit that is on no branch any more.
    """
    worktree, day, common = maker.places.worktree_id, day_of(details.created_at), maker.places.common
    wanted, known = _kept_commits(head, details), _kept_commits(last.state.head, last.details) if last else {}
    same_day = bool(last and day_of(last.details.created_at) == day)
    new = [oid for oid in wanted if oid not in known]
    earlier, store = last.state.head if last and same_day else "", moment_store.folder(common)
    # A moment before a prompt records no branches. So the call after it asks for the refs of the day.
    if same_day and (
        not new or (head == earlier and all(_has_tip(store, worktree, day, oid) for oid in new))
    ):
        return (), True
    # Mostly no commit is new.
    from devs_git.storage.moments import kept_commits

    of_day = f"{TIPS}{path_of(worktree)}/{day}"
    held = set(refs.list_refs(maker.moments, of_day).values()) if len(wanted) > 1 else set()
    new = [oid for oid in new if oid not in held]
    found = kept_commits.keep(maker.git, maker.store, common, new, {*known, *held}) if new else None
    tips = [oid for oid in (new if same_day else wanted) if oid not in held]
    if len(tips) > _FEW:
        tips = kept_commits.independent(maker.git, tips)
    updates = [RefUpdate(tip_ref(worktree, day, oid), oid, "") for oid in tips]
    if found and earlier in found.parents:
        before = tip_ref(worktree, day, earlier)
        if refs.loose(store, before) == earlier:
            updates.append(RefUpdate(before, NO_OID, earlier))
    straight = same_day and (head == earlier or bool(found and earlier in found.parents))
    return tuple(updates), straight


def _has_tip(store: Path, worktree: str, day: str, oid: str) -> bool:
    """Whether a ref of the day keeps this commit. A packed one is not looked for: to ask git takes longer."""
    return refs.loose(store, tip_ref(worktree, day, oid)) == oid


def _kept_commits(head: str, details: Details) -> dict[str, None]:
    """HEAD's commit, and the recorded branches and stash entries, each once. No commit is kept before the first one."""
    return dict.fromkeys(oid for oid in (head, *details.branches.values(), *details.stashes) if oid)
