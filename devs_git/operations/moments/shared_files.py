"""The files of this worktree that two live sessions wrote, for `status`."""

from __future__ import annotations

from collections.abc import Collection

from devs_git.domain.moments.who_wrote import is_among
from devs_git.storage.ledger.judged_note import keeps_moments
from devs_git.workspace import Workspace

# How many of the newest moments are looked at: `status` must stay quick.
MOST = 200


def find(workspace: Workspace, changed: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The `changed` files that several live sessions wrote, with these sessions. A folder of new files is one entry, with a slash at the end.

    None where no moments are made. No problem of the catalog stops the caller.
    """
    if not changed or not keeps_moments(workspace.places.shared):
        return {}
    from devs_git.domain.moments.live_sessions import LIVE
    from devs_git.domain.text.times import stamp
    from devs_git.operations.recall.open_catalog import open_catalog
    from devs_git.storage.catalog.database import TROUBLE
    from devs_git.storage.catalog.sessions import session_signs

    try:
        with open_catalog(workspace) as catalog:
            if len(session_signs.at_work_since(catalog, stamp(workspace.clock() - LIVE))) < 2:
                return {}
            from devs_git.operations.moments import attribution

            found = attribution.attribute(workspace, catalog, MOST, now=changed, least=2)
    except TROUBLE:
        return {}
    several = {path: sorted(one.sessions & found.live) for path, one in found.writers.items()}
    return {
        path: tuple(sessions)
        for path, sessions in sorted(several.items())
        if len(sessions) > 1 and is_among(path, changed)
    }
