"""Which checkpoints follow their commits when an amend or a rebase rewrote them.

A live checkpoint follows, unless another branch still holds its old commit and it was not made on this one; so does a
completion that gave way to another clone's, under a number. Where several commits became one (squash), the task's newest checkpoint follows, its completion before all, and the others
are undone: two checkpoints of one task on one commit would say nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.history import OUTDONE, Checkpoint, History
from devs_git.domain.ledger.ids import completed_tag
from devs_git.values import immutable


@immutable
class Rewrite:
    """Checkpoints with the commit that each follows to, and those that a squash folded away."""

    moves: tuple[tuple[Checkpoint, str], ...]
    folded: tuple[Checkpoint, ...]


def follow(history: History, new_of: Mapping[str, str], kept: frozenset[str], branch: str) -> Rewrite:
    """What becomes of the checkpoints on the commits of `new_of` (old → new); `kept` are held by another branch."""
    groups: dict[tuple[str, str], list[Checkpoint]] = {}
    for point in history.checkpoints.values():
        own = branch and point.branch == branch
        follows = point.live or point.replaced == OUTDONE
        if follows and point.commit in new_of and (own or point.commit not in kept):
            groups.setdefault((point.task_id, new_of[point.commit]), []).append(point)
    moves, folded = [], []
    for (task_id, new), points in groups.items():
        done = history.completion(task_id)
        chosen = done if done in points else points[-1]
        moves.append((chosen or points[-1], new))
        folded += [point for point in points if point is not chosen]
    return Rewrite(tuple(moves), tuple(folded))


def renumber_tag(tag: bytes, old: Checkpoint, new: Checkpoint, *, ledger: str, signature: str) -> bytes:
    """The tag object of `new`, which `old` became: the message of `tag` as it was, with the new number."""
    message = tag.partition(b"\n\n")[2]
    short = completed_tag(new.task_id).removeprefix("refs/tags/")
    name = short if new.completed else f"{short}@{new.number}"
    if not new.completed:
        message = re.sub(rf"^{re.escape(old.task_id)}(@\d+)?: ".encode(), f"{new.name}: ".encode(), message)
        message = message.replace(f"\n{TrailerKey.COMPLETED}: true\n".encode(), b"\n")
    for key, value in ((TrailerKey.CHECKPOINT, str(new.number)), (TrailerKey.LEDGER, ledger)):
        message = re.sub(rf"(?m)^{key}: .*$".encode(), f"{key}: {value}".encode(), message)
    head = f"object {new.commit}\ntype commit\ntag {name}\ntagger {signature}\n\n"
    return head.encode("utf-8", "replace") + message
