"""A restore from a commit: a new commit with its files. Local changes in the way refuse it; `restore_over` saves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from devs_git.domain.ledger.event_operations import Movement, Restored
from devs_git.domain.ledger.events import Event
from devs_git.errors import DevsError
from devs_git.operations.gates import check_tas_lock
from devs_git.operations.rewind import commit_on_head, restored_tree
from devs_git.operations.rewind.commit_on_head import NewCommit
from devs_git.operations.rewind.preserve import NOT_PRESERVED
from devs_git.operations.rewind.return_to_state import ChangeResult
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.survey import Survey
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class RestoreJob:
    """`trees`: that of HEAD, and that of the new commit. `paths`: what the person named, () for all. `target`: the name of what comes back.

    `folder`: the folder of the journal. `way`: how local changes in the way are saved (None refuses), and the branch's name.
    """

    op_id: str
    folder: Path
    found: Survey
    trees: tuple[str, str]
    paths: tuple[str, ...]
    target: str
    way: tuple[str | None, str | None] = (None, None)

    @property
    def tree(self) -> str:
        return self.trees[1]

    @property
    def subject(self) -> str:
        return f"restore: {self.target}{f' (paths named: {len(self.paths)})' if self.paths else ''}"

    @property
    def message(self) -> str:
        return f"Restore files of {self.target}"

    def maker_of_event(self, workspace: Workspace) -> Callable[[Movement], Event]:
        """What makes the event from the movement of the branch."""
        return lambda moved: workspace.event_of(
            Restored(self.target, moved), self.subject, verb_name="restore"
        )


def look(site: Site, tip: Tip, source: str, paths: Sequence[str]) -> tuple[Survey, tuple[str, str]]:
    """The survey, and the trees of HEAD and of the new commit, which are found while git looks at the files.

    TAS_UNAPPROVED; PLAN_STALE if HEAD moves meanwhile.
    """
    head = survey.head_of(site.git).commit
    with survey.begin(site.git, site.top) as finish:
        trees = restored_tree.write(site, head, source, paths) if head else ("", "")
        if head:
            check_tas_lock.check_tree(site.git, tip, head, trees[1])
        found = finish()
    survey.require_movable(site.places, found)
    if found.head != head:
        raise survey.moved_meanwhile()
    return found, trees


def make(workspace: Workspace, site: Site, job: RestoreJob) -> tuple[str, ChangeResult]:
    """HEAD afterwards, and what was changed; its `op_id` is '' if nothing had to change. The caller holds the worktree's lock.

    GIT_RESET_FAILED if local changes are in the way.
    """
    head = job.found.head
    if job.tree == job.trees[0]:
        return head, ChangeResult()
    new = NewCommit(
        op_id=job.op_id,
        verb="restore",
        subject=job.subject,
        folder=job.folder,
        found=job.found,
        tree=job.tree,
        message=job.message,
        active=active_task.read(site.places),
        make_event=job.maker_of_event(workspace),
    )
    try:
        done = commit_on_head.commit(workspace, site, new)
    except DevsError as error:
        from devs_git.operations.rewind import refusals  # most restores are not refused

        raise refusals.offer_preserve(error) from error
    moved = done.moved
    return done.commit, ChangeResult(job.op_id, NOT_PRESERVED, moved.files, moved.not_exact, moved.edited)
