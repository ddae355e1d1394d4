"""`doctor`: check everything that `init` installed and that the verbs need; name the command that fixes each problem."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.gates import gate_model
from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import unrecorded_commits
from devs_git.operations.recall import spool
from devs_git.operations.setup import adopt_ledger, not_initialized, suitability
from devs_git.operations.upkeep import expiring_sessions, waiting
from devs_git.storage.catalog import health
from devs_git.storage.git import exclude_file, failures, locks, parent_command
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.hooks import client_trust, hook_presence, hook_probe, installation
from devs_git.storage.ledger import (
    ambiguous_refs,
    broken_refs,
    devs_folder,
    integrity,
    known_tips,
    policy_file,
    rewritten_commits,
)
from devs_git.storage.ledger.index import NAME
from devs_git.storage.moments import gaps, remote_copies
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

OLDEST_GIT: Final = (2, 36)
_INIT: Final = "devs-git init"
_DOCTOR: Final = "devs-git doctor"


@immutable
class Request(VerbRequest):
    """`finish` or `take_back`: what to do with an interrupted operation that recovery may not change by itself."""

    finish: bool = False
    take_back: bool = False

    def __post_init__(self) -> None:
        if self.finish and self.take_back:
            raise invalid("finish", "--finish and --take-back exclude each other.", hint="Use one of them.")


@immutable
class Result:
    """`ok`: no finding is an error. `decided`: what `finish` or `take_back` did, one line for each operation. `notes`: what is
    not wrong, but good to know.
    """

    ok: bool
    findings: tuple[Finding, ...]
    decided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """All findings. After `finish` or `take_back` (CONFLICT, BUSY) it reads only."""
    decided = _decide(workspace, forward=request.finish) if request.finish or request.take_back else ()
    found = tuple(_as_far_as_git_reads(_findings(workspace)))
    ok = all(finding.severity != "error" for finding in found)
    return Result(ok, found, decided, tuple(_notes(workspace)) if ok else ())


def _notes(workspace: Workspace) -> Iterator[str]:
    if workspace.ledger.tip().oid and not workspace.policy.approvers:
        yield gate_model.NO_APPROVER
    yield from hook_presence.notes(workspace.places)
    yield from waiting.notes(workspace)
    yield from expiring_sessions.notes(workspace)


def _decide(workspace: Workspace, *, forward: bool) -> tuple[str, ...]:
    """Carry out `finish` or `take_back`. This writes files, so git may start filters that the repository names."""
    from devs_git.operations.rewind import finish_interrupted
    from devs_git.storage.worktree import move_tree

    with (
        move_tree.translate_failures("GIT_RESET_FAILED"),
        move_tree.worktree_lock(replace(workspace, offline=False).site, recovering=False) as site,
    ):
        return tuple(
            finish_interrupted.carry_out_decision(site, opened, forward=forward)
            for opened in finish_interrupted.interrupted_moves(site.places)
        )


def _as_far_as_git_reads(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings. If git cannot read an object, the last finding has git's message."""
    try:
        yield from findings
    except GitFailed as error:
        if error.status < 0:
            raise
        refusal = failures.damage_refusal(error)
        yield Finding("UNREADABLE", "error", refusal.message, refusal.hint)


def _findings(workspace: Workspace) -> Iterator[Finding]:
    yield from _git_version(workspace.git)
    if workspace.places.top is None and installation.has_server_hooks(workspace.places, workspace.git):
        yield from installation.status(workspace.places, workspace.git, server=True)
        yield from ambiguous_refs.findings(workspace.store_git, workspace.places.common)
        return
    try:
        suitability.check(workspace.places, workspace.git, workspace.store_git)
    except DevsError as error:
        yield _of(error)
        return
    yield from broken_refs.findings(workspace.places.common, workspace.objects, workspace.clock().timestamp())
    if workspace.head:
        workspace.git.run("ls-tree", "HEAD", "--")  # GitFailed if git cannot read it
    yield from _identity(workspace.git)
    yield from _journal(workspace)
    yield from unrecorded_commits.findings(workspace.places)
    yield from health.findings(workspace.places.shared)
    sound, in_ci = True, hook_presence.is_clone_of_ci(workspace.places)
    workspace.progress("checking the ledger and the hooks", 0, 0)
    for finding in _ledger(workspace):
        sound = sound and finding.severity != "error"
        yield finding
    if workspace.ledger.tip().oid:
        yield from () if in_ci else _hooks(workspace, sound=sound)
        yield from client_trust.findings(workspace.places, workspace.places.top)
        yield from spool.findings(workspace.places)
        yield from remote_copies.findings(workspace.git, workspace.places.shared)
        yield from gaps.findings(workspace.places, workspace.clock())
        yield from _view(workspace) if sound and not in_ci else ()


def _hooks(workspace: Workspace, *, sound: bool) -> Iterator[Finding]:
    """What is wrong with the hooks. They are not run if the ledger is not sound, because then they refuse for that reason."""
    found = installation.status(workspace.places, workspace.git)
    yield from found or (hook_probe.findings(workspace.places, workspace.git) if sound else ())


def _of(error: DevsError) -> Finding:
    return Finding(error.code, "error", error.message, error.hint)


def _git_version(git: Git) -> Iterator[Finding]:
    match = re.search(r"(\d+)\.(\d+)", git.text("version"))
    if not match or (int(match[1]), int(match[2])) < OLDEST_GIT:
        found = match[0] if match else "of an unknown version"
        yield Finding(
            "GIT_TOO_OLD", "error", f"git is {found}; devs-git needs 2.36.", "Install git 2.36 or newer"
        )


def _identity(git: Git) -> Iterator[Finding]:
    try:
        git.with_config("user.useConfigOnly=true").run("var", "GIT_COMMITTER_IDENT")
    except GitFailed:
        text = "git has no user name or mail address, so events and checkpoints get the name of this machine."
        # A client may set this to /dev/null, which git would replace by a file.
        config = "git config" if "GIT_CONFIG_GLOBAL" in os.environ else "git config --global"
        fix = f"{config} user.name '<name>' && {config} user.email '<mail>'"
        yield Finding("IDENTITY_MISSING", "warning", text, fix)


def _journal(workspace: Workspace) -> Iterator[Finding]:
    from devs_git.storage.worktree import journal

    places, calling = workspace.places, parent_command.operation(workspace.places)
    for path in sorted(places.journals.glob("*.json")):
        if path.stem == calling:
            continue
        data = journal.read(path)
        what = "was interrupted and is neither finished nor taken back"
        fix = f"{_DOCTOR} --finish, or {_DOCTOR} --take-back"
        if not ids.is_operation(path.stem):
            text = f"The file {path.name!r} is in the folder of journals, but it is not a journal."
            yield Finding(
                "JOURNAL_OPEN", "error", text, 'ls "$(git rev-parse --git-common-dir)/devs/journal"'
            )
            continue
        if data["kind"] == "unreadable":
            what, fix = (
                "has a journal that cannot be read",
                f"git show refs/devs/backup/{path.stem}, then remove the journal",
            )
        elif journal.is_worktree_gone(places, data):
            what, fix = (
                f"was interrupted in the worktree {data['worktree']!r}, which is gone",
                f"{_DOCTOR} --take-back",
            )
        elif data["worktree"] != places.worktree_id:
            if _at_work(places, data["worktree"]):
                continue
            what, fix = f"was interrupted in the worktree {data['worktree']!r}", "devs-git status, run there"
        yield Finding("JOURNAL_OPEN", "error", f"The operation {path.stem} {what}.", fix)


def _at_work(places: Places, worktree: str) -> bool:
    """Whether a command is running in another worktree: then its journal is no problem."""
    git_dir = places.common if worktree == "." else places.common / "worktrees" / worktree
    lock = replace(places, git_dir=git_dir).lock
    return lock.exists() and locks.owner_alive(lock)


def _ledger(workspace: Workspace) -> Iterator[Finding]:
    git, named, readable = workspace.store_git, "", True
    try:
        named = policy_file.genesis(policy_file.read(workspace.top, workspace.git))
    except DevsError as error:
        yield _of(error)
        readable = False
    yield from policy_file.uncommitted_findings(workspace.top, workspace.git)
    if not workspace.ledger.tip().oid:
        yield _no_ledger(workspace, named)
        return
    yield from ambiguous_refs.findings(git, workspace.places.common)
    if broken := tuple(integrity.findings(git)):
        yield from broken
        return
    here = workspace.git.text("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)) == LEDGER
    if here:
        text = "The branch of the ledger is checked out here. Each event moves it, and the working tree does not follow."
        yield Finding("LEDGER_CHECKED_OUT", "warning", text, "git switch <your branch>")
    roots = adopt_ledger.roots(git)
    if len(roots) != 1 or (named and named != roots[0]):
        yield _of(adopt_ledger.ledger_fork(roots, named))
    known = known_tips.tips(git, workspace.places.common)
    yield from _index(workspace)
    if other := tuple(_rewritten(workspace)):  # until this is repaired, other missing objects mean nothing
        yield from other
        return
    yield from known_tips.findings(git, workspace.objects, known, workspace.ledger.tip().oid)
    if bare := not_initialized.policy_findings(git, LEDGER):
        yield from bare
        return
    try:
        _ = workspace.policy
    except DevsError as error:
        yield Finding(
            error.code, "error", f"The policy in force is damaged: {error.message}", f"git log {LEDGER}"
        )
    untracked = (readable and not named) or not workspace.git.run("ls-files", "-z", "--", PROPOSED)
    if untracked and not here:  # the ledger's branch has no such file, and nobody should commit one there
        text = f"{PROPOSED} is not committed, so a clone cannot find the ledger."
        yield Finding("POLICY_UNTRACKED", "warning", text, f"{_INIT} && git add {PROPOSED} && git commit")


def _index(workspace: Workspace) -> Iterator[Finding]:
    if (workspace.places.common / NAME).exists():
        from devs_git.storage.ledger.index import index_check  # it needs SQLite

        yield from index_check.findings(workspace.ledger.tip())


def _rewritten(workspace: Workspace) -> Iterator[Finding]:
    ledger = workspace.ledger
    try:
        points = ledger.tip().history.checkpoints.values()
    except DevsError as error:
        yield _of(error)
        return
    judged = ledger.checked_tip
    if judged and not workspace.objects.exists(judged):
        yield _of(rewritten_commits.ledger_rewritten(judged))
    else:
        yield from rewritten_commits.findings(
            workspace.store_git, points, workspace.git, workspace.places.common
        )


def _no_ledger(workspace: Workspace, named: str) -> Finding:
    known = known_tips.newest(workspace.store_git, workspace.objects, workspace.places.common, named)
    if known:
        return known_tips.ledger_gone(known, workspace.places.common)
    if named:
        return Finding("LEDGER_MISSING", "error", f"The ledger that begins with {named} is not here.", _INIT)
    return not_initialized.finding()


def _view(workspace: Workspace) -> Iterator[Finding]:
    places = workspace.places
    if not exclude_file.is_present(places):
        text = "info/exclude does not contain .devs/, so devs-git does not write the view."
        yield Finding("EXCLUDE_MISSING", "warning", text, _INIT)
    elif devs_folder.is_foreign(places):
        text = "The path .devs has a file or folder that devs-git did not make."
        yield Finding("VIEW_BLOCKED", "warning", text, f"mv .devs <other> && {_INIT}")
    elif devs_folder.lacks_note(places):
        text = "The state of the view .devs/ is unknown: its note in the git directory is gone."
        yield Finding("VIEW_STALE", "warning", text, _INIT)
    elif devs_folder.is_stale(places, workspace.ledger):
        yield Finding("VIEW_STALE", "warning", "Files of the view .devs/ were changed or deleted.", _INIT)
