"""Which checkpoints follow their commits after an amend or a rebase.

A live checkpoint follows, unless another branch still has its old commit and it was not made on this branch. A
completion that another clone's completion replaced follows, too, with a number. If several commits became one (squash),
only one checkpoint of each task follows: its completion, or else the newest. The others are undone.
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
    """`moves`: checkpoints with their new commits. `folded`: those that a squash undoes."""

    moves: tuple[tuple[Checkpoint, str], ...]
    folded: tuple[Checkpoint, ...]


def follow(history: History, new_of: Mapping[str, str], kept: frozenset[str], branch: str) -> Rewrite:
    """What happens to the checkpoints on the commits of `new_of` (old → new). Another branch has the commits `kept`."""
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
    """The tag object of `new`, which replaces `old`: the message of `tag`, with the new number."""
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
