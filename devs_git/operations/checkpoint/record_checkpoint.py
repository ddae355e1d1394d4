"""Record a checkpoint: tag object, event and refs, in one transaction with the ledger.

Every checkpoint is made by `record`: those of the verbs, which commit first, and those of the post-commit hook. The hook
has little time, so this module imports only what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from devs_git.domain.checkpoints.checkpoint_trailers import Facts, Wanted, content_of_event, name, tag_object
from devs_git.domain.checkpoints.task_states import require_live, require_running
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.history import Checkpoint, checkpoint_of
from devs_git.domain.ledger.ids import ARCHIVES, checkpoint_ref, completed_tag
from devs_git.errors import DevsError
from devs_git.operations.recall import worktree_note
from devs_git.storage.git import ref_files, refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Tip
from devs_git.values import Final, replace
from devs_git.workspace import Workspace

_STAT: Final = re.compile(r"(\d+) (file|insertion|deletion)")


def record(workspace: Workspace, wanted: Wanted) -> Checkpoint:
    """The recorded checkpoint; the refusals of `checkpoint_trailers`, and BUSY or CONFLICT. Then nothing is written."""
    # A new ref cannot show that an archive has its number.
    taken = _archived_numbers(workspace.store_git, wanted.work.task)
    said = worktree_note.read(workspace.places, wanted.work.task)
    if said:
        wanted = replace(wanted, conversation=said.prefix, point=said.point)

    def build(tip: Tip) -> Draft:
        return _draft(workspace, wanted, tip, taken)

    for _attempt in range(3):
        try:
            return checkpoint_of(workspace.append(build))
        except refs.RefMoved:
            # There is a ref with this number that the ledger does not know, such as from a mirror of another clone.
            taken = taken_numbers(workspace, wanted.work.task)
    raise DevsError("BUSY", "Other processes are moving checkpoint refs.", hint="Run the command again.")


def _draft(workspace: Workspace, wanted: Wanted, tip: Tip, taken: set[int]) -> Draft:
    task = wanted.work.task
    standing = tip.standing_of_task(task)
    (require_live if wanted.completed else require_running)(task, standing.status)
    wanted = replace(wanted, forked_from=standing.forked_from)
    number = max([standing.next_number - 1, *taken]) + 1
    tag = workspace.objects.write("tag", tag_object(wanted, number, tip.oid, workspace.signature()))
    updates = [RefUpdate(checkpoint_ref(task, number), tag, NO_OID)]
    if wanted.completed:
        updates.append(RefUpdate(completed_tag(task), tag, visible_tag(workspace, tip, task)))
    verb_word = "complete" if wanted.completed else "checkpoint"
    event = workspace.event_of(
        content_of_event(wanted, number, tag),
        f"{verb_word}: {name(wanted, number)}: {wanted.headline}",
        verb_name=wanted.verb,
    )
    return Draft(event, (), tuple(updates))


def visible_tag(workspace: Workspace, tip: Tip, task: str) -> str:
    """The current value of the visible tag; CONFLICT if it is not a checkpoint of the ledger."""
    held = refs.read(workspace.store_git, completed_tag(task))
    if held and not _is_known(tip, task, held):
        raise DevsError(
            "CONFLICT",
            f"There is a tag devs/{task} that this ledger does not know.",
            hint=f"If it comes from another clone, run: devs-git sync. If nobody needs it, delete it: git tag -d devs/{task}",
            task_id=task,
        )
    return held or NO_OID


def _is_known(tip: Tip, task: str, tag: str) -> bool:
    from devs_git.storage.ledger import task_files  # a hook sets no visible tag

    return tag in task_files.history_of(tip, task).checkpoints or tag in tip.history.checkpoints


def taken_numbers(workspace: Workspace, task: str) -> set[int]:
    """The numbers of the task that refs and archives have."""
    names = refs.list_refs(workspace.store_git, _folder(task))
    return _numbers(names, task) | _archived_numbers(workspace.store_git, task)


def _folder(task: str) -> str:
    return checkpoint_ref(task, 0).removesuffix("0")


def _numbers(names: Iterable[str], task: str) -> set[int]:
    ends = (ref.removeprefix(_folder(task)) for ref in names)
    return {int(end) for end in ends if end.isdigit()}


def _archived_numbers(git: Git, task: str) -> set[int]:
    """The numbers of the task that only an archive has, such as one from a mirror of another clone."""
    if not ref_files.has_below(git, ARCHIVES):
        return set()
    # Few repositories have an archive.
    from devs_git.storage.ledger.archived import archived_points

    return _numbers((ref for ref, _ in archived_points.here(git, {task})), task)


def commit_facts(git: Git, commit: str, branch: str = "") -> Facts:
    """Figures and names of `commit` (any revision), from one git that starts no program of the configuration.

    A renamed file counts once, as in `diff`.
    """
    out = git.run(
        "diff-tree",
        "-M",
        "--root",
        "--diff-merges=first-parent",
        "--no-ext-diff",
        "--no-textconv",
        "--encoding=UTF-8",
        "--format=%H%x00%T%x00%P%x00%s%x00",
        "--always",
        "--shortstat",
        "--end-of-options",
        commit,
    )
    oid, tree, parents, subject, stat = out.decode("utf-8", "replace").split("\0", 4)
    counts = {word: int(number) for number, word in _STAT.findall(stat)}
    return Facts(
        commit=oid.strip(),
        tree=tree,
        subject=subject,
        branch=branch,
        parents=tuple(parents.split()),
        files=counts.get("file", 0),
        added=counts.get("insertion", 0),
        removed=counts.get("deletion", 0),
    )
