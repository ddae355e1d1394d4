"""Land an approved TAS: one commit on the branch that the request named, together with the decision or not at all.

If a worktree has that branch checked out, its file and index follow in a journalled move. Otherwise the reference
transaction of the decision moves the branch.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from typing import Final, Protocol

from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.ledger.event_gates import Landing
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import Draft, Event, RefUpdate
from devs_git.domain.text.plain_text import cut
from devs_git.errors import DevsError, immovable
from devs_git.operations.rewind.commit_on_head import Operation, save_before
from devs_git.storage.documents import tas_file
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import (
    active_task,
    capture,
    carry_changes,
    journal,
    move_tree,
    survey,
)
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.move_tree import Move
from devs_git.storage.worktree.survey import Head, Survey
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

# What `move_tree` refuses with. `gate approve` answers CONFLICT instead, because its user moved nothing.
REFUSAL: Final = "GIT_RESET_FAILED"
_REBASES: Final = ("rebase-merge/head-name", "rebase-apply/head-name")


class Build(Protocol):
    """Makes the decision's draft against a tip; `landing` is what its event says of the commit, if there is one."""

    def __call__(self, tip: Tip, landing: Landing | None = None) -> Draft: ...


def _ref(gate: Gate) -> str:
    return f"refs/heads/{gate.text('branch')}"


def stale_request(gate: Gate) -> DevsError:
    return DevsError(
        "STALE_REQUEST",
        f"{gate.text('tas_path')} on {gate.text('branch')} has changed since this request.",
        hint=f"Reject it and ask again: devs-git gate reject {gate.gate_id} --reason stale",
        gate_id=gate.gate_id,
    )


@contextlib.contextmanager
def _as_conflict(gate: Gate) -> Iterator[None]:
    """Turn a refusal to move the tree into CONFLICT, with the `paths` in the way or else the path of the TAS."""
    try:
        yield
    except DevsError as error:
        if error.code != REFUSAL:
            raise
        details = {"paths": [gate.text("tas_path")], **error.details}
        raise DevsError("CONFLICT", error.message, hint=error.hint, **details) from error


def require_current(workspace: Workspace, gate: Gate) -> None:
    """STALE_REQUEST if the branch or its TAS has changed since the request; CONFLICT{paths} if the text cannot land."""
    with _as_conflict(gate):
        _require_current(workspace, gate)


def _require_current(workspace: Workspace, gate: Gate) -> None:
    head = refs.read(workspace.store_git, _ref(gate))
    if has_proposed_text(workspace.store_git, gate, head):
        return
    _require_same(workspace.store_git, gate, head)
    there = _worktree(workspace, gate)
    if there:
        site = workspace.site_of(there)
        found = survey.take(site.git, site.top)
        survey.require_movable(there, found)
        _require_clean(site, gate)


def has_proposed_text(git: Git, gate: Gate, head: str) -> bool:
    """Whether the branch already has the proposed text: a decision that landed it may have lost its effect since."""
    return bool(head) and tas_file.blob(git, head, gate.text("tas_path")) == gate.request.get("tas_after")


def _require_same(git: Git, gate: Gate, head: str) -> None:
    mode, oid = tas_file.entry(git, head, gate.text("tas_path"))
    if not head or (mode and mode not in tas_file.REGULAR) or (oid or None) != gate.request.get("tas_before"):
        raise stale_request(gate)
    if other := tas_file.blocking_folder(git, head, gate.text("tas_path")):
        raise immovable(
            "no_folder",
            f"{other} is not a folder on {gate.text('branch')}, so {gate.text('tas_path')} cannot be there.",
            hint="Name another path in the policy: tas.path",
            paths=[other],
        )


def _require_clean(site: Site, gate: Gate) -> None:
    out = site.git.run("status", "--porcelain", "-z", "--no-renames", "--", gate.text("tas_path"))
    if out:
        raise immovable(
            "dirty",
            f"{gate.text('tas_path')} has uncommitted changes in the worktree of {gate.text('branch')}.",
            hint=f"Stash them there: git stash push -- {shlex.quote(gate.text('tas_path'))}",
            paths=[gate.text("tas_path")],
        )


def _worktree(workspace: Workspace, gate: Gate) -> Places | None:
    """The worktree that has the branch checked out; CONFLICT if one is rebasing it."""
    for places in worktrees(workspace.store_git, workspace.places.common):
        for name in _REBASES:
            file = places.git_dir / name
            if file.is_file() and file.read_text(errors="replace").strip() == _ref(gate):
                raise DevsError(
                    "CONFLICT",
                    f"{gate.text('branch')} is being rebased.",
                    hint="Finish or abort the rebase first.",
                    paths=[gate.text("tas_path")],
                )
        if places.top and survey.head_of(workspace.site_of(places).git).branch == _ref(gate):
            return places
    return None


@immutable
class _Landing:
    workspace: Workspace
    gate: Gate
    verb: str
    build: Build

    def commit(self, head: str) -> tuple[str, str]:
        """Write the commit on top of `head` with the approved text. Returns the oids of commit and tree; no ref names them yet."""
        workspace, gate = self.workspace, self.gate
        _require_same(workspace.store_git, gate, head)
        before = workspace.store_git.text("rev-parse", "--verify", f"{head}^{{tree}}")
        data = (gate.proposed_text or "").encode()
        tree = workspace.objects.edit_tree(before, ((gate.text("tas_path"), data),))
        words = [f"TAS: revise {cut(', '.join(gate.sections))}"]
        changes = gate.request["proposed_changes"]
        words.append(str(changes["rationale"]).strip())
        words.append(f"Gate-Id: {gate.gate_id}\n{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}")
        return capture.commit(
            workspace.objects, tree, [head], workspace.signature(), "\n\n".join(words)
        ), tree


@immutable
class LandResult:
    """The event of the decision, and the commit and its branch; '' for both if the branch already had the text."""

    event: Event
    commit: str = ""
    branch: str = ""


def land(workspace: Workspace, gate: Gate, verb: str, build: Build) -> LandResult:
    """Write decision and commit in one transaction. STALE_REQUEST, CONFLICT{paths}."""
    with _as_conflict(gate):
        return _land(workspace, gate, verb, build)


def _land(workspace: Workspace, gate: Gate, verb: str, build: Build) -> LandResult:
    work = _Landing(workspace, gate, verb, build)
    head = refs.read(workspace.store_git, _ref(gate))
    if has_proposed_text(workspace.store_git, gate, head):
        return LandResult(workspace.append(build))
    there = _worktree(workspace, gate)
    return _in_worktree(work, workspace.site_of(there)) if there else _on_branch(work)


def _on_branch(work: _Landing) -> LandResult:
    workspace, ref = work.workspace, _ref(work.gate)
    head = refs.read(workspace.store_git, ref)
    commit, _ = work.commit(head)

    def draft(tip: Tip) -> Draft:
        made = work.build(tip, Landing(ref, head, commit))
        return replace(made, updates=(*made.updates, RefUpdate(ref, commit, head)))

    try:
        return LandResult(workspace.append(draft), commit, work.gate.text("branch"))
    except refs.RefMoved as error:
        raise stale_request(work.gate) from error


def _in_worktree(work: _Landing, site: Site) -> LandResult:
    with move_tree.translate_failures(REFUSAL), move_tree.worktree_lock(site) as held:
        found = survey.take(held.git, held.top)
        survey.require_movable(held.places, found)
        if found.branch != _ref(work.gate):
            raise stale_request(work.gate)
        _require_clean(held, work.gate)
        op_id = work.workspace.new_id("land", work.gate.gate_id)
        with journal.remove_leftovers_on_failure(held.places, op_id):
            folder = journal.make_folder(held.places, op_id)
            subject = f"{work.verb}: {work.gate.gate_id}"
            own = Operation(op_id, folder, subject, active_task.read(held.places))
            return _move(work, held, found, own)


def _move(work: _Landing, site: Site, found: Survey, own: Operation) -> LandResult:
    commit, tree = work.commit(found.head)
    head = Head(found.head, found.branch)
    with carry_changes.prepare(site, own.folder, head, tree, REFUSAL) as carried:
        # Without the movement, because `undo` does not undo this operation.
        backup = save_before(site, own, found, carried)
        landing = Landing(found.branch, found.head, commit, own.op_id, backup)
        move = Move(
            op_id=own.op_id,
            verb=work.verb,
            subject=own.subject,
            old=carry_changes.at_position(carried.old, found.head, found.branch, own.active),
            new=carry_changes.at_position(carried.new, commit, found.branch, own.active),
            trees=carried.trees,
            known=carried.known,
            build=lambda tip: work.build(tip, landing),
            updates=(RefUpdate(found.branch, commit, found.head),),
            backup=backup,
        )
        return LandResult(move_tree.execute(site, move).event, commit, work.gate.text("branch"))
