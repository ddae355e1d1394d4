"""`purge`: remove a secret from everything that devs-git stores. This deletes recovery points, so it shows its plan and asks.

Backups, snapshots, preserved branches and checkpoints that reach the secret are deleted whole, because without the file
they would show a state that never was. Traces are deleted, too. A message keeps its place and says that it was purged.
What only people can remove (from their branches, tags, stashes, worktrees and remotes) is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from devs_git.domain.ledger.event_upkeep import Purged
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate, one_line
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.moments.moment import STATES
from devs_git.domain.recall.purge_terms import SHORTEST, DroppedRef, Remainder, plan_id
from devs_git.domain.text import limits
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid, stale_plan
from devs_git.operations.purge import archived, directives, own_files, refs_and_objects
from devs_git.operations.purge.refs_and_objects import Secret, SecretPlaces
from devs_git.storage.catalog import fulltext, purge_rows
from devs_git.storage.catalog.database import NAME, Catalog
from devs_git.storage.git import bounded, newest_objects, refs
from devs_git.storage.git.places import worktrees
from devs_git.storage.git.remotes import remote_repository
from devs_git.storage.ledger import own_operations, rewritten_commits, store
from devs_git.storage.moments import prune_moments, store_packing
from devs_git.storage.worktree import backups
from devs_git.values import field, immutable, replace
from devs_git.workspace import Workspace

FINISH = "git reflog expire --expire=now --all && git gc --prune=now"


@immutable
class Request(VerbRequest):
    """`path`: a file or folder in all its versions, relative to `folder` or to the root. `text`: a text, wherever it is.
    `event`: the oid of an event, or how it begins; its checkpoints that are removed elsewhere, or lost, are removed here.

    At least one of these. `plan_id`: only the plan that was shown, else PLAN_STALE.
    """

    path: str = ""
    text: str = ""
    folder: str = ""
    dry_run: bool = False
    plan_id: str = ""
    event: str = ""

    def __post_init__(self) -> None:
        """INVALID_ARGUMENTS{path, text, event}."""
        if not (self.path or self.text or self.event):
            raise invalid("path", "Name what to purge: a path, --text TEXT, or --from EVENT.")
        if self.text and len(self.text) < SHORTEST:
            raise invalid("text", f"A text to purge has at least {SHORTEST} characters.")
        if "\0" in self.path:
            raise invalid("path", "A path has no NUL character.")
        if self.event and not re.fullmatch("[0-9a-f]{7,40}", self.event):
            raise invalid("event", "Give at least the first seven digits of the event's oid.")


@immutable
class Result(VerbResult):
    """What was deleted, or would be: refs, how many traces and messages, and files of devs-git.

    `lost`: checkpoints that this clone does not have, and that no clone will ask for again. `left`: what only people can
    remove. `finish`: the command that deletes the objects. `event` is '' if nothing was found.
    """

    dropped: tuple[DroppedRef, ...]
    traces: int
    messages: int
    files: tuple[str, ...]
    lost: tuple[str, ...]
    left: tuple[Remainder, ...]
    finish: str
    plan_id: str
    dry_run: bool
    event: str
    blocked_by: tuple[dict[str, Any], ...] = ()


@immutable
class _Plan:
    """All that was found."""

    objects: SecretPlaces
    hits: purge_rows.Hits
    files: tuple[Path, ...]
    left: tuple[Remainder, ...] = field(default_factory=tuple)
    lost: tuple[Checkpoint, ...] = ()

    @property
    def parts(self) -> Iterator[str]:
        yield from (f"{one.ref} {one.oid}" for one in self.objects.dropped)
        yield from (f"trace {one}" for one in self.hits.traces)
        yield from (f"message {one}" for one in self.hits.messages)
        yield from (f"memory {os.fsdecode(one)}" for one in self.hits.memories)
        yield from (f"file {one}" for one in self.files)
        yield from (f"lost {one.tag}" for one in self.lost)


def run(workspace: Workspace, request: Request) -> Result:
    """Delete it, record that, and write a new catalog. PLAN_STALE, BUSY while an operation runs or somebody reads the catalog,
    CONFLICT if a ref moves meanwhile or an archive has it, HISTORY_REWRITTEN if `history-rewritten` can still move one of the checkpoints.
    """
    points = workspace.ledger.require().history.checkpoints.values()
    rewritten_commits.require_followed(workspace.git, workspace.places.common, *points)
    _refuse_under_way(workspace)
    if request.dry_run:
        with Catalog.look(workspace.places.shared) as catalog:
            return _result(_plan(workspace, request, catalog), dry_run=True)
    if not (workspace.places.shared / NAME).exists():
        return _without_catalog(workspace, request)
    with Catalog.open(workspace.places.shared, progress=workspace.progress) as catalog:
        purge_rows.overwrite_deleted(catalog)
        plan = _plan(workspace, request, catalog)
        _require_same(request, plan)
        done = _result(plan, dry_run=False)
        if any(plan.parts):
            with fulltext.write_transaction(catalog):
                purge_rows.take_out(catalog, plan.hits, plan.objects.forms)
                done = replace(done, event=_record(workspace, request, plan))
        _remove(workspace, plan)
        if purge_rows.is_unfinished(catalog):
            purge_rows.write_anew(catalog, workspace.progress)
    return done


def _without_catalog(workspace: Workspace, request: Request) -> Result:
    with Catalog.look(workspace.places.shared) as catalog:
        plan = _plan(workspace, request, catalog)
    _require_same(request, plan)
    event = _record(workspace, request, plan) if any(plan.parts) else ""
    _remove(workspace, plan)
    return replace(_result(plan, dry_run=False), event=event)


def _remove(workspace: Workspace, plan: _Plan) -> None:
    """Delete files of devs-git that contain it, second names of its objects, and objects that no moment has any more."""
    own_files.remove(plan.files)
    oids = {*plan.objects.oids, *(one.oid for one in plan.objects.dropped)}
    prune_moments.forget_all(workspace.places.common, [one.ref for one in plan.objects.dropped])
    store_packing.pack(workspace.store_git, workspace.places.common, grace=0.0)
    for folder in (newest_objects.FOLDER, backups.FOLDER):
        newest_objects.forget(workspace.places.common, oids, folder)


def _refuse_under_way(workspace: Workspace) -> None:
    """BUSY during an operation, which could restore the secret."""
    for path in workspace.places.journals.glob("*.json"):
        raise DevsError(
            "BUSY",
            "A devs-git command is running in a worktree of this repository, or it was interrupted there.",
            hint="Wait until it ends. If it was interrupted, run there: devs-git status",
            journal=path.stem,
        )


def _require_same(request: Request, plan: _Plan) -> None:
    if request.plan_id and request.plan_id != plan_id(plan.parts):
        raise stale_plan("The places that contain it have changed since the plan was made.")


def _plan(workspace: Workspace, request: Request, catalog: Catalog) -> _Plan:
    """What would be deleted now; reads only."""
    followed, lost = _checkpoints_of_event(workspace, request)
    if not (request.path or request.text):
        return _Plan(SecretPlaces(followed, (), (), frozenset()), purge_rows.Hits(), (), lost=lost)
    path = _path(workspace, request)
    texts = (request.text.encode("utf-8", "surrogateescape"),) if request.text else ()
    git, common = workspace.store_git, workspace.places.common
    own = own_operations.select_own(git, workspace.ledger.tip().history.operations)
    left_by_us = frozenset(tuple(event.preserved.split()) for each in own for event in each)
    secret = Secret(path, tuple(_on_disk(workspace, path)), texts, left_by_us)
    objects = refs_and_objects.find_secret(git, common, secret, workspace.progress)
    archived.refuse_whole(objects.dropped)
    objects = replace(objects, dropped=tuple(dict.fromkeys((*objects.dropped, *followed))))
    hits = purge_rows.look(catalog, objects.forms, workspace.progress)
    every = (workspace.places, *worktrees(git, common))
    files, left = own_files.find_files(every, objects.forms)
    written, theirs = own_files.find_sessions(catalog, objects.forms)
    left += directives.find(workspace, objects.forms)
    left += [*own_files.find_on_disk(every, path), *own_files.find_in_git_messages(every, objects.forms)]
    return _Plan(objects, hits, (*files, *written), (*objects.left, *left, *theirs), lost)


def _checkpoints_of_event(
    workspace: Workspace, request: Request
) -> tuple[tuple[DroppedRef, ...], tuple[Checkpoint, ...]]:
    """Of the checkpoints that the event names: refs of those that were removed elsewhere or whose commits differ from what it
    records, and those that this clone does not have. INVALID_ARGUMENTS{event} if there is none.
    """
    if not request.event:
        return (), ()
    points, git = workspace.ledger.tip().history.checkpoints, workspace.store_git
    held = remote_repository.list_devs_refs(git)
    own = [point for point in points.values() if point.event.startswith(request.event) and not point.gone]
    odd = {
        point.tag
        for point in rewritten_commits.strays(
            own, rewritten_commits.trees(git, (p.commit for p in own)), held
        )
    }
    odd |= {tag for tag, point in points.items() if point.gone.startswith(request.event)}
    dropped = tuple(DroppedRef(ref, oid, "checkpoint") for ref, oid in held.items() if oid in odd)
    lost = tuple(point for point in own if not workspace.objects.exists(point.tag))
    archived.refuse_tags(git, held, odd.union(point.tag for point in lost))
    if not (dropped or lost):
        text = (
            "No event with this oid names a checkpoint that was removed elsewhere, or that is missing here."
        )
        raise invalid("event", text, hint="See which events do: devs-git sync, devs-git verify tags")
    return dropped, lost


def _on_disk(workspace: Workspace, path: str) -> Iterator[bytes]:
    """The file as it is in this worktree, which git may not know."""
    there = workspace.top / path
    if path and there.is_file() and there.stat().st_size <= limits.FILE.most:
        yield bounded.read_file(there, limits.FILE, "path")


def _path(workspace: Workspace, request: Request) -> str:
    """The path relative to the root; INVALID_ARGUMENTS{path} outside of the worktree."""
    if not request.path:
        return ""
    top = os.path.realpath(workspace.top)
    whole = os.path.normpath(os.path.join(os.path.realpath(request.folder or top), request.path))  # noqa: PTH118
    inside = os.path.relpath(whole, top)
    if inside in (".", "..") or inside.startswith("../"):
        raise invalid("path", "The path is not inside this worktree.")
    return inside


def _record(workspace: Workspace, request: Request, plan: _Plan) -> str:
    """Delete the refs and write the event, in one transaction; the event's oid."""
    hits, dropped = plan.hits, plan.objects.dropped
    counts = {
        "refs": len(dropped),
        "traces": len(hits.traces),
        "messages": len(hits.messages),
        "files": len(plan.files),
        "checkpoints": len(plan.lost),
    }
    amounts = tuple(
        f"{count} {what if count > 1 else what.removesuffix('s')}" for what, count in counts.items() if count
    )
    sought = one_line(request.path) if request.path and not request.text else "a text"
    if not (request.path or request.text):
        sought = "the checkpoints of an event"
    backups, purged_backup = [one for one in dropped if one.kind == "backup"], own_operations.purged_backup
    left = {one.ref: purged_backup(workspace.objects, one.oid, plan.objects.forms) for one in backups}
    days = [(one.ref, one.oid) for one in dropped if one.ref.startswith(STATES)]
    left |= prune_moments.without(workspace.objects, days, plan.objects.moments)
    tags = [*(one.oid for one in dropped if one.kind == "checkpoint"), *(one.tag for one in plan.lost)]

    def build(tip: store.Tip) -> Draft:
        refs_and_oids = tuple((one.ref, one.oid) for one in dropped)
        content = Purged(sought, amounts, refs_and_oids, tuple(_removals(tip, tags)))
        subject = f"purge: {', '.join(amounts) or 'notes on transcripts'}"
        event = workspace.event_of(content, subject, verb_name="purge")
        return Draft(event, updates=others)

    updates = tuple(RefUpdate(one.ref, left.get(one.ref, NO_OID), one.oid) for one in dropped)
    try:
        with prune_moments.apart(workspace.store_git, updates) as others:
            return workspace.append(build).oid
    except (refs.RefMoved, refs.RefLocked) as error:
        text = "Another process moved or deleted a ref at this moment. Nothing was purged."
        raise DevsError("CONFLICT", text, hint="Run the command again.") from error


def _removals(tip: store.Tip, tags: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Checkpoints that no clone will fetch again, each with whether it stops being live: a replaced one was not live."""
    for tag in dict.fromkeys(tags):
        point = tip.history.checkpoints.get(tag)
        if point and not point.gone:
            yield tag, not point.replaced


def _result(plan: _Plan, *, dry_run: bool) -> Result:
    return Result(
        dropped=plan.objects.dropped,
        traces=len(plan.hits.traces),
        messages=len(plan.hits.messages),
        files=tuple(str(path) for path in plan.files),
        lost=tuple(point.name for point in plan.lost),
        left=plan.left,
        finish=FINISH,
        plan_id=plan_id(plan.parts),
        dry_run=dry_run,
        event="",
    )
