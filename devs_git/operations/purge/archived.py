"""What `purge` refuses because an archive of checkpoints has it: only a whole archive can be deleted.

With the archive, the checkpoints that do not have the secret would go, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.domain.recall.purge_terms import DroppedRef
from devs_git.errors import DevsError
from devs_git.operations.purge.refs_and_objects import ARCHIVE
from devs_git.storage.git.program import Git


def refuse_whole(dropped: Iterable[DroppedRef]) -> None:
    """CONFLICT if an archive is among the refs to delete."""
    if any(one.kind == ARCHIVE for one in dropped):
        raise _refusal("An archive of checkpoints contains it")


def refuse_tags(git: Git, held: Mapping[str, str], tags: Collection[str]) -> None:
    """CONFLICT if an archive has the checkpoint of one of these `tags`. `held`: the refs of checkpoints, by name."""
    if not tags or not any(ref.startswith(ARCHIVES) for ref in held):
        return
    from devs_git.storage.ledger.archived import archives  # few repositories have one

    if any(tag in tags for _, tag in archives.here(git)):
        raise _refusal("A checkpoint that the event names is in an archive")


def _refusal(what: str) -> DevsError:
    text = f"{what}, and only a whole archive can be deleted. Nothing was purged."
    hint = "Give its checkpoints their refs again: devs-git archive --undo. Then purge."
    return DevsError("CONFLICT", text, hint=hint)
