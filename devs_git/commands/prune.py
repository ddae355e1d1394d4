"""`prune`: delete what is older than the policy keeps it. These are recovery points, so it shows its plan and asks.

All refs go with the event, so either all of them are deleted or none: those of moments, which are in a store of their own,
are locked before the others go. The rows of the catalog go in one transaction, which ends after the event. What an undo within its time needs stays, and so does what a person has changed or checked
out. The objects of moments are deleted at once; git deletes the others later, when it collects garbage.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from devs_git.domain.checkpoints import retention
from devs_git.domain.checkpoints.retention import Kept, Outdated
from devs_git.domain.ledger.event_upkeep import Pruned
from devs_git.domain.ledger.events import Draft
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, stale_plan
from devs_git.operations.recall import open_catalog
from devs_git.operations.upkeep import outdated
from devs_git.storage.catalog import fulltext, prune_sessions, prune_traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import written_files
from devs_git.storage.git import newest_objects, refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import prune_moments
from devs_git.storage.worktree import backups
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`plan_id`: only the plan that was shown, else PLAN_STALE."""

    dry_run: bool = False
    plan_id: str = ""


@immutable
class Kind:
    """What of one kind was deleted, or would be: `count` things that are older than `keep` seconds, and their `names`.

    `kept`: old things that stay, each with the reason.
    """

    kind: str
    keep: int
    count: int
    names: tuple[str, ...]
    kept: tuple[Kept, ...]


@immutable
class Result(VerbResult):
    """Every kind with what went of it. `event` is '' if nothing was old enough."""

    kinds: tuple[Kind, ...]
    plan_id: str
    dry_run: bool
    event: str
    blocked_by: tuple[dict[str, Any], ...] = ()

    @property
    def needs_question(self) -> bool:
        """Not if nothing would be deleted."""
        return any(kind.count for kind in self.kinds)


def run(workspace: Workspace, request: Request) -> Result:
    """Delete it and record that. PLAN_STALE; CONFLICT if a ref moves meanwhile, and then nothing was deleted."""
    workspace.ledger.require()
    if request.dry_run:
        return _result(outdated.look(workspace), dry_run=True)
    with open_catalog.open_or_empty(workspace) as catalog:
        with fulltext.write_transaction(catalog) if catalog.is_kept else nullcontext():
            found = outdated.find(workspace, catalog)
            done = _result(found, dry_run=False)
            if request.plan_id and request.plan_id != done.plan_id:
                raise stale_plan("What is old enough has changed since the plan was made.")
            if any(kind.count for kind in found):
                done = replace(done, event=_delete(workspace, catalog, found))
        if any(kind.rows for kind in found):
            prune_traces.give_back(catalog)
    return done


def _result(found: Sequence[Outdated], *, dry_run: bool) -> Result:
    kinds = tuple(Kind(one.kind, one.seconds, one.count, one.names, one.kept) for one in found)
    return Result(kinds, retention.plan_id(found), dry_run, event="")


def _delete(workspace: Workspace, catalog: Catalog, found: Sequence[Outdated]) -> str:
    """Delete rows, refs and files; the oid of the event. It is written inside the catalog's transaction."""
    prune_moments.forget_last(workspace.store_git, tuple(one for kind in found for one in kind.updates))
    rows = {kind.kind: kind.rows for kind in found if kind.rows}
    prune_sessions.delete(catalog, rows.get("conversations", ()))
    prune_sessions.delete_snapshots(catalog, rows.get("conversation snapshots", ()))
    prune_traces.delete_all(catalog, rows.get("traces", ()))
    written_files.forget(catalog, rows.get("written sessions", ()))
    event = _record(workspace, found)
    if any(kind.kind == "moments" and kind.count for kind in found):
        prune_moments.free_space(workspace.store_git)
    newest_objects.forget(workspace.places.common, _unreached(workspace, found), backups.FOLDER)
    for kind in found:
        for file in kind.files:
            Path(file).unlink(missing_ok=True)
    return event


def _record(workspace: Workspace, found: Sequence[Outdated]) -> str:
    amounts = tuple(kind.amount for kind in found if kind.count)
    # The days of moments are a recording of this machine alone, so the event only counts them.
    named = (one for kind in found if kind.kind != "moments" for one in kind.updates)
    event = workspace.event_of(
        Pruned(amounts, tuple((one.ref, one.old) for one in named)),
        f"prune: {', '.join(amounts)}",
        verb_name="prune",
    )
    updates = [one for kind in found for one in kind.updates]
    updates += [
        prune_moments.reduction(workspace.objects, *facts) for kind in found for facts in kind.reduced
    ]
    try:
        with prune_moments.apart(workspace.store_git, updates) as others:
            return workspace.append(lambda _tip: Draft(event, updates=others)).oid
    except (refs.RefMoved, refs.RefLocked) as error:
        raise DevsError(
            "CONFLICT",
            "Another process moved or deleted a ref at this moment. Nothing was deleted.",
            hint="Run the command again.",
        ) from error


def _unreached(workspace: Workspace, found: Sequence[Outdated]) -> set[str]:
    """The objects that only the deleted backups had: their second names would bring them back at the next undo."""
    script = "".join(f"{one.old}\n" for kind in found if kind.kind == "backups" for one in kind.updates)
    words = ("rev-list", "--objects", "--no-object-names", "--stdin", "--not", "--all")
    try:
        out = workspace.store_git.run(*words, stdin=script.encode()) if script else b""
    except GitFailed:  # an object of a backup is missing; all is deleted by now
        return set()
    return set(out.decode().split())
