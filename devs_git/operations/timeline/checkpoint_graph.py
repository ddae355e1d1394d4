"""The graph of `log`: the ledger tells the rows, and git tells which checkpoint was built on which."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from devs_git.domain.checkpoints.rows import GraphRow
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.timeline import graph_edges
from devs_git.domain.timeline.graph_marks import HEAD, Mark, marks
from devs_git.storage.git.object_graph import commit_parents
from devs_git.workspace import Workspace


def read(
    workspace: Workspace,
    items: Sequence[Checkpoint | Event],
    live: Collection[str],
    head: tuple[str, str] = ("", ""),
    *,
    whole: bool,
) -> tuple[GraphRow, ...]:
    """The rows for `items`, newest first. `live`: the tags of live checkpoints.

    `head`: its commit and branch, if it has a row of its own. `whole`: no older checkpoints were left out.
    """
    found = marks(items, live, workspace.ledger.open_gates())
    if head[0]:
        found.insert(0, Mark(HEAD.upper(), HEAD, True, head[0], branch=head[1]))
    made = [mark.commit for mark in found if mark.makes]
    marked = {mark.commit for mark in found if mark.commit and mark.kind != HEAD}
    tips = sorted({mark.commit for mark in found if mark.commit})
    git = workspace.store_git
    lines = commit_parents(git, tips, "" if whole or not made else made[-1])
    if not (whole or set(made) <= {commit for commit, _ in lines}):
        # Some listed commit is older than that of the oldest checkpoint: it was recorded late.
        lines = commit_parents(git, tips)
    return graph_edges.connect(found, graph_edges.nearest(lines, marked), whole=whole)
