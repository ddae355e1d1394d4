"""What a `sync` had done when a person interrupted it: which refs it changed here, and which it pushed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.git import refs
from devs_git.storage.git.remotes import remote_repository
from devs_git.workspace import Workspace


def shared_refs(workspace: Workspace) -> dict[str, str]:
    """The refs of this clone that `sync` may change: the ledger, and those that its events name."""
    git = workspace.ledger.git
    return {LEDGER: refs.read(git, LEDGER), **remote_repository.list_devs_refs(git)}


def tell(
    workspace: Workspace,
    remote: str,
    before: Mapping[str, str],
    pushed: Collection[str],
    sent: Collection[str],
) -> str:
    """The text for a person. `before`: `shared_refs` at the begin. `pushed`: refs that the remote has accepted. `sent`: those
    of a push that was ended, of which nobody here knows whether the remote has accepted them.
    """
    now = shared_refs(workspace)
    changed = [ref for ref in before.keys() | now.keys() if before.get(ref) != now.get(ref)]
    there = "" if sent and not pushed else f" and pushed {_count(pushed)} to {remote}"
    here = f"sync changed {_count(changed)} here{there}."
    ended = f" A push of {_count(sent)} to {remote} was ended; {remote} may have them." if sent else ""
    rest = f" What is left: devs-git sync {remote} --dry-run" if changed or pushed or sent else ""
    return here + ended + rest


def tell_nothing(remote: str) -> str:
    """The text for a person who interrupted it before it changed anything."""
    return f"sync changed no refs here and pushed no refs to {remote}."


def _count(names: Collection[str]) -> str:
    return f"{len(names) or 'no'} ref{'' if len(names) < 2 else 's'}"
